"""Passages whose meanings lie near that of a synset: plausible candidates for a question that they do not answer."""

from collections.abc import Iterable, Iterator, Mapping

from robustdr.collections.wordnet.database import Database
from robustdr.core.seeds import digest


class Neighbours:
    """The passages of a slice by what they are kinds of."""

    def __init__(self, docids: Iterable[str], database: Database, seed: int):
        self._synsets = database.synsets
        self._seed = seed
        self._below: dict[str, list[str]] = {}
        for id in docids:
            for place in self._line(id):
                self._below.setdefault(place, []).append(id)

    def beside(self, grades: Mapping[str, int], count: int) -> dict[str, int]:
        """`count` passages graded 0 beside those of a question, those below the primary one's closest ancestor first.

        Those below one ancestor come in an order that depends on the seed and the primary passage alone.
        """
        primary, found = next(iter(grades)), list[str]()
        for place in self._line(primary):
            below = {*self._below.get(place, ())} - grades.keys() - set(found)
            found += sorted(below, key=lambda other: digest(self._seed, primary, other))
            if len(found) >= count:
                break
        return dict.fromkeys(found[:count], 0)

    def _line(self, id: str) -> Iterator[str]:
        """A synset, what it is a kind or an instance of, or like, and so on within its lexicographer file; that file as
        a whole; and everything."""
        seen: set[str] = set()
        lexfile, above = self._synsets[id].lexfile, [id]
        while above and above[0] not in seen and self._synsets[above[0]].lexfile == lexfile:
            seen.add(above[0])
            yield above[0]
            above = [other for symbol in ("@", "@i", "&") for other in self._synsets[above[0]].related(symbol)]
        yield lexfile
        yield ""
