"""Audits as Markdown for a review, causes first, as JSON and as CSV."""

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence

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


def markdown(audits: Sequence[Audit]) -> str:
    """Return a summary of several papers, the causes in all of them, and the findings of each."""
    found = [(audit, causes(audit)) for audit in audits]
    if len(audits) == 1:
        return "\n".join(_paper(audit, its, _causes(audit, its)) for audit, its in found)
    first = [line for audit, its in found for line in _causes(audit, its)]
    return "\n".join([summary(audits), *first, *(_paper(audit, its) for audit, its in found)])


def summary(audits: Sequence[Audit]) -> str:
    """Return one row for each paper: its cells, the share of them under a relation, its findings."""
    of_all, of_measures = ["cells", "under a relation"], ["measures", "of them under a relation", "or a pattern check"]
    head = ["paper", *of_all, *of_measures, "lost"]
    rows = [_counts(audit) for audit in audits]
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
    return "\n".join([*lines, "", LEGEND, "", *(f"- {one}" for one in missing), *[""] * bool(missing)])


def _counts(audit: Audit) -> list[int]:
    c = audit.coverage
    counts = [c.cells, c.related, c.effectiveness, c.effectiveness_related, c.effectiveness_examined, c.lost]
    return counts + [audit.count(severity) for severity in SEVERITIES]


def _cells(counts: Sequence[int]) -> list[str]:
    cells, related, effectiveness, effectiveness_related, examined, *rest = counts
    parts = [(related, cells), (effectiveness_related, effectiveness), (examined, effectiveness)]
    first, second, third = [f"{part:,} ({part / max(whole, 1):.1%})" for part, whole in parts]
    return [f"{cells:,}", first, f"{effectiveness:,}", second, third, *map(str, rest)]


def _causes(audit: Audit, found: Sequence[Cause]) -> list[str]:
    """Return the root causes of a paper's findings, most serious first, one item each."""
    lines = [f"## What went wrong in {plain(audit.reported.paper)}", "", CAUSES, ""] if found else []
    for number, cause in enumerate(found, 1):
        worst = cause.worst
        where = f"{cells_of(len(cause.flaws))} of {tables_of(audit, cause.findings)}"
        lines.append(f"{number}. **{cause.severity}**, {where}: {prose(explanation(audit, cause))}.")
        should = f"consistent {worst.consistent}, {shortened(worst.words)}" if worst.consistent else worst.words
        lines.append(f"   - {plain(str(worst.cell))}: {printed(worst)}, {prose(should)}")
        if cause.consequences:
            also = sum(len(finding.flaws) for finding in cause.consequences)
            lines.append(f"   - With it: {cells_of(also)} of {tables_of(audit, cause.consequences)}.")
        if cause.claims:
            sentences = list(dict.fromkeys(one.claim.claim for one in cause.claims))
            more = f" and {len(sentences) - CLAIMS} more" if len(sentences) > CLAIMS else ""
            lines.append(f"   - Claims on it: {'; '.join(map(plain, sentences[:CLAIMS]))}{more}.")
    return [*lines, *[""] * bool(found)]


def explanation(audit: Audit, cause: Cause) -> str:
    """Return what the cells have in common, and the hypotheses."""
    flawed = [flaw.cell for flaw in cause.flaws]
    varying = set().union(*(audit.reported.tables[table].varying for table in {cell.table for cell in flawed}))
    common = {
        name: place
        for name, place in flawed[0].coordinates.items()
        if name in varying and all(cell.coordinates.get(name) == place for cell in flawed)
    }
    more = f"; and {len(cause.hypotheses) - HYPOTHESES} more" if len(cause.hypotheses) > HYPOTHESES else ""
    words = "; ".join(cause.hypotheses[:HYPOTHESES]) + more or "nothing simple explains it"
    return f"{describe(common)}: {words}" if describe(common) else words


def cells_of(number: int) -> str:
    return f"{number} cell{'s' * (number > 1)}"


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
    named = [[order[place] for place in run] for run in runs]
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run) for run in named)


