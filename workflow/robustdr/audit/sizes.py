"""How many queries, people or the like a text says that there are."""

import re
from typing import NamedTuple

COUNTED = "queries|questions|topics|participants|samples|instances|subjects|respondents|students|patients|examples"
_NOT_BETWEEN = "of|the|to|and|or|in|on|per|for|times|more|fewer|other|million|billion|thousand|percent|points?"
_SIZE = re.compile(
    r"\b[nN]\s*=\s*(?P<n>\d[\d,]*)(?![\d.,]*\d)"
    r"|(?<![\w.,@=–-])(?P<of>\d{1,3}(?:,\d{3})+|\d+)\s+"
    rf"(?:(?!(?:{_NOT_BETWEEN})\b)[A-Za-z][\w-]*\s+){{0,2}}(?:{COUNTED})\b"
)


class Size(NamedTuple):
    """A number of queries, people or the like, and the words that say it."""

    number: int
    words: str

    def __str__(self) -> str:
        return f"{self.number:,} (proposed by {self.words!r})"


def sizes(*texts: str) -> list[Size]:
    """The sizes that texts name, above 1, each number once."""
    by_number: dict[int, Size] = {}
    for match in (match for text in texts for match in _SIZE.finditer(text)):
        number = int((match["n"] or match["of"]).replace(",", ""))
        if number > 1:
            by_number.setdefault(number, Size(number, " ".join(match[0].split())))
    return [*by_number.values()]
