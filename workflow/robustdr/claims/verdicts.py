"""The words of verdicts: on an effect, a claim of several, and a sentence; pure functions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil
from statistics import NormalDist

from robustdr.claims.effects import ABOVE
from robustdr.claims.intervals import Interval

# Of a claim here and by its paper's own numbers, and of each of its effects.
SUPPORTED, PARTLY, CONTRADICTED, INCONCLUSIVE = "supported", "partly", "contradicted", "inconclusive"
NOT_TESTABLE, NOT_RUN, NOT_PRINTED = "not testable here", "not run", "not printed"
UNJUDGED = (NOT_TESTABLE, NOT_RUN, NOT_PRINTED)
AS_PRINTED, SMALLER, LARGER, ABSENT = "as printed", "smaller", "larger", "absent"  # sizes, at the paper's own scale
NEGLIGIBLE = 0.02  # the project's margin: an effect below this share of its base is none
VERDICTS = {
    SUPPORTED: "every comparison of the claim supports it",
    PARTLY: "some comparisons support it; the others are open or contradict it",
    CONTRADICTED: "comparisons contradict it, and none supports it; one is enough if it says “the most” or “the least”",
    INCONCLUSIVE: "our data fit both: that it is right, and that it is wrong",
    NOT_TESTABLE: "this scale cannot show it; this says nothing about the paper",
    NOT_RUN: "something that it compares was not run",
}
SAID = {
    SUPPORTED: "every value that the printed numbers allow agrees with the claim",
    PARTLY: "some of its comparisons agree, the others disagree or are open",
    CONTRADICTED: "no value that the printed numbers allow agrees with some comparisons, and none is supported",
    INCONCLUSIVE: "rounding leaves it open, or the named mark is missing",
    NOT_PRINTED: "the numbers are not in the available text, or no paper makes the claim",
}
SIZES = {
    AS_PRINTED: "the printed effect is as expected from ours",
    SMALLER: "ours is above 0, and smaller than printed",
    LARGER: "ours is above 0, and larger than printed",
    ABSENT: f"ours lies within ±{NEGLIGIBLE:.0%}, and the printed one is excluded",
}
WORST_FIRST = (CONTRADICTED, INCONCLUSIVE, PARTLY, SUPPORTED)
OPEN = (INCONCLUSIVE, NOT_TESTABLE, NOT_RUN)  # not decided here
POWER, CORRELATION = 0.8, 0.8  # power of a comparison; correlation of two systems' values of one query, for planning


def overall(verdicts: Sequence[str], superlative: bool = False) -> str:
    """Return the verdict on a claim from those on its effects, or on a sentence from those on its parts.

    Args:
        superlative: whether the claim says "the most" or "the least": then one opposite effect contradicts it.
    """
    distinct = set(verdicts)
    if distinct == {SUPPORTED}:
        return SUPPORTED
    if superlative and CONTRADICTED in distinct:
        return CONTRADICTED
    if distinct & {SUPPORTED, PARTLY}:
        return PARTLY
    return CONTRADICTED if CONTRADICTED in distinct else INCONCLUSIVE


def tally(verdicts: Iterable[str]) -> str:
    """Return how many effects have which verdict, in words: `6 supported, 1 open, 1 against, of 8`."""
    frequency = Counter(verdicts)
    counts = f"{frequency[SUPPORTED]} supported, {frequency[INCONCLUSIVE]} open, {frequency[CONTRADICTED]} against"
    return f"{counts}, of {frequency.total()}"


def size_of(interval: Interval, printed: Interval, predicted: Interval) -> str:
    """Return how the size of an effect compares with the printed one; '' if that is open.

    Args:
        printed: the printed effect, within its rounding. predicted: where an effect printed from the paper's queries
            and runs lies, if it is the same as here.
    """
    smaller, larger = predicted.high < printed.low, predicted.low > printed.high
    if interval.lies_inside(ABOVE):
        return SMALLER if smaller else LARGER if larger else AS_PRINTED
    return ABSENT if smaller and interval.lies_inside(Interval(-NEGLIGIBLE, NEGLIGIBLE)) else ""


def sentence_verdicts(parts: Iterable[tuple[str, str]]) -> list[str]:
    """Return one verdict for each sentence from (sentence, verdict) of its parts, those that were judged."""
    verdicts: dict[str, list[str]] = {}
    for sentence, verdict in parts:
        verdicts.setdefault(sentence, []).append(verdict)
    judged = ([verdict for verdict in part_verdicts if verdict not in UNJUDGED] for part_verdicts in verdicts.values())
    return [
        overall(judged_verdicts) if judged_verdicts else part_verdicts[0]
        for judged_verdicts, part_verdicts in zip(judged, verdicts.values(), strict=True)
    ]


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
