"""The verdict on a claim: from the interval of each effect, the printed effect, and zero; pure functions."""

from collections.abc import Callable, Iterable, Sequence
from math import ceil
from statistics import NormalDist

from robustdr.claims.effects import ABOVE
from robustdr.claims.intervals import Interval

# As printed: what a paper's own numbers say of its claim.
HOLDS, FAILS, INCONCLUSIVE, NOT_PRINTED = "holds", "fails", "inconclusive", "not printed"
# Here: directions, sizes, and why there is neither.
SEEN, PARTLY, NOT_SEEN, OPPOSITE, UNDECIDED = "seen", "partly", "not seen", "opposite", "undecided"
AS_PRINTED, SMALLER, LARGER, ABSENT = "as printed", "smaller", "larger", "absent"
NOT_TESTABLE, NOT_RUN = "not testable here", "not run"
UNJUDGED = (NOT_TESTABLE, NOT_RUN, NOT_PRINTED)
NEGLIGIBLE = 0.02  # the project's margin: an effect below this share of its base is none
VERDICTS = {
    SEEN: "the effect is there: every comparison of the claim goes its way",
    AS_PRINTED: "the effect is there, and its size agrees with the printed one",
    SMALLER: "the effect is there, but smaller than printed",
    LARGER: "the effect is there, and larger than printed",
    PARTLY: "some of its comparisons go its way, the others do not or are undecided",
    NOT_SEEN: "our runs do not show the effect, and would show one as large as printed",
    ABSENT: f"there is no effect of more than {NEGLIGIBLE:.0%}, and the printed one is excluded",
    OPPOSITE: "the effect goes the other way, or a difference is outside its margin",
    UNDECIDED: "our data allow both no effect and the printed one",
    NOT_TESTABLE: "something stands in here for what it is about, or a control that it needs does not pass; this says "
    "nothing about the paper",
    NOT_RUN: "something that it compares was not run",
}
SAID = {
    HOLDS: "every number behind the printed ones agrees with the claim",
    ABSENT: "systems that are called similar differ by more than the margin, for the better",
    FAILS: "every number behind the printed ones disagrees with the claim",
    INCONCLUSIVE: "rounding leaves it open, or the named mark is missing",
    NOT_PRINTED: "the numbers are not in the available text, or no paper makes the claim",
}
OPEN = (UNDECIDED, NOT_TESTABLE, NOT_RUN)  # not decided here
SHOWN = (SMALLER, LARGER, AS_PRINTED, SEEN)  # the effect is there; the first of them is a claim's verdict
WORST_FIRST = (OPPOSITE, ABSENT, NOT_SEEN, UNDECIDED, *SHOWN)
WORST_SAID_FIRST = (FAILS, ABSENT, INCONCLUSIVE, HOLDS)  # as printed
POWER, CORRELATION = 0.8, 0.8  # power of a comparison; correlation of two systems' values of one query, for planning


def verdict(
    interval: Interval,
    region: Interval = ABOVE,
    printed: Interval | None = None,
    predicted: Interval | None = None,
    sized: bool = False,
) -> str:
    """Return the verdict on one effect. If `region` is every effect above 0:

    | interval of the effect | printed effect | verdict on direction | and on size (`sized`) |
    | --- | --- | --- | --- |
    | above 0 | predicted | `seen` | `as printed` |
    | above 0 | above what is predicted | `seen` | `smaller` |
    | above 0 | below what is predicted | `seen` | `larger` |
    | above 0 | none | `seen` | `seen` |
    | includes 0 | above what is predicted | `not seen` | `absent` inside ± `NEGLIGIBLE`, else `undecided` |
    | includes 0 | predicted, or none | `undecided` | `undecided` |
    | below 0 | any | `opposite` | `opposite` |

    A region with other bounds is a margin of the claim's own, and what is printed plays no part:

    | interval of the effect | verdict |
    | --- | --- |
    | inside the region | `seen` |
    | above a margin from −m to m: systems that are called similar differ, for the better | `not seen` |
    | outside of any other region, or below such a margin | `opposite` |
    | across a bound | `undecided` |

    Args:
        printed: the printed effect, within its rounding; one that is not above 0 counts as none.
        predicted: where an effect printed from the paper's queries and runs lies, if it is the same as here.
    """
    if not interval.meets(region):
        return NOT_SEEN if region.low == -region.high and interval.low > region.high else OPPOSITE
    if region != ABOVE or printed is None or predicted is None or printed.low <= 0:
        return SEEN if interval.within(region) else UNDECIDED
    below, above = predicted.high < printed.low, predicted.low > printed.high
    if interval.within(region):
        return (SMALLER if below else LARGER if above else AS_PRINTED) if sized else SEEN
    if sized:
        return ABSENT if below and interval.within(Interval(-NEGLIGIBLE, NEGLIGIBLE)) else UNDECIDED
    return NOT_SEEN if below else UNDECIDED


def overall(verdicts: Sequence[str], superlative: bool = False) -> str:
    """Return the verdict on a claim from those on its effects: the worst, but `partly` if some are there.

    Args:
        superlative: whether the claim says "the most" or "the least": then one opposite effect refutes it.
    """
    shown = sum(one in SHOWN for one in verdicts)
    some = 0 < shown < len(verdicts) and not (superlative and OPPOSITE in verdicts)
    if some or PARTLY in verdicts:
        return PARTLY
    return min(verdicts, key=WORST_FIRST.index, default=UNDECIDED)


def outside(interval: Interval, region: Interval) -> str:
    """Return the verdict on an effect as printed without a value in its region; '' if it has one."""
    if interval.meets(region):
        return ""
    return ABSENT if region.low == -region.high and interval.low > region.high else FAILS


def worst(verdicts: Iterable[str]) -> str:
    """Return the verdict on a claim as printed from those on its effects; without effects it is inconclusive."""
    return min(verdicts, key=WORST_SAID_FIRST.index, default=INCONCLUSIVE)


def of_sentences(parts: Iterable[tuple[str, str]], combined: Callable[[Sequence[str]], str] = overall) -> list[str]:
    """Return one verdict for each sentence from (sentence, verdict) of its parts, those that were judged `combined`."""
    verdicts: dict[str, list[str]] = {}
    for sentence, verdict in parts:
        verdicts.setdefault(sentence, []).append(verdict)
    judged = ([one for one in found if one not in UNJUDGED] for found in verdicts.values())
    return [combined(some) if some else found[0] for some, found in zip(judged, verdicts.values(), strict=True)]


def confidence(region: Interval, level: float) -> float:
    """Return the confidence of the interval for a test at `level`; a margin needs two one-sided (Schuirmann, 1987)."""
    return 1 - level if region == ABOVE else 1 - 2 * level


def planned(region: Interval, base: float, level: float) -> int | None:
    """Return the queries that a margin around 0 needs, estimated before a run; None without such a margin.

    A first guess for `robustdr audit`; too many for a mean over variations, which varies less.

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
