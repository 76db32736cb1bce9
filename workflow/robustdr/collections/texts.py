"""Questions and passages that come without ids: an id is a digest of the text, and equal texts are one."""

from collections.abc import Iterable, Iterator

from robustdr.collections.cut import cut_split
from robustdr.collections.problems import Place
from robustdr.collections.reading import passages, queries
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.core.seeds import digest

Pair = tuple[Place, str, str]  # where it stands, a question, a passage that answers it


def distinct_passages(pairs: Iterable[Pair]) -> Iterator[Passage]:
    """Yield the different passages, each where it stands first."""
    rows: dict[str, tuple[Place, Passage]] = {}
    for place, _, text in pairs:
        rows.setdefault(text, (place, Passage(docid(text), "", text)))
    return passages(rows.values())


def split_of_pairs(pairs: Iterable[Pair], limit: int | None) -> Split:
    """Return the different questions; all passages that answer one are relevant.

    Args:
        limit: draw so many questions at most.
    """
    rows: dict[str, tuple[Place, Query]] = {}
    judgements: dict[tuple[str, str], Judgement] = {}
    for place, question, text in pairs:
        query = Query(f"q{digest(question):016x}", question)
        rows.setdefault(question, (place, query))
        judgements.setdefault((question, text), Judgement(query.qid, docid(text), 1))
    split = Split(list(queries(rows.values())), list(judgements.values()))
    return split if limit is None else cut_split(split, limit)


def blanks(text: str) -> str:
    """Return a text with single blanks."""
    return " ".join(text.split())


def docid(text: str) -> str:
    """Return the id of a passage with this text."""
    return f"p{digest(text):016x}"
