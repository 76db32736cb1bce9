"""The text of a draft of reported.yaml: its tables, likely relations between numbers, and problems."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import Reader

from robustdr.audit.arithmetic import Found, obeyed
from robustdr.audit.cells import BOLD
from robustdr.audit.proposals import Proposal, propose
from robustdr.audit.reported import Reported, build
from robustdr.audit.transcript import Transcript
from robustdr.transcribe.draft import Draft

OPENING = (
    "# A draft. Check coordinates, say what marks mean, and take `proposed` away from relations that must hold;",
    "# `?` stands for what could not be read. `robustdr audit` reads this file as it is.",
)
Written = tuple[str, Reported, Mapping[str, Sequence[Found]]]


def written(source: Path, paper: str, drafts: Sequence[Draft], problems: Sequence[str]) -> Written:
    """The text of a reported.yaml, its content as the audit reads it, and the relations that its numbers obey."""
    bare = _text(source, paper, drafts, problems, {})
    reported = build(source, Transcript.model_validate(yaml.load(bare, yaml.CSafeLoader)), defaultdict(int))
    known = obeyed(reported)
    lines = {
        id: [f"      - {_flow(_proposed(proposal))}" for proposal in propose(reported, reported.tables[id], found)]
        for id, found in known.items()
    }
    return _text(source, paper, drafts, problems, lines), reported, known


def _proposed(proposal: Proposal) -> dict[str, Any]:
    fit = f"{proposal.fit} of {proposal.cells} cells fit"
    return {**proposal.relation.model_dump(by_alias=True, exclude_unset=True), "proposed": fit}


def _text(
    source: Path, paper: str, drafts: Sequence[Draft], problems: Sequence[str], relations: dict[str, list[str]]
) -> str:
    unread = ["#", "# Not read:", *(f"# - {problem}" for problem in problems)] if problems else []
    words: defaultdict[str, list[str]] = defaultdict(list)
    for draft in drafts:
        for label, texts in draft.words.items():
            words[label] += [text for text in texts if text not in words[label]]
    lines = [*OPENING, *unread, f"paper: {paper}", f"title: {_quoted(source.name)}"]
    lines += ["words:", *(f"  {_flow(label)}: {_flow(texts)}" for label, texts in words.items())] if words else []
    lines.append("tables:")
    for draft in drafts:
        marks = {mark: "bold" if mark == BOLD else "see the caption" for mark in draft.marks}
        lines += [f"  {draft.id}:", f"    caption: {_quoted(draft.caption)}", f"    unit: {draft.unit}"]
        lines += [f"    marks: {_flow(marks)}"] if marks else []
        lines += [f"    row: {_flow(draft.row)}", "    columns:"]
        lines += [f"      - {_flow(column)}" for column in draft.columns]
        lines += ["    cells: |", *_cells(draft)]
        if relations.get(draft.id):
            lines += ["    relations:", *relations[draft.id]]
    return Reader.NON_PRINTABLE.sub("", "\n".join([*lines, ""]))


def _cells(draft: Draft) -> list[str]:
    rows = [[*labels, *fields] for labels, fields in draft.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "      " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _flow(value: Any) -> str:
    return yaml.dump(
        value, Dumper=yaml.CSafeDumper, default_flow_style=True, width=10_000, allow_unicode=True, sort_keys=False
    ).strip()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
