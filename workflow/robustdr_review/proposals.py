"""The relations that were found in a table as declarations for reported.yaml, in as few as select the same cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import ValidationError

from robustdr.audit.arithmetic import Found
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


def propose(reported: Reported, table: Table, obeyed: Sequence[Found]) -> list[Proposal]:
    """Return the relations that the numbers of a table obey (see `relations`), as far as coordinates can say them."""
    made: list[Proposal] = []
    said: set[int] = set()  # targets
    for found in obeyed:
        targets = {id(check.target) for check in found.checks}
        for declared in () if targets <= said else _declared(found, table):
            checks = _checks(reported, table, declared)
            if not _are_the_same(found.checks, checks):
                continue
            for name in [*declared["for"]]:  # what the others select, or what holds of all its labels
                wider = {**declared, "for": {key: label for key, label in declared["for"].items() if key != name}}
                more = _checks(reported, table, wider)
                if len(more) >= len(checks) and _fit(more) * len(checks) >= _fit(checks) * len(more):
                    declared, checks = wider, more
            said |= {id(check.target) for check in checks}
            made.append(Proposal(Relation.model_validate(declared), _fit(checks), len(checks)))
            break
    return made


def _are_the_same(found: Sequence[Check], declared: Sequence[Check]) -> bool:
    """Whether declared checks have those that were found among them, with the same cells."""
    known = {id(check.target): check for check in declared}
    return all(
        (other := known.get(id(check.target))) is not None
        and {id(cell) for cell in check.operands["main"] if cell.table}
        == {id(cell) for cell in other.operands["main"] if cell.table}
        for check in found
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


def _declared(found: Found, table: Table) -> Iterator[dict[str, Any]]:
    """Yield declarations of a relation by the coordinates of its cells; they may select other cells too."""
    first = found.checks[0]
    if abs(first.options.factor) != 1:
        return
    shared = dict(first.target.coordinates)
    for check in found.checks:
        shared = {name: label for name, label in shared.items() if check.target.coordinates.get(name) == label}
    places = {name: label for name, label in shared.items() if name in table.varying and (name, label) != VALUE}
    keeps = KINDS[first.kind].keeps_value
    operands = {role: _selector(first.target, cells, keeps) for role, cells in first.operands.items()}
    more = {role: of for role, of in operands.items() if role != "main" and of != {}}
    magnitude = {"magnitude": True} if first.options.factor < 0 else {}
    main = operands["main"]
    several = [name for name, labels in main.items() if isinstance(labels, list)] if isinstance(main, dict) else []
    for every in ["", *several]:
        chosen = {**main, every: ANY} if every and isinstance(main, dict) else main
        yield {"for": places, first.kind: chosen, **more, **magnitude}


def _selector(target: Cell, cells: Sequence[Cell], keeps_value: bool) -> dict[str, Any] | str:
    """Return the coordinates in which cells differ from a target; a number that stands in no cell as it is."""
    if not cells[0].table:
        return cells[0].printed
    made: dict[str, Any] = {}
    for name in dict.fromkeys(name for cell in (target, *cells) for name in cell.coordinates):
        labels = list(dict.fromkeys(cell.coordinates.get(name) for cell in cells))
        usual = target.coordinates.get(name) if keeps_value or name != "value" else "value"
        if labels != [usual]:
            made[name] = labels[0] if len(labels) == 1 else labels
    return made
