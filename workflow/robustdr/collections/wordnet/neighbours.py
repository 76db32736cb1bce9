"""Passages with meanings near that of a synset: plausible candidates that do not answer the question."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from robustdr.collections.wordnet.database import Database
from robustdr.core.seeds import digest


class Neighbours:
    """The passages of a slice, grouped by their hypernyms and files."""

    def __init__(self, docids: Sequence[str], database: Database, seed: int):
        self._docids, self._synsets, self._seed = docids, database.synsets, seed

    @cached_property
    def _below(self) -> dict[str, list[str]]:
        """Ids of the passages below each place; most slices ask for none."""
        below: dict[str, list[str]] = {}
        for id in self._docids:
            for place in self._line(id):
                below.setdefault(place, []).append(id)
        return below

    def beside(self, grades: Mapping[str, int], count: int) -> dict[str, int]:
        """Return `count` passages with grade 0 for a question, those below the primary one's closest ancestor first.

        The order of passages below one ancestor depends only on the seed and the primary passage.
        """
        primary, found = next(iter(grades)), list[str]()
        for place in self._line(primary):
            below = {*self._below.get(place, ())} - grades.keys() - set(found)
            found += sorted(below, key=lambda other: digest(self._seed, primary, other))
            if len(found) >= count:
                break
        return dict.fromkeys(found[:count], 0)

    def _line(self, id: str) -> Iterator[str]:
        """Yield a synset, its ancestors (what it is a kind or an instance of, or like) within its lexicographer file,
        that file, and '', which stands for everything."""
        seen: set[str] = set()
        lexfile, above = self._synsets[id].lexfile, [id]
        while above and above[0] not in seen and self._synsets[above[0]].lexfile == lexfile:
            seen.add(above[0])
            yield above[0]
            above = [other for symbol in ("@", "@i", "&") for other in self._synsets[above[0]].related(symbol)]
        yield lexfile
        yield ""
