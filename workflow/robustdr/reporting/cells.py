"""A cell of a table, as tables are made of and their files have it."""

from dataclasses import dataclass, field
from math import isfinite

from robustdr.audit.cells import Cell as Printed
from robustdr.evaluation.quotients import Ratio


def finite(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    """The ends of an interval, None for one that is infinite."""
    low, high = (end if isfinite(end) else None for end in interval)
    return low, high


@dataclass
class Cell:
    """A cell of a table; drops and measures are shares of 1, reported ones are strings as printed.

    `measured` is the measure taken at this scale for the paper's `measure`. `seed` is 0 for all seeds together. `value`
    is the type of number in the cell, as in reported.yaml: `value`, the mean over queries and seeds; `difference`, that
    mean minus the mean of the system `against`; `drop`, only a drop, which may be a
    mean of several.
    `difference` is from the mean of the system `against`, with the ends of its 95 % interval. In a table with marks,
    `p` is of the paper's test and `p_runs` of ours, both corrected; see `marks`.
    `uncertainty` is the standard deviation over seeds if there are several, else half the 95 % confidence interval over
    queries. `drop` is relative to the original queries of the system `drop_from`; `drop_low` and `drop_high` are the
    ends of its 95 % interval over queries and seeds, None if unbounded. `drop_agreement`: see `agreement`. `printed_at`
    is the audit's name of the reported cells. `queries_from`, `model_from`: see `reporting.sources`. `facts`: those of
    the cell's row, by heading; see `Grid`.
    """

    table: str
    system: str
    label: str
    collection: str
    role: str
    split: str
    query_set: str
    measure: str
    measured: str
    seed: int = 0
    value: str = "value"
    reported: str = ""
    reported_mark: str = ""
    reported_drop: str = ""
    reproduced: float | None = None
    uncertainty: float | None = None
    seeds: int = 0
    queries: int = 0
    drop_from: str = ""
    drop: float | None = None
    drop_low: float | None = None
    drop_high: float | None = None
    drop_agreement: str = ""
    against: str = ""
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_runs: float | None = None
    mark: str = ""
    not_run: str = ""
    queries_from: str = ""
    model_from: str = ""
    printed_at: str = ""
    facts: dict[str, str] = field(default_factory=dict)

    def quote(self, printed: Printed | None) -> None:
        """Set the reported number from the printed cell, if there is one."""
        if printed is not None:
            self.reported, self.printed_at = printed.printed, str(printed)

    def set_difference(self, difference: Ratio) -> None:
        """Set the difference from the system `against`, with its interval."""
        self.difference = difference.value
        self.difference_low, self.difference_high = finite(difference.interval(0.95))
