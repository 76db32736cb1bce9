"""The sentences of a paper against its tables: each number is tied to cells where the tie is unique, and recomputed."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from robustdr.audit.cells import Cell
from robustdr.audit.formulas import NAMES
from robustdr.audit.heads import role
from robustdr.audit.inference import DECISION, FITS
from robustdr.audit.reported import Reported, Table
from robustdr.audit.sizes import Size, sizes
from robustdr_review.amounts import amounts
from robustdr_review.contexts import (
    has_other_subject,
    has_other_unit,
    is_difference,
    is_of_other_name,
    is_of_range,
    is_setting,
    is_share,
)
from robustdr_review.facts import CHANGES, PLAIN, Fact, are_one, facts, totals
from robustdr_review.notation import judged
from robustdr_review.sentences import COUNT, LEVEL, POINTS, SIZE, Figure, figures, sentences, tables_named

CHANGED = "; the decision changes"
AGREES, DIFFERS, UNTIED = "agrees", "differs", "not tied"
LOOK = "look"  # a cell prints it differently, but it may not be the cell that is meant: no finding
MOST = 300  # cells that the labels of a sentence may leave: among more, they say too little
NUMBERS = 5_000  # of sentences
CHANCE = 0.1  # that a number fits one of its candidates though it has nothing to do with them, at most
DIGITS = 3  # of a number that may differ from a cell
NEAR = 2.0  # a number that is wrong is still within this factor of the right one; else it is about something else
LOST_OF_SAMPLE = 0.1  # share of a number of people by which that of all groups differs, at most
SAMPLED = ("collection", "split", "category", "query_set")  # coordinates that a sample has
FACTOR = 3  # times that each value of a column stands there if it is a setting, on average, at least
SHORT = 3  # letters of a name up to which capitals count: DA is no "da"
_UP = re.compile(r"improv|increas|gain|higher|better|more effective|outperform|larger|\brises?\b", re.I)
_DOWN = re.compile(
    r"decreas|drop|\blos[est]|reduc|degrad|declin|lower|worse|less effective|incur|smaller|\bfell\b|"
    r"\bfalls? (?:by|from)",
    re.I,
)
_COMPARES = re.compile(r"\b(?:than|over|compared|against|vs|relative to)\b", re.I)
_MEASURES = re.compile(
    r"\b(m?rr|ndcg|m?ap|recall|precision|accuracy|f1|bleu|rouge|success|hits?|auc|auroc|perplexity|exact match|"
    r"latency)\b(?:@\d+)?",
    re.I,
)
_AVERAGES = re.compile(r"\bon average\b|\baverag\w+|\bmean\b|\bmedian\b", re.I)
_OF_OTHERS = re.compile(
    r"\bet al\b|\b(?:prior|previous|earlier|their) (?:work|study|paper|results)\b|\breported (?:by|in) (?!Tab)", re.I
)
_EXTREME = re.compile(r"\b(best|highest|largest|greatest|lowest|smallest|worst)\b", re.I)
_NO_EXTREME = re.compile(  # of a change, an act, or its owner: `the largest drop`, `is best read as`, `our best`
    rf"\b(?:my|our|your|its|their|whose)\s+(?:\w+\s+)?{_EXTREME.pattern}|"
    rf"{_EXTREME.pattern}\s+(?:\w+\s+){{0,3}}(?:changes?|degradations?|drops?|declines?|loss(?:es)?|gains?|improvements?|"
    r"increases?|decreases?|reductions?|differences?|gaps?)\b|"
    r"\bbest\s+(?:\w+ed|read|seen|known|understood|thought|taken|fit)\b(?!\s+(?:by|on|in)\b)",
    re.I,
)
_PEOPLE = re.compile(r"\b(?:participants|patients|subjects|respondents|students|volunteers|people)\b", re.I)
_OF_MEASURES = re.compile(r"\b(?:metrics|measures|criteria|aspects|dimensions|respects)\b", re.I)  # more than one
_BEATS = re.compile(r"\b(outperforms|surpasses|beats) (?:all|every|any)\b", re.I)
_WINS = re.compile(rf"{_EXTREME.pattern}|\b(?:wins|leads|outperforms)\b", re.I)
_NOT_BEST = re.compile(
    r"\b(?:significantly|second|third|next|one of|among|except|but|not|nearly|almost|most of|often|usually|mostly|than|"
    r"nor|if|previous|prior|earlier|existing|under|without|after|when)\b",
    re.I,
)
_OUTDOES = re.compile(
    r"\b(?:outperform(?:s|ed)?|beats?|surpass(?:es|ed)?|exceed(?:s|ed)?|improve[sd]? (?:over|upon)|"
    r"(?:is|are|was|were|performs?|performed) better than)\b(?!\s+by\b)",
    re.I,
)
_UNNAMED = re.compile(  # a system that may have no label of its own in the sentence
    r"\b(?:our|proposed|baselines?|sota|state[- ]of[- ]the[- ]art|previous|prior|existing|other|best|"
    r"second|strongest)\b",
    re.I,
)
_OF_PART = re.compile(  # of some, or of what is not so
    r"\b(?:two|three|four|five|several|some|most|half|part|subset|remaining|would|could|might|may|should)\b", re.I
)
_CAPTION = re.compile(r"[*#\s]*Tab(?:le|\.)?[\s~]*[A-Z]?[.\d]*\d\s*[.:*|—–-](?!\d)", re.I)
_OF_FIGURE = re.compile(r"\bfig(?:ures?\b|s?\.)", re.I)
_RESPECTIVELY = re.compile(r"\brespectively\b", re.I)  # a list of changes: which one is of which pair?
_LOW = re.compile(  # the best of these are the lowest
    r"\b(?:[wc]er|eer|perplexity|ppl|loss|errors?|latency|mae|rm?se|mse|fid|times?|seconds?|rank)\b|↓", re.I
)
_SEVERAL = re.compile(r"\b(?:and|or|both)\b", re.I)  # systems
_HEDGED = re.compile(r"\b(?:baselines?|competitors?|and|or|while|whereas|although)\b", re.I)
_ALL = re.compile(r"\b(?:all|every|each|across|both)\b", re.I)
_ALIASES = {
    "document": "passage",
    "documents": "passage",
    "queries": "query",
    "question": "query",
    "questions": "query",
    "training": "train",
    "development": "dev",
    "testing": "test",
    "acc": "accuracy",
    "avg": "average",
    "prec": "precision",
    "rec": "recall",
    "val": "dev",
    "validation": "dev",
}
_CHANGED = re.compile(rf"{_UP.pattern}|{_DOWN.pattern}|gain|change|differ|Δ|∆", re.I)
_EITHER = re.compile(r"\bchange[sd]?\b|gap|differ|impact", re.I)
_PLURAL = re.compile(r"(?<=ss)es$|(?<=[a-z][a-z][a-rt-z])s$")
_SIGN = re.compile(r"[=<>≤≥≠]")  # in a label: `δ = 0` is not `δ > 0`
_ALONE = re.compile(r"[^\d.,]?\d+(?:[^\d%].?|[.,]\D?)?", re.S)  # a whole number that is no part of another one
_AFTER_PART = re.compile(r"[\w\\][-_]$")  # `BERT` is no name in `TinyBERT-BERT`, `BERT-based`, `human-like`
_BEFORE_PART = re.compile(r"[-_](?!(?:scores?|measures?|values?|metrics?|levels?|sets?|datasets?)\b)\w")
_CUT = re.compile(r"[;:()]|,(?!\d)|\b(?:and|while|whereas|but|versus|vs|than|to|from|against)\b", re.I)
_BEHIND = re.compile(r"\s*%?\s*(?:in|on|for|from|with)\s+(?:the\s+)?", re.I)
_DIGITS = re.compile(r"\d[\d.,]*%?|\.\d+%?")
_NUMBER = re.compile(r"(?<![\w-])\d[\d.,]*")
_WORD = re.compile(r"[a-z0-9]+|[^\W_a-z0-9]")  # of scripts other than Latin each letter


_Place = tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]  # labels by coordinate, and tables


class Tie(NamedTuple):
    """A number of a sentence, and what it is tied to: the cells in words, and what these give."""

    line: int
    sentence: str
    number: str
    verdict: str
    cells: str = ""
    given: str = ""

    @property
    def decides(self) -> bool:
        """Whether it is a test whose decision another p changes."""
        return self.cells.endswith(CHANGED)


@dataclass(frozen=True)
class _Names:
    """The labels that a sentence names, by coordinate: where each of them stands."""

    starts: Mapping[str, Mapping[str, Sequence[int]]]
    words: Sequence[Collection[str]]  # of each word that is a label: the coordinates of which it may be one

    def within(self, labels: Mapping[str, Collection[str]]) -> "_Names":
        """Those of the names that are labels of one table."""
        starts = {
            name: {label: places for label, places in starts.items() if label in labels.get(name, ())}
            for name, starts in self.starts.items()
        }
        return _Names({name: found for name, found in starts.items() if found}, self.words)

    def of(self, cell: Cell) -> list[int]:
        """Where the labels of a cell stand."""
        return [start for name, label in cell.coordinates.items() for start in self.starts.get(name, {}).get(label, ())]

    def is_nearest(self, fact: Fact, place: int) -> bool:
        """Whether the labels of a fact are those that stand next to a place of the sentence."""
        for name, starts_of in self.starts.items():
            away = {label: min(abs(start - place) for start in starts) for label, starts in starts_of.items()}
            for cell in fact.cells if name != fact.differing else ():
                if away.get(cell.coordinates.get(name, ""), 0) > min(away.values()):
                    return False
        return True


class Checked(NamedTuple):
    """What sentences say: the ties of their numbers, and the size of the sample of a (table, column)."""

    ties: list[Tie]
    sizes: dict[tuple[str, int], Size]


class Prose:
    """Ties the sentences of a paper to the cells of its tables."""

    def __init__(self, reported: Reported) -> None:
        self.tables = {id: table for id, table in reported.tables.items() if not id.startswith("prose")}
        self.cells = [cell for table in self.tables.values() for cell in table.cells]
        self._totals = totals(self.cells)
        self._labels: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for cell in self.cells:
            for name, label in cell.coordinates.items():
                self._labels[cell.table][name].add(label)
        # By the coordinates that cells have: the places of those at each label, and of those in each table.
        self._places: defaultdict[frozenset[str], defaultdict[tuple[str, str], set[int]]]
        self._places = defaultdict(lambda: defaultdict(set))
        for place, cell in enumerate(self.cells):
            index = self._places[frozenset(cell.coordinates)]
            for key in (("", cell.table), *cell.coordinates.items()):
                index[key].add(place)
        self._names: defaultdict[tuple[str, ...], dict[tuple[str, str], str]] = defaultdict(dict)
        for cell in self.cells:
            for name, label in cell.coordinates.items():
                if name not in ("value", "seed"):
                    for words in (label, *reported.words.get(label, ())):
                        if tokens := tuple(map(_singular, _WORD.findall(words.casefold()))):
                            self._names[tokens][name, label] = words
        self._worded = reported.words
        self._determined: dict[tuple[str, str], bool] = {}
        self._longest = max(map(len, self._names), default=0)

    def check(self, paragraphs: Iterable[tuple[int, str]]) -> Checked:
        """The numbers of the sentences, in order, the first `NUMBERS`; and the sizes of samples (see `_sizes`).

        Args:
            paragraphs: (line, text) of each.
        """
        ties: list[Tie] = []
        sizes_by_place: defaultdict[_Place, dict[int, Size]] = defaultdict(dict)
        people: list[tuple[int, str, Size]] = []
        for line, paragraph in paragraphs:
            if len(ties) >= NUMBERS:
                break
            caption = self._tables_in(paragraph) if _CAPTION.match(paragraph) else []
            context: Sequence[str] | None = caption  # the tables named last; None after a figure or a table not read
            for offset, sentence in sentences(paragraph):
                place = line + offset if line else 0
                ties += tested(place, sentence)
                ties += [
                    Tie(place, sentence, number, AGREES if agrees else DIFFERS, "its parts, in the sentence", given)
                    for number, agrees, given in amounts(sentence)
                ]
                spans = [range(printed.start, printed.end) for printed, _ in judged(sentence)]
                numbers = [
                    figure
                    for figure in figures(sentence)
                    if not any(figure.position in span for span in spans) and not (caption and figure.kind == LEVEL)
                ]
                named_tables = self._tables_in(sentence) or caption
                if named_tables or tables_named(sentence) or _OF_FIGURE.search(sentence):
                    context = named_tables or None
                if context is None:
                    ties += [Tie(place, sentence, number.text, UNTIED) for number in numbers]
                else:
                    if not any(figure.kind == COUNT for figure in numbers):
                        ties += self._superlative(place, sentence, self._names_in(sentence), context)
                    ties += self._sentence(place, sentence, numbers, context) if numbers else []
                if sized := sizes(sentence):
                    people += [(place, sentence, size) for size in sized if _PEOPLE.search(sentence)]
                    key = tuple(
                        (name, (*labels,))
                        for name, labels in self._names_in(sentence).starts.items()
                        if name in SAMPLED
                    )
                    sizes_by_place[key, (*named_tables,)] |= {size.number: size for size in sized}
        ties += self._samples(people)
        return Checked(ties, self._sizes(sizes_by_place))

    def _samples(self, people: Sequence[tuple[int, str, Size]]) -> Iterator[Tie]:
        """Yield the one number of people that a text has, if the groups of a table add up to nearly as many."""
        columns: defaultdict[tuple[str, int], list[Cell]] = defaultdict(list)
        for table in self.tables.values():
            for cell in table.cells:
                labels = [label for name, label in table.columns[cell.column].items() if name != "value"]
                if any(role(label) == "n" for label in labels):
                    columns[cell.table, cell.column].append(cell)
        groups = [
            cells
            for cells in columns.values()
            if len(cells) > 1 and not any(cell.decimals or _has_label(cell, "sum_is") for cell in cells)
        ]
        if len(groups) != 1 or len({size.number for _, _, size in people}) != 1:
            return
        parts = " + ".join(cell.printed for cell in groups[0])
        total = int(sum(cell.number for cell in groups[0]))
        for place, sentence, size in people:
            if abs(total - size.number) <= LOST_OF_SAMPLE * size.number:
                what = f"{groups[0][0].table}, its groups together"
                verdict = AGREES if total == size.number else LOOK
                yield Tie(place, sentence, str(size.number), verdict, what, f"{parts} is {total:,}")

    def _sentence(self, line: int, sentence: str, numbers: Sequence[Figure], tables: Sequence[str]) -> list[Tie]:
        """The ties of the numbers of a sentence, which is of some tables, or of any if it is of none."""
        up, down, either = (bool(words.search(sentence)) for words in (_UP, _DOWN, _EITHER))
        changes = up or down or either
        compares = bool(_COMPARES.search(sentence) or _OUTDOES.search(sentence))
        names = self._names_in(sentence)
        cells = self._select(names.starts, tables) if names.starts else []
        named_facts = [*facts(cells, names.starts, self._totals, (up or either, down or either))]
        ties = []
        for number in numbers:
            if number.kind == LEVEL:
                verdict, *rest = _level(number, [self.tables[id] for id in tables])
            elif number.kind == COUNT:
                verdict, *rest = self._wins(number, names.starts, tables, sentence)
            else:
                meant = [fact for fact in named_facts if fact.is_meant(number, changes)]
                verdict, *rest = self._tie(number, names, meant, changes or number.kind == POINTS, compares, sentence)
                if verdict == LOOK and not (tables or len(self.tables) == 1):
                    verdict, *rest = UNTIED, "", ""
            ties.append(Tie(line, sentence, number.text, verdict, *rest))
        tied = Counter(tie.cells for tie in ties if tie.verdict != UNTIED)
        return [  # two numbers are not of one cell
            tie._replace(verdict=UNTIED, cells="", given="") if tied[tie.cells] > 1 and number.kind != LEVEL else tie
            for tie, number in zip(ties, numbers, strict=True)
        ]

    def _select(self, labels: Mapping[str, Collection[str]], tables: Collection[str]) -> list[Cell]:
        """The cells at labels by coordinate (see `_places_at`); none if they are more than `MOST`."""
        places = self._places_at(labels, tables)
        return [self.cells[place] for place in sorted(places)] if len(places) <= MOST else []

    def _places_at(self, labels: Mapping[str, Collection[str]], tables: Collection[str]) -> set[int]:
        """The places of cells at labels; if there are none, also of those without a coordinate, but for the measure.

        Args:
            tables: those in which the cells stand; any if there are none.
        """
        whole: set[int] = set()
        rest: set[int] = set()
        for names, index in self._places.items():
            keys = [[(name, label) for label in labels[name]] for name in labels if name in names]
            keys += [[("", id) for id in tables]] if tables else []
            if keys and ("measure" in names or "measure" not in labels):
                parts = [
                    set[int]().union(*(index[key] for key in alternatives if key in index)) for alternatives in keys
                ]
                (whole if labels.keys() <= names else rest).update(set.intersection(*sorted(parts, key=len)))
        return whole or rest

    def _sizes(self, sizes_by_place: Mapping[_Place, Mapping[int, Size]]) -> dict[tuple[str, int], Size]:
        """The size of the sample of each (table, column), where it is one.

        A sentence gives it to the tables that it names, and to the collection, the split and the like. If it names
        nothing, it gives it to all columns that no other sentence speaks of.
        """
        by_column: defaultdict[tuple[str, int], dict[int, Size]] = defaultdict(dict)
        for (labels, tables), named_sizes in sizes_by_place.items():
            for place in self._places_at(dict(labels), tables):
                by_column[self.cells[place].table, self.cells[place].column] |= named_sizes
        if len(named_sizes := sizes_by_place.get(((), ()), {})) == 1:
            for cell in self.cells:
                by_column.setdefault((cell.table, cell.column), {**named_sizes})
        return {
            column: next(iter(named_sizes.values()))
            for column, named_sizes in by_column.items()
            if len(named_sizes) == 1
        }

    def _tables_in(self, text: str) -> list[str]:
        """The tables that a text names, as far as they are there."""
        ids = [f"table{number.replace('.', '').lower()}" for number in tables_named(text)]
        return [id for id in dict.fromkeys(ids) if id in self.tables]

    def _names_in(self, sentence: str) -> _Names:
        found = _WORD.finditer(sentence.casefold())
        tokens = [(_singular(match[0]), match.start(), match.end()) for match in found]
        places: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        words = []
        place = 0
        while place < len(tokens):
            for length in range(min(self._longest, len(tokens) - place), 0, -1):
                key = tuple(token for token, *_ in tokens[place : place + length])
                start, end = tokens[place][1], tokens[place + length - 1][2]
                fitting = {
                    label
                    for label, text in self._names.get(key, {}).items()
                    if len(text) > SHORT or sentence[start : start + len(text)] == text
                    if _SIGN.findall(text) == _SIGN.findall(sentence[start:end])
                    if not (_AFTER_PART.search(sentence[:start]) or _BEFORE_PART.match(sentence, end))
                    if not text.isdecimal() or _ALONE.fullmatch(sentence[max(0, start - 1) : end + 2])
                }
                if fitting:
                    for name, label in fitting:
                        places[name][label].append(start)
                    words.append({name for name, _ in fitting})
                    place += length - 1
                    break
            place += 1
        return _Names(places, words)

    def _tie(
        self, number: Figure, names: _Names, meant: Sequence[Fact], changes: bool, compares: bool, sentence: str
    ) -> tuple[str, str, str]:
        """The verdict on a number, the cells in words, and what they give."""
        if number.hedge:
            return UNTIED, "", ""
        is_few = len(meant) <= CHANCE * 10**number.digits
        fits = [fact for fact in meant if fact.fits(number)] if is_few else []
        pairs = [fact for fact in meant if fact.differing] if compares else []
        tied = [fact for fact in fits if not fact.differing] or [
            fact for fact in fits if are_one(pairs) and fact in pairs
        ]
        if are_one(tied) and self._is_meant(number, tied[0], names, meant, sentence):
            return AGREES, *tied[0].words()
        nearest = [fact for fact in meant if self._within(names, fact).is_nearest(fact, number.position)]
        single = [fact for fact in nearest if not fact.differing and fact.is_change == changes]
        pairs = [fact for fact in nearest if fact.differing]
        candidates = (pairs or single) if compares else single
        is_error = (
            not any(fact.fits(number) for fact in meant)
            and are_one(candidates)
            and self._is_meant(number, candidates[0], names, meant, sentence)
            and self._is_wrong_print(number, candidates[0])
            and self._is_worded(number, candidates[0], names)
            and self._is_one_pair(candidates[0], names, sentence)
            and not _OF_PART.search(sentence)
        )
        return (LOOK, *candidates[0].words()) if is_error else (UNTIED, "", "")

    def _is_wrong_print(self, number: Figure, fact: Fact) -> bool:
        """Whether a number that is none of a fact's values looks like a wrong print of one: near, of its form, and
        printed in no other cell."""
        has_form = "." not in number.text or any(cell.decimals for cell in fact.cells) or bool(fact.whole)
        is_exact = number.digits >= DIGITS and number.digits <= max(cell.significant_digits for cell in fact.cells)
        middles = [abs(value.low + value.high) / 2 for value in fact.values[number.kind]]
        return (
            (number.kind != SIZE or "collection" in fact.cells[0].coordinates)
            and all(map(self._is_whole_line, fact.cells))
            and any(middle and 1 / NEAR < number.interval.high / middle < NEAR for middle in middles)
            and has_form
            and (is_exact or fact.is_change or bool(fact.whole))
            and not any(other.fits(number) for other in facts(self.cells, {}, Counter(), (False, False)))
        )

    def _is_whole_line(self, cell: Cell) -> bool:
        """Whether no cell of the column of a cell is missing, but for changes, which an original lacks: the reader may
        have shifted the others."""
        table = self.tables[cell.table]
        return cell.coordinates["value"] in CHANGES or len(
            {other.line for other in table.cells if other.column == cell.column}
        ) == len(table.rows)

    def _is_one_pair(self, fact: Fact, names: _Names, sentence: str) -> bool:
        """Whether a change is between the labels of one kind that a sentence names, and it names no more than these."""
        starts = self._within(names, fact).starts
        rest = (labels for name, labels in starts.items() if name != fact.differing)
        return not fact.differing or (all(len(labels) < 2 for labels in rest) and not _UNNAMED.search(sentence))

    def _is_worded(self, number: Figure, fact: Fact, names: _Names) -> bool:
        """Whether a sentence names what a wrong number would be of, also where a table has one label for it."""
        starts = self._within(names, fact).starts
        return all(
            name in starts or name == "value" or name in self.tables[cell.table].varying or fact.whole
            for cell in fact.cells
            for name in cell.coordinates
        )

    def _is_meant(self, number: Figure, fact: Fact, names: _Names, meant: Sequence[Fact], sentence: str) -> bool:
        """Whether subject, measure, condition and table of a sentence are those of a fact and of no other one."""
        if not self._pinned(fact, names) or _OF_OTHERS.search(sentence) or is_of_range(number, sentence):
            return False
        if self._is_other(number, fact, names, sentence) or (fact.differing and _RESPECTIVELY.search(sentence)):
            return False
        if fact.differing and any(_MEASURES.search(cell.coordinates[fact.differing]) for cell in fact.cells):
            return False
        if self._is_of_other_label(number, fact, names, sentence) or self._is_of_other_part(
            number, fact, names, sentence
        ):
            return False
        starts = {start for cell in fact.cells for start in names.of(cell)}
        if len(starts) <= len(fact.cells) and not (number.kind == SIZE and number.digits >= DIGITS):
            return False  # a subject, and what it is of
        places = {cell.place_without() for cell in fact.cells}
        rivals = [rival for rival in meant if {cell.place_without() for cell in rival.cells} == places]
        if not are_one(rivals):
            return False  # two tables print it, with other numbers
        text = " ".join(self._texts(cell) for cell in fact.cells).casefold()
        if _AVERAGES.search(sentence) and not (
            _AVERAGES.search(text) or "mean" in text or "drop" in text or fact.whole
        ):
            return False
        labels = " ".join(label for labels in self._labels[fact.cells[0].table].values() for label in labels)
        text = f"{text} {labels}".casefold()
        named = {measure.casefold() for measure in _MEASURES.findall(sentence)}
        return all(measure in text or measure.lstrip("m") in text for measure in named)

    def _is_of_other_label(self, number: Figure, fact: Fact, names: _Names, sentence: str) -> bool:
        """Whether another label than that of a fact stands right behind a number: `0.54 in DEBATE`."""
        behind = None if _RESPECTIVELY.search(sentence) else _BEHIND.match(sentence, number.end)
        return any(
            behind is not None
            and behind.end() in starts
            and label not in {cell.coordinates[name] for cell in fact.cells}
            for name in fact.cells[0].coordinates.keys() & self._within(names, fact).starts.keys()
            for label, starts in self._within(names, fact).starts[name].items()
        )

    def _is_of_other_part(self, number: Figure, fact: Fact, names: _Names, sentence: str) -> bool:
        """Whether the part of a sentence in which a number stands has other labels than those of a fact: the first of
        `a Dice of 86.4 and an IoU of 80.1` is of Dice."""
        before = [match.end() for match in _NUMBER.finditer(sentence, 0, number.position)]
        opening = _CUT.search(sentence, before[-1], number.position) if before else None
        closing = _CUT.search(sentence, number.end)
        part = range(
            opening.end() if opening else before[-1] if before else 0, closing.start() if closing else len(sentence)
        )
        return not _RESPECTIVELY.search(sentence) and any(
            beside and cell.coordinates.get(name) not in beside
            for name, labels in self._within(names, fact).starts.items()
            for beside in [{label for label, places in labels.items() if any(place in part for place in places)}]
            for cell in fact.cells
            if name != fact.differing
        )

    def _is_other(self, number: Figure, fact: Fact, names: _Names, sentence: str) -> bool:
        """Whether a number is something else than a fact: a setting, a part of a label, of another unit or subject."""
        texts = " ".join(self._texts(cell) for cell in fact.cells).casefold()
        first = fact.cells[0]
        column = [cell.number for cell in self.tables[first.table].cells if cell.column == first.column]
        labels = {label for labels in self._labels[first.table].values() for label in labels}
        digits = _DIGITS.search(number.text)
        printed = re.compile(rf"(?<![\w.]){re.escape(digits[0] if digits else number.text)}(?![\w.])")
        starts = [
            start
            for name, starts_of in names.starts.items()
            for label, starts in starts_of.items()
            if name not in ("measure", "quantity") and label in {cell.coordinates.get(name) for cell in fact.cells}
            for start in starts
        ]
        return (
            is_setting(sentence, texts)
            or is_of_other_name(number, sentence, texts)
            or has_other_unit(number, sentence, texts)
            or has_other_subject(number, sentence, starts)
            or (not fact.is_change and is_difference(number, sentence) and not _CHANGED.search(str(first)))
            or (bool(fact.whole) and not is_share(number, sentence))
            or any(map(printed.search, labels))
            or FACTOR * len(set(column)) <= len(column)  # a few values again and again are a setting of the rows
        )

    def _texts(self, cell: Cell) -> str:
        """The labels of a cell as the paper words them, and its caption."""
        labels = [text for label in cell.coordinates.values() for text in (label, *self._worded.get(label, ()))]
        return " ".join([*labels, self.tables[cell.table].caption])

    def _within(self, names: _Names, fact: Fact) -> _Names:
        return names.within(self._labels[fact.cells[0].table])

    def _superlative(self, line: int, sentence: str, names: _Names, tables: Sequence[str]) -> list[Tie]:
        """`the best on all sets`: whether the one system that a sentence names has the largest number, where one table
        and one measure are meant."""
        words = [*_EXTREME.findall(sentence), *_BEATS.findall(sentence)]
        not_best = _NOT_BEST.search(sentence) or _OF_OTHERS.search(sentence) or _NO_EXTREME.search(sentence)
        several = len({match.casefold() for match in _MEASURES.findall(sentence)}) > 1 or _OF_MEASURES.search(sentence)
        ids = tables or [*self.tables]
        if len(words) != 1 or not_best or several or len(ids) != 1:
            return []
        is_low = words[0].lower() in ("lowest", "smallest", "worst")
        start = sentence.index(words[0])
        clause_end = start + len(re.split(r"[,;]", sentence[start:])[0])  # `best in X, along with Y` says nothing of Y
        of_table = names.within(self._labels[ids[0]])
        systems = [
            name
            for name, starts in of_table.starts.get("system", {}).items()
            if any(map(str.isalpha, name)) and min(starts) < start
        ]
        if len(systems) != 1 or _SEVERAL.search(sentence[:start]):
            return []
        rest = {name: starts for name, starts in of_table.starts.items() if name != "system"}
        table_cells = self.tables[ids[0]].cells
        is_whole = not rest and bool(_ALL.search(sentence)) and any(map(self._measure_of, table_cells[:1]))
        groups: defaultdict[tuple[object, ...], list[Cell]] = defaultdict(list)
        for cell in self._select(rest, ids) if rest else table_cells if is_whole else []:
            if cell.coordinates["value"] == "value" and "system" in cell.coordinates:
                # The labels but for the system and what follows from it, as the group of rows in which it stands.
                names_of_cell = cell.coordinates.keys() - {"system", "value", "measure", "quantity"}
                follows = {name for name in names_of_cell if self._follows(cell.table, name)}
                groups[cell.place_without("system", *follows)].append(cell)
        compared = [
            (own, group)
            for group in groups.values()
            for own in group
            if len(group) > 1 and own.coordinates["system"] == systems[0]
        ]
        measures = {self._measure_of(own) for own, _ in compared}
        if len(measures) != 1 or "" in measures or len(compared) < len(groups):
            return []
        if any(own.value < 0 for own, _ in compared) or (len(compared) > 1 and not _ALL.search(sentence)):
            return []
        measure = measures.pop()
        is_named = any(min(starts[measure]) < clause_end for starts in rest.values() if measure in starts) or (
            measure.casefold() in sentence[:clause_end].casefold()
        )
        best = sum(own.value == (min if is_low else max)(c.value for c in group) for own, group in compared)
        is_plain = words[0] in _EXTREME.findall(sentence) and not _HEDGED.search(sentence)
        if not is_named or not any(map(str.isalpha, measure)) or (best < len(compared) and not is_plain):
            return []
        what = f"{ids[0]} [{systems[0]} · {measure}], the {'lowest' if is_low else 'highest'} of its group"
        ends = [(own, (min if is_low else max)(group, key=lambda cell: cell.value)) for own, group in compared]
        better = [f"{end.printed} ({end.coordinates['system']})" for own, end in ends if end.value != own.value]
        given = f"{best} of {len(compared)}" + f"; but {', '.join(better[:3])}" * bool(better)
        return [Tie(line, sentence, words[0], AGREES if best == len(compared) else LOOK, what, given)]

    def _measure_of(self, cell: Cell) -> str:
        """The measure of a cell: its label, or the one that the caption of its table names; '' if there is none."""
        if label := cell.coordinates.get("measure", cell.coordinates.get("quantity", "")):
            return label
        named = {match[0] for match in _MEASURES.finditer(self.tables[cell.table].caption)}
        return named.pop() if len(named) == 1 else ""

    def _follows(self, table: str, name: str) -> bool:
        """Whether each system of a table has one label of another coordinate."""
        if (table, name) not in self._determined:
            pairs = {(c.coordinates.get("system"), c.coordinates.get(name)) for c in self.tables[table].cells}
            self._determined[table, name] = name != "system" and len(pairs) == len({system for system, _ in pairs})
        return self._determined[table, name]

    def _pinned(self, fact: Fact, names: _Names) -> bool:
        """Whether the labels that a sentence names leave one cell of a table, and cells have all that it names."""
        of_table = self._within(names, fact)
        return all(
            cell.coordinates["value"] in (*PLAIN, *CHANGES)
            and all(
                name in of_table.starts or name == "value" or self._follows(cell.table, name)
                for name in self.tables[cell.table].varying & cell.coordinates.keys()
            )
            and all(cell.coordinates.keys() & coordinates for coordinates in names.words)
            for cell in fact.cells
        )

    def _wins(
        self, number: Figure, labels: Mapping[str, Mapping[str, Sequence[int]]], tables: Sequence[str], sentence: str
    ) -> tuple[str, str, str]:
        """`best on 11 of 13`, `outperforms BM25 on 7 of 9`: how often one system is above all others, or above one."""
        winner, rival = _contest(sentence, labels.get("system", {}))
        rest = {name: starts for name, starts in labels.items() if name != "system"}
        verdicts = []
        for id in dict.fromkeys(cell.table for cell in self._select(labels, tables)) if winner else ():
            groups: defaultdict[tuple[object, ...], dict[str, Cell]] = defaultdict(dict)
            for cell in self._select(rest, [id]) if rest else self.tables[id].cells:
                is_measured = bool("system" in cell.coordinates and self._measure_of(cell))
                if is_measured and cell.coordinates["value"] in PLAIN and not _has_label(cell, "mean_of"):
                    groups[cell.place_without("system")].setdefault(cell.coordinates["system"], cell)
            contests = [
                (group[winner], [cell for system, cell in group.items() if system != winner and rival in ("", system)])
                for group in groups.values()
                if winner in group
            ]
            contests = [(cell, opponents) for cell, opponents in contests if opponents]
            are_high = not any(_LOW.search(self._texts(cell)) for cell, _ in contests)
            if len(contests) == number.out_of and are_high:
                bests = [(cell.value, max(opponent.value for opponent in opponents)) for cell, opponents in contests]
                won = sum(value > best or (value == best and not rival) for value, best in bests)
                verdict = AGREES if won == number.interval.low else LOOK
                name = f"{id} [{winner}], {f'above {rival}' if rival else 'the best of its group'}"
                verdicts.append((verdict, name, f"{won} of {len(contests)}"))
        return verdicts[0] if len(verdicts) == 1 else (UNTIED, "", "")


def _contest(sentence: str, starts: Mapping[str, Sequence[int]]) -> tuple[str, str]:
    """The system that a sentence says to win, and the one that it is compared with; '' for all others, or for none.

    Args:
        starts: where the sentence names each system.
    """
    if match := _OUTDOES.search(sentence):
        winners = [system for system, places in starts.items() if max(places) < match.start()]
        rivals = [system for system, places in starts.items() if min(places) >= match.end()]
        is_plain = not _NOT_BEST.search(sentence[: match.start()] + sentence[match.end() :])
        if len(winners) == len(rivals) == 1 and len(starts) == 2 and is_plain:
            return winners[0], rivals[0]
    is_best = len(starts) == 1 and _WINS.search(sentence) and not _NOT_BEST.search(sentence)
    return (next(iter(starts)) if is_best else ""), ""


def _singular(word: str) -> str:
    """A word in full, without the ending of a plural; one word for passages, one for queries."""
    return _ALIASES.get(word, _PLURAL.sub("", word))


def _has_label(cell: Cell, kind: str) -> bool:
    """Whether a label of a cell names a kind of relation to its neighbours, such as an average or a total."""
    return any(map(NAMES[kind].search, cell.coordinates.values()))


def tested(line: int, sentence: str) -> list[Tie]:
    """The statistics of a sentence and their p: whether they give these p."""
    ties = []
    for printed, found in judged(sentence):
        if found is None:
            ties.append(Tie(line, sentence, printed.text, UNTIED))
            continue
        cells = "its p, computed again" + (CHANGED if found.outcome == DECISION else "")
        verdict = AGREES if found.outcome == FITS else DIFFERS
        ties.append(Tie(line, sentence, printed.text, verdict, cells, found.words))
    return ties


def _level(number: Figure, tables: Sequence[Table]) -> tuple[str, str, str]:
    """A level of p against those in the captions and marks of the tables that the sentence names."""
    for table in tables:
        texts = " ".join([table.caption, *table.marks.values()])
        levels = [figure for figure in figures(texts) if figure.kind == LEVEL]
        if levels:
            verdict = AGREES if any(figure.interval == number.interval for figure in levels) else LOOK
            return verdict, f"{table.id}, its caption and marks", ", ".join(figure.text for figure in levels)
    return UNTIED, "", ""
