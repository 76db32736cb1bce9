"""The keys of reported.yaml (`config/papers/<paper>/reported.yaml`): printed numbers, and relations between them."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from robustdr.audit.cells import COORDINATES, Coordinate
from robustdr.core.names import Text
from robustdr.core.yaml_files import Document


def _id(name: str) -> str:
    if not re.fullmatch(ID, name):
        raise ValueError("is no name; allowed: small letters, digits and _, beginning with a letter")
    return name


ID = "[a-z][a-z0-9_]*"
Id = Annotated[str, AfterValidator(_id), WithJsonSchema({"type": "string", "pattern": f"^{ID}$"})]
Label = str | int
Coordinates = Mapping[Coordinate, Label]
Labels = Label | Annotated[list[Label], Field(min_length=1)] | None  # `*`: every label; null: the coordinate is dropped
Places = Mapping[Coordinate, Labels]
Unit = Literal["percent", "fraction", "count", "number"]
Positive = Annotated[int, Field(ge=1)]
Counts = Annotated[dict[Positive, Positive], Field(min_length=1)]


class Selector(Document, extra="allow", json_schema_extra={"propertyNames": {"enum": ["table", *COORDINATES]}}):
    """Cells other than the target, by the coordinates that differ: a label, a list, `*` for all, or null for none."""

    table: str | None = None
    """Their table; the target's own if not given."""
    __pydantic_extra__: dict[Coordinate, Labels]  # type: ignore[assignment]

    @property
    def places(self) -> Places:
        """The coordinates that differ."""
        return self.__pydantic_extra__


Operand = Label | Selector  # an exact number, or cells


def optional(description: str) -> Any:
    """A key that may be missing."""
    return Field(None, description=description)


class Relation(Document):
    """A relation that must hold at some cells, the targets. It has one of the keys from `mean_of` to `at_most`."""

    cells: Places = Field(alias="for")
    """The targets, by their coordinates."""
    of: Operand | None = optional(
        "drop_from, points_from: the changed cells; deviation_over: the mean. By default the target's with "
        "`value: value`."
    )
    plus: Operand | None = optional("Cells to add to the target (sum_is, at_most) or to the centre (bound_of).")
    minus: Operand | None = optional("bound_of: cells to subtract.")
    out_of: Operand | None = optional("counts_match: the total.")
    mean_of: Operand | None = optional("The target is the mean of these cells.")
    median_of: Operand | None = optional("The target is the median of these cells.")
    harmonic_mean_of: Operand | None = optional("The target is the harmonic mean of these cells, as F1 is.")
    std_of: Operand | None = optional("The target is the sample standard deviation of these cells.")
    ci_of: Operand | None = optional("The target is the half-width z·s/√n of the confidence interval over these cells.")
    bound_of: Operand | None = optional("The target is this cell plus (or minus) the cells under `plus` (or `minus`).")
    drop_from: Operand | None = optional("The target is (of − this) / this; several cells stand for their mean.")
    points_from: Operand | None = optional("The target is of − this; several cells stand for their mean.")
    sum_is: Operand | None = optional("The target and the cells under `plus` add up to the sum of these.")
    share_of: Operand | None = optional("The target is a percentage of this many: only some values can occur.")
    mean_over: Operand | None = optional("The target is a mean over this many queries: only some values can occur.")
    deviation_over: Operand | None = optional(
        "The target is the sample deviation of this many whole numbers; their mean is at `of`."
    )
    counts_match: Operand | None = optional("The target is the share that this count is `out_of` a total.")
    same_as: Operand | None = optional("The target is printed here too.")
    at_least: Operand | None = optional("The target is no smaller than any of these cells.")
    at_most: Operand | None = optional("The target is no larger than any of these cells.")
    relevant: Positive | Counts | None = optional(
        "mean_over R@k: relevant passages of a query; or by number of them, how many queries."
    )
    runs: Positive | None = optional("mean_over: the mean is over so many runs of these queries; 1 unless given.")
    z: float | None = optional("ci_of: the normal quantile; 1.96 unless given.")
    magnitude: Literal[True] | None = optional("Compare without signs.")
    or_more: Literal[True] | None = optional("drop_from, points_from: the target is this much or more.")
    proposed: str | None = optional(
        "How many cells fit a relation of a draft. It counts as not declared until this key is taken away."
    )
    note: str | None = optional("Why the relation must hold; printed with its findings.")


class RunFiles(Document):
    """The TREC runs behind some cells."""

    cells: Places = Field(alias="for")
    """The cells that the runs give."""
    run: Text
    """File in the folder of runs; `{system}` stands for the cell's system; this works for any coordinate."""


class MarkTest(Document):
    """A paired two-tailed t-test between the runs of two cells, which a mark attests."""

    cells: Places = Field(alias="for")
    """The cells that may be marked."""
    mark: Text
    """One of the table's marks."""
    against: Coordinates
    """The coordinates in which the compared cell differs."""
    level: Annotated[float, Field(gt=0, lt=1)]
    """Level of significance."""
    comparisons: Positive | None = None
    """Comparisons that the level is divided by (Bonferroni); the number of cells if not given."""


class Column(Document, extra="allow", json_schema_extra={"propertyNames": {"enum": ["unit", "and", *COORDINATES]}}):
    """A column: the coordinates of its cells as keys."""

    unit: Unit | None = None
    """Unit of its numbers; the table's if not given."""
    further: str | Coordinates | Annotated[list[str | Coordinates], Field(min_length=1)] = Field([], alias="and")
    """The further values of a cell: a name (`drop`), coordinates, or a list of these."""
    __pydantic_extra__: dict[Coordinate, Label]  # type: ignore[assignment]

    @property
    def place(self) -> Coordinates:
        """The coordinates of its cells."""
        return self.__pydantic_extra__


class PrintedTable(Document):
    """A table of a paper."""

    caption: str
    """Caption, as printed."""
    where: Coordinates = Field({})
    """Coordinates of all its cells."""
    unit: Unit = "number"
    """percent: measures times 100; fraction: from 0 to 1; count: exact whole numbers; number: anything else."""
    marks: dict[str, str] = Field({})
    """Marks beside numbers, and their meanings."""
    row: Coordinate | Annotated[list[Coordinate], Field(min_length=1)]
    """Coordinates that the first fields of a line give."""
    columns: Annotated[list[Column], Field(min_length=1)]
    """The columns, from left to right."""
    cells: str
    """The numbers as printed, one line for each row, fields separated by vertical bars."""
    relations: list[Relation] = Field([])
    """What must hold between its cells."""
    runs: list[RunFiles] = Field([])
    """The TREC runs behind its cells, for `robustdr audit --runs`."""
    tests: list[MarkTest] = Field([])
    """The tests that its marks attest, for `robustdr audit --runs`."""


class Transcript(Document):
    """The numbers that a paper prints, and what must hold between them."""

    paper: Id
    """Name of the paper."""
    title: str
    """Title of the paper."""
    missing: dict[Id, str] = Field({})
    """Tables that the available text of the paper lacks, with the reason."""
    words: dict[str, str | list[str]] = Field({})
    """How the paper words a label, where its text has other words: `variations_mean: VARIATIONS (AVG.)`."""
    tables: Annotated[dict[Id, PrintedTable], Field(min_length=1)]
    """The tables by name."""
