"""Claims judged on measured values: the interval of each effect beside the printed one, and p of the claim."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple

import scipy.stats

from robustdr.claims.claim import Claim
from robustdr.claims.effects import ABOVE, ORIGINAL, Effect, Mean, Numbers, Systems
from robustdr.claims.intervals import Interval
from robustdr.claims.tests import AnyTest
from robustdr.claims.verdicts import INCONCLUSIVE, NEGLIGIBLE, NOT_RUN, PARTLY, POWER, confidence, size_of, tally
from robustdr.core.errors import Absent
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.names import WORST
from robustdr.evaluation.quotients import Ratio
from robustdr.evaluation.store import Store

USUAL = 0.95  # confidence of the interval that readers see, whatever the level of the claim
UNKNOWN_RUNS = "one training run, and how much runs differ at this scale was not measured"


@dataclass(frozen=True)
class Measured:
    """Measured values of one role, `Numbers` as estimates; `substitutes`: {claim's measure: measure used instead}."""

    store: Store
    role: str
    measure: str
    substitutes: Mapping[str, str]

    def mean(self, system: Systems, query_set: str, measure: str = "") -> Estimate:
        if not isinstance(system, str):
            first, *rest = (self.mean(member, query_set, measure) for member in system)
            return sum(rest, first) / len(system)
        claim_measure = measure or self.measure
        return self.store.estimate(system, self.role, query_set, self.substitutes.get(claim_measure, claim_measure))

    def drop(self, system: Systems, query_set: str, base: Systems = "") -> Estimate:
        original = self.mean(base or system, ORIGINAL)
        if query_set == WORST:
            query_set = min(self.other_variations(system, ()), key=lambda variation: self.mean(system, variation).mean)
        return (self.mean(system, query_set) - original) / original

    def hours(self, system: str) -> Estimate:
        raise Absent("hours of training depend on the machine; the table of all methods shows them")

    def other_variations(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        covered = {variation for query_set in query_sets for variation in self.store.averaged(self.role, query_set)}
        first_system = system if isinstance(system, str) else system[0]
        return [variation for variation in self.store.query_sets(first_system, self.role) if variation not in covered]


@dataclass(frozen=True)
class Judged:
    """One effect: its size with an interval, the printed interval, and its verdict.

    `interval` is the one that readers see, with the confidence `USUAL`. `low` and `high` are the ends of that of
    `confidence`, by which the claim is tested alone. `there`: p of the effect being in its region, two-sided against 0;
    for a margin, the larger of two one-sided ones. `against`: p of the opposite. `printed`: the effect that the paper
    prints, within its rounding; `predicted`: where it lies if it is the same effect, chosen for its significance.
    `power`: how often the claim's test shows an effect as large as printed; None if none is printed in the region.
    `known`: whether the variance between training runs is known. `compared`: how its size compares with the printed
    one, at the paper's own scale. `sides`, `down`: see `Effect`.
    """

    words: str
    size: float
    low: float
    high: float
    interval: tuple[float, float]
    confidence: float
    there: float
    against: float
    queries: int
    seeds: int
    region: tuple[float, float]
    printed: tuple[float, float] | None
    predicted: tuple[float, float] | None
    power: float | None
    known: bool
    one_run: bool
    compared: str = ""
    verdict: str = INCONCLUSIVE
    sides: tuple[Mean, Mean] | None = None
    down: bool = False

    @property
    def p(self) -> float:
        """p of the direction that the effect has."""
        return min(self.there, self.against)

    @property
    def reader_view(self) -> "Judged":
        """The effect as readers see it: a loss is negative."""
        if not self.down:
            return self
        turned: dict[str, Any] = {"size": 0.0 - self.size}
        turned |= dict(zip(("low", "high"), -Interval(self.low, self.high), strict=True))
        for name in ("interval", "region", "printed", "predicted"):
            turned[name] = -Interval(*ends) if (ends := getattr(self, name)) else None
        return replace(self, **turned)


def weakest_first(effects: Iterable[Judged]) -> list[Judged]:
    """Return effects in the order in which they support a claim: first the one that is most against it."""
    return sorted(effects, key=lambda effect: (-effect.there, effect.against))


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, or how far it got before its sentence is decided (`family.decide_claims`).

    `why` says in a few words why it is not testable or inconclusive; `doubt` that a gain may have another cause;
    `reason` what else is to be said of it.
    """

    verdict: str
    effects: list[Judged] = field(default_factory=list)
    reason: str = ""
    why: str = ""
    doubt: str = ""

    @property
    def words(self) -> str:
        """The verdict with what it comes from: `partly: 6 supported, 1 open, 1 against, of 8`."""
        if self.verdict == PARTLY:
            return f"{PARTLY}: {tally(effect.verdict for effect in self.effects)}"
        return f"{self.verdict}: {self.why}" if self.why else self.verdict


def measure(
    claim: Claim,
    numbers: Numbers[Estimate],
    stated_size: Interval | None,
    printed: Mapping[str, Interval],
    sized: bool = False,
    paper_queries: int | None = None,
) -> Verdict:
    """Return the effects of a claim, not yet decided, or why it was not run.

    Args:
        numbers: the measured ones of its role. stated_size: the size that its sentence gives, if any; it takes the
            place of what is printed.
        printed: what the paper prints for an effect, as readers see it, within its rounding, by the effect's words.
        sized: whether scale and measures are the paper's, so that sizes compare.
        paper_queries: behind what is printed; None for as many as here.
    """
    try:
        effects = judge_effects(claim.test, numbers, claim.level, stated_size, printed, sized, paper_queries)
    except Absent as error:
        return Verdict(NOT_RUN, [], str(error))
    return Verdict(INCONCLUSIVE, effects, why="" if all(effect.known for effect in effects) else UNKNOWN_RUNS)


def judge_effects(
    test: AnyTest,
    numbers: Numbers[Estimate],
    level: float,
    stated_size: Interval | None = None,
    printed: Mapping[str, Interval] | None = None,
    sized: bool = False,
    paper_queries: int | None = None,
) -> list[Judged]:
    """Return the effects of a test with their intervals, undecided; see `measure`.

    A size that a sentence gives is tested as a direction and a printed effect. One that includes no effect, as in "less
    than 2 %", has no direction: where sizes compare it is a margin. "No significant gain" is tested as a gain below
    `NEGLIGIBLE`: that a test finds nothing would be the surer, the weaker the data.

    Raises:
        Absent: a number that the test needs was not measured.
    """
    effects = []
    for effect in test.effects(numbers, stated_size):
        region, size = effect.region, (printed or {}).get(effect.words)
        size = -size if size and effect.down else size
        if effect.unless_refuted:
            region = Interval(-inf, NEGLIGIBLE)
        if stated_size is not None and region != ABOVE and not (sized and region.low <= 0):
            region, size = ABOVE, region
        effects.append(_judge_effect(effect, region, size, level, sized, paper_queries))
    return effects


def ratio(effect: Effect[Estimate]) -> Ratio:
    """Return an effect as a quotient."""
    return Ratio(effect.gain, effect.base or ONE, effect.unit)


def _judge_effect(
    effect: Effect[Estimate], region: Interval, printed: Interval | None, level: float, sized: bool, queries: int | None
) -> Judged:
    """Return one effect of a claim; `queries` are the paper's."""
    quotient, sure = ratio(effect), confidence(region, level)
    low, high = quotient.interval(sure)
    p_present, p_opposite = _p_values(quotient, region) if quotient.runs_known else (1.0, 1.0)
    comparable = printed is not None and region == ABOVE and printed.low > 0 and sized and quotient.runs_known
    predicted = quotient.prediction(sure, queries or quotient.queries, selected=True) if comparable else None
    return Judged(
        words=effect.words,
        size=quotient.value,
        low=low,
        high=high,
        interval=quotient.interval(USUAL),
        confidence=sure,
        there=p_present,
        against=p_opposite,
        queries=quotient.queries,
        seeds=quotient.seeds,
        region=(region.low, region.high),
        printed=(printed.low, printed.high) if printed else None,
        predicted=predicted,
        power=_power(quotient, region, printed, 1 - sure),
        known=quotient.runs_known,
        one_run=quotient.one_run,
        compared=size_of(Interval(low, high), printed, Interval(*predicted)) if predicted and printed else "",
        sides=effect.sides,
        down=effect.down,
    )


def _p_values(quotient: Ratio, region: Interval) -> tuple[float, float]:
    """Return p of the effect being in the region, and outside: two-sided for 0; else of its sides (Bonferroni)."""
    if region == ABOVE:
        return quotient.p if quotient.value > 0 else 1.0, quotient.p if quotient.value < 0 else 1.0
    inside, outside = [], []
    if isfinite(region.low):
        inside.append(quotient.p_above(region.low))
        outside.append(quotient.p_below(region.low))
    if isfinite(region.high):
        inside.append(quotient.p_below(region.high))
        outside.append(quotient.p_above(region.high))
    return max(inside), min(1.0, len(outside) * min(outside))


def _power(quotient: Ratio, region: Interval, printed: Interval | None, level: float) -> float | None:
    """Return how often the test shows an effect as large as printed: at least so often that no bound is missed.

    Args:
        level: of the interval that must lie in the region.
    """
    size = (printed.low + printed.high) / 2 if printed else None
    if size is None or not quotient.runs_known or not region.low < size < region.high:
        return None
    missed = [1 - quotient.power(size, bound, level) for bound in region if isfinite(bound)]
    return max(0.0, 1 - sum(missed))


def detectable(half_width: float, confidence: float = 0.95, degrees: float = inf) -> float:
    """Return the smallest effect that a two-sided test of this confidence finds with probability `POWER`.

    (t_(1−α/2) + t_POWER) · standard error; that is the half-width of the interval over t_(1−α/2) (Cohen, 1988, ch. 2).

    Args:
        degrees: of freedom of t; default: the normal distribution.
    """
    decides, finds = scipy.stats.t.ppf([(1 + confidence) / 2, POWER], degrees)
    return float((1 + finds / decides) * half_width)


class Difference(NamedTuple):
    """A size in a second setting less that in a first, its 95 % interval, and a two-sided p of no difference."""

    size: float
    low: float
    high: float
    p: float


def difference(
    first: float, first_interval: Sequence[float], second: float, second_interval: Sequence[float]
) -> Difference:
    """Compare two independent sizes by their 95 % intervals, which need not be symmetric.

    The interval of the difference is made of theirs (Zou and Donner, 2008, equation 3). p is that of the normal
    distribution whose interval has the same end toward 0. With symmetric intervals this is Cochran's Q of two studies.
    """
    size = second - first
    low = size - sqrt((second - second_interval[0]) ** 2 + (first_interval[1] - first) ** 2)
    high = size + sqrt((second_interval[1] - second) ** 2 + (first - first_interval[0]) ** 2)
    toward_zero = size - low if size > 0 else high - size
    p = (
        2 * scipy.stats.norm.sf(abs(size) / toward_zero * scipy.stats.norm.ppf((1 + USUAL) / 2))
        if toward_zero
        else float(size == 0)
    )
    return Difference(size, low, high, float(p))
