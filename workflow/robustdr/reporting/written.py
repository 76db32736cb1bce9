"""The JSON of tables and claims: the parts that other stages read."""

import json
from pathlib import Path
from typing import NotRequired, TypedDict, TypeVar

Made = TypeVar("Made")
Means = dict[str, dict[str, list[str]]]  # by role and name of the mean: the variations that it averages


class Row(TypedDict):
    """A cell; see `cells.Cell`."""

    table: str
    system: str
    label: str
    collection: str
    role: str
    split: str
    query_set: str
    measure: str
    measured: str
    seed: int
    value: str
    reproduced: float | None
    drop_agreement: str
    against: str
    difference: float | None
    printed_at: str
    own_seconds: NotRequired[str]


class Laid(TypedDict):
    """The layout of a table; `fields`, by row and column, are (reported, reproduced, number of the cell)."""

    corner: str
    rows: list[str]
    columns: list[str]
    fields: list[list[tuple[str, str, int | None]]]
    unit: str


class Table(TypedDict):
    """A table."""

    title: str
    compared: bool
    layout: Laid
    means: Means
    cells: list[Row]


class Effect(TypedDict):
    """An effect; see `claims.measured.Judged`."""

    size: float
    low: float | None
    high: float | None
    confidence: float
    printed: list[float] | None
    corrected: list[float] | None


class AsPrinted(TypedDict):
    """A claim judged by the paper's own numbers."""

    verdict: str
    reason: str
    evidence: list[str]
    effects: list[dict[str, object]]
    findings: list[str]


class Record(TypedDict):
    """A claim with its verdicts and all numbers behind them."""

    claim: str
    source: str
    how: str
    verdict: str
    reason: str
    evidence: list[str]
    effects: list[Effect]
    as_printed: AsPrinted


class Claims(TypedDict):
    """The claims of a paper."""

    title: str
    claims: list[Record]


# By type of file: the name of its list, the keys of the file, and the keys of each entry in the list.
READ: dict[type, tuple[str, frozenset[str], frozenset[str]]] = {
    Table: ("cells", Table.__required_keys__, Row.__required_keys__),
    Claims: ("claims", Claims.__required_keys__, Record.__required_keys__),
}


def opened(path: Path, kind: type[Made]) -> tuple[Made | None, str]:
    """(what a stage wrote, why it cannot be shown); one of them is None or ''."""
    if not path.is_file():
        return None, "missing"
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None, "cut off"
    part, beside, fields = READ[kind]
    whole = isinstance(made, dict) and made.keys() >= beside and all(of.keys() >= fields for of in made[part])
    return (made, "") if whole else (None, "other version")
