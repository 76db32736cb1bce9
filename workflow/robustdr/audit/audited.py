"""One audit: checks every relation, explains every failure, and looks for every pattern.

It also checks what is true of a printed number by definition, cell by cell: no neighbour and no chance is needed. Each
family of such rules has a module: `shares` (ranges, depths, F1, confusion matrices, parts of 100), `spreads` (means,
medians, deviations, errors, intervals, samples), `tallies` (n (%) and its whole), `inference` (statistics and
p). `heads` says what numbers are.

A rule is broken only if no rounding of the printed numbers obeys it. If most numbers of a table break a rule, the
heads were misread: nothing is said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from robustdr.audit import bounds, inference, restated, shares, spreads, tallies
from robustdr.audit.arithmetic import ObeyedRelation, obeyed, undeclared
from robustdr.audit.explain import explain
from robustdr.audit.findings import SEVERITIES, Broken, Finding, Flaw, in_order
from robustdr.audit.lookup import Lookup
from robustdr.audit.patterns import examined, patterns
from robustdr.audit.printed_claims import Claimed
from robustdr.audit.recomputed import Recomputed
from robustdr.audit.relations import Check, interval_text
from robustdr.audit.reported import Reported
from robustdr.audit.resolve import resolve
from robustdr.audit.sizes import Size


@dataclass(frozen=True)
class Coverage:
    """How much of a paper was examined; effectiveness cells are those of a measure, outside the prose."""

    cells: int
    related: int  # cells under at least one relation
    effectiveness: int
    effectiveness_related: int
    effectiveness_examined: int  # under a relation or a pattern check
    checks: int
    lost: int  # cells that are missing from the available text


@dataclass(frozen=True)
class Audit:
    """The findings in one paper; `claims` judged on its own numbers; `recomputed` if runs were given."""

    reported: Reported
    findings: Sequence[Finding]
    coverage: Coverage
    checks: Sequence[Check] = ()
    claims: Sequence[Claimed] = ()
    recomputed: Recomputed | None = None

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)


def audit(
    reported: Reported,
    found_relations: Mapping[str, Sequence[ObeyedRelation]] | None = None,
    sizes: Mapping[tuple[str, int], Size] | None = None,
    recomputed: Recomputed | None = None,
) -> Audit:
    """Check a paper's printed numbers against each other.

    Args:
        found_relations: what `obeyed` gives of the paper, if it is known already.
        sizes: of the samples behind a (table, column), as the text of the paper has them.
        recomputed: what its runs give.

    Raises:
        UserError: a relation cannot be resolved (see `resolve`).
    """
    declared = resolve(reported)
    checks = [*declared, *undeclared(obeyed(reported) if found_relations is None else found_relations)]
    lookup = Lookup(reported, checks, recomputed.values if recomputed else {})
    findings = []
    for _, group in groupby((check for check in checks if not check.holds), key=lambda c: (c.target.table, c.line)):
        for explained, (cost, hypothesis) in explain(lookup, list(group)):
            severity = min((check.severity for check in explained), key=SEVERITIES.index)
            flaws = [
                Flaw(check.target, " or ".join(interval_text(i, check.target) for i in check.expected()), check.words)
                for check in explained
            ]
            findings.append(Finding(explained[0].kind, severity, flaws, hypothesis, cost, explained))
    findings += [_finding(pattern) for pattern in patterns(lookup)]
    flawed = {id(flaw.cell) for finding in findings for flaw in finding.flaws}
    definitions = (
        chain(
            shares.broken(table, reported.words),
            inference.broken(table),
            spreads.broken(table),
            tallies.broken(table),
            bounds.broken(table, sizes or {}),
        )
        for table in reported.outside_prose
    )
    for broken in chain(*definitions, restated.broken(reported)):
        if not all(id(cell) in flawed for cell in broken.cells):
            findings.append(_finding(broken))
            flawed |= {id(cell) for cell in broken.cells}
    findings += recomputed.findings if recomputed else []
    coverage = _coverage(reported, declared)
    return Audit(reported, in_order(findings, reported.tables), coverage, checks, recomputed=recomputed)


def _finding(broken: Broken) -> Finding:
    flaws = [Flaw(cell, "", broken.words) for cell in broken.cells]
    return Finding(broken.kind, broken.severity, flaws, broken.hypothesis)


def _coverage(reported: Reported, checks: Sequence[Check]) -> Coverage:
    related = {id(cell) for check in checks for cell in check.cells}
    examined_ids = related | {id(cell) for table in reported.tables.values() for cell in examined(table)}
    measures = [c for table in reported.outside_prose for c in table.cells if "measure" in c.coordinates]
    return Coverage(
        cells=len(reported.cells),
        related=sum(id(cell) in related for cell in reported.cells),
        effectiveness=len(measures),
        effectiveness_related=sum(id(cell) in related for cell in measures),
        effectiveness_examined=sum(id(cell) in examined_ids for cell in measures),
        checks=len(checks),
        lost=sum(len(table.lost_places) for table in reported.tables.values()),
    )
