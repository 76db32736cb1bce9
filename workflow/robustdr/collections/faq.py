"""Questions with their answers in one file: MedQuAD's as JSONL, or the JSON of StackFAQ.

MedQuAD: Ben Abacha and Demner-Fushman, BMC Bioinformatics 20:511, 2019. StackFAQ: Karan et al., 2013.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from robustdr.collections.located import bring, own_file
from robustdr.collections.near import words
from robustdr.collections.problems import Place
from robustdr.collections.reading import records
from robustdr.collections.records import Passage, Split
from robustdr.collections.settings import Faq
from robustdr.collections.texts import Pair, blanks, distinct_passages, split_of_pairs
from robustdr.core.errors import UserError
from robustdr.core.seeds import digest
from robustdr.core.unpacked import DAMAGES, open_unpacked


class Entry(NamedTuple):
    """A question with its answers.

    Attributes:
        topic: what it is about, in the words of `near.words`; questions of one topic are in one split. Institutes write
            the name of one disease with other capitals and hyphens.
        rewordings: the question in other people's words.
    """

    place: Place
    question: str
    answers: tuple[str, ...]
    topic: str
    rewordings: tuple[str, ...] = ()


def corpus(source: Faq) -> Iterator[Passage]:
    """Yield the different answers, in the order of the file."""
    return distinct_passages(_pairs(source, 0, 1))


def split(source: Faq, name: str) -> Split:
    """Return the questions of the split's topics; the answers of all entries with the same question are relevant."""
    part = source["splits"][name]
    return split_of_pairs(_pairs(source, *part["topics"]), part.get("queries"))


def files(source: Faq, split: str | None) -> list[Path]:
    """Return the user's file; none if it comes from elsewhere."""
    return own_file(source["pairs"])


def read_pairs(path: Path) -> Iterator[Entry]:
    """Yield the questions of a file with their answers, texts with single blanks.

    Raises:
        UserError: the file is missing, damaged, or of neither form.
    """
    if ".jsonl" in path.suffixes:
        for number, record in records(path, ("question", "answer")):
            question, answer = blanks(record["question"]), blanks(record["answer"])
            yield Entry(Place(path, number), question, (answer,), _topic(str(record.get("focus") or question)))
        return
    try:
        with open_unpacked(path) as file:
            pairs = json.load(file)["root"]["qapair"]
        for number, pair in enumerate(pairs):
            answers = [pair["answer"]] if isinstance(pair["answer"], str) else pair["answer"]
            rewordings = [blanks(text) for text in pair["rephr"] if text and text.strip() != "*"]
            question = blanks(pair["question"])
            texts = tuple(blanks(text) for text in answers if text)
            yield Entry(Place(path, number, "pair"), question, texts, _topic(question), tuple(rewordings))
    except (OSError, *DAMAGES, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path}: not StackFAQ's JSON ({type(error).__name__}: {error})") from None


def _topic(text: str) -> str:
    return " ".join(words(text))


def _pairs(source: Faq, first: float, last: float) -> Iterator[Pair]:
    """Yield each question with each of its answers, of the topics from the fraction `first` to `last`.

    Raises:
        UserError: see `read_pairs`; a question without an answer.
    """
    for entry in read_pairs(bring(source["pairs"], source.get("sha256", {}))):
        if first <= digest(entry.topic) / 2**63 < last:
            if not entry.answers:
                raise UserError(f"{entry.place}: a question without an answer")
            for answer in entry.answers:
                yield entry.place, entry.question, answer
