"""Which retrieved passages contain an answer, by DPR's rules (Karpukhin et al., 2020; its released evaluation).

Text and answers are decomposed (Unicode NFD) and cut into tokens: runs of letters, numbers and marks, and every other
character that is neither a separator nor a control character. A passage contains an answer if the answer's tokens,
lower-cased, stand in its text one after the other. Titles are not searched. An answer without a token is in no passage;
in DPR's program it would be in every one.
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
    """The tokens of a text between blanks: as no token has a blank in it, an answer can be searched as a string."""
    return f" {' '.join(_TOKEN.findall(unicodedata.normalize('NFD', text))).lower()} "


def patterns(answers: Iterable[str]) -> list[str]:
    """What a passage's `spaced` text must have one of: the answers, without those that have no token."""
    return [pattern for pattern in map(spaced, answers) if not pattern.isspace()]


def judge(
    answers: Mapping[str, list[str]], runs: Iterable[Mapping[str, Ranking]], depth: int, corpus: Path
) -> dict[str, dict[str, int]]:
    """Qrels made from answers: {qid: {docid: 1}} of the `depth` best passages of any run that contain one.

    Reads the corpus once. Memory: which queries found which passages, and the passages with answers.

    Raises:
        UserError: a retrieved passage is not in the corpus.
    """
    found_by: dict[str, set[str]] = {}
    for run in runs:
        for qid in run.keys() & answers.keys():
            for docid, _ in run[qid][:depth]:
                found_by.setdefault(docid, set()).add(qid)
    wanted = {qid: patterns(texts) for qid, texts in answers.items()}
    qrels: dict[str, dict[str, int]] = {qid: {} for qid in answers}
    for _, passage in read_records(corpus):
        if passage.docid in found_by:
            text = spaced(passage.text)
            for qid in found_by.pop(passage.docid):
                if any(pattern in text for pattern in wanted[qid]):
                    qrels[qid][passage.docid] = 1
    if found_by:
        raise UserError(f"{corpus}: no passage {min(found_by)!r}, which a run has")
    return qrels
