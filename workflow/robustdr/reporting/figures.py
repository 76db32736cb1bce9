"""Figures: learning curves, measures and drops by depth of the ranking, drops by method, series over a setting."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from robustdr.audit.reported import Reported, load
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.statistics import confidence_interval
from robustdr.evaluation.store import Store, open_store
from robustdr.experiments.needs import snapshot
from robustdr.reporting.cells import ORIGINAL
from robustdr.reporting.settings import FigureSettings
from robustdr.reporting.style import COLOURS, MARKERS, save


def _finish(figure: plt.Figure, settings: FigureSettings, note: str = "") -> plt.Figure:
    """Title above, legend and note below: nothing lies over the data."""
    figure.suptitle(settings.spec["title"] + (" (miniature)" if settings.miniature else ""), fontsize=10)
    figure.tight_layout()
    handles, labels = figure.axes[-1].get_legend_handles_labels()
    columns = 3 if len(labels) in (5, 6, 9) else 4
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=columns, fontsize=8)
    lines = -(-len(labels) // columns)
    figure.text(0.01, -(0.2 * lines + 0.3) / figure.get_figheight(), note, fontsize=7)
    return figure


def learning_curve(settings: FigureSettings, store: Store, _: Reported | None) -> plt.Figure:
    """A measure over the share of the training steps, on the original queries and on the mean of the variations."""
    spec, role = settings.spec, settings.spec["collection"]
    measure = settings.measured[spec["measure"]]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.8), sharex=True)
    for axis, query_set, title in zip(axes, (ORIGINAL, MEAN), ("Original", "Variations (mean)"), strict=True):
        for colour, (system, label) in zip(COLOURS, spec["systems"].items(), strict=False):
            points = [(0.0, spec["start"]), *((share, snapshot(system, share)) for share in spec["points"])]
            values = [store.values(name, role, query_set, measure).mean(axis=0) for _, name in points]
            means, widths = [100 * v.mean() for v in values], [100 * confidence_interval(v) for v in values]
            shares = [100 * share for share, _ in points]
            axis.plot(shares, means, marker="o", markersize=4, color=colour, label=label)
            low, high = zip(*((m - w, m + w) for m, w in zip(means, widths, strict=True)), strict=True)
            axis.fill_between(shares, low, high, color=colour, alpha=0.12, linewidth=0)
        axis.set_title(title)
        axis.set_xlabel("training steps (%)")
    axes[0].set_ylabel(f"{measure} ×100")
    return _finish(figure, settings, "Bands: 95 % confidence interval over queries.")


def _printed(settings: FigureSettings, reported: Reported | None, **coordinates: str) -> float:
    """A number of the paper's in percent, from the first of the figure's tables that prints it; NaN where none does."""
    found = reported.first(settings.spec.get("reported", []), **coordinates) if reported else None
    return float(found.number) if found else float("nan")


def _depth_axes(settings: FigureSettings, ylabel: str) -> tuple[plt.Figure, Any]:
    """Two panels, reported and reproduced, each with the depths of the measures behind it."""
    measures = settings.spec["measures"]
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.9), sharey=True)
    taken = [settings.measured[measure] for measure in measures]
    for axis, title, named in zip(axes, ("Reported", "Reproduced"), (measures, taken), strict=True):
        axis.set_title(title)
        axis.set_xlabel("recall set size (passages)")
        axis.set_xticks(range(len(named)), [name.partition("@")[2] for name in named])
        axis.tick_params(labelleft=True)
    axes[0].set_ylabel(ylabel)
    return figure, axes


def accuracy_by_depth(settings: FigureSettings, store: Store, reported: Reported | None) -> plt.Figure:
    """Retrieval accuracy over the recall set size: a colour per collection, a line style per query set."""
    spec = settings.spec
    figure, axes = _depth_axes(settings, "retrieval accuracy (%)")
    places = range(len(spec["measures"]))
    for colour, marker, role, system in zip(COLOURS, MARKERS, spec["collections"], spec["systems"][0], strict=False):
        for style, query_set in zip(("-", "--", ":"), spec["query_sets"], strict=False):
            named = {"collection": role, "system": settings.names[system], "query_set": query_set}
            printed = [_printed(settings, reported, **named, measure=measure) for measure in spec["measures"]]
            at = (system, role, query_set)
            made = [100 * store.values(*at, settings.measured[measure]).mean() for measure in spec["measures"]]
            look = {"color": colour, "marker": marker, "markersize": 4, "linestyle": style}
            for axis, numbers in zip(axes, (printed, made), strict=True):
                axis.plot(places, numbers, label=f"{role}, {query_set}", **look)
    return _finish(figure, settings)


def loss_by_depth(settings: FigureSettings, store: Store, reported: Reported | None) -> plt.Figure:
    """The drop against the original queries of `drop_from` over the recall set size: a line per system."""
    spec, role = settings.spec, settings.spec["collection"]
    figure, axes = _depth_axes(settings, "relative loss (%)")
    places = range(len(spec["measures"]))
    taken = [settings.measured[measure] for measure in spec["measures"]]
    clean = [store.values(spec["drop_from"], role, ORIGINAL, measure).mean() for measure in taken]
    for colour, marker, (system, label) in zip(COLOURS, MARKERS, spec["systems"].items(), strict=False):
        named = {"collection": spec["collection"], "system": settings.names[system], "value": "drop"}
        named |= {"query_set": spec["query_set"]}
        printed = [_printed(settings, reported, **named, measure=measure) for measure in spec["measures"]]
        noisy = [store.values(system, role, spec["query_set"], measure).mean() for measure in taken]
        made = [100 * (n - c) / c if c else float("nan") for n, c in zip(noisy, clean, strict=True)]
        for axis, numbers in zip(axes, (printed, made), strict=True):
            axis.plot(places, numbers, color=colour, marker=marker, markersize=4, label=label)
    for axis in axes:
        axis.axhline(0, color="#444444", linewidth=0.8)
    return _finish(figure, settings)


def methods(settings: FigureSettings, store: Store, _: Reported | None) -> plt.Figure:
    """Each method's drop by mean of variations: a row per mean, a point per method."""
    spec, role = settings.spec, settings.spec["collection"]
    measure, means = settings.measured[spec["measure"]], list(settings.evaluation[role]["means"])
    figure, axis = plt.subplots(figsize=(7.2, 0.5 + 0.12 * (len(spec["systems"]) + 2) * len(means)))
    offsets = np.linspace(-0.34, 0.34, len(spec["systems"]))
    styles = zip(COLOURS, MARKERS, offsets, spec["systems"].items(), strict=False)
    for colour, marker, offset, (system, label) in styles:
        original = store.values(system, role, ORIGINAL, measure).mean(axis=0)
        changes = [
            (store.values(system, role, mean, measure).mean(axis=0) - original) / original.mean() for mean in means
        ]
        drops, widths = [100 * c.mean() for c in changes], [100 * confidence_interval(c) for c in changes]
        heights = np.arange(len(means)) + offset
        axis.errorbar(
            drops, heights, xerr=widths, label=label, color=colour, marker=marker, elinewidth=0.8, linestyle="none"
        )
    axis.set_yticks(range(len(means)), [mean.removesuffix("_mean").replace("variations", "all") for mean in means])
    axis.set_ylim(len(means) - 0.5, -0.5)
    for edge in range(1, len(means)):
        axis.axhline(edge - 0.5, color="#bbbbbb", linewidth=0.8)
    axis.grid(axis="y", visible=False)
    axis.tick_params(axis="y", length=0)
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_xlabel(f"drop of {measure} against each method's own original queries (%)")
    return _finish(figure, settings, "Bars: 95 % confidence interval over queries.")


