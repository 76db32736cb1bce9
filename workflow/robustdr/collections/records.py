"""The records that every source returns."""

from collections.abc import Iterable
from typing import NamedTuple


class Passage(NamedTuple):
    """One passage: a document id without white space, a title (may be empty) and a text."""

    docid: str
    title: str
    text: str

    def is_empty(self) -> bool:
        return not self.text.strip() and not self.title.strip()

    def joined(self, separator: str = " ") -> str:
        """Return title and text, or the text alone if the title is empty.

        Args:
            separator: text between the two, e.g. a tokenizer's separator token with spaces.
        """
        return f"{self.title}{separator}{self.text}" if self.title else self.text


class Query(NamedTuple):
    """One query."""

    qid: str
    text: str

    def is_empty(self) -> bool:
        return not self.text.strip()


class Judgement(NamedTuple):
    """One line of the qrels: the grade of a passage for a query; 0 is not relevant."""

    qid: str
    docid: str
    grade: int


class Answers(NamedTuple):
    """The strings that answer a query; a passage that contains one is relevant."""

    qid: str
    answers: tuple[str, ...]


class Split(NamedTuple):
    """The queries of a split with their judgements, answers, or both; and the number of removed queries."""

    queries: Iterable[Query]
    judgements: Iterable[Judgement] = ()
    answers: Iterable[Answers] = ()
    removed: int = 0
