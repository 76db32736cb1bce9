"""Audits as Markdown for a review, as JSON and as CSV."""

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from robustdr.audit.cells import Cell, describe
from robustdr.audit.findings import SEVERITIES, Audit, Finding, Flaw
from robustdr.audit.relations import label
from robustdr.audit.verdicts import HOLDS

SHOWN = 6  # cells of one finding that Markdown lists
LEGEND = (
    "`impossible`: no data can give the cell. `inconsistent`: it disagrees with other printed cells, however they were "
    "rounded (half up, half to even or truncated). `suspicious`: a pattern that honest data hardly show. "
    "A hypothesis says what would make a relation hold; it is never a fact. Measures are counted outside the prose; "
    "lost cells are missing from the available text of the paper."
)


def markdown(audits: Sequence[Audit]) -> str:
    """The summary of several papers, and the findings of each."""
    return "\n".join([summary(audits)] * (len(audits) > 1) + [_paper(audit) for audit in audits])


def summary(audits: Sequence[Audit]) -> str:
    """One row per paper: what was read, how much of it is under a relation, what was found."""
    of_all, of_measures = ["cells", "under a relation"], ["measures", "of them under a relation", "or a pattern check"]
    head = ["paper", *of_all, *of_measures, "lost"]
    rows = [_counts(audit) for audit in audits]
    lines = ["# Audit of reported numbers", "", _row([*head, *SEVERITIES]), _row(["---"] + ["---:"] * (len(head) + 2))]
    lines += [_row([audit.reported.paper, *_cells(row)]) for audit, row in zip(audits, rows, strict=True)]
    if len(rows) > 1:
        lines.append(_row(["**all**", *_cells([sum(column) for column in zip(*rows, strict=True)])]))
    missing = [
        f"- {audit.reported.paper}: {table} is missing ({reason})"
        for audit in audits
        for table, reason in audit.reported.missing.items()
    ]
    return "\n".join([*lines, "", LEGEND, "", *missing, *[""] * bool(missing)])


def _counts(audit: Audit) -> list[int]:
    c = audit.coverage
    counts = [c.cells, c.related, c.effectiveness, c.effectiveness_related, c.effectiveness_examined, c.lost]
    return counts + [audit.count(severity) for severity in SEVERITIES]


def _cells(counts: Sequence[int]) -> list[str]:
    cells, related, effectiveness, effectiveness_related, examined, *rest = counts
    parts = [(related, cells), (effectiveness_related, effectiveness), (examined, effectiveness)]
    first, second, third = [f"{part:,} ({part / max(whole, 1):.1%})" for part, whole in parts]
    return [f"{cells:,}", first, f"{effectiveness:,}", second, third, *map(str, rest)]


