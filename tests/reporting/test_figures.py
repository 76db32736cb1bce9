"""Figures: the numbers are the measured ones, and the bytes are always the same."""

import re
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from reporting.conftest import REST, settings_of
from robustdr.audit.reported import load
from robustdr.core.errors import UserError
from robustdr.core.settings import as_json
from robustdr.evaluation.names import MEAN
from robustdr.evaluation.statistics import confidence_interval
from robustdr.evaluation.store import open_store
from robustdr.reporting.drawing import Drawing, write_figure
from robustdr.reporting.figures.learning_curve import learning_curve
from robustdr.reporting.figures.robustness import robustness
from robustdr.reporting.figures.series import series
from robustdr.reporting.settings import FigureSettings

ROOT = Path(__file__).parents[2]
# Rank of the relevant passage of 40 queries, by system; the curve of `rodr` rises, the other's falls.
CURVE = {"dr_oq": [2, 4], "rodr.at50": [1, 4], "rodr": [1, 2], "plain.at50": [4, 4], "plain": [0, 4]}


def drawing(settings, measures, reported=None):
    return Drawing(settings, settings.spec, open_store(settings, measures), reported)


@pytest.fixture()
def figure(measured):
    """(settings, measures) of a learning curve."""
    measures = [measured(name, {"dev.original": r * 20, "dev.misspell": r[:1] * 40}) for name, r in CURVE.items()]
    settings = {
        "spec": {
            "title": "Learning curve",
            "kind": "learning_curve",
            "collection": "passages",
            "measure": "RR@100",
            "start": "dr_oq",
            "systems": {"rodr": "with", "plain": "without"},
            "points": [0.5, 1.0],
        },
        "evaluation": {"passages": {"collection": "toy", "split": "dev", "means": {MEAN: ["misspell"]}, **REST}},
        "measured": {"RR@100": "RR@10"},
        "names": {system: system.partition(".")[0] for system in CURVE},
        "miniature": "Small.",
        "keys": {str(path): "key" for path in measures},
    }
    return settings_of(FigureSettings, **settings), measures


def test_the_curves_are_the_measured_values(figure):
    settings, measures = figure
    drawn = learning_curve(drawing(settings, measures))
    assert any("The paper prints no numbers for this figure." in text.get_text() for text in drawn.texts)
    rr = {0: 0.0, 1: 1.0, 2: 0.5, 4: 0.25}
    names = {"with": ["dr_oq", "rodr.at50", "rodr"], "without": ["dr_oq", "plain.at50", "plain"]}
    for axis, ranks in zip(drawn.axes, (CURVE, {name: r[:1] * 2 for name, r in CURVE.items()}), strict=True):
        for line in axis.lines[::2]:  # the others are as printed
            means = [np.mean([rr[rank] for rank in ranks[name]]) for name in names[line.get_label()]]
            expected = [100 * (mean / means[0] - 1) for mean in means]
            assert list(line.get_xdata()) == [0, 50, 100]
            assert list(line.get_ydata()) == pytest.approx(expected)
    band = drawn.axes[0].collections[0].get_paths()[0].vertices
    start, end = (np.array([rr[rank] for rank in CURVE[name] * 20]) for name in ("dr_oq", "rodr"))
    paired = end - end.mean() / start.mean() * start  # of 1, .5 and .5, .25 nothing is left: all queries double
    for share, width in ((0, 0.0), (100, 200 * confidence_interval(paired) / start.mean())):
        heights = band[band[:, 0] == share][:, 1]
        assert heights.max() - heights.min() == pytest.approx(width)
    half = np.array([rr[rank] for rank in CURVE["rodr.at50"] * 20])
    heights = band[band[:, 0] == 50][:, 1]
    assert heights.max() - heights.min() == pytest.approx(
        200 * confidence_interval(half - half.mean() / start.mean() * start) / start.mean()
    )
    assert drawn.axes[0].get_ylabel() == "change of RR@10 (%)"


