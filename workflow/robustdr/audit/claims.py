"""Claims judged on reproduced measures: the interval of every effect beside the printed one, and a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, isfinite
from typing import Any

from robustdr.audit.effects import ABOVE, ORIGINAL, Effect, Systems, effects
from robustdr.audit.intervals import Interval
from robustdr.audit.printed import AsPrinted
from robustdr.audit.verdicts import (
    INCOMPARABLE,
    INCONCLUSIVE,
    NO_POWER,
    NOT_RUN,
    confidence,
    planned,
    verdict,
    worst,
)
from robustdr.errors import UserError
from robustdr.evaluation.estimates import ONE, Estimate, Ratio
from robustdr.evaluation.store import Store


@dataclass(frozen=True)
class Measured:
    """Measured values of one role, `Numbers` as estimates; `taken`: what is measured for a measure."""

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

    def drop(self, system: Systems, query_set: str) -> Estimate:
        original = self.mean(system, ORIGINAL)
        return (self.mean(system, query_set) - original) / original

    def hours(self, system: str) -> Estimate:
        raise UserError(
            f"{system}: hours depend on the machines; the table of all methods shows what training costs here"
        )

    def others(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        named = {kind for query_set in query_sets for kind in self.store.kinds(self.role, query_set)}
        one = system if isinstance(system, str) else system[0]
        return [kind for kind in self.store.query_sets(one, self.role) if kind not in named]


@dataclass(frozen=True)
class Judged:
    """One effect: its size, the interval of that, the printed one, and its verdict.

    `low` and `high` are ends of the interval of `confidence`; `printed` those of what the paper's rounding leaves open.
    `p` is two-sided against none, or for a margin the larger of two one-sided ones. `needed`: the queries that would
    decide, None where no number would or the effect is decided.
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


@dataclass(frozen=True)
class Verdict:
    """What became of a claim; `reason` says why it could not be judged."""

    verdict: str
    effects: list[Judged] = field(default_factory=list)
    reason: str = ""


def judge(
    claim: Mapping[str, Any],
    measured: Measured,
    size: Interval | None,
    printed: AsPrinted,
    incomparable: str,
    where: str,
) -> Verdict:
    """Test one claim.

    Args:
        claim: an entry of claims.yaml. measured: the values behind its role. size: what its sentence says, if anything.
        printed: the same claim as printed. incomparable: why sizes do not compare at this scale; empty if they do.
        where: begins a message.

    Raises:
        UserError: an unknown test.
    """
    sizes = {effect.words: Interval(effect.low, effect.high) for effect in printed.effects}
    tested = effects(claim["test"], measured, size, where)
    try:
        found = list(tested)
    except UserError as error:
        return Verdict(NOT_RUN, [], str(error))
    judged = [_judge(effect, claim["level"], len(found), sizes.get(effect.words)) for effect in found]
    if size is not None and incomparable:
        return Verdict(INCOMPARABLE, judged, incomparable)
    return Verdict(worst(effect.verdict for effect in judged), judged)


def _judge(effect: Effect[Estimate], level: float, tests: int, printed: Interval | None) -> Judged:
    """The verdict on one of so many `tests`."""
    region = effect.region
    ratio = Ratio(effect.gain, effect.base or ONE)
    sure = confidence(region, level)
    interval = Interval(*ratio.interval(sure))
    reached = verdict(interval, Interval(*ratio.interval(confidence(region, level / tests))), region, printed)
    needed = None
    if reached == INCONCLUSIVE:
        queries = ratio.queries_for(_width(region, printed), sure)
        needed = ceil(queries) if isfinite(queries) else None
        asked = planned(region, effect.base.mean, level) if effect.base else None
        if asked and asked > ratio.queries:
            reached, needed = NO_POWER, asked
    if region == ABOVE:
        p, test = ratio.p, ratio.test
    else:
        sides = [ratio.p_above(low) for low in [region.low] if isfinite(low)]
        sides += [1 - ratio.p_above(high) for high in [region.high] if isfinite(high)]
        p, test = max(sides), "two one-sided t-tests" if len(sides) > 1 else "one-sided t-test"
    return Judged(
        effect.words,
        ratio.value,
        *interval,
        sure,
        p,
        test,
        ratio.queries,
        ratio.seeds,
        (region.low, region.high),
        printed,
        reached,
        needed,
    )


def _width(region: Interval, printed: Interval | None) -> float:
    """An interval narrower than this cannot hold both the printed effect and none, or both ends of a margin."""
    if region == ABOVE:
        return max(printed.low, 0.0) if printed else 0.0
    return min(region.high - region.low, 2 * min(map(abs, region)))
