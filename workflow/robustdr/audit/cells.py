"""One printed number: its text, mark, unit, and all values that it can stand for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import inf
from typing import Literal, NamedTuple, get_args

from robustdr.audit.rounding import rounding_interval
from robustdr.claims.intervals import Interval
from robustdr.core.errors import UserError

Coordinate = Literal["collection", "split", "category", "query_set", "system", "measure", "seed", "quantity", "value"]
COORDINATES: tuple[str, ...] = get_args(Coordinate)
NO_NUMBER, LOST = "-", "?"
BOLD = "^"  # the mark of a draft's bold numbers
AT_LEAST = ("over", "more than", "at least", ">", "≥", "≫")
AT_MOST = ("under", "less than", "fewer than", "smaller than", "up to", "at most", "<", "≤", "≪")
ABOUT = ("about", "nearly", "roughly", "≈", "~")
SCALES = {"percent": 0.01, "k": 1e3, "K": 1e3, "million": 1e6, "M": 1e6, "billion": 1e9, "B": 1e9, "T": 1e12}
BETWEEN = re.compile(r"\s*[/(±]\s*|\s+\+\s+")  # between the values of one cell: a/b, a (b), a ± b, a + b
MINUS = "\N{MINUS SIGN}\N{EN DASH}"  # both are printed as minus signs
_LONE = re.compile(r"^\(([^()]*)\)$")  # brackets around all of a cell
_VALUE = re.compile(
    rf"(?:(?P<hedge>{'|'.join(AT_LEAST + AT_MOST + ABOUT)})\s*)?"
    rf"(?P<number>[+\-{MINUS}]?"
    r"[$€£]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:[eE][+\-]?\d{1,2})?)"
    r"\s?(?P<unit>%|[a-z]+|[KMBT]|[KMGT]i?B|°C?|×)?"
)


@dataclass(frozen=True)
class Cell:
    """One printed number and its place."""

    paper: str
    table: str
    line: int  # of the reported.yaml
    column: int  # the values of a row are numbered from 0
    coordinates: Mapping[str, str]
    printed: str  # as printed, without its mark
    hedge: str  # over, about, …: a word that widens the number
    mark: str
    unit: str  # percent, fraction, count, number, or the word printed after the number
    number: Decimal

    @property
    def decimals(self) -> int:
        """Number of decimals of the printed number; 9.77E-04 has 6."""
        return max(0, -int(self.number.as_tuple().exponent))

    @property
    def scale(self) -> float:
        """Factor from the printed number to the value: 0.01 for a percentage, 1000 after `k`."""
        return SCALES.get(self.unit, 1.0)

    @property
    def value(self) -> float:
        """The number without its unit: 26.1 printed as a percentage is 0.261."""
        return float(self.number) * self.scale

    @cached_property
    def interval(self) -> Interval:
        """All values that can be printed like this, in the unit of `value`.

        A hedge widens it: `over` and `under` leave one side open; `about` rounds to the last digit that is not 0 (about
        30 % is 25 % to 40 %).
        """
        if self.hedge in AT_LEAST:
            return Interval(self.value, inf)
        if self.hedge in AT_MOST:
            return Interval(-inf, self.value)
        number = self.number.normalize() if self.hedge in ABOUT else self.number
        return rounding_interval(number, scale=self.scale, exact=self.unit == "count" and not self.decimals)

    @cached_property
    def without_zero(self) -> Interval:
        """The values if the last of its decimals, a 0, was only appended: 39.5 became 39.50."""
        if self.decimals < 2 or self.number.as_tuple().digits[-1] or self.hedge:
            return self.interval
        return rounding_interval(self.number.quantize(Decimal(1).scaleb(1 - self.decimals)), scale=self.scale)

    @property
    def printed_interval(self) -> Interval:
        """All values that can be printed like this, in the unit in which it is printed."""
        return self.interval.scaled(1 / self.scale)

    @property
    def labels(self) -> list[str]:
        """The labels of its row and column, without `value`."""
        return [label for name, label in self.coordinates.items() if name != "value"]

    @property
    def significant_digits(self) -> int:
        """Number of digits without leading zeros."""
        return len("".join(map(str, self.number.as_tuple().digits)).lstrip("0"))

    @property
    def inner_digits(self) -> int:
        """Number of digits without zeros at either end: 1.000 and 0.700 are often printed."""
        return len(self.number.normalize().as_tuple().digits)

    def place_without(self, *names: str) -> tuple[tuple[str, str], ...]:
        """The coordinates but for these."""
        return tuple(place for place in self.coordinates.items() if place[0] not in names)

    def __str__(self) -> str:
        return f"{self.table} [{describe(self.coordinates)}]"

    def __hash__(self) -> int:
        return hash((self.table, self.line, self.printed, self.coordinates["value"]))


class Value(NamedTuple):
    """One value of a printed cell; the unit is '' if none is printed."""

    printed: str
    hedge: str
    mark: str
    unit: str
    number: Decimal

    def with_unit(self, unit: str) -> "Value":
        """Return the value with its column's unit if it prints none itself."""
        return self._replace(unit=self.unit or unit)


def describe(coordinates: Mapping[str, str]) -> str:
    """Return coordinates as one line: `misspell · dr_oq · RR@10 · drop`."""
    words = [f"seed {label}" if name == "seed" else label for name, label in coordinates.items()]
    return " · ".join(word for word in words if word != "value")


def split(printed: str) -> list[str]:
    """Return the texts of the values in one printed cell."""
    return BETWEEN.split(_LONE.sub(r"\1", printed))


def parse(message_place: str, printed: str, places: int, marks: Mapping[str, str]) -> list[Value]:
    """Return the values of one printed cell: one, or one for each of the `places` of its column.

    Raises:
        UserError: anything but a printed number with the declared marks; `message_place` begins the message.
    """
    parts = split(printed)
    if len(parts) not in (1, places):
        raise UserError(
            f"{message_place}: {printed!r} has {len(parts)} values; "
            f"its column allows {' or '.join(sorted({'1', str(places)}))} (its `and` names the further ones)"
        )
    values = []
    for part in (part.strip(" )") for part in parts):
        mark = "".join(character for character in part if character in marks)
        bare = "".join(character for character in part if character not in marks).strip()
        match = _VALUE.fullmatch(bare)
        if match is None:
            declared = f"its marks ({' '.join(marks)})" if marks else "no marks (none are declared)"
            raise UserError(
                f"{message_place}: {printed!r} is not a printed number; allowed: 26.1, -19.4%, 9.77E-04, 6,980 or two "
                f"of them as a/b, a (b), a + b, with {declared}; `{NO_NUMBER}` for no number, `{LOST}` for a lost one"
            )
        unit = {"%": "percent", None: ""}.get(match["unit"], match["unit"])
        number = Decimal(re.sub(f"[{MINUS}]", "-", re.sub(r"[,$€£]", "", match["number"])))
        values.append(Value(bare, match["hedge"] or "", mark, unit, number))
    return values
