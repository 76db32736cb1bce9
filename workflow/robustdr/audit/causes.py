"""Root causes: one explanation for many findings, what follows from it, and the claims that rest on its cells.

Findings share a cause where the same hypothesis explains them, or where they are about the same numbers. A finding is a
consequence of a cause where it disappears once the cause's cells are put right: replaced by what their own relations
ask for, and computed anew where they enter a mean or a median. A cause is a hypothesis too.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from robustdr.audit.cells import Cell
from robustdr.audit.findings import SEVERITIES, Audit, Finding, Flaw
from robustdr.audit.hypotheses import NEIGHBOUR, VARIANTS, variant
from robustdr.audit.intervals import Interval
from robustdr.audit.printed import Claimed
from robustdr.audit.relations import Check

COPIES = ("copied_block", "implausible_seed")  # patterns whose cells are probably those of another place
AVERAGES = ("mean_of", "median_of")
MOST = 0.9  # of the cells of a finding that must follow from a cause
ALL_REALS = Interval(-inf, inf)


@dataclass(frozen=True)
class Cause:
    """What one explanation accounts for.

    Attributes:
        findings: those that it explains. consequences: those that disappear with it. claims: those on a touched cell.
    """

    findings: Sequence[Finding]
    consequences: Sequence[Finding]
    claims: Sequence[Claimed]

    @property
    def flaws(self) -> list[Flaw]:
        """Every cell that the explanation touches, without its consequences."""
        return [flaw for finding in self.findings for flaw in finding.flaws]

    @property
    def severity(self) -> str:
        """That of the worst cell."""
        return min((finding.severity for finding in self.findings), key=SEVERITIES.index)

    @property
    def weight(self) -> tuple[int, int]:
        """For the order: the worst cell, twice where a claim depends on the cause; then how many cells it touches."""
        worst = len(SEVERITIES) - SEVERITIES.index(self.severity)
        return worst * (2 if self.claims else 1), len(self.flaws)

    @property
    def hypotheses(self) -> list[str]:
        """What would make the findings disappear, each in words once."""
        return list(dict.fromkeys(finding.hypothesis for finding in self.findings if finding.hypothesis))

    @cached_property
    def worst(self) -> Flaw:
        """The cell that is farthest from what it should be; the first one of a pattern."""
        gaps = [_gap(check) for finding in self.findings for check in finding.checks] or [0.0]
        return self.flaws[gaps.index(max(gaps))]


def causes(audit: Audit) -> list[Cause]:
    """The root causes of a paper's findings, most serious first; every finding is under exactly one."""
    averages = _averages(audit)
    groups = [(group, _consequences(group, audit.findings, averages)) for group in _alike(audit.findings)]
    found: list[Cause] = []
    left = {id(finding): finding for finding in audit.findings}
    while left:
        groups = [tuple([f for f in part if id(f) in left] for part in group) for group in groups]  # type: ignore[misc]
        own, following = max(groups, key=lambda g: (bool(g[0]), sum(len(f.flaws) for f in (*g[0], *g[1]))))
        ids = {f"{finding.severity}: {finding.id}" for finding in (*own, *following)}
        found.append(Cause(own, following, [one for one in audit.claims if ids.intersection(one.found.findings)]))
        for finding in (*own, *following):
            del left[id(finding)]
    return sorted(found, key=lambda cause: cause.weight, reverse=True)


def _alike(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings by what explains them, and findings about the same numbers."""
    groups: list[tuple[set[Hashable], list[Finding]]] = []
    for finding in findings:
        keys, members = set(_keys(finding)), [finding]
        for group in [group for group in groups if group[0] & keys]:
            groups.remove(group)
            keys, members = keys | group[0], group[1] + members
        groups.append((keys, members))
    return [members for _, members in groups]


def _keys(finding: Finding) -> Iterator[Hashable]:
    """What two findings of one cause have in common."""
    if not finding.checks:
        yield finding.kind
    elif not finding.hypothesis:
        yield finding.table, finding.kind
    else:
        yield NEIGHBOUR if finding.cost == NEIGHBOUR else finding.hypothesis
    numbers = {frozenset(id(cell) for cells in check.operands.values() for cell in cells) for check in finding.checks}
    if len(numbers) == 1:
        yield numbers.pop()


def _averages(audit: Audit) -> dict[int, Check]:
    """By the id of its cell, every mean or median, by the formula that the cells of its declaration follow."""
    others = {
        (finding.table, finding.checks[0].line)
        for finding in audit.findings
        if finding.kind in AVERAGES and finding.hypothesis == VARIANTS[finding.kind][2]
    }
    averages = [check for check in audit.checks if check.kind in AVERAGES]
    return {
        id(check.target): variant(check) or check if (check.target.table, check.line) in others else check
        for check in averages
    }


def _consequences(
    group: Sequence[Finding], findings: Sequence[Finding], averages: Mapping[int, Check]
) -> list[Finding]:
    """The findings outside of `group` that disappear, or as good as, once its cells are put right."""
    right = _PutRight(group, averages)
    inside = {id(finding) for finding in group}
    others = [finding for finding in findings if finding.checks and id(finding) not in inside]
    return [finding for finding in others if sum(map(right.mends, finding.checks)) >= MOST * len(finding.checks)]


class _PutRight:
    """What cells would say if those of some findings said what their relations ask for; copied ones could say all."""

    def __init__(self, findings: Sequence[Finding], averages: Mapping[int, Check]) -> None:
        self._averages = averages
        checks = [check for finding in findings for check in finding.checks]
        self._values = {id(check.target): _hull(check.expected()) for check in checks}
        copies = [finding for finding in findings if finding.kind in COPIES]
        self._lost = {id(flaw.cell) for finding in copies for flaw in finding.flaws}
        self._values |= dict.fromkeys(self._lost, ALL_REALS)

    def _value(self, cell: Cell) -> Interval:
        if id(cell) not in self._values:
            average = self._averages.get(id(cell))
            moved = average and any(self._value(part) != part.interval for part in average.operands["main"])
            self._values[id(cell)] = self._computed(average, ["main"]) if average and moved else cell.interval
        return self._values[id(cell)]

    def _computed(self, check: Check, roles: Sequence[str]) -> Interval:
        changed = {role: [self._value(cell) for cell in check.operands[role]] for role in roles}
        return _hull(check.expected_of(changed))

    def mends(self, check: Check) -> bool:
        """Whether the check holds with its operands put right: all of them, or those of one role."""
        if id(check.target) in self._lost:
            return True
        roles = list(check.operands)
        tried = [roles] if len(roles) == 1 else [roles, *([role] for role in roles)]
        return any(check.allows([self._computed(check, some)]) for some in tried)


def _hull(intervals: Sequence[Interval]) -> Interval:
    return Interval(min(i.low for i in intervals), max(i.high for i in intervals)) if intervals else ALL_REALS


def _gap(check: Check) -> float:
    """How far the printed number is from everything that its relation allows."""
    target = check.target.interval
    return min((max(i.low - target.high, target.low - i.high) for i in check.expected()), default=0.0)
