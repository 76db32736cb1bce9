"""Audits as Markdown for a review, causes first, as JSON and as CSV."""

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from robustdr.audit.audited import Audit
from robustdr.audit.causes import Cause, causes
from robustdr.audit.cells import describe
from robustdr.audit.findings import SEVERITIES, Finding, Flaw
from robustdr.audit.record import record
from robustdr.audit.reported import Table
from robustdr.claims.verdicts import SUPPORTED, sentence_verdicts
from robustdr.core.markup import code, plain, prose, table_row

SHOWN = 6  # cells of one finding that Markdown lists
HYPOTHESES, CLAIMS = 2, 2  # per cause
LONG = 100  # characters of a relation beside a cause
LEGEND = (
    "`impossible`: no data can give the cell. `inconsistent`: it disagrees with other printed cells, however they were "
    "rounded (half up, half to even or truncated). `suspicious`: a pattern that honest data hardly show. "
    "A hypothesis says what would make a relation hold; it is never a fact. Measures are counted outside the prose; "
    "lost cells are missing from the available text of the paper."
)
CAUSES = "What one explanation accounts for, most serious first. An explanation is a hypothesis, never a fact."


class PrintedClaim(NamedTuple):
    """A note on a claim as printed: its verdict in words, its title, why, and findings about its numbers."""

    words: str
    title: str
    reason: str
    findings: Sequence[str]


def markdown(audits: Sequence[Audit]) -> str:
    """Return a summary of several papers, the causes in all of them, and the findings of each."""
    pairs = [(audit, causes(audit)) for audit in audits]
    if len(pairs) == 1:
        return _paper(*pairs[0], _causes(*pairs[0]))
    all_causes = [line for pair in pairs for line in _causes(*pair)]
    return "\n".join([summary(audits), *all_causes, *(_paper(*pair) for pair in pairs)])


def summary(audits: Sequence[Audit]) -> str:
    """Return one row for each paper: its cells, the share of them under a relation, its findings."""
    of_all, of_measures = ["cells", "under a relation"], ["measures", "of them under a relation", "or a pattern check"]
    head = ["paper", *of_all, *of_measures, "lost"]
    rows = []
    for audit in audits:
        c = audit.coverage
        counts = [c.cells, c.related, c.effectiveness, c.effectiveness_related, c.effectiveness_examined, c.lost]
        rows.append(counts + [audit.count(severity) for severity in SEVERITIES])
    lines = [
        "# Audit of reported numbers",
        "",
        table_row([*head, *SEVERITIES]),
        table_row(["---"] + ["---:"] * (len(head) + 2)),
    ]
    lines += [
        table_row([plain(audit.reported.paper), *_cells(counts)]) for audit, counts in zip(audits, rows, strict=True)
    ]
    if len(rows) > 1:
        lines.append(table_row(["**all**", *_cells([sum(column) for column in zip(*rows, strict=True)])]))
    missing = [
        plain(f"{audit.reported.paper}: {table} is missing ({reason})")
        for audit in audits
        for table, reason in audit.reported.missing.items()
    ]
    return "\n".join(
        [*lines, "", LEGEND, "", *(f"- {missing_line}" for missing_line in missing), *([""] if missing else [])]
    )


def _cells(counts: Sequence[int]) -> list[str]:
    cells, related, effectiveness, effectiveness_related, examined, *rest = counts
    parts = [(related, cells), (effectiveness_related, effectiveness), (examined, effectiveness)]
    first, second, third = [f"{part:,} ({part / max(whole, 1):.1%})" for part, whole in parts]
    return [f"{cells:,}", first, f"{effectiveness:,}", second, third, *map(str, rest)]


