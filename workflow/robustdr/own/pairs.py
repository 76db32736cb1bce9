"""Rewritten queries from a user's log, for `robustdr evaluate --variations-file`."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from robustdr.collections.local import read_pairs
from robustdr.collections.problems import Problem, refuse, sentences
from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.core.words import LETTERS, composed

WORDS = re.compile(LETTERS)


def write_pairs(source: Path, queries: Mapping[str, str], output: Path) -> list[str]:
    """Write the rewritten texts of queries as lines of qid<TAB>text; return what a reader should know, in sentences.

    Args:
        source: lines of (id or text of a query, rewritten text). queries: texts by id.

    Raises:
        UserError: a line is malformed, a rewritten text is empty, or most lines are of no query.
    """
    problems: list[Problem] = []

    def report(problem: Problem) -> None:
        refuse(problem)
        problems.append(problem)

    qids_by_text: dict[str, list[str]] = {}
    for qid, text in queries.items():
        qids_by_text.setdefault(_key(text), []).append(qid)
    rewritten: dict[str, list[str]] = {}
    lines, strangers = 0, []
    for place, original, raw in read_pairs(source, report):
        lines += 1
        text = " ".join(raw.split())
        if not text:
            raise UserError(f"{place}: the rewritten text of {original[:80]!r} is empty")
        qids = [original.strip()] if original.strip() in queries else qids_by_text.get(_key(original), [])
        if not qids:
            strangers.append(place)
        for qid in qids:
            if text not in rewritten.setdefault(qid, []):
                rewritten[qid].append(text)
    if not lines:
        raise UserError(f"{source}: no rewritten query; a line is original<TAB>rewritten")
    if len(strangers) > lines / 2:
        raise UserError(
            f"{strangers[0]}: neither an id nor the text of a query, as {len(strangers):,} of {lines:,} lines are; the "
            "first field is one of both"
        )
    write_text(output, "".join(f"{qid}\t{text}\n" for qid, texts in rewritten.items() for text in texts))
    return [*sentences(problems), *_notes(source, queries, rewritten, strangers)]


def _notes(
    source: Path, queries: Mapping[str, str], rewritten: Mapping[str, list[str]], strangers: Sequence[object]
) -> list[str]:
    notes = [
        f"{source}: rewrites {len(rewritten):,} of {len(queries):,} queries of the file; the others keep their text"
    ]
    if strangers:
        notes.append(f"{strangers[0]}: neither an id nor the text of a query ({len(strangers):,} such lines, left out)")
    if several := sum(len(texts) > 1 for texts in rewritten.values()):
        notes.append(f"{source}: {several:,} queries have several rewritten texts; a draw takes one (--draws N: more)")
    pairs = [(queries[qid], text) for qid, texts in rewritten.items() for text in texts]
    if same := sum(" ".join(original.split()) == text for original, text in pairs):
        notes.append(f"{source}: {same:,} of {len(pairs):,} rewritten texts are the query as it is")
    apart = sum(not _words(original) & _words(text) for original, text in pairs)
    if apart > len(pairs) / 2:
        notes.append(
            f"{source}: {apart:,} of {len(pairs):,} rewritten texts share no word with their query; is it theirs?"
        )
    return notes


def _key(text: str) -> str:
    return " ".join(composed(text).casefold().split())


def _words(text: str) -> set[str]:
    return {*WORDS.findall(text.casefold())}