def test_the_start_and_the_end_of_a_curve_are_as_printed(figure, tmp_path):
    settings, measures = figure
    text = (
        REPORTED.replace("query_set: misspell", "query_set: original").replace("RR@10", "RR@100")
        + "      dr_oq | 16.0\n"
    )
    (tmp_path / "reported.yaml").write_text(text, encoding="utf-8")
    spec = {**asdict(settings.spec), "reported": ["table6"]}
    drawn = learning_curve(drawing(replace(settings, spec=spec), measures, load(tmp_path / "reported.yaml")))
    _, of_rodr, _, of_plain = drawn.axes[0].lines
    assert list(of_rodr.get_ydata()) == pytest.approx([0, np.nan, np.nan], nan_ok=True)
    assert list(of_plain.get_xdata()) == [0, 50, 100]
    assert list(of_plain.get_ydata()) == pytest.approx([0, np.nan, 25], nan_ok=True)  # from 16 to 20
    assert any(
        "Hollow: as printed. The paper prints 3 of these 12 points as numbers." in t.get_text() for t in drawn.texts
    )


def test_the_same_figure_twice_is_the_same_bytes_in_any_process(figure, tmp_path):
    settings, measures = figure
    write_figure(settings, measures, None, tmp_path / "one.svg")
    code = (
        "import json, sys; from pathlib import Path; from robustdr.reporting.drawing import Drawing, write_figure;"
        "from robustdr.reporting.settings import FigureSettings; from robustdr.core.settings import read_settings;"
        "settings, measures = json.load(sys.stdin);"
        "paths = [Path(path) for path in measures];"
        "write_figure(read_settings(FigureSettings, settings), paths, None, Path(sys.argv[1]))"
    )
    import json

    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 9\naxes.titlesize: 30\n")
    environment = {"PYTHONPATH": str(ROOT / "workflow"), "PYTHONHASHSEED": "5"}
    handed = json.dumps([as_json(settings), [str(path) for path in measures]])
    arguments = [sys.executable, "-c", code, str(tmp_path / "two.svg")]
    subprocess.run(arguments, input=handed, env=environment, text=True, check=True, cwd=tmp_path)
    for suffix in ("svg", "png"):
        assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()
    svg = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert "Learning curve (miniature)" in svg and "with" in svg
    assert not re.search(r"<dc:date>|Matplotlib v", svg)


def test_a_stale_snapshot_stops_the_figure_and_is_named(figure, tmp_path):
    settings, measures = figure
    settings = replace(settings, keys={**settings.keys, str(measures[1]): "new"})
    with pytest.raises(UserError, match=r"rodr\.at50 on toy: .*rodr\.at50/seed1/all\.parquet carries the key key"):
        write_figure(settings, measures, None, tmp_path / "figure.svg")
    assert not (tmp_path / "figure.svg").exists()


RATIOS = {"plain": [4], "small": [2], "large": [1]}  # rank of the relevant passage of misspelled queries, by system


@pytest.fixture()
def ratios(measured):
    """(settings, measures) of a series over systems, of which `middle` was not run."""
    measures = [measured(name, {"dev.original": [1] * 40, "dev.misspell": r * 40}) for name, r in RATIOS.items()]
    systems = {"plain": "0", "small": "0.1", "middle": "0.3", "large": "1"}
    spec = {"title": "By ratio", "kind": "series", "across": "systems", "axis": "ratio", "collection": "passages"}
    spec |= {"measure": "RR@10", "systems": systems, "query_sets": {"misspell": "wrong", "original": "right"}}
    settings = {
        "spec": spec,
        "evaluation": {"passages": {"collection": "toy", "split": "dev", "means": {MEAN: ["misspell"]}, **REST}},
        "measured": {"RR@10": "RR@10"},
        "names": {system: system for system in systems},
        "reasons": {"middle": "left out"},
        "keys": {str(path): "key" for path in measures},
    }
    return settings_of(FigureSettings, **settings), measures


REPORTED = """\
paper: toy
title: A toy paper
tables:
  table6:
    caption: Printed points
    where: {collection: passages, measure: RR@10, query_set: misspell}
    unit: percent
    row: system
    columns: [{}]
    cells: |
      plain  | 20.0
      middle | 40.0
"""