def _causes(audit: Audit, root_causes: Sequence[Cause]) -> list[str]:
    """Return the root causes of a paper's findings, most serious first, one item each."""
    lines = [f"## What went wrong in {plain(audit.reported.paper)}", "", CAUSES, ""] if root_causes else []
    for number, cause in enumerate(root_causes, 1):
        worst = cause.worst
        extent = f"{cells_of(len(cause.flaws))} of {tables_of(audit, cause.findings)}"
        lines.append(f"{number}. **{cause.severity}**, {extent}: {prose(explanation(audit, cause))}.")
        should = f"consistent {worst.consistent}, {shortened(worst.words)}" if worst.consistent else worst.words
        lines.append(f"   - {plain(str(worst.cell))}: {printed(worst)}, {prose(should)}")
        if cause.consequences:
            also = sum(len(finding.flaws) for finding in cause.consequences)
            lines.append(f"   - With it: {cells_of(also)} of {tables_of(audit, cause.consequences)}.")
        if cause.claims:
            sentences = list(dict.fromkeys(claimed.claim.claim for claimed in cause.claims))
            rest = f" and {len(sentences) - CLAIMS} more" if len(sentences) > CLAIMS else ""
            lines.append(f"   - Claims on it: {'; '.join(map(plain, sentences[:CLAIMS]))}{rest}.")
    return [*lines, ""] if lines else []


def explanation(audit: Audit, cause: Cause) -> str:
    """Return what the cells have in common, and the hypotheses."""
    flawed = [flaw.cell for flaw in cause.flaws]
    varying = set().union(*(audit.reported.tables[table].varying for table in {cell.table for cell in flawed}))
    common = {
        name: place
        for name, place in flawed[0].coordinates.items()
        if name in varying and all(cell.coordinates.get(name) == place for cell in flawed)
    }
    rest = f"; and {len(cause.hypotheses) - HYPOTHESES} more" if len(cause.hypotheses) > HYPOTHESES else ""
    words = "; ".join(cause.hypotheses[:HYPOTHESES]) + rest or "nothing simple explains it"
    return f"{describe(common)}: {words}" if describe(common) else words


def cells_of(number: int) -> str:
    return f"{number} cell{'s' if number > 1 else ''}"


def shortened(words: str) -> str:
    return words if len(words) <= LONG else f"{words[:LONG].rsplit(' ', 1)[0]} …"


def tables_of(audit: Audit, findings: Sequence[Finding]) -> str:
    """Return the tables of some findings; three or more neighbours as `table8 to table17`."""
    order = list(audit.reported.tables)
    places = sorted({order.index(finding.table) for finding in findings})
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    table_runs = [[order[place] for place in run] for run in runs]
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run) for run in table_runs)


def _paper(audit: Audit, root_causes: Sequence[Cause], first: Sequence[str] = ()) -> str:
    """Return a paper's counts, then `first`, its findings by table, and its claims."""
    reported, coverage = audit.reported, audit.coverage
    finding_counts = ", ".join(f"{audit.count(severity)} {severity}" for severity in SEVERITIES)
    several = f"{len(root_causes)} cause{'' if len(root_causes) == 1 else 's'}"
    lines = [
        f"# Audit of {plain(reported.paper)}",
        "",
        f"*{plain(reported.title)}.* {coverage.cells:,} printed numbers, {coverage.checks:,} relations. "
        f"Findings: {finding_counts}; {several}.",
        "",
    ]
    lines += first
    cause_numbers = {
        id(finding): place
        for place, cause in enumerate(root_causes, 1)
        for finding in (*cause.findings, *cause.consequences)
    }
    table = ""
    for number, finding in enumerate(audit.findings, 1):
        if finding.table != table:
            table = finding.table
            lines += [f"## {plain(f'{table} · {reported.tables[table].caption}')}", ""]
        lines += [*_section(number, finding, cause_numbers[id(finding)], reported.tables[table]), ""]
    if not audit.findings:
        lines += ["Every relation holds for some rounding of the printed numbers, and no pattern stands out.", ""]
    if audit.recomputed:
        lines += audit.recomputed.markdown()
    counts, claims = claims_as_printed(audit)
    if counts:
        lines += ["## Claims as printed", "", counts, ""]
        for claim in claims:
            opening = f"**{claim.words}**: " if claim.words else ""
            lines.append(f"- {opening}{plain(claim.title)}{prose(claim.reason)}")
            lines += [f"  - {prose(finding)}" for finding in claim.findings]
        lines.append("")
    return "\n".join(lines)


