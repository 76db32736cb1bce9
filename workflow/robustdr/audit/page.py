"""An audit as one page: first its causes, then every table as printed, with cells coloured by severity."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from robustdr.audit.audited import Audit
from robustdr.audit.causes import causes
from robustdr.audit.cells import Cell, describe
from robustdr.audit.findings import SEVERITIES, Finding
from robustdr.audit.formats import CAUSES, LEGEND, cells_of, claims_as_printed, explanation, tables_of
from robustdr.audit.record import Record, record
from robustdr.audit.reported import Table

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent  # of the templates
SIGNS = dict(zip(SEVERITIES, "✗≠?", strict=True))  # beside the colours, for readers who cannot see them


def environment(*folders: Path) -> "Environment":
    """Return Jinja's environment for pages of audits; `folders` have more templates, which come first."""
    from jinja2 import Environment, FileSystemLoader  # only pages need it

    return Environment(
        autoescape=True, loader=FileSystemLoader([*folders, FOLDER]), trim_blocks=True, lstrip_blocks=True
    )


def html(audits: Sequence[Audit]) -> str:
    """Return the page: self-contained, with all text of papers escaped."""
    papers = [_paper(audit, number) for number, audit in enumerate(audits)]
    page, legend = environment().get_template("page.html.j2"), LEGEND.replace("`", "")
    return page.render(papers=papers, signs=SIGNS, legend=legend, opening=CAUSES) + "\n"


def template_record(audit_record: Record, anchor: str = "finding", tables: Container[str] = ()) -> dict[str, object]:
    """Return the record of an audit in the form for `findings.html.j2`.

    Each cause has `where` in words, each cell its `place`; `anchors` gives each finding's anchor on the page, which
    begins with `anchor`; `page` of a finding is its table, '' if that is not in `tables`.
    """
    causes = [
        {
            **cause,
            "where": cells_of(cause["cells"]),
            "words": "; or ".join(cause["hypotheses"]) or "nothing simple explains it",
        }
        for cause in audit_record["causes"]
    ]
    findings = [
        {
            **finding,
            "page": f"{page}.html" if (page := f"{audit_record['paper']}_{finding['table']}") in tables else "",
            "cells": [{**cell, "place": describe(cell["coordinates"])} for cell in finding["cells"]],
        }
        for finding in audit_record["findings"]
    ]
    return {**audit_record, "causes": causes, "findings": findings, "anchors": _anchors(audit_record, anchor)}


def _anchors(audit_record: Record, anchor: str) -> dict[str, str]:
    return {finding["id"]: f"{anchor}-{number}" for number, finding in enumerate(audit_record["findings"])}


def _paper(audit: Audit, number: int) -> dict[str, object]:
    root_causes, anchor = causes(audit), f"finding-{number}"
    audit_record = record(audit, root_causes)
    cause_texts = [
        {
            **cause_record,
            "where": f"{cells_of(cause_record['cells'])} of {tables_of(audit, cause.findings)}",
            "words": explanation(audit, cause),
        }
        for cause, cause_record in zip(root_causes, audit_record["causes"], strict=True)
    ]
    worst: dict[int, Finding] = {}
    for finding in sorted(audit.findings, key=lambda finding: SEVERITIES.index(finding.severity)):
        for flaw in finding.flaws:
            worst.setdefault(id(flaw.cell), finding)
    tables = [_table(table, worst, _anchors(audit_record, anchor)) for table in audit.reported.tables.values()]
    counts = {severity: audit.count(severity) for severity in SEVERITIES}
    sentences, claims = claims_as_printed(audit)
    return {
        **template_record(audit_record, anchor),
        "causes": cause_texts,
        "counts": counts,
        "tables": tables,
        "sentences": sentences,
        "claims": claims,
    }


def _table(table: Table, worst: Mapping[int, Finding], anchors: Mapping[str, str]) -> dict[str, object]:
    """Return head and rows; a cell has its text, and severity, words and anchor of the worst finding on it."""
    cell_at = {(cell.line, cell.column): cell for cell in table.cells}
    labels = _varying_labels([place for _, place in table.rows])
    rows = [
        {
            "label": label,
            "cells": [_cell(cell_at.get((line, column)), worst, anchors) for column in range(len(table.columns))],
        }
        for label, (line, _) in zip(labels, table.rows, strict=True)
    ]
    return {
        "id": table.id,
        "caption": table.caption,
        "head": _varying_labels(table.columns),
        "rows": rows,
        "flawed": any(id(cell) in worst for cell in table.cells),
    }


def _cell(cell: Cell | None, worst: Mapping[int, Finding], anchors: Mapping[str, str]) -> dict[str, str]:
    if cell is None:
        return {"text": "–"}
    text = cell.printed + cell.mark
    if id(cell) not in worst:
        return {"text": text}
    finding = worst[id(cell)]
    flaw = next(flaw for flaw in finding.flaws if flaw.cell is cell)
    words = f"{finding.severity}: consistent {flaw.consistent}, {flaw.words}" if flaw.consistent else flaw.words
    return {"text": text, "severity": finding.severity, "words": words, "anchor": anchors[finding.id]}


def _varying_labels(places: Sequence[Mapping[str, str]]) -> list[str]:
    """Return for each row or column the labels in which some differ; all labels if it is the only one."""
    names = {name for place in places for name in place}
    varying = {name for name in names if len({place.get(name) for place in places}) > 1}
    return [describe({name: place[name] for name in place if name in varying} or place) for place in places]
