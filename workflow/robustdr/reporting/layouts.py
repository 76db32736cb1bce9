"""The layouts of the papers' tables: what the rows are and what the columns are."""

import json
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import scipy.stats

from robustdr.audit.cells import Cell as Printed
from robustdr.audit.reported import ANY
from robustdr.core.files import read_queries
from robustdr.evaluation.statistics import confidence_interval
from robustdr.reporting.cells import Cell, Grid, Maker, columns_of

SUMMARY = {  # value in reported.yaml -> heading
    "median": "Mean",
    "deviation": "Deviation",
    "ci": "CI",
    "upper_bound": "Upper bound",
    "lower_bound": "Lower bound",
}


CHANGED = (
    "valid: the queries that a variation leaves with other words, case and punctuation aside; an invalid variation is "
    "replaced by the original query where people judged it."
)
COUNTED = {  # quantity in reported.yaml -> count in the statistics of a query set
    "unchanged": "unchanged",
    "changed": "changed",
    "valid": "changed_ignoring_case_and_punctuation",
}


def query_sets(make: Maker, statistics: list[Path]) -> Grid:
    """A row per query set of each collection, a column per system and measure; facts: what variations change.

    `valid` counts the queries that have other words: where people judged the variations, an invalid one is none.
    """
    roles = make.spec["collections"]
    references = make.spec.get("drop_from", [""] * len(roles))
    made = {path.parts[-3:]: json.loads(path.read_text(encoding="utf-8")) for path in statistics}
    cells: dict[tuple[str, str], Cell] = {}
    counted: dict[str, dict[str, tuple[str, str]]] = {
        kind: {} for kind in make.spec.get("counts", ["unchanged", "changed"])
    }
    lost = []
    for at, role in enumerate(roles):
        where = make.settings.evaluation[role]
        for query_set in make.query_sets(role):
            row = query_set if len(roles) == 1 else f"{role}, {query_set}"
            labels = [make.settings.labels[system] for system in make.one_of_each(0)]
            for (label, system), measure in product(
                zip(labels, make.one_of_each(at), strict=True), make.measures(role)
            ):
                column = f"{label} {make.heading(measure)}"
                cells[row, column] = make.cell(system, role, query_set, measure, references[at])
            found = made.get((where["collection"], where["split"], f"{query_set}.json"))
            for quantity, of_rows in counted.items():
                printed = make.printed(collection=role, query_set=query_set, quantity=quantity)
                here = f"{found[COUNTED[quantity]]:,}" if found else "–"
                of_rows[row] = (printed.printed if printed else "–", here)
            if found and found["lost"]:
                lost.append(f"{row} {100 * found['lost'] / found['queries']:.1f} %")
    rows, columns = (list(dict.fromkeys(places)) for places in zip(*cells, strict=True))
    notes = [CHANGED] if "valid" in counted else []
    if lost:
        few = "Queries left none of their uncommon words, a lost question more than a reworded one"
        notes.append(f"{few}: {', '.join(lost)}.")
    return Grid("Query set", rows, [*counted, *columns], cells, counted, notes)


QUANTITIES = {  # in reported.yaml -> for people
    "passages": "Passages",
    "train_queries": "Training queries",
    "dev_queries": "Evaluated queries",
    "typo_queries_per_query": "Misspelled queries per query",
    "relevant_per_query": "Relevant passages per query",
    "query_length": "Words per query",
    "typo_query_length": "Words per misspelled query",
}


def collection_statistics(make: Maker, cards: list[Path], queries: list[Path]) -> Grid:
    """A row per quantity, a column per collection: how large it is, and how long its queries and their variations are.

    Args:
        cards: card.json of each collection. queries: the original queries (`queries.tsv`) and their variations.
    """
    found = {card["name"]: card for card in (json.loads(path.read_text(encoding="utf-8")) for path in cards)}
    cells: dict[tuple[str, str], Cell] = {}
    for role in make.spec["collections"]:
        where = make.settings.evaluation[role]
        here = [path for path in queries if path.parts[-3:-1] == (where["collection"], where["split"])]
        counts = _counted(found[where["collection"]], where["split"], here) if here else {}
        for quantity, heading in QUANTITIES.items():
            cell = cells[heading, role] = make.blank("", role, "", "")
            cell.value = quantity
            cell.quote(make.printed(collection=role, quantity=quantity))
            cell.reproduced = counts.get(quantity)
    return Grid("", list(QUANTITIES.values()), make.spec["collections"], cells)


def _counted(card: dict[str, Any], split: str, queries: list[Path]) -> dict[str, float]:
    """The quantities of one collection; variations of a query that read alike are one."""
    originals = read_queries(next(path for path in queries if path.stem == "queries"))
    varied = [read_queries(path) for path in queries if path.stem != "queries"]
    different = [text for qid in originals for text in {of_set[qid] for of_set in varied} - {originals[qid]}]
    evaluated = card["splits"][split]
    relevant = sum(count for grade, count in evaluated["grades"].items() if grade != "0")
    return {
        "passages": card["passages"]["count"],
        "train_queries": card["splits"]["train"]["queries"],
        "dev_queries": evaluated["queries"],
        "typo_queries_per_query": len(different) / len(originals),
        "relevant_per_query": relevant / len(originals),
        "query_length": fmean(len(text.split()) for text in originals.values()),
        "typo_query_length": fmean(len(text.split()) for text in different),
    }


def systems(make: Maker) -> Grid:
    """A row per system; a column per collection, query set (original and the mean of the variations) and measure."""
    labels = make.settings.labels
    columns = {
        f"{role} {query_set} {make.heading(measure)}": (role, query_set, measure)
        for role in make.spec["collections"]
        for query_set in make.summed_up(role)
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
    return Grid("Collection", roles, columns_of(cells), cells, notes=notes)


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
        cell.seed, cell.value = seed, value
        cell.quote(printed)
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
    return Grid("Query set", rows, columns_of(cells), cells, notes=notes)
