"""The sentences of a paper against its tables: each number is tied to cells where the tie is unique, and recomputed."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from robustdr.audit.cells import Cell
from robustdr.audit.reported import Reported, Table
from robustdr.audit.sizes import Size, sizes
from robustdr_review.facts import CHANGES, PLAIN, Fact, alike, facts, totals
from robustdr_review.sentences import COUNT, LEVEL, POINTS, Figure, figures, sentences, tables_named

AGREES, DIFFERS, UNTIED = "agrees", "differs", "not tied"
MOST = 300  # cells that the labels of a sentence may leave: among more, they say too little
NUMBERS = 5_000  # of sentences
CHANCE = 0.1  # that a number fits one of its candidates though it has nothing to do with them, at most
DIGITS = 3  # of a number that may differ from a cell
NEAR = 2.0  # a number that is wrong is still within this factor of the right one; else it is about something else
SAMPLED = ("collection", "split", "category", "query_set")  # coordinates that a sample has
SHORT = 3  # letters of a name up to which capitals count: DA is no "da"
_UP = re.compile(r"improv|increas|gain|higher|better|more effective|outperform|larger|\brises?\b", re.I)
_DOWN = re.compile(
    r"decreas|drop|\blos[est]|reduc|degrad|declin|lower|worse|less effective|incur|smaller|\bfell\b|"
    r"\bfalls? (?:by|from)",
    re.I,
)
_COMPARES = re.compile(r"\b(?:than|over|compared|against|vs|relative to)\b", re.I)
_EITHER = re.compile(r"\bchange[sd]?\b|gap|differ|impact", re.I)
_WORD = re.compile(r"[a-z0-9]+")


_Place = tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]  # labels by coordinate, and tables


class Tie(NamedTuple):
    """A number of a sentence, and what it is tied to: the cells in words, and what these give."""

    line: int
    sentence: str
    number: str
    verdict: str
    cells: str = ""
    given: str = ""


@dataclass(frozen=True)
class _Named:
    """The labels that a sentence names, by coordinate: where each of them stands."""

    at: Mapping[str, Mapping[str, Sequence[int]]]
    words: Sequence[Collection[str]]  # of each word that is a label: the coordinates of which it may be one

    def is_nearest(self, fact: Fact, place: int) -> bool:
        """Whether the labels of a fact are those that stand next to a place of the sentence."""
        for name, there in self.at.items():
            away = {label: min(abs(start - place) for start in starts) for label, starts in there.items()}
            for cell in fact.cells if name != fact.apart else ():
                if away.get(cell.coordinates.get(name, ""), 0) > min(away.values()):
                    return False
        return True


class Said(NamedTuple):
    """What sentences say: the ties of their numbers, and the size of the sample of a (table, column)."""

    ties: list[Tie]
    sizes: dict[tuple[str, int], Size]


class Prose:
    """Ties the sentences of a paper to the cells of its tables."""

    def __init__(self, reported: Reported) -> None:
        self.tables = {id: table for id, table in reported.tables.items() if not id.startswith("prose")}
        self.cells = [cell for table in self.tables.values() for cell in table.cells]
        self._totals = totals(self.cells)
        # By the coordinates that cells have: the places of those at each label, and of those in each table.
        self._places: defaultdict[frozenset[str], defaultdict[tuple[str, str], set[int]]]
        self._places = defaultdict(lambda: defaultdict(set))
        for place, cell in enumerate(self.cells):
            index = self._places[frozenset(cell.coordinates)]
            for at in (("", cell.table), *cell.coordinates.items()):
                index[at].add(place)
        self._names: defaultdict[tuple[str, ...], dict[tuple[str, str], str]] = defaultdict(dict)
        for cell in self.cells:
            for name, of in cell.coordinates.items():
                if name not in ("value", "seed"):
                    for words in (of, *reported.words.get(of, ())):
                        if tokens := tuple(_WORD.findall(words.casefold())):
                            self._names[tokens][name, of] = words
        self._longest = max(map(len, self._names), default=0)

    def said(self, paragraphs: Iterable[tuple[int, str]]) -> Said:
        """The numbers of the sentences, in order, the first `NUMBERS`; and the sizes of samples (see `_sizes`).

        Args:
            paragraphs: (line, text) of each.
        """
        found: list[Tie] = []
        given: defaultdict[_Place, dict[int, Size]] = defaultdict(dict)
        for line, paragraph in paragraphs:
            if len(found) >= NUMBERS:
                break
            caption = self._asked(paragraph) if paragraph.lstrip("*# ").startswith("Tab") else []
            for above, sentence in sentences(paragraph):
                numbers = figures(sentence)
                asked = self._asked(sentence) or caption
                if numbers:
                    found += self._sentence(line + above if line else 0, sentence, numbers, asked)
                if sized := sizes(sentence):
                    at = tuple((name, (*of,)) for name, of in self._named(sentence).at.items() if name in SAMPLED)
                    given[at, (*asked,)] |= {one.number: one for one in sized}
        return Said(found, self._sizes(given))

    def _sentence(self, line: int, sentence: str, numbers: Sequence[Figure], asked: Sequence[str]) -> list[Tie]:
        up, down, either = (bool(words.search(sentence)) for words in (_UP, _DOWN, _EITHER))
        changes = up or down or either
        compares = bool(_COMPARES.search(sentence))
        named = self._named(sentence)
        cells = self._select(named.at, asked) if named.at else []
        said = [*facts(cells, named.at, self._totals, (up or either, down or either))]
        found = []
        for number in numbers:
            if number.kind == LEVEL:
                verdict, *of = _level(number, [self.tables[id] for id in asked])
            elif number.kind == COUNT:
                verdict, *of = self._best(number, named.at, asked)
            else:
                meant = [fact for fact in said if fact.is_meant(number, changes)]
                verdict, *of = self._tie(number, named, meant, changes or number.kind == POINTS, compares)
            found.append(Tie(line, sentence, number.text, verdict, *of))
        wrong = Counter(tie.cells for tie in found if tie.verdict == DIFFERS)  # at most one number is meant for a cell
        return [
            tie._replace(verdict=UNTIED, cells="", given="") if tie.verdict == DIFFERS and wrong[tie.cells] > 1 else tie
            for tie in found
        ]

    def _select(self, at: Mapping[str, Collection[str]], tables: Collection[str]) -> list[Cell]:
        """The cells at labels by coordinate (see `_at`); none if they are more than `MOST`."""
        found = self._at(at, tables)
        return [self.cells[place] for place in sorted(found)] if len(found) <= MOST else []

    def _at(self, at: Mapping[str, Collection[str]], tables: Collection[str]) -> set[int]:
        """The places of cells at labels; if there are none, also of those without a coordinate, but for the measure.

        Args:
            tables: those in which the cells stand; any if there are none.
        """
        whole: set[int] = set()
        rest: set[int] = set()
        for names, index in self._places.items():
            wanted = [[(name, label) for label in at[name]] for name in at if name in names]
            wanted += [[("", id) for id in tables]] if tables else []
            if wanted and ("measure" in names or "measure" not in at):
                parts = [set[int]().union(*(index[one] for one in ones if one in index)) for ones in wanted]
                (whole if at.keys() <= names else rest).update(set.intersection(*sorted(parts, key=len)))
        return whole or rest

    def _sizes(self, given: Mapping[_Place, Mapping[int, Size]]) -> dict[tuple[str, int], Size]:
        """The size of the sample of each (table, column), where it is one.

        A sentence gives it to the tables that it names, and to the collection, the split and the like. If it names
        nothing, it gives it to all columns that no other sentence speaks of.
        """
        found: defaultdict[tuple[str, int], dict[int, Size]] = defaultdict(dict)
        for (at, tables), those in given.items():
            for place in self._at(dict(at), tables):
                found[self.cells[place].table, self.cells[place].column] |= those
        if len(those := given.get(((), ()), {})) == 1:
            for cell in self.cells:
                found.setdefault((cell.table, cell.column), {**those})
        return {column: next(iter(those.values())) for column, those in found.items() if len(those) == 1}

    def _asked(self, text: str) -> list[str]:
        """The tables that a text names, as far as they are there."""
        ids = [f"table{number.replace('.', '').lower()}" for number in tables_named(text)]
        return [id for id in dict.fromkeys(ids) if id in self.tables]

    def _named(self, sentence: str) -> _Named:
        tokens = [(match[0], match.start()) for match in _WORD.finditer(sentence.casefold())]
        found: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        words = []
        place = 0
        while place < len(tokens):
            for length in range(min(self._longest, len(tokens) - place), 0, -1):
                key = tuple(token for token, _ in tokens[place : place + length])
                start = tokens[place][1]
                fitting = {
                    of
                    for of, written in self._names.get(key, {}).items()
                    if len(written) > SHORT or sentence[start : start + len(written)] == written
                }
                if fitting:
                    for name, of in fitting:
                        found[name][of].append(start)
                    words.append({name for name, _ in fitting})
                    place += length - 1
                    break
            place += 1
        return _Named(found, words)

    def _tie(
        self, number: Figure, named: _Named, meant: Sequence[Fact], changes: bool, compares: bool
    ) -> tuple[str, str, str]:
        """The verdict on a number, the cells in words, and what they give."""
        near = [fact for fact in meant if named.is_nearest(fact, number.at)]
        if number.hedge not in ("<", ">"):
            for among in (meant, near):
                few = len(among) <= CHANCE * 10**number.digits
                fits = [fact for fact in among if fact.fits(number)] if few else []
                printed = [fact for fact in fits if not fact.apart] or fits
                if alike(printed):
                    return AGREES, *printed[0].words()
            if any(fact.fits(number) for fact in meant):
                return UNTIED, "", ""
        single = [fact for fact in near if not fact.apart and fact.is_change == changes]
        pairs = [fact for fact in near if fact.apart]
        asked = (pairs or single) if compares else (single or pairs)
        if not alike(asked) or not self._pinned(asked[0], named):
            return UNTIED, "", ""
        if asked[0].fits(number):
            return AGREES, *asked[0].words()
        end = max(end for end in number.interval if isfinite(end))
        middles = [abs(value.low + value.high) / 2 for value in asked[0].values[number.kind]]
        is_near = any(middle and 1 / NEAR < end / middle < NEAR for middle in middles)
        precise = number.digits >= DIGITS or asked[0].is_change or asked[0].whole
        return (DIFFERS, *asked[0].words()) if is_near and precise else (UNTIED, "", "")

    def _pinned(self, fact: Fact, named: _Named) -> bool:
        """Whether a sentence names all in which the cells of a table differ, and the cells have all that it names."""
        return all(
            cell.coordinates["value"] in (*PLAIN, *CHANGES)
            and all(name in {*named.at, "value"} for name in self.tables[cell.table].varying & cell.coordinates.keys())
            and all(cell.coordinates.keys() & names for names in named.words)
            for cell in fact.cells
        )

    def _best(self, number: Figure, at: Mapping[str, Collection[str]], tables: Collection[str]) -> tuple[str, str, str]:
        """`best on 11 of 13`: in how many groups of cells that differ in the system alone the named one is the best."""
        systems = at.get("system", ())
        rest = {name: there for name, there in at.items() if name != "system"}
        for id in dict.fromkeys(cell.table for cell in self._select(at, tables)) if len(systems) == 1 else ():
            groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
            for cell in self._select(rest, [id]) if rest else self.tables[id].cells:
                if cell.coordinates["value"] in PLAIN and {"measure", "system"} <= cell.coordinates.keys():
                    groups[cell.place_without("system")].append(cell)
            compared = [
                (own[0], cells)
                for cells in groups.values()
                if len(cells) > 1 and (own := [cell for cell in cells if cell.coordinates["system"] in systems])
            ]
            if len(compared) == number.out_of:
                best = sum(own.value >= max(cell.value for cell in cells) for own, cells in compared)
                verdict = AGREES if best == number.interval.low else DIFFERS
                return verdict, f"{id} [{next(iter(systems))}], the best of its group", f"{best} of {len(compared)}"
        return UNTIED, "", ""


def _level(number: Figure, tables: Sequence[Table]) -> tuple[str, str, str]:
    """A level of p against those in the captions and marks of the tables that the sentence names."""
    for table in tables:
        texts = " ".join([table.caption, *table.marks.values()])
        levels = [one.text for one in figures(texts) if one.kind == LEVEL]
        if levels:
            same = any(one.interval == number.interval for one in figures(texts) if one.kind == LEVEL)
            return (AGREES if same else DIFFERS), f"{table.id}, its caption and marks", ", ".join(levels)
    return UNTIED, "", ""