def _paper(audit: Audit, found_causes: Sequence[Cause], first: Sequence[str] = ()) -> str:
    """Return a paper's counts, then `first`, its findings by table, and its claims."""
    reported, coverage = audit.reported, audit.coverage
    found = ", ".join(f"{audit.count(severity)} {severity}" for severity in SEVERITIES)
    several = f"{len(found_causes)} cause{'s' * (len(found_causes) != 1)}"
    lines = [
        f"# Audit of {plain(reported.paper)}",
        "",
        f"*{plain(reported.title)}.* {coverage.cells:,} printed numbers, {coverage.checks:,} relations. "
        f"Findings: {found}; {several}.",
        "",
    ]
    lines += first
    under = {
        id(finding): place
        for place, cause in enumerate(found_causes, 1)
        for finding in (*cause.findings, *cause.consequences)
    }
    table = ""
    for number, finding in enumerate(audit.findings, 1):
        if finding.table != table:
            table = finding.table
            lines += [f"## {plain(f'{table} · {reported.tables[table].caption}')}", ""]
        lines += [*_section(number, finding, under[id(finding)], reported.tables[table]), ""]
    if not audit.findings:
        lines += ["Every relation holds for some rounding of the printed numbers, and no pattern stands out.", ""]
    if audit.recomputed:
        lines += audit.recomputed.markdown()
    return "\n".join([*lines, *_claims(audit)])


def _claims(audit: Audit) -> list[str]:
    """Return what a paper's own numbers say of its claims: how many they support, and which they do not."""
    if not audit.claims:
        return []
    own = ((claim.claim, found.verdict) for claim, found in audit.claims if not claim.hypothesis)
    count = Counter(sentence_verdicts(own))
    lines = [
        "## Claims as printed",
        "",
        f"{count.total()} sentences: " + ", ".join(f"{number} {verdict}" for verdict, number in count.items()) + ".",
        "",
    ]
    for claim, found in audit.claims:
        if asked := max((effect.asked or 0 for effect in found.effects), default=0):
            lines += [f"- {plain(claim.title)}: its margin asks for {asked:,} queries."]
        if found.verdict != SUPPORTED:
            why = [str(effect) for effect in found.effects if effect.verdict != SUPPORTED]
            about, said = plain(f"{claim.title} ({claim.source})"), prose(found.reason or "; ".join(why))
            lines += [f"- **{found.words}**: {about}. {said}"]
            lines += [f"  - {prose(finding)}" for finding in found.findings]
    return [*lines, ""]


def _section(number: int, finding: Finding, cause: int, table: Table) -> list[str]:
    flaws, more = finding.flaws[:SHOWN], len(finding.flaws) - SHOWN
    several = f" · {len(finding.flaws)} cells" if len(finding.flaws) > 1 else ""
    where = f"{finding.kind}{several}, first at line {flaws[0].cell.line}, cause {cause}"
    lines = [f"**{number}. {finding.severity}** ({where})", ""]
    if flaws[0].consistent:
        lines += [table_row(["cell", "printed", "consistent", "should be"]), table_row(["---"] * 4)]
        lines += [table_row([_place(flaw, table), printed(flaw), flaw.consistent, prose(flaw.words)]) for flaw in flaws]
        lines += [table_row([f"… and {more} more", "", "", ""])] * (more > 0)
        opening = "The relation would hold if"
    else:
        cells = "; ".join(f"{_place(flaw, table)}: {printed(flaw)}" for flaw in flaws)
        lines.append(f"{prose(flaws[0].words)}: {cells}{f' … and {more} more' * (more > 0)}")
        opening = "Perhaps"
    if finding.hypothesis:
        lines += ["", f"Hypothesis, not a fact: {opening} {prose(finding.hypothesis)}."]
    return lines


def _place(flaw: Flaw, table: Table) -> str:
    """Return the coordinates of a cell without those that all cells of the table share."""
    place, any_other = flaw.cell.coordinates, table.cells[0].coordinates
    apart = {name: place[name] for name in place if name in table.varying or any_other.get(name) != place[name]}
    return plain(describe(apart) or describe(place))


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
                about = [cell.paper, finding.id, finding.severity, finding.kind, cell.table]
                said = [describe(cell.coordinates), cell.printed, flaw.consistent, flaw.words, finding.hypothesis]
                writer.writerow([*about, *said, cell.line])
    return text.getvalue()


FORMATS = {"md": markdown, "json": as_json, "csv": as_csv}
