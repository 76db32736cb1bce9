"""Claims judged on measured values: the interval of each effect beside the printed one, and a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf, isfinite

import scipy.stats

from robustdr.claims.claim import Claim
from robustdr.claims.effects import ABOVE, ORIGINAL, Effect, Numbers, Systems
from robustdr.claims.intervals import Interval
from robustdr.claims.verdicts import (
    HOLDS,
    INCOMPARABLE,
    INCONCLUSIVE,
    NO_POWER,
    NOT_RUN,
    POWER,
    confidence,
    verdict,
    worst,
)
from robustdr.core.errors import UserError
from robustdr.evaluation.estimates import FEW, ONE, Estimate, Ratio
from robustdr.evaluation.names import WORST
from robustdr.evaluation.store import Store


@dataclass(frozen=True)
class Measured:
    """Measured values of one role, `Numbers` as estimates; `taken`: {measure of the claim: measure used instead}."""

    store: Store
    role: str
    measure: str
    taken: Mapping[str, str]

    def mean(self, system: Systems, query_set: str, measure: str = "") -> Estimate:
        if not isinstance(system, str):
            first, *others = (self.mean(one, query_set, measure) for one in system)
            return sum(others, first) / len(system)
        asked = measure or self.measure
        return Estimate(self.store.values(system, self.role, query_set, self.taken.get(asked, asked)))

    def drop(self, system: Systems, query_set: str, base: Systems = "") -> Estimate:
        original = self.mean(base or system, ORIGINAL)
        if query_set == WORST:
            query_set = min(self.others(system, ()), key=lambda variation: self.mean(system, variation).mean)
        return (self.mean(system, query_set) - original) / original

    def hours(self, system: str) -> Estimate:
        raise UserError(
            f"{system}: hours depend on the machines; the table of all methods shows what training costs here"
        )

    def others(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        named = {variation for query_set in query_sets for variation in self.store.averaged(self.role, query_set)}
        one = system if isinstance(system, str) else system[0]
        return [variation for variation in self.store.query_sets(one, self.role) if variation not in named]


@dataclass(frozen=True)
class Judged:
    """One effect: its size with an interval, the printed interval, and its verdict.

    `low` and `high` are the ends of the interval of `confidence`, which decides for the claim; `corrected` are those of
    the interval that decides against it, None for a single effect, where they are the same. `printed`: the effect that
    the paper prints, within its rounding. `p` is two-sided against 0; for a margin, the larger of two one-sided ones;
    it is uncorrected. `needed`: the queries that would decide; None if no number would or the effect is decided.
    """

    words: str
    size: float
    low: float
    high: float
    confidence: float
    p: float
    test: str
    queries: int
    seeds: int
    region: tuple[float, float]
    printed: tuple[float, float] | None
    verdict: str
    needed: int | None = None
    corrected: tuple[float, float] | None = None


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim; `reason` says why it was not judged, '' if it was."""

    verdict: str
    effects: list[Judged] = field(default_factory=list)
    reason: str = ""


def judge(
    claim: Claim,
    numbers: Numbers[Estimate],
    said: Interval | None,
    printed: Mapping[str, Interval],
    incomparable: str = "",
) -> Verdict:
    """Test one claim.

    Args:
        numbers: the measured ones of its role. said: the size that its sentence gives, if any.
        printed: what the paper prints for an effect, within its rounding, by the effect's words.
        incomparable: why sizes do not compare at this scale; '' if they do.
    """
    try:
        found = list(claim.test.effects(numbers, said))
    except UserError as error:
        return Verdict(NOT_RUN, [], str(error))
    judged = [_judge(effect, claim.level, len(found), printed.get(effect.words)) for effect in found]
    if said is not None and incomparable:
        return Verdict(INCOMPARABLE, judged, incomparable)
    return Verdict(worst(effect.verdict for effect in judged), judged)


def _judge(effect: Effect[Estimate], level: float, tests: int, printed: Interval | None) -> Judged:
    """Return the verdict on one effect of a claim with `tests` effects."""
    region = effect.region
    ratio = Ratio(effect.gain, effect.base or ONE)
    sure, surer = (confidence(region, part) for part in (level, level / tests))
    interval, corrected = (Interval(*ratio.interval(of)) for of in (sure, surer))
    reached, queries = verdict(interval, corrected, region, printed), inf
    if reached == INCONCLUSIVE and effect.unless_refuted:
        reached = HOLDS
    elif reached == INCONCLUSIVE:
        queries = _asked(ratio, region, sure)
        if queries > ratio.queries:
            reached = NO_POWER
        else:
            queries = _deciding(ratio, region, printed, sure, surer)
    return Judged(
        effect.words,
        ratio.value,
        *interval,
        sure,
        *_tested(ratio, region),
        ratio.queries,
        ratio.seeds,
        (region.low, region.high),
        printed,
        reached,
        ceil(queries) if isfinite(queries) else None,
        corrected if tests > 1 else None,
    )


def _tested(ratio: Ratio, region: Interval) -> tuple[float, str]:
    """Return p and the name of its test."""
    if region == ABOVE:
        return ratio.p, ratio.test
    sides = [ratio.p_above(low) for low in [region.low] if isfinite(low)]
    sides += [ratio.p_below(high) for high in [region.high] if isfinite(high)]
    name = "t-test" if len(ratio.differing) >= FEW else "exact test"
    return max(sides), f"two one-sided {name}s" if len(sides) > 1 else f"one-sided {name}"


def _asked(ratio: Ratio, region: Interval, sure: float) -> float:
    """Return the queries that bring two equal systems inside a margin around 0 with probability `POWER`; 0 without one.

    The variance of the difference is the measured one, which a pilot could have given before the run; it does not
    depend on the effect. (If a stated size is near 0, an effect of that size comes inside the margin.)
    """
    if not region.low < 0 < region.high:
        return 0.0
    sides = [abs(bound) for bound in region if isfinite(bound)]
    return ratio.queries_for(sum(sides) / len(sides), sure, 1 - (1 - POWER) / len(sides))


def _deciding(ratio: Ratio, region: Interval, printed: Interval | None, sure: float, surer: float) -> float:
    """Return the queries of the same variance that would decide if the estimate stayed the same.

    Inside the region, the interval that decides for the claim must clear the nearer bound; outside of it, or below the
    printed effect, the interval that decides against it. Excluding either is enough, so the smaller number counts.
    """
    inside = min(ratio.value - region.low, region.high - ratio.value)
    queries = ratio.queries_for(abs(inside), sure if inside > 0 else surer)
    if region == ABOVE and printed and printed.low > 0:
        queries = min(queries, ratio.queries_for(printed.low - ratio.value, surer))
    return max(queries, ratio.queries + 1)


def detectable(half_width: float, confidence: float = 0.95, degrees: float = inf) -> float:
    """Return the smallest effect that a two-sided test of this confidence finds with probability `POWER`.

    (t_(1−α/2) + t_POWER) · standard error; that is the half-width of the interval over t_(1−α/2) (Cohen, 1988, ch. 2).

    Args:
        degrees: of freedom of t; default: the normal distribution.
    """
    decides, finds = scipy.stats.t.ppf([(1 + confidence) / 2, POWER], degrees)
    return float((1 + finds / decides) * half_width)
