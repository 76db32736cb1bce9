"""One field of a table: whether it is a number, and what it says in the words of the audit."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from robustdr.audit import cells
from robustdr.audit.cells import BOLD, LOST, NO_NUMBER
from robustdr.core.errors import UserError
from robustdr_review.grids import RAISED, Field

MARKS = {*"†‡§¶*∗★☆⋆▲△▼▽↑↓♠♣♦♥◦•", BOLD, *RAISED}
_LOCALE = re.compile(r"[+\-−]?0,\d+%?|[+\-−]?\d{1,3}(?:\.\d{3})*,\d{1,2}%?|[+\-−]?\d{1,3}(?:\.\d{3})+,\d+%?")
_BRACKETED = re.compile(r"\s*\[([^\w\s\]]+)\]")
_ENDS = r"([+\-−]?[\d.]+%?)\s*[,;]\s*([+\-−]?[\d.]+%?)", r"([\d.]+)\s*[–-]\s*([\d.]+)"  # [a, b] and [a–b]
_INTERVAL = re.compile("|".join(rf"[\[(]\s*{ends}\s*[\])]" for ends in _ENDS))
_RANGE = re.compile(r"(\d[\d.,]*%?)\s?[–-]\s?(\d[\d.,]*%?)")
_POWER = re.compile(r"\s*[×·x]\s*10\^?([⁻−-]?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_ARROW = re.compile(r"(?<![\d%])([↑↓▲▼△▽])\s*(?=[\d.])|(?<=\()([\d.]+%?)\s*([↑↓▲▼△▽])(?=\))")
_SIGNS = dict(zip("↑↓▲▼△▽", "+-+-+-", strict=True))
P_CELL = re.compile(r"p(?:[-\s]value)?\s*(?:=|(?=[<>]))\s*", re.I)  # p = .03
_PLUS_MINUS = re.compile(r"\(\s*±\s*([\d.]+%?)\s*\)")  # 52.0 (±0.14)
_SIZE = re.compile(r"(?<![A-Za-z])[nN]\s*=\s*(?=\d)")  # n = 33
_DIGITS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
_UNKNOWN = re.compile(r"(?<=[\d%)])\s*\\[A-Za-z]+$")  # a macro that the file does not define, behind a number
_LONE = re.compile(r"[(\[]\s*[+\-−]?[\d.]+\s*[)\]]")
_SECONDS = {
    "SE": re.compile(r"standard errors?|\bSEs?\b|\bs\.e\.", re.I),
    "SD": re.compile(r"standard deviations?|\bSDs?\b|\bs\.d\.", re.I),
}
_FIRST = re.compile(r"[\d.,]*\d")


@dataclass(frozen=True)
class Read:
    """The text of a field for `cells`, and its number of values; 0 if it is not a number."""

    text: str
    values: int = 0
    problem: str = ""


def has_decimal_commas(rows: Sequence[Sequence[Field]]) -> bool:
    """Whether all numbers have decimal commas: some can have nothing else, none has a point or can be in thousands."""
    fields = [field.text for row in rows for field in row[1:]]
    texts = [number.rstrip(".,") for text in fields for number in re.findall(r"\d[\d.,]*", text)]
    if any(re.fullmatch(r"\d+\.\d+|[1-9]\d{0,2}(?:,\d{3})+", text) for text in texts):
        return False
    return any(re.fullmatch(r"0,\d+|\d+,(?:\d{1,2}|\d{4,})", text) for text in texts)


def read_field(field: Field, decimal_commas: bool = False) -> Read:
    """What a field says in the words of `cells`."""
    if field.problem:
        bare = _UNKNOWN.sub("", field.text)
        number = read_field(replace(field, text=bare, problem=""), decimal_commas) if bare != field.text else Read(LOST)
        return replace(number if number.values else Read(LOST), problem=field.problem)
    text = normal(field.text, decimal_commas)
    bare = "".join(character for character in text if character not in MARKS).strip()
    if bare == LOST:
        return Read(LOST)
    if not any(character.isdigit() for character in bare):
        return Read(NO_NUMBER if not any(map(str.isalpha, bare)) or len(bare) < 4 else bare)
    if _LOCALE.fullmatch(bare) and not re.fullmatch(r"[+\-−]?[1-9]\d{0,2}(,\d{3})+%?", bare):
        return Read(LOST, 0, "a number with a decimal comma")
    if field.repeated:
        return Read(NO_NUMBER)
    marks = {character: "" for character in text if character in MARKS}
    for places in range(1, 5):
        try:
            values = cells.parse("", text, places, marks)
        except UserError:
            continue
        if len(values) == places:
            bold = _FIRST.sub(lambda match: match[0] + BOLD, text, count=1) if field.bold else text
            return Read(bold, places)
    return Read(LOST if bare[0] in "+-−.<>~≈0123456789" else bare, 0, "not a printed number")


def normal(text: str, decimal_commas: bool = False) -> str:
    """The text of a field as `cells` knows it: 1.2×10⁻³ as 1.2e-3, [a, b] as (a / b), n = 3 as 3, ↓2 as -2."""
    text = _BRACKETED.sub(r"\1", " ".join(text.split())).replace("|", "/")
    text = _PLUS_MINUS.sub(r"±\1", _SIZE.sub("", text))
    text = text[match.end() :] if (match := P_CELL.match(text)) else text
    if decimal_commas:  # then a semicolon stands between two numbers
        text = re.sub(r"(?<=\d),(?=\d)", ".", re.sub(r"(?<=\d)\.(?=\d{3})", "", text))
        text = re.sub(r"(?<=\d)\s*;\s*(?=[+\-−]?\d)(?![^\[(]*[\])])", " / ", text)
    text = _POWER.sub(lambda m: f"e{'-' * bool(m[1])}{''.join(_DIGITS[digit] for digit in m[2])}", text)
    text = _INTERVAL.sub(lambda m: f"({m[1] or m[3]} / {m[2] or m[4]})", text)
    text = _ARROW.sub(lambda m: _SIGNS[m[1]] if m[1] else f"{_SIGNS[m[3]]}{m[2]}", text)
    if match := _RANGE.fullmatch(text):
        text = f"{match[1]} / {match[2]}"
    return re.sub(r"(?<=\d)\s+%", "%", text)


def second_of(texts: Sequence[str], caption: str) -> str:
    """What the numbers of a row are to those above, by their form: p, an interval or an error; '' if unknown."""
    bare = ["".join(letter for letter in text if letter not in MARKS).strip() for text in texts]
    if all(map(P_CELL.match, bare)):
        return "p"
    if all(map(_INTERVAL.fullmatch, bare)):
        return "95% CI"
    if all(map(_LONE.fullmatch, bare)):
        return next((name for name, words in _SECONDS.items() if words.search(caption)), "")
    return ""


def is_numeric(reads: Sequence[Read]) -> bool:
    """Whether a column has numbers, and not more than twice as many words."""
    numbers = sum(bool(reading.values) or reading.text == LOST for reading in reads)
    words = sum(reading.text not in (NO_NUMBER, LOST) and not reading.values for reading in reads)
    return numbers > 0 and 2 * numbers >= words
