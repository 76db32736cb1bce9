"""Faults in printed numbers: cells that break a relation together, or that form a suspicious pattern."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from robustdr.audit.cells import Cell, describe
from robustdr.audit.hypotheses import FORMULA
from robustdr.audit.relations import Check

SEVERITIES = ("impossible", "inconsistent", "suspicious")  # worst first


class Flaw(NamedTuple):
    """A cell of a finding: its possible values ('' for a pattern), and the relation or the pattern in words."""

    cell: Cell
    consistent: str
    words: str


class Broken(NamedTuple):
    """Cells that break what holds of them, or that form a suspicious pattern, with the reason."""

    kind: str
    cells: list[Cell]
    words: str
    severity: str = "suspicious"
    hypothesis: str = ""  # how it arose, if known


def are_exceptions(wrong: Sequence[object], judged: Sequence[object]) -> bool:
    """Whether what breaks a rule is one number, or less than half of all: else the head of the numbers was misread."""
    return len(wrong) == 1 or 2 * len(wrong) < len(judged)


@dataclass(frozen=True)
class Finding:
    """Cells that break the same relation in the same way, or that form a suspicious pattern."""

    kind: str  # of the relation, or of the pattern
    severity: str
    flaws: Sequence[Flaw]
    hypothesis: str  # what would make the relation hold, or how the pattern arose; '' if unknown
    cost: int = FORMULA  # the cost of the hypothesis: what it changes
    checks: Sequence[Check] = ()  # the broken ones; none for a pattern

    @property
    def table(self) -> str:
        return self.flaws[0].cell.table

    @property
    def id(self) -> str:
        """A name that is as stable as the finding: table, relation or pattern, first cell."""
        return f"{self.table}/{self.kind}/{describe(self.flaws[0].cell.coordinates)}"


def in_order(findings: Sequence[Finding], tables: Mapping[str, object]) -> list[Finding]:
    """Return findings by table, the worst first."""
    order = list(tables)
    return sorted(findings, key=lambda finding: (order.index(finding.table), SEVERITIES.index(finding.severity)))
