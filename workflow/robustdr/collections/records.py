"""What every source hands over."""

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
        """Title and text; the text alone where the title is empty.

        Args:
            separator: what the reader of the text expects between them, e.g. a tokenizer's separator token with spaces.
        """
        return f"{self.title}{separator}{self.text}" if self.title else self.text


class Query(NamedTuple):
    """One query."""

    qid: str
    text: str

    def is_empty(self) -> bool:
        return not self.text.strip()


class Judgement(NamedTuple):
    """One line of the qrels: how relevant (0: not at all) a passage is to a query."""

    qid: str
    docid: str
    grade: int


class Answers(NamedTuple):
    """The strings that answer a query; a passage that contains one of them is relevant."""

    qid: str
    answers: tuple[str, ...]


class Split(NamedTuple):
    """The queries of a split with what judges them, judgements, answers, or both; how many queries were removed."""

    queries: Iterable[Query]
    judgements: Iterable[Judgement] = ()
    answers: Iterable[Answers] = ()
    removed: int = 0
