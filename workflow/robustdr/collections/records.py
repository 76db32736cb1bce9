"""What every source hands over."""

from typing import NamedTuple


class Passage(NamedTuple):
    """One passage: a document id without white space, a title (may be empty) and a text."""

    docid: str
    title: str
    text: str


class Query(NamedTuple):
    """One query."""

    qid: str
    text: str


class Judgement(NamedTuple):
    """One line of the qrels: how relevant (0: not at all) a passage is to a query."""

    qid: str
    docid: str
    grade: int
