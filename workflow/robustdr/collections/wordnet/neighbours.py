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
    def _passages_below(self) -> dict[str, list[str]]:
        """Ids of the passages below each place; most slices ask for none."""
        passages_below: dict[str, list[str]] = {}
        for id in self._docids:
            for place in self._line(id):
                passages_below.setdefault(place, []).append(id)
        return passages_below

    def distractors_of(self, grades: Mapping[str, int], count: int) -> dict[str, int]:
        """Return `count` passages with grade 0 for a question, those below the primary one's closest ancestor first.

        The order of passages below one ancestor depends only on the seed and the primary passage.
        """
        primary, distractors = next(iter(grades)), list[str]()
        for place in self._line(primary):
            candidates = {*self._passages_below.get(place, ())} - grades.keys() - set(distractors)
            distractors += sorted(candidates, key=lambda docid: digest(self._seed, primary, docid))
            if len(distractors) >= count:
                break
        return dict.fromkeys(distractors[:count], 0)

    def _line(self, id: str) -> Iterator[str]:
        """Yield a synset, its ancestors (what it is a kind or an instance of, or like) within its lexicographer file,
        that file, and '', which stands for everything."""
        visited: set[str] = set()
        lexfile, ancestors = self._synsets[id].lexfile, [id]
        while ancestors and ancestors[0] not in visited and self._synsets[ancestors[0]].lexfile == lexfile:
            visited.add(ancestors[0])
            yield ancestors[0]
            ancestors = [
                ancestor for symbol in ("@", "@i", "&") for ancestor in self._synsets[ancestors[0]].related(symbol)
            ]
        yield lexfile
        yield ""
