"""The verdict on a claim: from the interval of each effect, the printed effect, and zero."""

from collections.abc import Iterable
from math import ceil
from statistics import NormalDist

from robustdr.claims.effects import ABOVE
from robustdr.claims.intervals import Interval

HOLDS, SMALLER, ABSENT, FAILS, INCONCLUSIVE = "holds", "smaller", "absent", "fails", "inconclusive"
NO_POWER, INCOMPARABLE, NOT_RUN, NOT_PRINTED = "no power", "not comparable here", "not run", "not printed"
VERDICTS = {
    HOLDS: "every effect is there, and none is significantly below the printed one",
    SMALLER: "the right direction, but an effect is significantly below the printed one",
    ABSENT: "an interval excludes the printed effect and includes none, or similar systems differ, for the better",
    FAILS: "an effect is significantly the other way, or beyond its margin",
    INCONCLUSIVE: "an interval includes the printed effect and none alike, or a bound of the margin",
    NO_POWER: "undecided, and by the variance of the difference the margin asks for more queries than there are",
    INCOMPARABLE: "the sentence gives a size, and sizes at this scale do not compare with the paper's",
    NOT_RUN: "what it compares was not run",
}
WORST_FIRST = (FAILS, ABSENT, NO_POWER, INCONCLUSIVE, SMALLER, HOLDS)
POWER, CORRELATION = 0.8, 0.8  # power of a comparison; correlation of two systems' values of one query, for planning


def verdict(interval: Interval, corrected: Interval, region: Interval, printed: Interval | None = None) -> str:
    """Return the verdict on one effect. If `region` is every effect above 0, and p the least effect in `printed`:

    | interval of the effect | verdict |
    | --- | --- |
    | above 0, and not below p | `holds` |
    | above 0, and below p | `smaller` |
    | includes 0, and below p | `absent` |
    | includes 0 and p, or nothing is printed | `inconclusive` |
    | below 0 | `fails` |

    If `region` has other bounds, `printed` is not used:

    | interval of the effect | verdict |
    | --- | --- |
    | inside the region | `holds` |
    | above a margin from −m to m around 0: systems meant to be similar differ, for the better | `absent` |
    | outside of any other region, or below a margin around 0 | `fails` |
    | across a bound | `inconclusive` |

    Args:
        interval: of the effect, at the claim's level. All effects of a claim must hold, so no correction is needed (an
            intersection-union test; Berger, 1982).
        corrected: the same at the level divided by the number of effects (Bonferroni): one effect that is absent or
            opposite decides against the claim.
        printed: the printed effect, within its rounding; if it is of another measure, compared as a share too.
    """
    if against := outside(corrected, region):
        return against
    below = region == ABOVE and printed is not None and printed.low > 0 and corrected.high < printed.low
    if interval.within(region):
        return SMALLER if below else HOLDS
    return ABSENT if below else INCONCLUSIVE


def outside(interval: Interval, region: Interval) -> str:
    """Return the verdict on an effect without a value in its region; '' if it has one."""
    if interval.meets(region):
        return ""
    return ABSENT if region.low == -region.high and interval.low > region.high else FAILS


def worst(verdicts: Iterable[str]) -> str:
    """Return the verdict on a claim from those on its effects; a claim without effects is inconclusive."""
    return min(verdicts, key=WORST_FIRST.index, default=INCONCLUSIVE)


def of_sentences(parts: Iterable[tuple[str, str]]) -> list[str]:
    """Return one verdict for each sentence from (sentence, verdict) of its parts: the worst that was reached."""
    verdicts: dict[str, list[str]] = {}
    for sentence, verdict in parts:
        verdicts.setdefault(sentence, []).append(verdict)
    judged = ([one for one in found if one in WORST_FIRST] for found in verdicts.values())
    return [worst(some) if some else found[0] for some, found in zip(judged, verdicts.values(), strict=True)]


def confidence(region: Interval, level: float) -> float:
    """Return the confidence of the interval for a test at `level`; a margin needs two one-sided (Schuirmann, 1987)."""
    return 1 - level if region == ABOVE else 1 - 2 * level


def planned(region: Interval, base: float, level: float) -> int | None:
    """Return the queries that a margin around 0 needs, estimated before a run; None without such a margin.

    A first guess for `robustdr audit`; too many for a mean over variations, which varies less. After a run, the
    measured variance of the difference decides whether there was power.

    Two equal systems whose values of a query correlate by `CORRELATION` come inside the margin with probability
    `POWER`. A measure between 0 and 1 with mean m has a variance of at most m (1 − m).

    Args:
        region: the claim's. base: the mean that the margin is a share of.
    """
    if region == ABOVE or not region.low < 0 < region.high:
        return None
    sides = [abs(bound) for bound in region if abs(bound) < 1]
    beta = (1 - POWER) / len(sides)
    z = NormalDist().inv_cdf(1 - level) + NormalDist().inv_cdf(1 - beta)
    return ceil(2 * (1 - CORRELATION) * base * (1 - base) * (z / (min(sides) * base)) ** 2)