def test_a_series_over_systems_leaves_out_what_was_not_run_and_says_so(ratios, tmp_path):
    settings, measures = ratios
    (tmp_path / "reported.yaml").write_text(REPORTED, encoding="utf-8")
    spec = {**asdict(settings.spec), "reported": ["table6"]}
    drawn = series(drawing(replace(settings, spec=spec), measures, load(tmp_path / "reported.yaml")))
    wrong, printed, original, none = drawn.axes[0].lines
    assert wrong.get_label() == "wrong" and original.get_label() == "right"
    assert list(wrong.get_xdata()) == list(original.get_xdata()) == [0, 0.1, 1]
    assert list(wrong.get_ydata()) == [25, 50, 100] and list(original.get_ydata()) == [100, 100, 100]
    assert list(printed.get_xdata()) == [0, 0.1, 0.3, 1]
    assert list(printed.get_ydata()) == pytest.approx([20, np.nan, 40, np.nan], nan_ok=True)
    assert np.isnan(none.get_ydata()).all()
    assert any("Not run: 0.3: left out" in text.get_text() for text in drawn.texts)


def test_a_series_over_query_sets_has_a_line_for_each_system(ratios):
    settings, measures = ratios
    systems = {"plain": "Plain", "large": "Large", "middle": "Middle"}
    spec = {**asdict(settings.spec), "across": "query_sets", "systems": systems}
    spec["query_sets"] = {"original": "0", "misspell": "50"}
    drawn = series(drawing(replace(settings, spec=spec), measures))
    lines = {line.get_label(): line for line in drawn.axes[0].lines if not line.get_label().startswith("_")}
    assert {label: list(line.get_ydata()) for label, line in lines.items()} == {"Plain": [100, 25], "Large": [100, 100]}
    assert list(lines["Plain"].get_xdata()) == [0, 50]
    assert any("Not run: Middle: left out" in text.get_text() for text in drawn.texts)


LOSSES = """\
paper: toy
title: A toy paper
tables:
  table6:
    caption: Losses without sign
    where: {collection: passages, measure: RR@10, query_set: original}
    unit: percent
    row: system
    columns: [{value: average_drop}, {value: worst_drop}]
    cells: |
      one | 20.0% | 40.0%
"""


def test_a_figure_of_robustness_shows_mean_and_worst_drop(measured, tmp_path):
    """One loses half on one variation and nothing on the other, the other system nothing and a quarter."""
    sets = {"one": ([2], [1]), "other": ([1], [1] * 3 + [0])}
    measures = [
        measured(
            name, {"dev.original": [1] * 8, "dev.misspell": a * (8 // len(a)), "dev.swap_words": b * (8 // len(b))}
        )
        for name, (a, b) in sets.items()
    ]
    means = {MEAN: ["misspell", "swap_words"]}
    spec = {"title": "Robustness", "kind": "robustness", "collection": "passages", "measure": "RR@10"}
    spec |= {"systems": {"one": "One", "third": "Third", "other": "Other"}, "reported": ["table6"]}
    role_evaluation = {"collection": "toy", "split": "dev", "means": means, **REST}
    settings = settings_of(
        FigureSettings,
        spec=spec,
        evaluation={"passages": role_evaluation},
        measured={"RR@10": "RR@10"},
        names={system: system for system in spec["systems"]},
        keys={str(path): "key" for path in measures},
        reasons={"third": "no vectors"},
    )
    (tmp_path / "reported.yaml").write_text(LOSSES, encoding="utf-8")
    figure = robustness(drawing(settings, measures, load(tmp_path / "reported.yaml")))
    axis = figure.axes[0]
    drops = {line.get_label(): list(line.get_xdata()) for line in axis.lines if not line.get_label().startswith("_")}
    assert drops["mean drop"] == pytest.approx([-25, -12.5]) and drops["worst drop"] == pytest.approx([-50, -25])
    assert [label.get_text() for label in axis.get_yticklabels()] == ["One", "Other"]
    printed = [list(line.get_xdata()) for line in axis.lines if line.get_fillstyle() == "none"]
    assert printed == [pytest.approx([-20, np.nan], nan_ok=True), pytest.approx([-40, np.nan], nan_ok=True)]
    note = "Hollow: as printed. The paper prints 2 of these 4 points as numbers.\nNot run: Third: no vectors"
    assert note in [text.get_text() for text in figure.texts]