def _row(fields: Sequence[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _paper(audit: Audit) -> str:
    reported, coverage = audit.reported, audit.coverage
    found = ", ".join(f"{audit.count(severity)} {severity}" for severity in SEVERITIES)
    lines = [
        f"# Audit of {reported.paper}",
        "",
        f"*{reported.title}.* {coverage.cells:,} printed numbers, {coverage.checks:,} relations. Findings: {found}.",
        "",
    ]
    table = ""
    for number, finding in enumerate(audit.findings, 1):
        if finding.table != table:
            table = finding.table
            lines += [f"## {table} · {reported.tables[table].caption}", ""]
        lines += [*_section(number, finding, reported.tables[table].cells), ""]
    if not audit.findings:
        lines += ["Every relation holds for some rounding of the printed numbers, and no pattern stands out.", ""]
    return "\n".join([*lines, *_claims(audit)])


def _claims(audit: Audit) -> list[str]:
    """What a paper's own numbers say of its claims: how many hold, and those that do not."""
    if not audit.claims:
        return []
    count = Counter(found.verdict for _, found in audit.claims)
    lines = [
        "## Claims as printed",
        "",
        ", ".join(f"{number} {verdict}" for verdict, number in count.items()) + ".",
        "",
    ]
    for claim, found in audit.claims:
        if asked := max((effect.asked or 0 for effect in found.effects), default=0):
            lines += [f"- {claim['claim']}: its margin asks for {asked:,} queries."]
        if found.verdict != HOLDS:
            why = [str(effect) for effect in found.effects if effect.verdict == found.verdict]
            lines += [f"- **{found.verdict}**: {claim['claim']} ({claim['source']}). {found.reason or '; '.join(why)}"]
            lines += [f"  - {finding}" for finding in found.findings]
    return [*lines, ""]


def _section(number: int, finding: Finding, table: Sequence[Cell]) -> list[str]:
    flaws, more = finding.flaws[:SHOWN], len(finding.flaws) - SHOWN
    several = f" · {len(finding.flaws)} cells" if len(finding.flaws) > 1 else ""
    lines = [f"**{number}. {finding.severity}** ({finding.kind}{several}, first at line {flaws[0].cell.line})", ""]
    if flaws[0].consistent:
        lines += [_row(["cell", "printed", "consistent", "should be"]), _row(["---"] * 4)]
        lines += [_row([_place(flaw, table), _printed(flaw), flaw.consistent, flaw.words]) for flaw in flaws]
        lines += [_row([f"… and {more} more", "", "", ""])] * (more > 0)
        opening = "The relation would hold if"
    else:
        cells = "; ".join(f"{_place(flaw, table)}: {_printed(flaw)}" for flaw in flaws)
        lines.append(f"{flaws[0].words}: {cells}{f' … and {more} more' * (more > 0)}")
        opening = "Perhaps"
    if finding.hypothesis:
        lines += ["", f"Hypothesis, not a fact: {opening} {finding.hypothesis}."]
    return lines


def _place(flaw: Flaw, table: Sequence[Cell]) -> str:
    """The coordinates of a cell without those that all cells of its table share."""
    return label(flaw.cell, table) or describe(flaw.cell.coordinates)


def _printed(flaw: Flaw) -> str:
    return f"`{flaw.cell.printed}{flaw.cell.mark}`"


def as_json(audits: Sequence[Audit]) -> str:
    """A list of papers, each with its coverage, its findings cell by cell and its claims as printed."""
    papers = [
        {
            "paper": audit.reported.paper,
            "title": audit.reported.title,
            "coverage": asdict(audit.coverage),
            "missing": dict(audit.reported.missing),
            "findings": [
                {
                    "id": finding.id,
                    "severity": finding.severity,
                    "kind": finding.kind,
                    "table": finding.table,
                    "hypothesis": finding.hypothesis,
                    "cells": [
                        {
                            "coordinates": dict(flaw.cell.coordinates),
                            "printed": flaw.cell.printed,
                            "mark": flaw.cell.mark,
                            "line": flaw.cell.line,
                            "consistent": flaw.consistent,
                            "relation": flaw.words,
                        }
                        for flaw in finding.flaws
                    ],
                }
                for finding in audit.findings
            ],
            "claims": [
                {"claim": claim["claim"], "source": claim["source"], **asdict(found)} for claim, found in audit.claims
            ],
        }
        for audit in audits
    ]
    return json.dumps(papers, indent=2, ensure_ascii=False) + "\n"


def as_csv(audits: Sequence[Audit]) -> str:
    """One row per cell of every finding."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    first = ["paper", "id", "severity", "kind", "table", "cell", "printed"]
    writer.writerow([*first, "consistent", "relation", "hypothesis", "line"])
    for audit in audits:
        for finding in audit.findings:
            for flaw in finding.flaws:
                cell = flaw.cell
                place = [cell.table, describe(cell.coordinates), cell.printed]
                writer.writerow(
                    [
                        cell.paper,
                        finding.id,
                        finding.severity,
                        finding.kind,
                        *place,
                        flaw.consistent,
                        flaw.words,
                        finding.hypothesis,
                        cell.line,
                    ]
                )
    return text.getvalue()


FORMATS = {"md": markdown, "json": as_json, "csv": as_csv}
