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
from robustdr.reporting.artifacts import Record
from robustdr.reporting.queries import DIGITS, read_data

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
    markup = Markup("")
    for operation, a, b, c, d in SequenceMatcher(None, original, varied, autojunk=False).get_opcodes():
        removed, new = "".join(original[a:b]), "".join(varied[c:d])
        if operation == "equal":
            markup += escape(new)
        elif len(original[a:b]) == len(varied[c:d]) == 1 < len(removed) and similar(removed, new):
            markup += _changed(removed, new)
        else:
            markup += Markup("<del>{}</del>").format(removed) if removed else ""
            markup += Markup("<mark>{}</mark>").format(new) if new else ""
    return markup


def similar(first_word: str, second_word: str) -> bool:
    return SequenceMatcher(None, first_word, second_word, autojunk=False).ratio() > SIMILAR


def _kinds(first_set: str, second_set: str, means: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """The variations behind two query sets, in pairs; none if their means average different ones."""
    first, second = means.get(first_set, [first_set]), means.get(second_set, [second_set])
    if first == second:
        return list(zip(first, second, strict=True))
    return [(a, b) for a in first for b in second] if 1 in (len(first), len(second)) else []


class Explored:
    """The data of a report's queries, in the folder `data`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cache
    def read_script(self, path: str) -> Any:
        """What a script holds; None if it was not made."""
        script = self.folder / f"{path}.js"
        return read_data(script) if script.is_file() else None

    def queries(self, claim: Record, evaluation: Mapping[str, Evaluated]) -> list[Query]:
        """The queries that speak most for and against a claim; none if it compares no two means of single systems."""
        ranked_queries = sorted(self._compared(claim, evaluation), key=lambda query: -query.difference)
        best = [query for query in ranked_queries[:FOR] if query.difference > 0]
        best += [query for query in ranked_queries[-AGAINST:] if query.difference < 0]
        return [query._replace(varied=changed(query.original, query.varied)) for query in best]

    def _compared(self, claim: Record, evaluation: Mapping[str, Evaluated]) -> Iterator[Query]:
        sides = claim["effects"][0].get("sides") if claim["effects"] else None
        if not sides or claim["role"] not in evaluation:
            return
        (first_system, one_set), (second_system, other_set) = sides
        role_evaluation, measure = evaluation[claim["role"]], claim["measured"]
        split, collection = role_evaluation["split"], role_evaluation["collection"]
        texts = (self.read_script(f"{collection}/queries") or {}).get(split)
        system_data = [self.read_script(f"{collection}/systems/{system}") for system in (first_system, second_system)]
        if not texts or not all(system_data):
            return
        for kinds in _kinds(one_set, other_set, role_evaluation["means"]):
            sets = [data["sets"].get(f"{split}.{kind}") for data, kind in zip(system_data, kinds, strict=True)]
            if not all(set_data and measure in set_data["measures"] for set_data in sets):
                continue
            variation = kinds[1] if kinds[1] != ORIGINAL else kinds[0]
            varied = texts.get(variation, texts[ORIGINAL])
            link = "/".join((collection, str(second_system), split, variation, measure))
            for original, text, *values in zip(
                texts[ORIGINAL], varied, *(set_data["measures"][measure] for set_data in sets), strict=True
            ):
                if None not in values:
                    first, second = (value / DIGITS for value in values)
                    yield Query(original, text or original, variation, (first, second), link)
