"""Audits as Markdown for a review, as JSON and as CSV."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from robustdr.audit.cells import Cell, describe
from robustdr.audit.findings import SEVERITIES, Audit, Finding

SHOWN = 6  # cells of one finding that Markdown lists
FIELDS = ("paper", "id", "severity", "kind", "table", "cell", "printed", "consistent", "relation", "hypothesis", "line")


def markdown(audits: Sequence[Audit]) -> str:
    """The summary, then the findings of every paper."""
    parts = [summary(audits)] if len(audits) > 1 else []
    return "\n".join(parts + [_paper(audit) for audit in audits])


def summary(audits: Sequence[Audit]) -> str:
    """One row per paper: what was read, how much of it is under a relation, what was found."""
    head = [
        "paper",
        "cells",
        "under a relation",
        "effectiveness cells",
        "under a relation",
        "or a pattern check",
        "lost",
    ]
    lines = ["# Audit of reported numbers", "", _row([*head, *SEVERITIES]), _row(["---"] + ["---:"] * (len(head) + 2))]
    rows = [_counts(audit) for audit in audits]
    for audit, counts in zip(audits, rows, strict=True):
        lines.append(_row([audit.reported.paper, *_shares(counts)]))
    if len(rows) > 1:
        lines.append(_row(["**all**", *_shares([sum(column) for column in zip(*rows, strict=True)])]))
    missing = [
        f"- {audit.reported.paper}: {table} is missing ({reason})"
        for audit in audits
        for table, reason in audit.reported.missing.items()
    ]
    severities = (
        "`impossible`: no data can give the cell. `inconsistent`: it disagrees with other printed cells, however they "
        "were rounded (half up, half to even or truncated). `suspicious`: a pattern that honest data hardly show. "
        "A hypothesis says what would make a relation hold; it is never a fact."
    )
    return "\n".join([*lines, "", severities, "", *missing, ""] if missing else [*lines, "", severities, ""])


def _counts(audit: Audit) -> list[int]:
    c = audit.coverage
    counts = [c.cells, c.related, c.effectiveness, c.effectiveness_related, c.effectiveness_examined, c.lost]
    return counts + [audit.count(severity) for severity in SEVERITIES]


def _shares(counts: Sequence[int]) -> list[str]:
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
        lines += [*_section(number, finding), ""]
    if not audit.findings:
        lines += ["Every relation holds for some rounding of the printed numbers, and no pattern stands out.", ""]
    return "\n".join(lines)


def _section(number: int, finding: Finding) -> list[str]:
    several = f" · {len(finding.cells)} cells" if len(finding.cells) > 1 else ""
    lines = [f"**{number}. {finding.severity}** ({finding.kind}{several}, first at line {finding.cells[0].line})", ""]
    cells = finding.cells[:SHOWN]
    if finding.consistent:
        lines += [_row(["cell", "printed", "consistent", "should be"]), _row(["---"] * 4)]
        for cell, consistent, words in zip(cells, finding.consistent, finding.relations, strict=False):
            lines.append(_row([describe(cell.coordinates), _text(cell), consistent, words]))
    else:
        cells_shown = "; ".join(f"{describe(cell.coordinates)}: {_text(cell)}" for cell in cells)
        lines.append(f"{finding.relations[0]}: {cells_shown}{' …' if len(finding.cells) > SHOWN else ''}")
    if finding.consistent and len(finding.cells) > SHOWN:
        lines.append(_row([f"… and {len(finding.cells) - SHOWN} more", "", "", ""]))
    if finding.hypothesis:
        would = "The relation would hold if" if finding.consistent else "Perhaps"
        lines += [
            "",
            f"Hypothesis, not a fact: {would.lower() if not finding.consistent else would} {finding.hypothesis}.",
        ]
    return lines


def _text(cell: Cell) -> str:
    return f"`{cell.printed}{cell.mark}`"


def records(audit: Audit) -> list[dict[str, Any]]:
    """One record per cell of every finding, with the keys `FIELDS`."""
    rows = []
    for finding in audit.findings:
        single = finding.relations * len(finding.cells) if not finding.consistent else finding.relations
        consistent = finding.consistent or [""] * len(finding.cells)
        for cell, words, interval in zip(finding.cells, single, consistent, strict=True):
            place = describe(cell.coordinates)
            values = (finding.table, place, cell.printed, interval, words, finding.hypothesis, cell.line)
            rows.append(
                dict(zip(FIELDS, (cell.paper, finding.id, finding.severity, finding.kind, *values), strict=True))
            )
    return rows


def as_json(audits: Sequence[Audit]) -> str:
    """A list of papers, each with its coverage and its findings cell by cell."""
    papers = [
        {
            "paper": audit.reported.paper,
            "title": audit.reported.title,
            "coverage": asdict(audit.coverage),
            "missing": dict(audit.reported.missing),
            "findings": [_as_dict(finding) for finding in audit.findings],
        }
        for audit in audits
    ]
    return json.dumps(papers, indent=2, ensure_ascii=False) + "\n"


def _as_dict(finding: Finding) -> dict[str, Any]:
    cells = [
        {"coordinates": dict(cell.coordinates), "printed": cell.printed, "mark": cell.mark, "line": cell.line}
        for cell in finding.cells
    ]
    for cell, consistent, words in zip(cells, finding.consistent, finding.relations, strict=False):
        cell |= {"consistent": consistent, "relation": words}
    return {
        "id": finding.id,
        "severity": finding.severity,
        "kind": finding.kind,
        "table": finding.table,
        "pattern": "" if finding.consistent else finding.relations[0],
        "hypothesis": finding.hypothesis,
        "cells": cells,
    }


def as_csv(audits: Sequence[Audit]) -> str:
    """One row per cell of every finding."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row for audit in audits for row in records(audit))
    return text.getvalue()


FORMATS = {"md": markdown, "json": as_json, "csv": as_csv}
