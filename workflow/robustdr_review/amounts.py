"""Counts in a sentence that say the same thing twice: `97 of 196 (49.5%)`, `800 questions: 600 for training, …`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from robustdr.audit.rounding import rounding_interval
from robustdr.audit.sizes import COUNTED
from robustdr.claims.intervals import Interval
from robustdr_review.sentences import decimal_of

FEWEST_PARTS = 3  # of a set that a sentence splits
NEAR = 0.5  # share of its own size by which a wrong sum is off, at most: else the sentence is about something else
_COUNT = r"\d{1,3}(?:,\d{3})+|\d+"
_SHARE = rf"(?<![\w.,])(?P<part>{_COUNT})\s*\(\s*(?P<share>\d+(?:\.\d+)?)\s*\\?%\s*\)"
_WHOLE_FIRST = re.compile(
    rf"\b[Oo]f\s+(?:the\s+|all\s+)?(?P<whole>{_COUNT})\s[^.;:()\d]{{0,60}},\s[^.;:()\d]{{0,20}}{_SHARE}"
)
_WHOLE_LAST = re.compile(
    rf"(?<![\w.,])(?P<part>{_COUNT})\s+(?:out\s+)?of\s+(?:the\s+|all\s+)?(?P<whole>{_COUNT})\b[^.;:()\d]{{0,40}}"
    r"\(\s*(?P<share>\d+(?:\.\d+)?)\s*\\?%\s*\)"
)
_PART = re.compile(
    rf"(?<![\w.,])(?P<part>{_COUNT})\s+(?:\w+\s+)?(?:(?:are|is|as|for|in)\s+(?:the\s+)?)?"
    r"(?P<name>train(?:ing)?|dev(?:elopment)?|validation|test(?:ing)?)\b",
    re.I,
)
_WHOLE = re.compile(
    rf"(?<![\w.,])(?P<whole>{_COUNT})\s+(?:[a-z-]+\s+){{0,2}}(?:{COUNTED})\b(?!\s+(?:for|in|are|as)\b)", re.I
)
_NAMES = {"training": "train", "development": "dev", "validation": "dev", "testing": "test"}


class Amount(NamedTuple):
    """A number of a sentence, whether the others give it, and what they give."""

    number: str
    agrees: bool
    given: str


def amounts(sentence: str) -> Iterator[Amount]:
    """Yield the shares and the sums of a sentence whose parts stand beside them."""
    for pattern in (_WHOLE_FIRST, _WHOLE_LAST):
        for match in pattern.finditer(sentence):
            part, whole = (int(decimal_of(match[name])) for name in ("part", "whole"))
            if 0 < part <= whole:
                share = 100 * part / whole
                printed = rounding_interval(decimal_of(match["share"]))
                yield Amount(
                    f"{match['share']}%", printed.meets(Interval(share, share)), f"{part} of {whole} is {share:.2f}%"
                )
    # The whole of a set whose training, development and test part the sentence has.
    matches = [*_PART.finditer(sentence)]
    parts = {_NAMES.get(m["name"].lower(), m["name"].lower()): int(decimal_of(m["part"])) for m in matches}
    wholes = {match["whole"] for match in _WHOLE.finditer(_PART.sub("", sentence))}
    if len(parts) == len(matches) == FEWEST_PARTS and len(wholes) == 1:
        printed_whole = wholes.pop()
        total, number = sum(parts.values()), int(decimal_of(printed_whole))
        if abs(total - number) <= NEAR * number:
            yield Amount(printed_whole, total == number, f"{' + '.join(f'{n:,}' for n in parts.values())} is {total:,}")
