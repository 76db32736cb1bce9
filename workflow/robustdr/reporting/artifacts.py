"""The JSON of tables and claims: the parts that other stages read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NotRequired, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from robustdr.core.files import from_json
from robustdr.evaluation.settings import Evaluated
from robustdr.reporting.cells import Cell

Made = TypeVar("Made")
Means = dict[str, dict[str, list[str]]]  # by role and name of the mean: the variations that it averages


class TableLayout(TypedDict):
    """The layout of a table; `fields`, by row and column, are (reported, reproduced, number of the cell).

    `marks`, by row or column, say whose queries or models it has (`reporting.sources`).
    `printed_at`: by row and column, the audit's names of reported numbers that are no cells.
    """

    corner: str
    rows: list[str]
    columns: list[str]
    marks: dict[str, str]
    fields: list[list[tuple[str, str, int | None]]]
    printed_at: NotRequired[dict[str, dict[str, str]]]
    unit: str


class Table(TypedDict):
    """A table."""

    title: str
    compared: bool
    layout: TableLayout
    means: Means
    cells: list[Cell]
    footnotes: list[str]


class Effect(TypedDict):
    """An effect; see `claims.measured.Judged`."""

    words: str
    size: float | None
    low: float | None
    high: float | None
    interval: list[float | None]
    confidence: float
    p: float
    there: float
    against: float
    queries: int
    seeds: int
    region: list[float | None]
    printed: list[float | None] | None
    predicted: list[float | None] | None
    power: float | None
    compared: str
    verdict: str
    sides: list[tuple[str | list[str], str]] | None
    down: bool


class AsPrinted(TypedDict):
    """A claim judged by the paper's own numbers."""

    verdict: str
    words: str
    reason: str
    evidence: list[str]
    effects: list[dict[str, object]]
    findings: list[str]


class Replicates(TypedDict):
    """How many single runs reach a claim's verdict, of those that could test it."""

    same: int
    of: int
    runs: list[dict[str, Any]]


class Record(TypedDict):
    """A claim with its verdicts and all numbers behind them."""

    claim: str
    sentence: str
    short: str
    source: str
    headline: bool
    hypothesis: bool
    how: str
    role: str
    place: str
    measure: str
    measured: str
    tables: list[str]
    systems: list[str]
    verdict: str
    words: str
    why: str
    doubt: str
    reason: str
    needs: list[str]
    evidence: list[str]
    effects: list[Effect]
    as_printed: AsPrinted
    replicates: NotRequired[Replicates]


class Control(TypedDict):
    """A control; see `claims.controls.Checked`."""

    name: str
    what: str
    state: str
    reason: str
    evidence: str
    effects: list[Effect]


class Claims(TypedDict):
    """The claims of a paper."""

    title: str
    scale: str
    miniature: str
    command: str
    names: dict[str, str]
    evaluation: dict[str, Evaluated]
    chance: str
    controls: list[Control]
    claims: list[Record]


def is_headline(claim: Mapping[str, Any]) -> bool:
    """Whether a claim (`Record`) is one on which the abstract or the conclusion of a paper rests."""
    return claim["headline"] and not is_hypothesis(claim)


def is_hypothesis(claim: Mapping[str, Any]) -> bool:
    """Whether this project states a claim (`Record`), and no paper does."""
    return claim["hypothesis"]


def averaged(cell: Cell, means: Means) -> list[str]:
    """The variations that a cell's query set averages; the query set itself if it is no mean."""
    return means.get(cell.role, {}).get(cell.query_set, [cell.query_set])


def opened(path: Path, kind: type[Made]) -> tuple[Made | None, str]:
    """(what a stage wrote, why it cannot be shown); one of them is None or ''."""
    if not path.is_file():
        return None, "missing"
    try:
        artifact = from_json(text := path.read_bytes())
        checked = TypeAdapter(kind).validate_json(text, strict=True)
    except ValidationError:
        return None, "other version"
    except ValueError:
        return None, "cut off"
    if kind is not Table:
        return artifact, ""
    return (checked, "") if _is_whole(cast("Table", checked)) else (None, "other version")


def _is_whole(table: Table) -> bool:
    """Whether a layout has fields for all rows and columns, and the cells that they name."""
    layout, count = table["layout"], len(table["cells"])
    square = [len(row_fields) for row_fields in layout["fields"]] == [len(layout["columns"])] * len(layout["rows"])
    return square and all(
        number is None or 0 <= number < count for row_fields in layout["fields"] for *_, number in row_fields
    )
