"""The relations that were found in a table as declarations for reported.yaml, in as few as select the same cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import ValidationError

from robustdr.audit.arithmetic import ObeyedRelation
from robustdr.audit.cells import Cell
from robustdr.audit.relations import KINDS, Check
from robustdr.audit.reported import ANY, Reported, Table
from robustdr.audit.resolve import resolve
from robustdr.audit.transcript import Relation
from robustdr.core.errors import UserError

AVERAGE = re.compile(r"(.*\b)?(avg|average|mean|overall)\b.*", re.I)
VALUE = ("value", "value")


class Proposal(NamedTuple):
    """A relation, the number of cells that it concerns, and how many of them fit."""

    relation: Relation
    fit: int
    cells: int


def propose(reported: Reported, table: Table, obeyed: Sequence[ObeyedRelation]) -> list[Proposal]:
    """Return the relations that the numbers of a table obey (see `relations`), as far as coordinates can say them."""
    proposals: list[Proposal] = []
    declared_targets: set[int] = set()  # targets
    for relation in obeyed:
        targets = {id(check.target) for check in relation.checks}
        for declared in () if targets <= declared_targets else _declared(relation, table):
            checks = _checks(reported, table, declared)
            if not _are_the_same(relation.checks, checks):
                continue
            for name in [*declared["for"]]:  # what the others select, or what holds of all its labels
                wider = {**declared, "for": {key: label for key, label in declared["for"].items() if key != name}}
                wider_checks = _checks(reported, table, wider)
                if len(wider_checks) >= len(checks) and _fit(wider_checks) * len(checks) >= _fit(checks) * len(
                    wider_checks
                ):
                    declared, checks = wider, wider_checks
            declared_targets |= {id(check.target) for check in checks}
            proposals.append(Proposal(Relation.model_validate(declared), _fit(checks), len(checks)))
            break
    return proposals


def _are_the_same(found_checks: Sequence[Check], declared: Sequence[Check]) -> bool:
    """Whether declared checks have those that were found among them, with the same cells."""
    by_target = {id(check.target): check for check in declared}
    return all(
        (match := by_target.get(id(check.target))) is not None
        and {id(cell) for cell in check.operands["main"] if cell.table}
        == {id(cell) for cell in match.operands["main"] if cell.table}
        for check in found_checks
    )


def _fit(checks: Sequence[Check]) -> int:
    return sum(check.holds for check in checks)


def _checks(reported: Reported, table: Table, declared: dict[str, Any]) -> list[Check]:
    """Return the declaration at every cell that it selects; none if it names a cell that the table lacks."""
    try:
        relation = Relation.model_validate(declared)
        return resolve(replace(reported, tables={table.id: replace(table, relations=[(0, relation)])}))
    except (UserError, ValidationError):
        return []


def _declared(relation: ObeyedRelation, table: Table) -> Iterator[dict[str, Any]]:
    """Yield declarations of a relation by the coordinates of its cells; they may select other cells too."""
    first = relation.checks[0]
    if abs(first.options.factor) != 1:
        return
    shared = dict(first.target.coordinates)
    for check in relation.checks:
        shared = {name: label for name, label in shared.items() if check.target.coordinates.get(name) == label}
    places = {name: label for name, label in shared.items() if name in table.varying and (name, label) != VALUE}
    keeps = KINDS[first.kind].keeps_value
    operands = {role: _selector(first.target, cells, keeps) for role, cells in first.operands.items()}
    further_operands = {role: selector for role, selector in operands.items() if role != "main" and selector != {}}
    magnitude = {"magnitude": True} if first.options.factor < 0 else {}
    main = operands["main"]
    several = [name for name, labels in main.items() if isinstance(labels, list)] if isinstance(main, dict) else []
    for widened in ["", *several]:
        chosen = {**main, widened: ANY} if widened and isinstance(main, dict) else main
        yield {"for": places, first.kind: chosen, **further_operands, **magnitude}


def _selector(target: Cell, cells: Sequence[Cell], keeps_value: bool) -> dict[str, Any] | str:
    """Return the coordinates in which cells differ from a target; a number that stands in no cell as it is."""
    if not cells[0].table:
        return cells[0].printed
    coordinates: dict[str, Any] = {}
    for name in dict.fromkeys(name for cell in (target, *cells) for name in cell.coordinates):
        labels = list(dict.fromkeys(cell.coordinates.get(name) for cell in cells))
        usual = target.coordinates.get(name) if keeps_value or name != "value" else "value"
        if labels != [usual]:
            coordinates[name] = labels[0] if len(labels) == 1 else labels
    return coordinates