def claims_as_printed(audit: Audit) -> tuple[str, list[PrintedClaim]]:
    """Return how many of a paper's sentences its own numbers support, and a note on each that they do not support."""
    sentences = (
        (claim.claim, printed_verdict.verdict) for claim, printed_verdict in audit.claims if not claim.hypothesis
    )
    count = Counter(sentence_verdicts(sentences))
    verdicts = ", ".join(f"{number} {verdict}" for verdict, number in count.items())
    counts = f"{count.total()} sentence{'s' if count.total() > 1 else ''}: {verdicts}."
    notes = []
    for claim, printed_verdict in audit.claims:
        if needed_queries := max((effect.asked or 0 for effect in printed_verdict.effects), default=0):
            notes.append(PrintedClaim("", claim.title, f": its margin asks for {needed_queries:,} queries.", []))
        if printed_verdict.verdict != SUPPORTED:
            why = [str(effect) for effect in printed_verdict.effects if effect.verdict != SUPPORTED]
            reason = f". {printed_verdict.reason or '; '.join(why)}"
            title = f"{claim.title} ({claim.source})"
            notes.append(PrintedClaim(printed_verdict.words, title, reason, printed_verdict.findings))
    return counts if audit.claims else "", notes


def _section(number: int, finding: Finding, cause: int, table: Table) -> list[str]:
    flaws, rest = finding.flaws[:SHOWN], len(finding.flaws) - SHOWN
    several = f" · {len(finding.flaws)} cells" if len(finding.flaws) > 1 else ""
    description = f"{finding.kind}{several}, first at line {flaws[0].cell.line}, cause {cause}"
    lines = [f"**{number}. {finding.severity}** ({description})", ""]
    if flaws[0].consistent:
        lines += [table_row(["cell", "printed", "consistent", "should be"]), table_row(["---"] * 4)]
        lines += [table_row([_place(flaw, table), printed(flaw), flaw.consistent, prose(flaw.words)]) for flaw in flaws]
        lines += [table_row([f"… and {rest} more", "", "", ""])] if rest > 0 else []
        opening = "The relation would hold if"
    else:
        cells = "; ".join(f"{_place(flaw, table)}: {printed(flaw)}" for flaw in flaws)
        lines.append(f"{prose(flaws[0].words)}: {cells}{f' … and {rest} more' if rest > 0 else ''}")
        opening = "Perhaps"
    if finding.hypothesis:
        lines += ["", f"Hypothesis, not a fact: {opening} {prose(finding.hypothesis)}."]
    return lines


def _place(flaw: Flaw, table: Table) -> str:
    """Return the coordinates of a cell without those that all cells of the table share."""
    place, any_other = flaw.cell.coordinates, table.cells[0].coordinates
    varying = {name: place[name] for name in place if name in table.varying or any_other.get(name) != place[name]}
    return plain(describe(varying) or describe(place))


def printed(flaw: Flaw) -> str:
    return code(f"{flaw.cell.printed}{flaw.cell.mark}")


def as_json(audits: Sequence[Audit]) -> str:
    """Return a JSON list of papers, see `record`."""
    return json.dumps([record(audit, causes(audit)) for audit in audits], indent=2, ensure_ascii=False) + "\n"


def as_csv(audits: Sequence[Audit]) -> str:
    """Return CSV with one row for each cell of every finding."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    first = ["paper", "id", "severity", "kind", "table", "cell", "printed"]
    writer.writerow([*first, "consistent", "relation", "hypothesis", "line"])
    for audit in audits:
        for finding in audit.findings:
            for flaw in finding.flaws:
                cell = flaw.cell
                finding_fields = [cell.paper, finding.id, finding.severity, finding.kind, cell.table]
                cell_fields = [
                    describe(cell.coordinates),
                    cell.printed,
                    flaw.consistent,
                    flaw.words,
                    finding.hypothesis,
                ]
                writer.writerow([*finding_fields, *cell_fields, cell.line])
    return text.getvalue()


FORMATS = {"md": markdown, "json": as_json, "csv": as_csv}
