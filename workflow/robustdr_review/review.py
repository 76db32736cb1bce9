"""The review of a paper: its tables as they were read, checked, and shown beside their source."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from robustdr.audit.audited import Audit
from robustdr.audit.causes import causes
from robustdr.audit.cells import BOLD
from robustdr.audit.page import environment, template_record
from robustdr.audit.record import record
from robustdr_review.draft import Draft
from robustdr_review.transcribe import Transcribed

# How a field was read: as it is printed; in another form; with other digits or another sign.
SURE, CONVERTED, UNSURE = "sure", "converted", "unsure"


def reviewed(transcribed: Transcribed, checked: Audit) -> dict[str, Any]:
    """The content of a review, as JSON: numbers, what was not read, findings, relations, tables cell by cell."""
    confidence: Counter[str] = Counter()
    tables = [_table(draft, transcribed, checked, confidence) for draft in transcribed.drafts]
    relations: dict[tuple[str, int], list[Any]] = {}
    for check in checked.checks:
        relations.setdefault((check.target.table, check.line), []).append(check)
    return {
        **template_record(record(checked, causes(checked))),
        "numbers": {"read": transcribed.numbers_read, "lost": transcribed.numbers_lost, **confidence},
        "unread": transcribed.problems,
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


def _table(draft: Draft, transcribed: Transcribed, checked: Audit, confidence: Counter[str]) -> dict[str, Any]:
    """A table with each field as it was read and as it stands in the source."""
    table = transcribed.reported.tables[draft.id]
    flawed = {
        (flaw.cell.line, flaw.cell.column): (finding.id, f"{flaw.words} {flaw.consistent}".strip())
        for finding in checked.findings
        for flaw in finding.flaws
        if flaw.cell.table == draft.id
    }
    firsts, column = [], 0
    for declared in draft.columns:
        firsts.append(column)
        further = declared.get("and", [])
        column += 1 + (len(further) if isinstance(further, list) else 1)
    rows = []
    for (labels, fields), (line, source), (number, _) in zip(draft.rows, draft.sources, table.rows, strict=True):
        cells = []
        for text, source_text, first, end in zip(fields, source, firsts, [*firsts[1:], column], strict=True):
            sure = confident(text, source_text)
            confidence[sure] += any(map(str.isdigit, text))
            flaw_here = next(
                (flawed[number, place] for place in range(first, end) if (number, place) in flawed), ("", "")
            )
            cells.append(
                {
                    "text": text,
                    "source": source_text,
                    "confidence": sure,
                    "finding": flaw_here[0],
                    "words": flaw_here[1],
                }
            )
        place = transcribed.place(line) if line else ""
        rows.append({"labels": [_printed(draft, label) for label in labels], "place": place, "cells": cells})
    heads = [
        " · ".join(_printed(draft, str(label)) for name, label in declared.items() if name not in ("unit", "and"))
        for declared in draft.columns
    ]
    return {"id": draft.id, "caption": draft.caption, "row": draft.row, "columns": heads, "rows": rows}


def _printed(draft: Draft, label: str) -> str:
    return " / ".join(draft.words.get(label, [label]))


def confident(text: str, source: str) -> str:
    """How sure the reading of a field is: as it stands, in another form of the same digits, or changed."""
    bare = [re.sub(rf"[\s{re.escape(BOLD)}]", "", version) for version in (text, source)]
    if bare[0] == bare[1] or not any(map(str.isdigit, source)):
        return SURE
    digits = [re.findall(r"\d", version) for version in (text, source)]
    signs = [len(re.findall(r"[+\-−–]\d", version)) for version in (text, source)]
    return CONVERTED if digits[0] == digits[1] and signs[0] == signs[1] else UNSURE


def page(content: dict[str, Any]) -> str:
    """The page of a review."""
    return environment(Path(__file__).parent).get_template("review.html.j2").render(review=content) + "\n"
