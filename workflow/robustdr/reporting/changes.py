"""How much measures change from the original queries to their variations: by system, and over all of them."""

from dataclasses import replace
from itertools import product
from math import isfinite
from pathlib import Path

import numpy as np

from robustdr.audit.cells import Cell as Printed
from robustdr.core.files import read_queries
from robustdr.evaluation.estimates import ONE, Estimate, Ratio
from robustdr.evaluation.names import MEAN
from robustdr.reporting.cells import ORIGINAL, Cell, Grid, Maker, agreement, columns_of
from robustdr.variations.statistics import neutral

Changed = dict[tuple[str, str, str], set[str]]  # (collection, split, variation) -> ids of queries


def changes(make: Maker, queries: list[Path]) -> Grid:
    """A row per system and per average over some of them; a column per collection, query set and measure.

    Args:
        make: makes its cells. queries: with `queries: changed` in the spec, which then counts for every variation only
            the queries that it changes, the original queries (`queries.tsv`) and the variations of each collection.
    """
    roles, averages = make.spec["collections"], make.spec["averages"]
    changed = _changed(queries) if "queries" in make.spec else None
    cells: dict[tuple[str, str], Cell] = {}
    for (at, role), query_set in product(enumerate(roles), make.spec["query_sets"]):
        for measure in make.spec["measures"]:
            column = f"{role} {query_set} {make.heading(measure)}"
            found: dict[str, tuple[Cell, Estimate | None]] = {}
            for system in make.one_of_each(at):
                cell = make.blank(system, role, query_set, measure)
                found[system] = cell, None if cell.not_run else _drop(make, cell, changed)
            for name, members in averages.items():
                found[name] = _average(name, [found[system] for system in make.one_of_each(at, members)])
            rows = [make.settings.labels[system] for system in make.one_of_each(0)] + list(averages)
            for row, (cell, estimate) in zip(rows, found.values(), strict=True):
                name = make.settings.names.get(cell.system, cell.system)
                at = {"collection": role, "system": name, "query_set": query_set, "measure": measure}
                loss, rise = (make.printed(**at, value=value) for value in ("drop", "rise"))
                cells[row, column] = _filled(cell, estimate, loss or rise, loss=loss is not None)
    counted = "the queries whose words the variation changes" if changed is not None else "all queries"
    notes = [f"A drop is the mean of those on the variations behind a query set, each over {counted}."]
    labels = make.settings.labels
    notes += [
        f"{name}: the mean of {', '.join(labels[system] for system in make.one_of_each(0, members))}."
        for name, members in averages.items()
    ]
    rows, columns = (list(dict.fromkeys(places)) for places in zip(*cells, strict=True))
    return Grid("System", rows, columns, cells, notes=notes)


AVERAGE, WORST = "average_drop", "worst_drop"  # values in reported.yaml


def robustness(make: Maker) -> Grid:
    """A row per system; columns for a measure on the original queries, its mean drop over the variations, the worst.

    The mean drop is intent's avg d., the worst one, that of the variation which costs most, its worst d. (§4.2).
    """
    cells: dict[tuple[str, str], Cell] = {}
    for role, measure in ((at, taken) for at in make.spec["collections"] for taken in make.measures(at)):
        column = f"{role} {make.heading(measure)}"
        for system in make.spec["systems"]:
            row = make.settings.labels[system]
            cells[row, column] = make.cell(system, role, ORIGINAL, measure)
            for value, estimate in _attacked(make, system, role, measure).items():
                cell = make.blank(system, role, MEAN, measure)
                at = {"collection": role, "system": make.settings.names[system], "query_set": ORIGINAL}
                printed = make.printed(**at, measure=measure, value=value)
                filled = cells[row, f"{column} {value.replace('_', ' ')}"] = _filled(cell, estimate, printed, loss=True)
                filled.value = value
    worst = "The worst drop is that of the variation that costs most here, and its interval that variation's alone."
    rows = [make.settings.labels[system] for system in make.spec["systems"]]
    return Grid("System", rows, columns_of(cells), cells, notes=[worst])


def _attacked(make: Maker, system: str, role: str, measure: str) -> dict[str, Estimate | None]:
    """The mean drop over the variations of a role, and the worst one; None where there are none."""
    cell = make.blank(system, role, MEAN, measure)
    if cell.not_run:
        return {AVERAGE: None, WORST: None}
    original = Estimate(make.values(cell, system, ORIGINAL))
    if not original.mean:
        return {AVERAGE: None, WORST: None}
    kinds = make.store.kinds(cell.role, MEAN)
    drops = [(Estimate(make.values(cell, system, kind)) - original) / original for kind in kinds]
    return {AVERAGE: _mean(drops), WORST: min(drops, key=lambda drop: drop.mean)}


def _changed(queries: list[Path]) -> Changed:
    """The queries that each variation gives other words, case and punctuation left aside."""
    texts = {path.parts[-3:]: read_queries(path) for path in queries}
    return {
        (collection, split, Path(name).stem): {
            qid
            for qid, text in varied.items()
            if neutral(text) != neutral(texts[collection, split, "queries.tsv"][qid])
        }
        for (collection, split, name), varied in texts.items()
        if name != "queries.tsv"
    }


def _average(name: str, parts: list[tuple[Cell, Estimate | None]]) -> tuple[Cell, Estimate | None]:
    """The mean over systems, in a cell of its own; none without every one of them."""
    not_run = next((cell.not_run for cell, _ in parts if cell.not_run), "")
    estimates = [estimate for _, estimate in parts if estimate]
    whole = replace(parts[0][0], system=name, label=name, not_run=not_run)
    return whole, _mean(estimates) if len(estimates) == len(parts) else None


def _mean(parts: list[Estimate]) -> Estimate:
    return sum(parts[1:], parts[0]) / len(parts)


def _drop(make: Maker, cell: Cell, changed: Changed | None) -> Estimate | None:
    """The mean drop over the variations behind a cell's query set; None where one of them has nothing to lose."""
    original, drops = make.values(cell, cell.system, ORIGINAL), []
    for kind in make.store.kinds(cell.role, cell.query_set):
        counted = np.ones(original.shape[1])
        if changed is not None:
            ids = make.store.queries(cell.system, cell.role)
            counted = np.isin(ids, list(changed[cell.collection, cell.split, kind])).astype(float)
        base = Estimate(original * counted)
        if not base.mean:
            return None
        drops.append(Estimate((make.values(cell, cell.system, kind) - original) * counted) / base)
    return _mean(drops)


def _filled(cell: Cell, estimate: Estimate | None, printed: Printed | None, loss: bool) -> Cell:
    """A cell with what is printed, a `loss` without its sign or a rise, and the estimate of ours."""
    cell.value = "drop"
    cell.quote(printed)
    if estimate is None:
        cell.not_run = cell.not_run or "no query that counts has a value above 0"
        return cell
    change = Ratio(estimate, ONE)
    interval = change.interval(0.95)
    cell.reproduced = cell.drop = change.value
    cell.p, cell.seeds, cell.queries = change.p, change.seeds, change.queries
    cell.drop_low, cell.drop_high = (end if isfinite(end) else None for end in interval)
    if printed:
        said = -printed.interval.magnitude() if loss else printed.interval
        cell.drop_agreement = agreement(said, cell.drop, interval)
    return cell
