"""Questions with their answers in one file: MedQuAD's as JSONL, or the JSON of StackFAQ.

MedQuAD: Ben Abacha and Demner-Fushman, BMC Bioinformatics 20:511, 2019. StackFAQ: Karan et al., 2013.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from robustdr.collections.cut import cut_split
from robustdr.collections.located import bring, own_file
from robustdr.collections.problems import Place
from robustdr.collections.reading import OPENERS, passages, queries, records
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.collections.settings import Faq
from robustdr.core.errors import UserError
from robustdr.core.seeds import digest


class Pair(NamedTuple):
    """A question with its answers.

    Attributes:
        topic: what it is about; questions of one topic are in one split.
        rewordings: the question in other people's words.
    """

    place: Place
    question: str
    answers: tuple[str, ...]
    topic: str
    rewordings: tuple[str, ...] = ()


def corpus(source: Faq) -> Iterator[Passage]:
    """Yield the different answers, in the order of the file."""
    answers = {
        _docid(answer): (pair.place, Passage(_docid(answer), "", answer))
        for pair in reversed(list(_pairs(source)))
        for answer in reversed(pair.answers)
    }
    return passages(reversed(answers.values()))


def split(source: Faq, name: str) -> Split:
    """Return the questions of the split's topics; the answers of all pairs with the same question are relevant."""
    part = source["splits"][name]
    first, last = part["topics"]
    asked: dict[str, tuple[Place, Query]] = {}
    relevant: dict[tuple[str, str], Judgement] = {}
    for pair in _pairs(source):
        if first <= digest(pair.topic) / 2**63 < last:
            qid = question_id(pair.question)
            asked.setdefault(qid, (pair.place, Query(qid, pair.question)))
            for answer in pair.answers:
                relevant.setdefault((qid, _docid(answer)), Judgement(qid, _docid(answer), 1))
    questions = Split(list(queries(asked.values())), list(relevant.values()))
    return cut_split(questions, part["queries"]) if "queries" in part else questions


def files(source: Faq, split: str | None) -> list[Path]:
    """Return the user's file; none if it comes from elsewhere."""
    return own_file(source["pairs"])


def read_pairs(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a file, texts with single blanks.

    Raises:
        UserError: the file is missing, damaged, or of neither form.
    """
    if ".jsonl" in path.suffixes:
        for number, record in records(path, ("question", "answer")):
            question, answer = _blanks(record["question"]), _blanks(record["answer"])
            yield Pair(Place(path, number), question, (answer,), str(record.get("focus") or question))
        return
    try:
        with OPENERS.get(path.suffix, open)(path, "rb") as file:
            pairs = json.load(file)["root"]["qapair"]
        for number, pair in enumerate(pairs):
            answers = [pair["answer"]] if isinstance(pair["answer"], str) else pair["answer"]
            rewordings = [_blanks(text) for text in pair["rephr"] if text and text.strip() != "*"]
            question = _blanks(pair["question"])
            texts = tuple(_blanks(text) for text in answers if text)
            yield Pair(Place(path, number, "pair"), question, texts, question, tuple(rewordings))
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: not StackFAQ's JSON ({type(error).__name__}: {error})") from None


def question_id(question: str) -> str:
    """Return the query id of a question."""
    return f"q{digest(question):016x}"


def _pairs(source: Faq) -> Iterator[Pair]:
    return read_pairs(bring(source["pairs"], source.get("sha256", {})))


def _docid(answer: str) -> str:
    return f"p{digest(answer):016x}"


def _blanks(text: str) -> str:
    return " ".join(text.split())
