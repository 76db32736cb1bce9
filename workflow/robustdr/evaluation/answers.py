"""Which retrieved passages contain an answer, by DPR's rules (Karpukhin et al., 2020; its released evaluation).

Text and answers are decomposed (Unicode NFD) and cut into tokens: runs of letters, numbers and marks, and every other
character except separators and control characters. A passage contains an answer if the answer's tokens, lower-cased,
follow each other in its text. Titles are not searched. An answer without a token is in no passage; in DPR's program it
is in every passage.
"""

import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

import regex

from robustdr.collections.reading import read_records
from robustdr.core.errors import UserError
from robustdr.retrieval.runs import Ranking

_TOKEN = regex.compile(r"[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]")


def spaced(text: str) -> str:
    """Return the tokens of a text between blanks. No token contains a blank, so string search finds answers."""
    return f" {' '.join(_TOKEN.findall(unicodedata.normalize('NFD', text))).lower()} "


def patterns(answers: Iterable[str]) -> list[str]:
    """Return the answers as `spaced` strings, without those that have no token."""
    return [pattern for pattern in map(spaced, answers) if not pattern.isspace()]


def judge(
    answers: Mapping[str, list[str]], runs: Iterable[Mapping[str, Ranking]], depth: int, corpus: Path
) -> dict[str, dict[str, int]]:
    """Return qrels from answers: {qid: {docid: 1}} of passages in the top `depth` of a run that contain an answer.

    Reads the corpus once. Memory: the queries by retrieved passage, and the passages with answers.

    Raises:
        UserError: a retrieved passage is not in the corpus.
    """
    qids_by_passage: dict[str, set[str]] = {}
    for run in runs:
        for qid in run.keys() & answers.keys():
            for docid, _ in run[qid][:depth]:
                qids_by_passage.setdefault(docid, set()).add(qid)
    patterns_of = {qid: patterns(texts) for qid, texts in answers.items()}
    qrels: dict[str, dict[str, int]] = {qid: {} for qid in answers}
    for _, passage in read_records(corpus):
        if passage.docid in qids_by_passage:
            text = spaced(passage.text)
            for qid in qids_by_passage.pop(passage.docid):
                if any(pattern in text for pattern in patterns_of[qid]):
                    qrels[qid][passage.docid] = 1
    if qids_by_passage:
        raise UserError(f"{corpus}: no passage {min(qids_by_passage)!r}, which a run has")
    return qrels
