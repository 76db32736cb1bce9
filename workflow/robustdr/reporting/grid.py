"""Makes the cells of a table: the reported number, the reproduced one, its uncertainty, and whether the two agree."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from robustdr.audit.cells import Cell as Printed
from robustdr.audit.reported import Reported
from robustdr.claims.intervals import Interval
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.evaluation.quotients import Ratio, drop_ratio
from robustdr.evaluation.statistics import confidence_interval, drop
from robustdr.reporting.cells import Cell, finite
from robustdr.reporting.marks import MarkTest
from robustdr.reporting.settings import TableSettings
from robustdr.reporting.spec import Measured, OneEach, Quoted, TableSpec

if TYPE_CHECKING:  # the configuration reads the settings of layouts, and starts no pandas
    from robustdr.evaluation.store import Store

# How a reproduced drop agrees with the reported one, in words; see `agreement`.
AGREEMENTS = {"same": "as printed", "worse": "drops more", "better": "drops less", "opposite": "opposite"}


@dataclass(frozen=True)
class Grid:
    """The layout of a table: cells by (row, column), rows and columns in printed order.

    `facts` are the columns without measures: (reported, reproduced) by column and row. `notes` are footnotes of this
    layout. `printed_at`: the audit's names of reported facts, by row and column.
    """

    corner: str
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], Cell]
    facts: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    printed_at: dict[str, dict[str, str]] = field(default_factory=dict)


def rows_of(cells: dict[tuple[str, str], Cell]) -> list[str]:
    """The distinct rows of cells by (row, column), in the order of their first cells."""
    return list(dict.fromkeys(row for row, _ in cells))


def columns_of(cells: dict[tuple[str, str], Cell]) -> list[str]:
    """The distinct columns of cells by (row, column), in the order of their first cells."""
    return list(dict.fromkeys(column for _, column in cells))


def agreement(reported: Interval, drop: float, predicted: tuple[float, float]) -> str:
    """How a reproduced drop agrees with the reported one, by the interval in which a drop printed so is predicted.

    `same`: the interval contains a drop that rounds to the printed one. `opposite`: it lies on the other side of 0.
    Otherwise the reproduced drop is `worse` (a larger loss or a smaller gain) or `better` (a smaller loss or a larger
    gain).
    """
    prediction = Interval(*predicted)
    if prediction.meets(reported):
        return "same"
    if prediction.high < 0 < reported.low or reported.high < 0 < prediction.low:
        return "opposite"
    return "worse" if drop < reported.low else "better"


Layout = TypeVar("Layout", bound=TableSpec)


@dataclass(frozen=True)
class Maker(Generic[Layout]):
    """Makes the cells of one table.

    Attributes:
        spec: of the table. store: measured values. reported: printed values, None if the paper prints none.
        statistics: of the varied query sets, cards of the collections, or similarities: what the layout `reads`.
        queries: originals (`queries.tsv`) and variations of each collection, if the layout reads them.
        costs: files of costs of trained systems, if the layout reads them.
    """

    settings: TableSettings
    spec: Layout
    store: "Store"
    reported: Reported | None
    statistics: list[Path]
    queries: list[Path]
    costs: list[Path]

    def one_of_each(self, systems: Iterable[str | OneEach], position: int) -> list[str]:
        """The systems for collection number `position`; a list has one system for each collection."""
        return [system if isinstance(system, str) else system[position] for system in systems]

    def query_sets(self, role: str) -> list[str]:
        """The rows of a table of query sets: the original queries, the means, the variations."""
        role_evaluation = self.settings.evaluation[role]
        return [ORIGINAL, *role_evaluation["means"], *role_evaluation["variations"]]

    def summed_up(self, role: str) -> list[str]:
        """The columns of a table of systems: the original queries, and the mean of the variations or the only one."""
        variations = self.settings.evaluation[role]["variations"]
        return [ORIGINAL, variations[0] if len(variations) == 1 else MEAN]

    def measures(self, role: str) -> list[str]:
        """The role's measures in this table: all, unless its settings name some."""
        role_measures = self.settings.evaluation[role]["measures"]
        table_measures = self.spec.measures if isinstance(self.spec, Measured) else None
        return [measure for measure in table_measures or role_measures if measure in role_measures]

    def sized(self, measure: str) -> bool:
        """Whether scale and measure are the paper's, so that sizes compare."""
        return not self.settings.miniature and self.settings.measured[measure] == measure

    def heading(self, measure: str) -> str:
        """The measure taken for the paper's `measure`; if they differ, the paper's follows in brackets."""
        scale_measure = self.settings.measured[measure]
        return scale_measure if scale_measure == measure else f"{scale_measure} [{measure}]"

    def printed(self, **coordinates: object) -> Printed | None:
        """The printed cell at these coordinates of this table, or of the spec's `reported` tables; None if none."""
        tables = self.spec.reported if isinstance(self.spec, Quoted) else None
        return self.reported.first(tables or [self.settings.table], **coordinates) if self.reported else None

    def blank(self, system: str, role: str, query_set: str, measure: str) -> Cell:
        """A cell without numbers; `not_run` says why it will have none, or is empty.

        `system` and `measure` are empty for a cell about the collection.
        """
        role_evaluation = self.settings.evaluation[role]
        lacking = self.settings.reasons.get(role_evaluation["collection"], "")
        return Cell(
            f"{self.settings.paper}_{self.settings.table}",
            system,
            self.settings.labels[system] if system else "",
            role_evaluation["collection"],
            role,
            role_evaluation["split"],
            query_set,
            measure,
            self.settings.measured[measure] if measure else "",
            not_run=self.store.why_not(system, role, query_set) if system else lacking,
        )

    def quantity_cell(self, role: str, query_set: str, quantity: str, system: str = "") -> Cell:
        """A cell for a quantity of a query set with its printed number, without a reproduced one."""
        cell = self.blank("", role, query_set, "")
        coordinates = {"collection": role, "query_set": query_set, "quantity": quantity}
        cell.value, cell.system = quantity, system
        cell.quote(self.printed(**coordinates, **({"system": system} if system else {})))
        unavailable = (kind for kind in self.store.averaged(role, query_set) if kind in self.settings.reasons)
        cell.not_run = cell.not_run or next((self.settings.reasons[kind] for kind in unavailable), "")
        return cell

    def read_statistics(self) -> dict[tuple[str, ...], dict[str, float]]:
        """The content of `statistics`, by collection, split and name of the file."""
        return {
            (*path.parts[-3:-1], path.stem): json.loads(path.read_text(encoding="utf-8")) for path in self.statistics
        }

    def values(self, cell: Cell, system: str, query_set: str) -> np.ndarray:
        """Values of the cell's measure and role for any system and query set, [seeds, queries]."""
        return self.store.values(system, cell.role, query_set, cell.measured)

    def estimate(self, cell: Cell, system: str, query_set: str, counted: np.ndarray | float = 1.0) -> Estimate:
        """The mean of `values` times `counted`, with what is known of its training runs."""
        return self.store.estimate(system, cell.role, query_set, cell.measured, counted)

    def cell(
        self, system: str, role: str, query_set: str, measure: str, drop_from: str = "", against: str = ""
    ) -> Cell:
        """The cell of a measure and its drop.

        Args:
            drop_from: the drop is relative to this system's original queries; by default `system` itself, which then
                has no drop on the original queries.
            against: the other system of a paired two-tailed t-test; by default that of the table's tests.
        """
        cell = self.blank(system, role, query_set, measure)
        coordinates = {"collection": role, "system": self.settings.names[system], "query_set": query_set}
        printed, printed_drop = (
            self.printed(**coordinates, measure=measure, value=value) for value in ("value", "drop")
        )
        cell.quote(printed)
        if printed is not None:
            cell.reported_mark = printed.mark
        if printed_drop is not None:
            cell.reported_drop = printed_drop.printed
            cell.printed_at = "; ".join(filter(None, (cell.printed_at, str(printed_drop))))
        if cell.not_run:
            return cell
        estimate = self.estimate(cell, system, query_set)
        cell.seeds, cell.queries = estimate.values.shape
        cell.reproduced = estimate.mean
        of_seeds = estimate.values.mean(axis=1)
        cell.uncertainty = float(of_seeds.std(ddof=1)) if cell.seeds > 1 else confidence_interval(estimate.values[0])
        reference = drop_from or (system if query_set != ORIGINAL else "")
        if reference and not self.store.why_not(reference, cell.role, ORIGINAL):
            original = self.estimate(cell, reference, ORIGINAL)
            cell.drop_from, cell.drop = reference, drop(cell.reproduced, original.mean)
            if cell.drop is not None:
                change = drop_ratio(estimate, original)
                cell.drop_low, cell.drop_high = finite(change.interval(0.95))
                if printed_drop is not None and change.runs_known and self.sized(measure):
                    queries = self.settings.paper_queries.get(role, cell.queries)
                    cell.drop_agreement = agreement(printed_drop.interval, cell.drop, change.prediction(0.95, queries))
        self._compare(cell, estimate, against)
        return cell

    def _compare(self, cell: Cell, estimate: Estimate, against: str) -> None:
        """Test a cell's values against another system's, or against its own on the original queries.

        The family of Bonferroni's correction: for tests against the original queries, the variations that were made;
        for tests against systems, the systems compared in the column that were run.
        """
        test = self.spec.test
        family, base, query_set = [cell.query_set], against, cell.query_set
        if test and test.against == ORIGINAL:
            family, query_set = self.settings.evaluation[cell.role]["means"][MEAN], ORIGINAL
            base = cell.system if cell.query_set in family else ""
        elif test and not against:
            base = test.pairs.get(cell.system, "")
            family = [
                tested_system
                for tested_system, rival in test.pairs.items()
                if not any(self.store.why_not(system, cell.role, query_set) for system in (tested_system, rival))
            ]
        cell.against = base
        if not base or self.store.why_not(base, cell.role, query_set):
            return
        difference = estimate - self.estimate(cell, base, query_set)
        compared = Ratio(difference, ONE)
        cell.set_difference(compared)
        cell.p = compared.p
        if test and not against:
            sides = ((cell.system, cell.query_set), (base, query_set))
            ours, theirs = (
                [self.values(cell, system, variation) for variation in self.store.averaged(cell.role, query_set)]
                for system, query_set in sides
            )
            tested = (marks := MarkTest(test)).tested(ours, theirs, difference, len(family))
            cell.p, cell.p_runs, cell.mark = tested.paper, tested.ours, marks.mark(tested, compared.value)
