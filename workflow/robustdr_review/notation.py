"""Test statistics in prose, as people write them: `t(28) = 2.20, p = .03`, `χ²(1, N = 90) = 4.1; ns`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from robustdr.audit.inference import CORRECTED, ONE_TAILED, Fit, Statistic, judge

FAR = 90  # letters between a statistic and its p, at most
MINUS = "\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}-"
_NUMBER = rf"[{MINUS}]?\s?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)?\.?\d+"
_KIND = (
    r"(?P<chi2>(?:χ|𝜒|\bch?i|\bChi|(?<!\w)[Xx])[-\s]?(?:square[d]?|[_^\s]*[2²]))|(?<!\w)(?P<q>Q)(?:[-\s_]?(?:within|between|w|b|M|T))?"
    r"|(?<![\w.\-])(?P<letter>[tFrzZ])(?:[-\s]?(?:value|statistic|test))?"
)
_DF = r"\d+(?:\.\d+)?|[lI]"
_FREEDOM = rf"[(\[]\s*(?:df\s*=\s*)?(?P<df1>{_DF})(?:\s*[,;]\s*(?P<df2>{_DF}))?(?:\s*[,;]\s*[Nn]\s*=\s*[\d,]+)?\s*[)\]]"
_STATISTIC = re.compile(
    rf"(?:{_KIND})\s*(?:{_FREEDOM})?\s*(?P<sign>[=<>])\s*(?P<value>{_NUMBER})(?![\w%]|\s?\.\s?\d|\s\d)"
)
_LATER = re.compile(r"\s*[,;(\[]\s*df\s*=\s*(?P<df>\d+(?:\.\d+)?)")
_P = re.compile(
    r"(?<![\w.])[pP](?:[-\s]?values?)?\s*(?P<sign>[=<>≤≥])\s*(?P<p>\d?\.\d+(?:\s?[eE][-−]\d+)?|[01](?!\s?[\d.]))"
    r"|[,;(]\s*(?P<ns>n\.?\s?s\.?)(?![\w])"
)
SIGNS = {"≤": "<", "≥": ">"}


class Printed(NamedTuple):
    """A statistic with its p in a sentence: where it begins and ends, its text, and what it says."""

    start: int
    end: int
    text: str
    statistic: Statistic


def statistics(sentence: str) -> Iterator[Printed]:
    """Yield the statistics of a sentence that have a p."""
    found = [*_STATISTIC.finditer(sentence)]
    for number, match in enumerate(found):
        stop = min(match.end() + FAR, found[number + 1].start() if number + 1 < len(found) else len(sentence))
        later = _LATER.match(sentence, match.end(), stop)
        p = _P.search(sentence, match.end(), stop)
        kind = "chi2" if match["chi2"] else "q" if match["q"] else match["letter"].lower()
        degrees = [text for text in (match["df1"], match["df2"]) if text] or ([later["df"]] if later else [])
        freedom = () if kind == "z" else tuple(1.0 if text in "lI" else float(text) for text in degrees)
        if p is None or len(freedom) != {"z": 0, "f": 2}.get(kind, 1) or 0 in freedom:
            continue
        value = Decimal(re.sub(rf"[{MINUS}]\s?", "-", match["value"]).replace(",", ""))
        sign = "" if p["ns"] else SIGNS.get(p["sign"], p["sign"])
        printed = None if p["ns"] else Decimal(re.sub(r"\s", "", p["p"]).replace("−", "-"))
        statistic = Statistic(kind, value, match["sign"], freedom, printed, sign)
        yield Printed(match.start(), p.end(), " ".join(sentence[match.start() : p.end()].split()), statistic)


def judged(sentence: str) -> Iterator[tuple[Printed, Fit | None]]:
    """Yield the statistics of a sentence, and whether p fits them; None where nothing can be said."""
    one_tailed, corrected = bool(ONE_TAILED.search(sentence)), bool(CORRECTED.search(sentence))
    for printed in statistics(sentence):
        yield printed, judge(printed.statistic, one_tailed, corrected)
