"""Root causes: one explanation for many findings, its consequences, and the claims that rest on its cells.

Findings share a cause if the same hypothesis explains them, or if they are about the same numbers. A finding is a
consequence of a cause if it disappears once the cause's cells are corrected: replaced by what their own relations
require, and recomputed in each mean or median that they enter. A cause is a hypothesis too.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from robustdr.audit.audited import Audit
from robustdr.audit.cells import Cell
from robustdr.audit.explain import largest_first
from robustdr.audit.findings import SEVERITIES, Finding, Flaw
from robustdr.audit.hypotheses import NEIGHBOUR, VARIANTS, variant
from robustdr.audit.printed_claims import Claimed
from robustdr.audit.relations import Check
from robustdr.audit.rounding import hull
from robustdr.claims.intervals import Interval

COPIES = ("copied_block", "implausible_seed")  # patterns whose cells are probably copied from another place
AVERAGES = ("mean_of", "median_of")
MOST = 0.9  # share of a finding's cells that must follow from a cause
ALL_REALS = Interval(-inf, inf)


@dataclass(frozen=True)
class Cause:
    """One explanation and the findings that it covers.

    Attributes:
        findings: those that it explains. consequences: those that disappear with it. claims: those on an affected cell.
    """

    findings: Sequence[Finding]
    consequences: Sequence[Finding]
    claims: Sequence[Claimed]

    @property
    def flaws(self) -> list[Flaw]:
        """Every cell that the explanation covers, without its consequences."""
        return [flaw for finding in self.findings for flaw in finding.flaws]

    @property
    def severity(self) -> str:
        """The severity of the worst cell."""
        return min((finding.severity for finding in self.findings), key=SEVERITIES.index)

    @property
    def weight(self) -> tuple[int, int]:
        """The sort key: severity of the worst cell, doubled if a claim depends on the cause; then number of cells."""
        worst = len(SEVERITIES) - SEVERITIES.index(self.severity)
        return worst * (2 if self.claims else 1), len(self.flaws)

    @property
    def hypotheses(self) -> list[str]:
        """The changes that would make the findings disappear, in words, each once."""
        return list(dict.fromkeys(finding.hypothesis for finding in self.findings if finding.hypothesis))

    @cached_property
    def worst(self) -> Flaw:
        """The cell farthest from its expected value; the first cell of a pattern."""
        checks = [(check, check.target.interval) for finding in self.findings for check in finding.checks]
        gaps = [
            min((max(i.low - printed.high, printed.low - i.high) for i in check.expected()), default=0.0)
            for check, printed in checks
        ]
        return self.flaws[gaps.index(max(gaps)) if gaps else 0]


def causes(audit: Audit) -> list[Cause]:
    """Return the root causes of a paper's findings, most serious first; every finding is in exactly one."""
    consequences = _Consequences(audit)
    groups = [(group, consequences.find(group)) for group in _group_findings(audit.findings)]
    root_causes: list[Cause] = []
    unassigned = {id(finding) for finding in audit.findings}

    def remaining(place: int) -> list[list[Finding]]:
        return [[finding for finding in part if id(finding) in unassigned] for part in groups[place]]

    def size(place: int) -> int:
        explained, following = remaining(place)
        return sum(len(finding.flaws) for finding in (*explained, *following)) if explained else 0

    for place in largest_first([0] * len(groups), size):
        explained, following = remaining(place)
        ids = {f"{finding.severity}: {finding.id}" for finding in (*explained, *following)}
        root_causes.append(
            Cause(
                explained,
                following,
                [claimed for claimed in audit.claims if ids.intersection(claimed.as_printed.findings)],
            )
        )
        unassigned.difference_update(map(id, (*explained, *following)))
    return sorted(root_causes, key=lambda cause: cause.weight, reverse=True)


