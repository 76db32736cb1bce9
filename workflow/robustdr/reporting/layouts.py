"""The layouts of the papers' tables: what the rows are and what the columns are."""

import json
from pathlib import Path

import numpy as np
import scipy.stats

from robustdr.audit.cells import Cell as Printed
from robustdr.audit.reported import ANY
from robustdr.evaluation.statistics import confidence_interval
from robustdr.evaluation.store import MEAN
from robustdr.reporting.cells import ORIGINAL, Cell, Grid, Maker

SUMMARY = {  # value in reported.yaml -> heading
    "median": "Mean",
    "deviation": "Deviation",
    "ci": "CI",
    "upper_bound": "Upper bound",
    "lower_bound": "Lower bound",
}


def query_sets(make: Maker, statistics: list[Path]) -> Grid:
    """A row per query set, a column per system and measure; facts: the queries that a variation changed."""
    (role,), systems = make.spec["collections"], make.spec["systems"]
    labels = make.settings.labels
    (drop_from,) = make.spec.get("drop_from", [""])
    rows, cells = make.query_sets(role), {}
    columns = {
        f"{labels[system]} {make.heading(measure)}": (system, measure)
        for system in systems
        for measure in make.measures(role)
    }
    for query_set in rows:
        for column, (system, measure) in columns.items():
            cells[query_set, column] = make.cell(system, role, query_set, measure, drop_from)
    made = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in statistics}
    facts = {}
    for quantity in ("unchanged", "changed"):
        printed = {row: make.printed(query_set=row, quantity=quantity) for row in rows}
        facts[quantity] = {
            row: (cell.printed if cell else "–", f"{made[row][quantity]:,}" if row in made else "–")
            for row, cell in printed.items()
        }
    lost = [f"{kind} {100 * of['lost'] / of['queries']:.1f} %" for kind, of in made.items() if of["lost"]]
    notes = [f"Queries left none of their uncommon words, a lost question more than a reworded one: {', '.join(lost)}."]
    return Grid("Query set", rows, [*facts, *columns], cells, facts, notes if lost else [])


def systems(make: Maker) -> Grid:
    """A row per system; a column per collection, query set (original and the mean of the variations) and measure."""
    labels = make.settings.labels
    columns = {
        f"{role} {query_set} {make.heading(measure)}": (role, query_set, measure)
        for role in make.spec["collections"]
        for query_set in (ORIGINAL, MEAN)
        for measure in make.measures(role)
    }
    cells = {
        (labels[system], column): make.cell(system, *place)
        for system in make.spec["systems"]
        for column, place in columns.items()
    }
    return Grid("System", [labels[system] for system in make.spec["systems"]], list(columns), cells)


def collections(make: Maker) -> Grid:
    """A row per collection, each with its own systems; a column per kind of system, measure and query set."""
    roles, sets = make.spec["collections"], make.spec["query_sets"]
    references = make.spec.get("drop_from", [""] * len(roles))
    cells: dict[tuple[str, str], Cell] = {}
    for row, role in enumerate(roles):
        for of_roles in make.spec["systems"]:
            for measure in make.spec["measures"]:
                for query_set in sets:
                    column = f"{make.settings.labels[of_roles[0]]} {make.heading(measure)}"
                    column += f" {query_set}" if len(sets) > 1 else ""
                    cells[role, column] = make.cell(of_roles[row], role, query_set, measure, references[row])
    notes = [] if len(sets) > 1 else [f"All columns: {sets[0]}."]
    return Grid("Collection", roles, list(dict.fromkeys(column for _, column in cells)), cells, notes=notes)


def summary(by_seed: np.ndarray) -> dict[str, float]:
    """What CAPOT's Tables 8 to 17 say of the measures of several seeds, [seeds].

    `median` is the mean (the paper prints means below that heading), `ci` half the 95 % confidence interval under a
    normal distribution, 1.96 · deviation / √seeds. One seed has a mean alone.
    """
    mean = float(by_seed.mean())
    if len(by_seed) < 2:
        return {"median": mean}
    deviation = float(by_seed.std(ddof=1))
    ci = deviation * float(scipy.stats.norm.ppf(0.975)) / len(by_seed) ** 0.5
    return {"median": mean, "deviation": deviation, "ci": ci, "upper_bound": mean + ci, "lower_bound": mean - ci}


def seeds(make: Maker) -> Grid:
    """A row per query set of one system, collection and measure; a column per seed, and what sums them up."""
    (role,), (system,), (measure,) = make.spec["collections"], make.spec["systems"], make.spec["measures"]
    wanted, run = make.settings.seeds["paper"], make.settings.seeds["scale"]
    lacking = f"this scale has {len(run)} seed{'s' if len(run) > 1 else ''} of this system: {', '.join(map(str, run))}"
    rows, cells = make.query_sets(role), {}
    where = {"collection": role, "system": make.settings.names[system], "measure": measure}

    def put(column: str, query_set: str, printed: Printed | None, seed: int = 0, value: str = "value") -> Cell:
        cell = cells[query_set, column] = make.blank(system, role, query_set, measure)
        cell.seed, cell.value, cell.reported = seed, value, printed.printed if printed else ""
        return cell

    for query_set in rows:
        # By their place, not their number: the paper heads two columns with the same seed.
        place = {**where, "query_set": query_set, "seed": ANY, "value": "value"}
        table = make.reported.tables[make.settings.table] if make.reported else None
        printed = table.select(place) if table else []
        for number, seed in enumerate(wanted):
            cell = put(f"Seed {seed}", query_set, printed[number] if number < len(printed) else None, seed)
            if seed not in run:
                cell.not_run = cell.not_run or lacking
            if not cell.not_run:
                found = make.values(cell, system, query_set)[run.index(seed)]
                cell.reproduced, cell.uncertainty = float(found.mean()), confidence_interval(found)
                cell.seeds, cell.queries = 1, len(found)
        for value, heading in SUMMARY.items():
            cell = put(heading, query_set, make.printed(**where, query_set=query_set, value=value), value=value)
            if not cell.not_run:
                found = make.values(cell, system, query_set)
                cell.seeds, cell.queries = found.shape
                cell.reproduced = summary(found.mean(axis=1)).get(value)
                cell.not_run = lacking if cell.reproduced is None else ""
    notes = [
        "± of a seed is half the 95 % confidence interval over queries. Mean to lower bound are taken over the seeds "
        "that were run; CI is 1.96 · deviation / √seeds, and the bounds are mean ± CI. Reproduced deviations and CIs "
        "are ×100."
    ]
    return Grid("Query set", rows, list(dict.fromkeys(column for _, column in cells)), cells, notes=notes)
