"""The numbers in a sentence of a paper, without those of its citations, sections, dates and names."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import inf
from typing import NamedTuple

from robustdr.audit.cells import ABOUT, AT_LEAST, AT_MOST, SCALES
from robustdr.audit.rounding import rounding_interval
from robustdr.audit.sizes import COUNTED
from robustdr.claims.intervals import Interval

SHARE, POINTS, VALUE, LEVEL, COUNT, SIZE = "share", "points", "value", "level", "count", "size"
HEDGES = {
    **dict.fromkeys([*AT_LEAST, "above", "beyond"], ">"),
    **{verb + ending: ">" for verb in ("exceed", "surpass") for ending in ("", "s", "es", "ed", "ing")},
    **dict.fromkeys([*AT_MOST, "below", "as much as"], "<"),
    **dict.fromkeys([*ABOUT, "around", "approximately", "almost", "close to", "some"], "~"),
}
_NAMED = r"Tables?|Tab\.|Figs?\.|Figures?|Sections?|Secs?\.|Eqs?\.|Equations?|Appendix|Algorithm|Chapter|Footnote|§"
_LIST = r"[A-Z]?\.?\d[\d.]*\w?(?:\s*(?:,|and|&|to|–|-)\s*[A-Z]?\.?\d[\d.]*)*"
_NOISE = re.compile(
    r"https?://\S+|\[[\d,;\s–-]+\]|\[[^\[\]]*\b(?:19|20)\d\d[a-z]?\b[^\[\]]*\]|\([^()]*\b(?:19|20)\d\d[a-z]?\b[^()]*\)"
    rf"|(?:{_NAMED})[\s~]*{_LIST}|@\s?\d+|\b(?:19|20)\d\d\b|\b[A-Za-z]\w*[-_.]?\d[\w.]*",
    re.I,
)
_HEADING = re.compile(r"^[#\s*]*(?:\d+\.)+\d*\s+(?=[A-Z]|$)|^[#\s*]*\d+\s+(?=[A-Z])")
_TABLES = re.compile(rf"(?:T(?:ables?|ABLES?|ab\.)[\s~]*|\btables?[\s~]+)({_LIST})")
_FIGURE = re.compile(
    rf"(?:(?<!\w)(?P<hedge>{'|'.join(map(re.escape, sorted(HEDGES, key=len, reverse=True)))})\s*(?:an?\s+)?)?"
    r"(?<![\w./,±])(?P<number>(?<![%)])[+\-−–]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?![\w/]|[.,]\d)"
    r"\s?(?P<scale>thousand|million|billion|[kKMB]\b)?"
    r"\s?(?P<unit>\\?%|percent(?:age points?)?\b|(?:absolute )?points?\b|pp\b)?",
    re.I,
)
_MINUS = str.maketrans("−–", "--")
_COUNTED = re.compile(rf"\s*(?:[a-z-]+\s+){{0,2}}(?:{COUNTED}|passages|documents|articles|sentences|pairs)\b")
_LEVEL = re.compile(r"\bp(?:[\s-]?values?)?\s*(?:of\s*)?[<≤=]\s*(0?\.\d+)", re.I)
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SMALL = rf"\d{{1,3}}|{'|'.join(_WORDS)}"
_COUNT = re.compile(rf"(?<![\w@.,])({_SMALL})\s+(?:out\s+)?of\s+(?:the\s+|all\s+)?({_SMALL})\b(?!\s?%|[.,]\d)", re.I)
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|et al|al|vs|cf|Figs?|Tab|Secs?|Eqs?|No|resp|approx|w\.r\.t)\.$")


class Figure(NamedTuple):
    """A number of a sentence: where it stands, its kind and values; of `n of m` the values of n, and m in `out_of`."""

    text: str
    position: int
    kind: str
    hedge: str
    interval: Interval
    digits: int = 0  # significant
    out_of: int = 0
    end: int = 0
    sign: str = ""  # + or - if it is printed


def sentences(paragraph: str) -> Iterator[tuple[int, str]]:
    """Yield (lines above it in the paragraph, sentence on one line)."""
    start = 0
    for match in [*re.finditer(r"(?<=[.!?])[)*”\"]*\s+(?=[A-Z*(“\"\\])", paragraph), None]:
        end = match.start() if match else len(paragraph)
        if match and _ABBREVIATED.search(paragraph[start:end]):
            continue
        if text := " ".join(paragraph[start:end].split()):
            yield paragraph[:start].count("\n"), text
        start = match.end() if match else end


def figures(sentence: str) -> list[Figure]:
    """The numbers of a sentence that a table may have: with a point, %, points; sizes; levels of p; `n of m`."""
    bare = _HEADING.sub(lambda match: " " * len(match[0]), sentence.replace("\\%", " %"))
    results = [
        Figure(match[0], match.start(), LEVEL, "", Interval(float(match[1]), float(match[1])))
        for match in _LEVEL.finditer(bare)
    ]
    for match in _COUNT.finditer(bare):
        part, whole = (float(_WORDS.index(word.lower()) if word.lower() in _WORDS else word) for word in match.groups())
        results.append(Figure(match[0], match.start(), COUNT, "", Interval(part, part), 0, int(whole)))
    bare = _NOISE.sub(lambda match: " " * len(match[0]), _LEVEL.sub(lambda match: " " * len(match[0]), bare))
    for match in _FIGURE.finditer(bare):
        unit = (match["unit"] or "").strip("\\").lower()
        is_size = "." not in match["number"] and bool(_COUNTED.match(sentence, match.end()))
        if unit or "." in match["number"] or is_size:
            kind = SIZE if is_size else VALUE if not unit else SHARE if unit in ("%", "percent") else POINTS
            results.append(_figure(match, kind))
    return sorted(results, key=lambda figure: figure.position)


def _figure(match: re.Match[str], kind: str) -> Figure:
    scale = SCALES.get(match["scale"] or "", 1)
    number = abs(decimal_of(match["number"]))
    hedge = HEDGES.get((match["hedge"] or "").lower(), "")
    digits = len(re.sub(r"\D", "", match["number"]).lstrip("0"))
    interval = rounding_interval(number.normalize() if hedge == "~" else number).scaled(scale)
    if hedge == ">":
        interval = Interval(float(number) * scale, inf)
    elif hedge == "<":
        interval = Interval(0.0, float(number) * scale)
    sign = match["number"][0].translate(_MINUS) if match["number"][0] in "+-−–" else ""
    return Figure(" ".join(match[0].split()), match.start(), kind, hedge, interval, digits, 0, match.end(), sign)


def decimal_of(text: str) -> Decimal:
    """The number that a text prints, with commas between thousands."""
    return Decimal(re.sub("[−–]", "-", text.replace(",", "")))


def tables_named(sentence: str) -> Sequence[str]:
    """The numbers of the tables that a sentence names."""
    return [number for phrase in _TABLES.findall(sentence) for number in re.findall(r"[A-Z]?\.?\d+", phrase)]
