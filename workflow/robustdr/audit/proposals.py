"""Relations that most cells of a table obey: averages, totals, drops, deviations, with the number of fitting cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from robustdr.audit.reported import ANY, Reported, Table
from robustdr.audit.resolve import resolve
from robustdr.audit.transcript import Relation
from robustdr.core.errors import UserError

AVERAGE = re.compile(r"(.*\b)?(avg|average|mean|overall)\b.*", re.I)
TOTAL = re.compile(r"(total|sum|all)\b.*", re.I)
LEAST, SHARE = 2, 0.5  # cells, and share of the cells concerned, that must fit before a relation is proposed
QUANTITIES = 8  # most quantities of a table to search for two that add up to a third: pairs grow with the square
OF_SEEDS = {"median": "median_of", "deviation": "std_of", "ci": "ci_of"}


class Proposal(NamedTuple):
    """A relation, the number of cells that it concerns, and how many of them fit."""

    relation: Relation
    fit: int
    cells: int


def propose(reported: Reported, table: Table) -> list[Proposal]:
    """Return the best relation for each average, total, drop and deviation of a table, if half its cells fit."""
    found = []
    for candidates in _candidates(table):
        best = None
        for candidate in candidates:
            tried = _tried(reported, table, Relation.model_validate(candidate))
            if tried and (best is None or tried.fit * best.cells > best.fit * tried.cells):
                best = tried
            if best and best.fit == best.cells:
                break
        if best and best.fit >= LEAST and best.fit >= SHARE * best.cells:
            found.append(best)
    return found


def _tried(reported: Reported, table: Table, relation: Relation) -> Proposal | None:
    alone = replace(reported, tables={table.id: replace(table, relations=[(0, relation)])})
    try:
        checks = resolve(alone)
    except UserError:  # names a cell that the table lacks
        return None
    return Proposal(relation, sum(check.holds for check in checks), len(checks)) if checks else None


def _candidates(table: Table) -> Iterator[list[dict[str, object]]]:
    """Yield, for each cell that may be computed from others, the relations that may compute it."""
    labels: dict[str, dict[str, None]] = {}
    for cell in table.cells:
        for name, label in cell.coordinates.items():
            labels.setdefault(name, {})[label] = None
    values = labels.pop("value", {})
    seeds = labels.pop("seed", {})
    labels.pop("measure", None)
    for name, known in labels.items():
        for place, label in enumerate(known):
            if _is_average(label):
                # An average at several coordinates, as in a row that spans a column of groups, is over all groups.
                groups = {
                    other: ANY
                    for other in labels
                    if other != name and all(_is_average(at) for at in _labels_at(table, name, label, other))
                }
                yield [
                    {"for": {name: label}, "mean_of": {**groups, name: parts}} for parts in _parts(list(known), place)
                ]
            elif TOTAL.fullmatch(label):
                yield [{"for": {name: label}, "sum_is": {name: parts}} for parts in _parts(list(known), place)]
    for first, second in combinations(list(labels.get("quantity", {}))[:QUANTITIES], 2):
        yield [
            {"for": {"quantity": first, name: others}, "plus": {"quantity": second}, "sum_is": {name: label}}
            for name, known in labels.items()
            for label in list(known)[:2]
            if name != "quantity" and (others := [other for other in known if other != label])
        ]
    if "drop" in values:
        # If the baseline prints a change itself, that is 0.
        changed = {at for cell in table.select({"value": "drop"}) if cell.number for at in cell.coordinates.items()}
        yield [
            {"for": {"value": "drop"}, kind: {name: label}}
            for kind in ("drop_from", "points_from")
            for name, known in labels.items()
            for label in known
            if (name, label) not in changed
        ]
    for value, kind in OF_SEEDS.items():
        if value in values and len(seeds) > 1:
            yield [{"for": {"value": value}, kind: {"seed": "*"}}]


def _is_average(label: str) -> bool:
    return bool(AVERAGE.fullmatch(label)) or label.endswith("_mean")


def _labels_at(table: Table, name: str, label: str, other: str) -> set[str]:
    """Return the labels of `other` in cells where `name` has this label."""
    return {cell.coordinates.get(other, "") for cell in table.select({name: label})}


def _parts(labels: Sequence[str], place: int) -> Iterator[list[str]]:
    """Yield the labels that an average may cover: all others or those above, with or without the first."""
    others = [label for label in labels if not _is_average(label)]
    above = [label for label in labels[:place] if label in others]
    for parts in (others[1:], others, above[1:], above):
        if len(parts) > 1 and labels[place] not in parts:
            yield parts
