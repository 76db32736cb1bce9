"""An audit as one page: what went wrong first, then every table as printed, its cells coloured by severity."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robustdr.audit.causes import causes
from robustdr.audit.cells import Cell, describe
from robustdr.audit.findings import SEVERITIES, Audit, Finding
from robustdr.audit.report import CAUSES, LEGEND, cells_of, explanation, printed, tables_of
from robustdr.audit.reported import Table

TEMPLATE = Path(__file__).with_name("page.html.j2")
SIGNS = dict(zip(SEVERITIES, "✗≠?", strict=True))  # beside the colour, for those who do not see it


def html(audits: Sequence[Audit]) -> str:
    """The page: self-contained, everything that a paper prints escaped."""
    from jinja2 import Environment  # only this format needs it

    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        TEMPLATE.read_text(encoding="utf-8")
    )
    papers = [_paper(audit, number) for number, audit in enumerate(audits)]
    return template.render(papers=papers, signs=SIGNS, legend=LEGEND.replace("`", ""), opening=CAUSES) + "\n"


def _paper(audit: Audit, number: int) -> dict[str, Any]:
    anchors = {id(finding): f"finding-{number}-{place}" for place, finding in enumerate(audit.findings, 1)}
    found = [
        {
            "severity": cause.severity,
            "where": f"{cells_of(len(cause.flaws))} of {tables_of(audit, cause.findings)}",
            "words": explanation(audit, cause),
            "also": cells_of(sum(len(finding.flaws) for finding in cause.consequences)) if cause.consequences else "",
            "claims": [one.claim["claim"] for one in cause.claims],
            "findings": [(anchors[id(finding)], finding.id) for finding in (*cause.findings, *cause.consequences)],
        }
        for cause in causes(audit)
    ]
    worst: dict[int, Finding] = {}
    for finding in sorted(audit.findings, key=lambda finding: SEVERITIES.index(finding.severity)):
        for flaw in finding.flaws:
            worst.setdefault(id(flaw.cell), finding)
    return {
        "name": audit.reported.paper,
        "title": audit.reported.title,
        "counts": {severity: audit.count(severity) for severity in SEVERITIES},
        "causes": found,
        "recomputed": audit.recomputed.as_data() if audit.recomputed else None,
        "tables": [_table(table, worst, anchors) for table in audit.reported.tables.values()],
        "findings": [
            {
                "anchor": anchors[id(finding)],
                "id": finding.id,
                "severity": finding.severity,
                "hypothesis": finding.hypothesis,
                "flaws": [
                    (describe(flaw.cell.coordinates), printed(flaw).strip("`"), flaw.consistent, flaw.words)
                    for flaw in finding.flaws
                ],
            }
            for finding in audit.findings
        ],
    }


def _table(table: Table, worst: Mapping[int, Finding], anchors: Mapping[int, str]) -> dict[str, Any]:
    """Head and rows; a cell is its text, and severity, words and anchor of the worst finding on it."""
    at = {(cell.line, cell.column): cell for cell in table.cells}
    rows: list[dict[str, Any]] = [{"label": label, "cells": []} for label in _apart([place for _, place in table.rows])]
    for row, (line, _) in zip(rows, table.rows, strict=True):
        row["cells"] = [_cell(at.get((line, column)), worst, anchors) for column in range(len(table.columns))]
    return {
        "id": table.id,
        "caption": table.caption,
        "head": _apart(table.columns),
        "rows": rows,
        "flawed": any(id(cell) in worst for cell in table.cells),
    }


def _cell(cell: Cell | None, worst: Mapping[int, Finding], anchors: Mapping[int, str]) -> dict[str, str]:
    if cell is None:
        return {"text": "–"}
    text = cell.printed + cell.mark
    if id(cell) not in worst:
        return {"text": text}
    finding = worst[id(cell)]
    flaw = next(flaw for flaw in finding.flaws if flaw.cell is cell)
    said = f"{finding.severity}: consistent {flaw.consistent}, {flaw.words}" if flaw.consistent else flaw.words
    return {"text": text, "severity": finding.severity, "words": said, "anchor": anchors[id(finding)]}


def _apart(places: Sequence[Mapping[str, str]]) -> list[str]:
    """For every row or column, the labels in which some differ; all of them where it stands alone."""
    names = {name for place in places for name in place}
    varying = {name for name in names if len({place.get(name) for place in places}) > 1}
    return [describe({name: place[name] for name in place if name in varying} or place) for place in places]
