"""What the runs and models that authors released give, beside what their paper prints.

A run gives a printed number if its measure rounds to it, or is cut to it. A model ranks here, in another number type
and on other machines: it gives a printed number that is at most a tenth of a point away from those.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from robustdr.audit.cells import Cell as Printed
from robustdr.audit.cells import describe
from robustdr.core.markup import plain, table_row
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid

RUN, MODEL = "run", "model"
EXACT = {RUN: 1e-9, MODEL: 0.001}  # of a measure between 0 and 1; a model's ranks differ a little between machines
EXACT_DROP = {RUN: 1e-9, MODEL: 0.005}


class ReleasedNumber(NamedTuple):
    """A printed number beside what the authors' own artifact gives; `artifact`: run or model."""

    printed: Printed
    value: float
    artifact: str

    @property
    def agrees(self) -> bool:
        """Whether the artifact gives the printed number."""
        low, high = self.printed.interval
        allowed = (EXACT_DROP if self._is_drop else EXACT)[self.artifact]
        return low - allowed <= self.value <= high + allowed

    @property
    def _is_drop(self) -> bool:
        return self.printed.coordinates.get("value") == "drop"

    @property
    def difference(self) -> str:
        """How far what is given is from what is printed, in its unit; `=` if it agrees."""
        if self.agrees:
            return "="
        away = (self.value - self.printed.value) / self.printed.scale
        return f"{away:+.{self.printed.decimals + 1}f}"

    @property
    def finding(self) -> dict[str, str]:
        """The finding, by the columns of an audit; what is given has one digit more than is printed."""
        number = f"{self.value / self.printed.scale:.{self.printed.decimals + 1}f}{'%' if self._is_drop else ''}"
        return {
            "cell": describe(self.printed.coordinates),
            "printed": self.printed.printed,
            "consistent": number,
            "should be": f"what the authors' own {self.artifact} gives",
        }


def beside_printed(
    grid: Grid, printed_cells: Iterable[Printed], theirs: Mapping[str, Mapping[str, str]]
) -> dict[tuple[str, str], list[ReleasedNumber]]:
    """Return what stands beside the printed numbers of a table, by row and column.

    Args:
        theirs: `run` or `model` by system and role, for those that authors released.
    """
    by_name = {str(printed): printed for printed in printed_cells}
    return {place: pairs for place, cell in grid.cells.items() if (pairs := [*_pairs(cell, by_name, theirs)])}


def _pairs(
    cell: Cell, by_name: Mapping[str, Printed], theirs: Mapping[str, Mapping[str, str]]
) -> Iterable[ReleasedNumber]:
    artifact = theirs.get(cell.system, {}).get(cell.role)
    for name in filter(None, cell.printed_at.split("; ")) if artifact else ():
        printed = by_name[name]
        value = cell.drop if printed.coordinates.get("value") == "drop" else cell.reproduced
        if artifact and value is not None:
            yield ReleasedNumber(printed, value, artifact)


def section(pairs_beside: Sequence[ReleasedNumber]) -> list[str]:
    """Return the lines of Markdown about the numbers that the authors' own artifacts give, and do not give."""
    if not pairs_beside:
        return []
    missed = [pair for pair in pairs_beside if not pair.agrees]
    heading = "## Printed numbers that the authors' own runs and models do not give"
    counts = [
        f"their {artifact}s give {sum(pair.agrees for pair in pairs)} of {len(pairs)}"
        for artifact in (RUN, MODEL)
        if (pairs := [pair for pair in pairs_beside if pair.artifact == artifact])
    ]
    lines = ["", heading, "", f"Of the printed numbers, {' and '.join(counts)}."]
    if not missed:
        return [*lines, ""]
    columns = list(missed[0].finding)
    lines += ["", f"**inconsistent**, {len(missed)} cell{'s' if len(missed) > 1 else ''}", ""]
    lines += [table_row(columns), table_row(["---"] * len(columns))]
    return [*lines, *(table_row(map(plain, pair.finding.values())) for pair in missed), ""]
