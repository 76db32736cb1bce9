"""Declared relations, applied to every cell that they constrain."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain, product

from robustdr.audit.cells import Cell, describe
from robustdr.audit.grains import FINEST, MEASURES, Grain, Mixture, grain, mixture
from robustdr.audit.relations import KINDS, Check, Options
from robustdr.audit.reported import ANY, Reported, Table, literal
from robustdr.audit.transcript import Labels, Operand, Places, Relation, Selector
from robustdr.core.errors import UserError, unknown

ROLES = ("of", "plus", "minus", "out_of")
OPTIONS = ("z", "magnitude", "or_more", "note", "runs")
NEEDS = {"counts_match": ("out_of",)}
TAKES = {
    **NEEDS,
    "bound_of": ("plus", "minus"),
    "sum_is": ("plus",),
    "drop_from": ("of", "magnitude", "or_more"),
    "points_from": ("of", "magnitude", "or_more"),
    "ci_of": ("z",),
    "mean_over": ("relevant", "runs"),
    "deviation_over": ("of",),
    "same_as": ("magnitude",),
    "at_most": ("plus", "magnitude"),
    "at_least": ("magnitude",),
}


class _NotPrinted(Exception):
    """A relation needs a number that the paper does not print, or that is missing from its text."""


def resolve(reported: Reported) -> list[Check]:
    """Return every declared relation at every cell that it constrains.

    Raises:
        UserError: a relation names a missing cell or table, no kind or several, or makes a cell depend on itself.
    """
    checks = [
        check
        for table in reported.tables.values()
        for line, declaration in table.relations
        if declaration.proposed is None
        for check in _resolve(reported, table, line, declaration)
    ]
    _refuse_cycles(reported, checks)
    return checks


def _resolve(reported: Reported, table: Table, line: int, relation: Relation) -> list[Check]:
    message_place = f"{reported.path}:{line}: tables.{table.id}.relations"
    settings = {name: getattr(relation, name) for name in relation.model_fields_set}
    kinds = [kind for kind in KINDS if kind in settings]
    if len(kinds) != 1:
        raise UserError(f"{message_place}: {' and '.join(kinds) or 'no kind'} given; give one of {', '.join(KINDS)}")
    kind = kinds[0]
    extra = settings.keys() - {"cells", "note", "proposed", kind, *TAKES.get(kind, ())}
    absent = [key for key in NEEDS.get(kind, ()) if key not in settings]
    if extra or absent:
        fault = f"{sorted(extra)[0]!r} given" if extra else f"{absent[0]!r} missing"
        raise UserError(
            f"{message_place}: {fault}; {kind} takes for, note and {', '.join(TAKES.get(kind, ())) or 'nothing else'}"
        )
    targets = selected(relation.cells, table)
    if not targets:
        raise UserError(f"{message_place}: `for` selects no cell of {table.id}; {_labels_of(table, relation.cells)}")
    roles = {"main": settings[kind], **{role: settings[role] for role in ROLES if role in settings}}
    if kind in ("drop_from", "points_from", "deviation_over"):
        roles.setdefault("of", Selector.model_validate({}))
    options = Options(**{name: settings[name] for name in OPTIONS if name in settings})
    checks = []
    for target in targets:
        try:
            operands = {
                role: _select(reported, message_place, line, target, operand, KINDS[kind].keeps_value)
                for role, operand in roles.items()
            }
        except _NotPrinted:
            continue
        _check_operands(message_place, kind, operands)
        if kind == "mean_over":
            options = replace(options, grain=_grain(message_place, target, operands["main"], relation.relevant))
        checks.append(Check(kind, target, operands, options, line))
    return checks


def selected(places: Places, table: Table) -> list[Cell]:
    """Return the cells of a table at given labels of each coordinate; their `value` is `value` if not given."""
    labels: dict[str, list[str]] = {"value": ["value"], **{name: _listed(label) for name, label in places.items()}}
    return [cell for place in product(*labels.values()) for cell in table.select(dict(zip(labels, place, strict=True)))]


def _grain(
    message_place: str, target: Cell, total: Sequence[Cell], relevant: int | Mapping[int, int] | None
) -> Grain | Mixture:
    measure = target.coordinates.get("measure", "")
    possible_means = mixture(measure, relevant) if isinstance(relevant, Mapping) else grain(measure, relevant or 0)
    if possible_means is None:
        allowed = f"R@k of up to {FINEST:,} possible means" if isinstance(relevant, Mapping) else MEASURES
        raise UserError(f"{message_place}: mean_over of {measure or 'no measure'} at {target}; allowed: {allowed}")
    queries = round(sum(cell.value for cell in total))
    if isinstance(relevant, Mapping) and sum(relevant.values()) != queries:
        raise UserError(
            f"{message_place}: relevant counts {sum(relevant.values()):,} queries; mean_over is {queries:,}"
        )
    return possible_means


def _check_operands(message_place: str, kind: str, operands: Mapping[str, Sequence[Cell]]) -> None:
    if kind in ("std_of", "ci_of") and len(operands["main"]) < 2:
        raise UserError(f"{message_place}: {kind} selects one cell; a deviation needs two or more")
    if kind == "deviation_over" and sum(cell.interval.low for cell in operands["main"]) < 2:
        raise UserError(f"{message_place}: deviation_over of fewer than 2 numbers; a deviation needs two or more")
    total = operands["main"] if kind in ("share_of", "mean_over", "deviation_over") else operands.get("out_of", ())
    if total and sum(cell.interval.low for cell in total) <= 0:
        raise UserError(f"{message_place}: {kind} of a total of {total[0].printed}; a share needs a total above 0")
    rounded = [cell for cell in total if kind != "counts_match" and cell.interval.low < cell.interval.high]
    if rounded:
        raise UserError(
            f"{message_place}: {kind} of {rounded[0].printed} at {rounded[0]}, which may be rounded "
            f"(unit {rounded[0].unit}); give its column `unit: count`"
        )


def _listed(label: Labels) -> list[str]:
    return [str(entry) for entry in label] if isinstance(label, list) else [str(label)]


def _labels_of(table: Table, places: Places) -> str:
    names = [name for name, label in places.items() if label is not None]
    labels_by_name = {
        name: sorted({cell.coordinates[name] for cell in table.cells if name in cell.coordinates}) for name in names
    }
    return "; ".join(
        f"its labels of {name} are {', '.join(labels) or 'none'}" for name, labels in labels_by_name.items()
    )


def _select(
    reported: Reported, message_place: str, line: int, target: Cell, operand: Operand, keeps_value: bool
) -> list[Cell]:
    """Return an operand's cells: at the target's coordinates, except for those that the operand names."""
    if not isinstance(operand, Selector):
        return [literal(message_place, reported.paper, line, str(operand))]
    if (name := operand.table or target.table) not in reported.tables:
        raise unknown(f"{message_place}: table", name, reported.tables)
    table = reported.tables[name]
    label_choices = {key: [label] for key, label in target.coordinates.items()}
    if not keeps_value:
        label_choices["value"] = ["value"]
    for key, label in operand.places.items():
        if label is None:
            label_choices.pop(key, None)
        else:
            label_choices[key] = _listed(label)
    operand_cells: list[Cell] = []
    for labels in product(*label_choices.values()):
        place = dict(zip(label_choices, labels, strict=True))
        several = ANY in labels
        cells = [cell for cell in table.select(place) if not (several and cell is target)]
        if _stands_in(place, table.lost_places) or (not cells and _stands_in(place, table.blank)):
            raise _NotPrinted
        if not cells:
            raise UserError(
                f"{message_place}: {name} has no cell at {describe(place)}; {_labels_of(table, operand.places)}"
            )
        if not several and all(cell.coordinates == cells[0].coordinates for cell in cells):
            # If a label is printed twice, the column's position decides.
            cells = [cell for cell in cells if cell.column == target.column] or cells
        if len(cells) > 1 and not several:
            raise UserError(
                f"{message_place}: {len(cells)} cells of {name} stand at {describe(place)}; name more coordinates"
            )
        operand_cells += cells
    return operand_cells


def _stands_in(place: Mapping[str, str], coordinates: Sequence[Mapping[str, str]]) -> bool:
    return any(all(label in (ANY, candidate.get(name)) for name, label in place.items()) for candidate in coordinates)


def _refuse_cycles(reported: Reported, checks: Sequence[Check]) -> None:
    """Refuse relations that compute a cell from itself, directly or through others."""
    check_of: defaultdict[int, dict[int, Check]] = defaultdict(dict)  # by cell and by cell that it is computed from
    for check in checks:
        if KINDS[check.kind].derives:
            for cell in chain(*check.operands.values()):
                check_of[id(check.target)].setdefault(id(cell), check)
    try:
        TopologicalSorter(check_of).prepare()
    except CycleError as error:
        source, target, *_ = error.args[1]
        check = check_of[target][source]
        raise UserError(
            f"{reported.path}:{check.line}: tables.{check.target.table}.relations: a cycle: {check.kind} "
            f"computes {check.target} from itself; a cell may only follow from other cells"
        ) from None
