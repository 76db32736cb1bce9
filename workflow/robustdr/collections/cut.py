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


def cut_split(split: Split, most: int) -> Split:
    """Return at most `most` queries of a split, in its order, with what judges them."""
    queries = [query for _, query in _drawn(enumerate(split.queries), most, lambda query: query.qid)]
    kept = {query.qid for query in queries}
    return Split(
        queries,
        [judged for judged in split.judgements if judged.qid in kept],
        [answers for answers in split.answers if answers.qid in kept],
        split.removed,
    )


def cut_passages(passages: Iterable[Passage], judged: Collection[str], more: int) -> Iterator[Passage]:
    """Yield the passages with the docids `judged`, and `more` others, in their order; these are all in memory."""
    kept: list[tuple[int, Passage]] = []

    def others() -> Iterator[tuple[int, Passage]]:
        for at, passage in enumerate(passages):
            if passage.docid in judged:
                kept.append((at, passage))
            else:
                yield at, passage

    drawn = _drawn(others(), more, lambda passage: passage.docid)
    return map(itemgetter(1), sorted([*kept, *drawn], key=itemgetter(0)))


def _drawn(items: Iterable[tuple[int, Item]], most: int, name: Callable[[Item], str]) -> list[tuple[int, Item]]:
    """Return the `most` (at least one) items, each with its place, whose names have the smallest digests, by place."""
    return sorted(heapq.nsmallest(most, items, key=lambda item: digest(name(item[1]))), key=itemgetter(0))
