"""The review of a paper: its tables as they were read, checked, and shown beside their source."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from robustdr.audit.audited import Audit
from robustdr.audit.causes import causes
from robustdr.audit.cells import BOLD
from robustdr.audit.page import environment, shown
from robustdr.audit.record import record
from robustdr_review.draft import Draft
from robustdr_review.transcribe import Transcribed

# How a field was read: as it is printed; in another form; with other digits or another sign.
SURE, CONVERTED, UNSURE = "sure", "converted", "unsure"


def reviewed(made: Transcribed, found: Audit) -> dict[str, Any]:
    """The content of a review, as JSON: numbers, what was not read, findings, relations, tables cell by cell."""
    confidence: Counter[str] = Counter()
    tables = [_table(one, made, found, confidence) for one in made.drafts]
    relations: dict[tuple[str, int], list[Any]] = {}
    for check in found.checks:
        relations.setdefault((check.target.table, check.line), []).append(check)
    return {
        **shown(record(found, causes(found))),
        "numbers": {"read": made.read, "lost": made.lost, **confidence},
        "unread": made.problems,
        "proved": [
            {
                "table": table,
                "kind": checks[0].kind,
                "cells": len(checks),
                "fit": sum(check.holds for check in checks),
                "first": str(checks[0].target),
                "words": checks[0].words,
            }
            for (table, _), checks in relations.items()
        ],
        "tables": tables,
    }


def _table(one: Draft, made: Transcribed, found: Audit, confidence: Counter[str]) -> dict[str, Any]:
    """A table with each field as it was read and as it stands in the source."""
    table = made.reported.tables[one.id]
    flawed = {
        (flaw.cell.line, flaw.cell.column): (finding.id, f"{flaw.words} {flaw.consistent}".strip())
        for finding in found.findings
        for flaw in finding.flaws
        if flaw.cell.table == one.id
    }
    firsts, column = [], 0
    for declared in one.columns:
        firsts.append(column)
        further = declared.get("and", [])
        column += 1 + (len(further) if isinstance(further, list) else 1)
    rows = []
    for (labels, fields), (line, source), (number, _) in zip(one.rows, one.sources, table.rows, strict=True):
        cells = []
        for text, written, first, end in zip(fields, source, firsts, [*firsts[1:], column], strict=True):
            sure = confident(text, written)
            confidence[sure] += any(map(str.isdigit, text))
            at = next((flawed[number, place] for place in range(first, end) if (number, place) in flawed), ("", ""))
            cells.append({"text": text, "source": written, "confidence": sure, "finding": at[0], "words": at[1]})
        place = made.place(line) if line else ""
        rows.append({"labels": [_printed(one, label) for label in labels], "place": place, "cells": cells})
    heads = [
        " · ".join(_printed(one, str(label)) for name, label in declared.items() if name not in ("unit", "and"))
        for declared in one.columns
    ]
    return {"id": one.id, "caption": one.caption, "row": one.row, "columns": heads, "rows": rows}


def _printed(one: Draft, label: str) -> str:
    return " / ".join(one.words.get(label, [label]))


def confident(text: str, source: str) -> str:
    """How sure the reading of a field is: as it stands, in another form of the same digits, or changed."""
    bare = [re.sub(rf"[\s{re.escape(BOLD)}]", "", one) for one in (text, source)]
    if bare[0] == bare[1] or not any(map(str.isdigit, source)):
        return SURE
    digits = [re.findall(r"\d", one) for one in (text, source)]
    signs = [len(re.findall(r"[+\-−–]\d", one)) for one in (text, source)]
    return CONVERTED if digits[0] == digits[1] and signs[0] == signs[1] else UNSURE


def page(content: dict[str, Any]) -> str:
    """The page of a review."""
    return environment(Path(__file__).parent).get_template("review.html.j2").render(review=content) + "\n"