def _group_findings(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Return findings in groups: the same explanation, or the same numbers."""
    groups: dict[int, tuple[set[Hashable], list[Finding]]] = {}
    group_of: dict[Hashable, int] = {}
    for number, finding in enumerate(findings):
        keys, members = set(_keys(finding)), [finding]
        for joined in sorted({group_of[key] for key in keys if key in group_of}):
            their_keys, theirs = groups.pop(joined)
            keys |= their_keys
            members = theirs + members
        groups[number] = keys, members
        group_of |= dict.fromkeys(keys, number)
    return [members for _, members in groups.values()]


def _keys(finding: Finding) -> Iterator[Hashable]:
    """Yield keys of a finding; findings that share a key have the same cause."""
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
    """Return every mean or median by the id of its cell, with the formula that its declaration's cells follow."""
    variant_declarations = {
        (finding.table, finding.checks[0].line)
        for finding in audit.findings
        if finding.kind in AVERAGES and finding.hypothesis == VARIANTS[finding.kind][2]
    }
    averages = [check for check in audit.checks if check.kind in AVERAGES]
    return {
        id(check.target): variant(check) or check if (check.target.table, check.line) in variant_declarations else check
        for check in averages
    }


class _Consequences:
    """Finds the findings that disappear, entirely or nearly, once the cells of other findings are corrected."""

    def __init__(self, audit: Audit) -> None:
        self._findings = audit.findings
        self._averages = _averages(audit)
        self._above: defaultdict[int, list[int]] = defaultdict(list)  # by cell, the averages that it enters
        for average_id, average in self._averages.items():
            for part in average.operands["main"]:
                self._above[id(part)].append(average_id)
        self._broken = [(place, check) for place, finding in enumerate(audit.findings) for check in finding.checks]
        self._touching: defaultdict[int, set[int]] = defaultdict(set)  # by cell, the broken checks that it is in
        for number, (_, check) in enumerate(self._broken):
            for cell in check.cells:
                self._touching[id(cell)].add(number)

    def find(self, group: Sequence[Finding]) -> list[Finding]:
        """Return the findings outside of `group` that follow from it, in order."""
        corrected = _Corrected(group, self._averages)
        inside = {id(finding) for finding in group}
        touched = {number for cell in self._affected(corrected.cells) for number in self._touching.get(cell, ())}
        mended = Counter(
            place
            for place, check in (self._broken[number] for number in touched)
            if id(self._findings[place]) not in inside and corrected.mends(check)
        )
        return [
            self._findings[place]
            for place in sorted(mended)
            if mended[place] >= MOST * len(self._findings[place].checks)
        ]

    def _affected(self, cells: Iterable[int]) -> set[int]:
        """Return the cells and all averages computed from them, directly or through other averages."""
        affected: set[int] = set()
        waiting = list(cells)
        while waiting:
            if (cell := waiting.pop()) not in affected:
                affected.add(cell)
                waiting += self._above.get(cell, ())
        return affected


class _Corrected:
    """The values of cells once some findings are corrected: what their relations require; any for copied cells."""

    def __init__(self, findings: Sequence[Finding], averages: Mapping[int, Check]) -> None:
        self._averages = averages
        checks = [check for finding in findings for check in finding.checks]
        self._values = {id(check.target): hull(check.expected() or [ALL_REALS]) for check in checks}
        copies = [finding for finding in findings if finding.kind in COPIES]
        self._lost = {id(flaw.cell) for finding in copies for flaw in finding.flaws}
        self._values |= dict.fromkeys(self._lost, ALL_REALS)
        self.cells = list(self._values)  # their ids

    def _value(self, cell: Cell) -> Interval:
        if id(cell) not in self._values:
            average = self._averages.get(id(cell))
            changed = average and any(self._value(part) != part.interval for part in average.operands["main"])
            self._values[id(cell)] = hull(self._computed(average, ["main"])) if average and changed else cell.interval
        return self._values[id(cell)]

    def _computed(self, check: Check, roles: Sequence[str]) -> list[Interval]:
        changed = {role: [self._value(cell) for cell in check.operands[role]] for role in roles}
        return check.expected_of(changed) or [ALL_REALS]

    def mends(self, check: Check) -> bool:
        """Whether the check holds once its operands are corrected: all of them, or those of one role."""
        if id(check.target) in self._lost:
            return True
        roles = list(check.operands)
        tried = [roles] if len(roles) == 1 else [roles, *([role] for role in roles)]
        return any(check.allows(self._computed(check, chosen_roles)) for chosen_roles in tried)
