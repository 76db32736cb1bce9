"""The queries that decide a claim: those on which the two means behind its first effect differ most."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from robustdr.evaluation.names import ORIGINAL
from robustdr.evaluation.settings import Evaluated
from robustdr.reporting.queries import DIGITS, read_data
from robustdr.reporting.written import Record

WORDS = re.compile(r"\s+|\S+")
SIMILAR = 0.6  # share of characters that two words have in common, from where on one is the other misspelt
FOR, AGAINST = 3, 2  # queries shown that speak most for a claim, and most against it


class Query(NamedTuple):
    """A query: its original text, the varied one (marked where it changed), and the two values of its measure.

    `kind`: the variation. `link`: to the list of all queries behind the second value.
    """

    original: str
    varied: str
    kind: str
    values: tuple[float, float]
    link: str

    @property
    def difference(self) -> float:
        return self.values[0] - self.values[1]


def changed(original: str, varied: str) -> Markup:
    """The varied text; what is new stands in <mark>, what is lost in <del>: characters of similar words, else words."""
    return _changed(WORDS.findall(original), WORDS.findall(varied))


def _changed(original: Sequence[str], varied: Sequence[str]) -> Markup:
    made = Markup("")
    for what, a, b, c, d in SequenceMatcher(None, original, varied, autojunk=False).get_opcodes():
        lost, new = "".join(original[a:b]), "".join(varied[c:d])
        if what == "equal":
            made += escape(new)
        elif len(original[a:b]) == len(varied[c:d]) == 1 < len(lost) and similar(lost, new):
            made += _changed(lost, new)
        else:
            made += Markup("<del>{}</del>").format(lost) if lost else ""
            made += Markup("<mark>{}</mark>").format(new) if new else ""
    return made


def similar(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() > SIMILAR


def _kinds(one: str, other: str, means: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """The variations behind two query sets, in pairs; none if their means average different ones."""
    first, second = means.get(one, [one]), means.get(other, [other])
    if first == second:
        return list(zip(first, second, strict=True))
    return [(a, b) for a in first for b in second] if 1 in (len(first), len(second)) else []


class Explored:
    """The data of a report's queries, in the folder `data`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read = cache(self._read)

    def _read(self, path: str) -> Any:
        """What a script holds; None if it was not made."""
        script = self.folder / f"{path}.js"
        return read_data(script) if script.is_file() else None

    def queries(self, claim: Record, evaluation: Mapping[str, Evaluated]) -> list[Query]:
        """The queries that speak most for and against a claim; none if it compares no two means of single systems."""
        found = sorted(self._compared(claim, evaluation), key=lambda query: -query.difference)
        best = [query for query in found[:FOR] if query.difference > 0]
        best += [query for query in found[-AGAINST:] if query.difference < 0]
        return [query._replace(varied=changed(query.original, query.varied)) for query in best]

    def _compared(self, claim: Record, evaluation: Mapping[str, Evaluated]) -> Iterator[Query]:
        sides = claim["effects"][0].get("sides") if claim["effects"] else None
        if not sides or claim["role"] not in evaluation:
            return
        (one, one_set), (other, other_set) = sides
        where, measure = evaluation[claim["role"]], claim["measured"]
        split, collection = where["split"], where["collection"]
        texts = (self.read(f"{collection}/queries") or {}).get(split)
        made = [self.read(f"{collection}/systems/{system}") for system in (one, other)]
        if not texts or not all(made):
            return
        for kinds in _kinds(one_set, other_set, where["means"]):
            sets = [of["sets"].get(f"{split}.{kind}") for of, kind in zip(made, kinds, strict=True)]
            if not all(of and measure in of["measures"] for of in sets):
                continue
            shown = kinds[1] if kinds[1] != ORIGINAL else kinds[0]
            varied = texts.get(shown, texts[ORIGINAL])
            link = "/".join((collection, str(other), split, shown, measure))
            for original, text, *values in zip(
                texts[ORIGINAL], varied, *(of["measures"][measure] for of in sets), strict=True
            ):
                if None not in values:
                    first, second = (value / DIGITS for value in values)
                    yield Query(original, text or original, shown, (first, second), link)