def robustness(settings: FigureSettings, store: Store, _: Reported | None) -> plt.Figure:
    """Mean and worst drop of each system over the variations (intent, Figure 3)."""
    spec, role = settings.spec, settings.spec["collection"]
    measure, kinds = settings.measured[spec["measure"]], store.kinds(role, MEAN)
    drops = []
    for system in spec["systems"]:
        clean = store.values(system, role, ORIGINAL, measure).mean()
        drops.append([100 * (store.values(system, role, kind, measure).mean() / clean - 1) for kind in kinds])
    rows = np.arange(len(drops))
    figure, axis = plt.subplots(figsize=(5.4, 0.9 + 0.3 * len(rows)))
    found = {"mean drop": list(map(np.mean, drops)), "worst drop": list(map(min, drops))}
    for colour, marker, (label, values) in zip(COLOURS, MARKERS, found.items(), strict=False):
        axis.plot(values, rows, color=colour, marker=marker, label=label, linestyle="none")
    axis.axvline(0, color="#444444", linewidth=0.8)
    axis.set_xlabel(f"drop of {measure} (%)")
    axis.set_yticks(rows, list(spec["systems"].values()))
    axis.invert_yaxis()
    return _finish(figure, settings)


def series(settings: FigureSettings, store: Store, reported: Reported | None) -> plt.Figure:
    """A measure over numbers, the labels of systems or of query sets (`across`): a line for each of the others.

    What was not run is left out, and said.
    """
    spec, role = settings.spec, settings.spec["collection"]
    measure, over_systems = settings.measured[spec["measure"]], spec["across"] == "systems"
    points, lines = (spec["systems"], spec["query_sets"]) if over_systems else (spec["query_sets"], spec["systems"])
    figure, axis = plt.subplots(figsize=(5.4, 3.2))
    lacking: dict[str, list[str]] = {}
    for colour, marker, (line, label) in zip(COLOURS, MARKERS, lines.items(), strict=False):
        made, printed = [], []
        for point, place in points.items():
            system, query_set = (point, line) if over_systems else (line, point)
            at = (system, role, query_set)
            named = {"collection": spec["collection"], "system": settings.names[system], "query_set": query_set}
            printed.append((float(place), _printed(settings, reported, **named, measure=spec["measure"])))
            if reason := store.why_not(*at):
                lacking.setdefault(reason, []).append(place if over_systems else label)
                continue
            values = store.values(*at, measure).mean(axis=0)
            made.append((float(place), 100 * values.mean(), 100 * confidence_interval(values)))
        if made:
            places, means, widths = (np.array(column) for column in zip(*made, strict=True))
            axis.plot(places, means, color=colour, marker=marker, markersize=4, label=label)
            axis.fill_between(places, means - widths, means + widths, color=colour, alpha=0.12, linewidth=0)
        hollow: dict[str, Any] = {"fillstyle": "none", "linestyle": "none", "markersize": 7}
        axis.plot(*zip(*printed, strict=True), color=colour, marker=marker, **hollow)
    axis.set_xlabel(spec["axis"])
    axis.set_ylabel(f"{measure} ×100")
    note = "Bands: 95 % confidence interval over queries." + (" Hollow: as printed." if spec.get("reported") else "")
    left_out = [f"Not run: {', '.join(dict.fromkeys(what))}: {why}" for why, what in lacking.items()]
    return _finish(figure, settings, "\n".join([note, *left_out]))


KINDS = {
    kind.__name__: kind for kind in (learning_curve, accuracy_by_depth, loss_by_depth, methods, robustness, series)
}


def write_figure(settings: FigureSettings, measures: list[Path], reported: Path | None, output: Path) -> None:
    """Draw a figure as .svg and .png.

    Args:
        measures: measures files. reported: reported.yaml; None where the paper has none. output: the .svg file.

    Raises:
        UserError: a system that the figure needs was not run, or its measures are stale.
    """
    store = open_store(settings, measures)
    save(KINDS[settings.spec["kind"]](settings, store, load(reported) if reported else None), output)
