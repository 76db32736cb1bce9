"""A part of a collection: some queries of each split, the passages that they judge, and some others.

What is kept depends on ids alone: the smallest digests. So the parts of collections that share passages fit together.
"""

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from operator import itemgetter
from typing import TypeVar

from robustdr.collections.records import Passage, Split
from robustdr.core.seeds import digest

Item = TypeVar("Item")


def cut_split(split: Split, limit: int) -> Split:
    """Return at most `limit` queries of a split, in its order, with what judges them."""
    queries = [query for _, query in _drawn(enumerate(split.queries), limit, lambda query: query.qid)]
    qids = {query.qid for query in queries}
    return Split(
        queries,
        [judged for judged in split.judgements if judged.qid in qids],
        [answers for answers in split.answers if answers.qid in qids],
        split.removed,
    )


def cut_passages(passages: Iterable[Passage], judged: Collection[str], further: int) -> Iterator[Passage]:
    """Yield the passages with the docids `judged`, and `further` others, in their order; these are all in memory."""
    judged_passages: list[tuple[int, Passage]] = []

    def unjudged() -> Iterator[tuple[int, Passage]]:
        for position, passage in enumerate(passages):
            if passage.docid in judged:
                judged_passages.append((position, passage))
            else:
                yield position, passage

    drawn = _drawn(unjudged(), further, lambda passage: passage.docid)
    return map(itemgetter(1), sorted([*judged_passages, *drawn], key=itemgetter(0)))


def _drawn(items: Iterable[tuple[int, Item]], limit: int, name: Callable[[Item], str]) -> list[tuple[int, Item]]:
    """Return the `limit` (at least one) items, each with its place, whose names have the smallest digests, by place."""
    return sorted(heapq.nsmallest(limit, items, key=lambda item: digest(name(item[1]))), key=itemgetter(0))
