"""Claims judged on measured values: the interval of each effect beside the printed one, and a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any

import scipy.stats

from robustdr.claims.claim import Claim
from robustdr.claims.effects import ABOVE, ORIGINAL, Effect, Mean, Numbers, Systems
from robustdr.claims.intervals import Interval
from robustdr.claims.tests import AnyTest
from robustdr.claims.verdicts import NOT_RUN, PARTLY, POWER, SEEN, SHOWN, UNDECIDED, confidence, overall, verdict
from robustdr.core.errors import Absent
from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.names import WORST
from robustdr.evaluation.quotients import FEW, Ratio
from robustdr.evaluation.store import Store

USUAL = 0.95  # confidence of the interval that readers see, whatever the level of the claim
UNKNOWN_RUNS = "one run, and how much training runs vary was not measured"


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
        return self.store.estimate(system, self.role, query_set, self.taken.get(asked, asked))

    def drop(self, system: Systems, query_set: str, base: Systems = "") -> Estimate:
        original = self.mean(base or system, ORIGINAL)
        if query_set == WORST:
            query_set = min(self.others(system, ()), key=lambda variation: self.mean(system, variation).mean)
        return (self.mean(system, query_set) - original) / original

    def hours(self, system: str) -> Estimate:
        raise Absent(f"{system}: hours depend on the machines; the table of all methods shows what training costs here")

    def others(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        named = {variation for query_set in query_sets for variation in self.store.averaged(self.role, query_set)}
        one = system if isinstance(system, str) else system[0]
        return [variation for variation in self.store.query_sets(one, self.role) if variation not in named]


@dataclass(frozen=True)
class Judged:
    """One effect: its size with an interval, the printed interval, and its verdict.

    `interval` is the one that readers see, with the confidence `USUAL`. `low` and `high` are the ends of that of
    `confidence`, by which the claim is tested; `corrected` those at the level divided by the number of effects, None
    for a single effect, where they are the same. `printed`: the effect that the paper prints, within its rounding;
    `predicted`: where it lies if it is the same effect, chosen for its significance. `p` is two-sided
    against 0; for a margin, the larger of two one-sided ones; it is uncorrected. `against`: p of the opposite.
    `known`: whether the variance between training runs is in the interval where it counts.
    `unless_refuted`, `sides`, `down`: see `Effect`.
    """

    words: str
    size: float
    low: float
    high: float
    interval: tuple[float, float]
    confidence: float
    p: float
    against: float
    test: str
    queries: int
    seeds: int
    region: tuple[float, float]
    printed: tuple[float, float] | None
    predicted: tuple[float, float] | None
    corrected: tuple[float, float] | None
    known: bool
    one_run: bool
    unless_refuted: bool = False
    verdict: str = UNDECIDED
    sides: tuple[Mean, Mean] | None = None
    down: bool = False

    @property
    def shown(self) -> "Judged":
        """The effect as readers see it: a loss is negative."""
        if not self.down:
            return self
        turned: dict[str, Any] = {"size": 0.0 - self.size}
        turned |= dict(zip(("low", "high"), -Interval(self.low, self.high), strict=True))
        for name in ("interval", "region", "printed", "predicted", "corrected"):
            turned[name] = -Interval(*of) if (of := getattr(self, name)) else None
        return replace(self, **turned)

    @property
    def inside(self) -> bool:
        """Whether the whole interval lies in the region; of what holds unless it is refuted, some of it."""
        interval, region = Interval(self.low, self.high), Interval(*self.region)
        return interval.meets(region) if self.unless_refuted else interval.within(region)

    def decided(self, corrected: bool, sized: bool) -> "Judged":
        """Return the effect with its verdict, by its corrected interval if asked."""
        if not self.known:
            return self
        ends = self.corrected if corrected and self.corrected else (self.low, self.high)
        printed, predicted = (Interval(*of) if of else None for of in (self.printed, self.predicted))
        reached = verdict(Interval(*ends), Interval(*self.region), printed, predicted, sized)
        return replace(self, verdict=SEEN if self.unless_refuted and reached == UNDECIDED else reached)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim; `reason` says why it is not another one, or what else is to be said of it."""

    verdict: str
    effects: list[Judged] = field(default_factory=list)
    reason: str = ""

    @property
    def words(self) -> str:
        """The verdict, for some of several effects with their number: `partly: 6 of 8`."""
        shown = sum(effect.verdict in SHOWN for effect in self.effects)
        return f"{PARTLY}: {shown} of {len(self.effects)}" if self.verdict == PARTLY else self.verdict

    @property
    def p(self) -> float:
        """p of the claim, or of its opposite if that is smaller; 1 without effects.

        All effects of a claim must be there, so that the largest p counts (an intersection-union test; Berger, 1982);
        one opposite effect is enough, so that the smallest is multiplied by their number (Bonferroni).
        """
        holds = max((effect.p if _goes_its_way(effect) else 1.0 for effect in self.effects), default=1.0)
        against = min((len(self.effects) * effect.against for effect in self.effects), default=1.0)
        return min(holds, against, 1.0)


def _goes_its_way(effect: Judged) -> bool:
    return effect.region[0] < effect.size < effect.region[1]


def judge(
    claim: Claim,
    numbers: Numbers[Estimate],
    said: Interval | None,
    printed: Mapping[str, Interval],
    sized: bool = False,
    paper_queries: int | None = None,
) -> Verdict:
    """Test one claim: by directions, and if `sized` by sizes too.

    A claim is there if all of its effects are, at its level. If not, each effect is judged by its corrected interval.

    Args:
        numbers: the measured ones of its role. said: the size that its sentence gives, if any; it takes the place of
            what is printed.
        printed: what the paper prints for an effect, as readers see it, within its rounding, by the effect's words.
        sized: whether scale and measures are the paper's, so that sizes compare.
        paper_queries: behind what is printed; None for as many as here.
    """
    try:
        effects = judged(claim.test, numbers, claim.level, said, printed, sized, paper_queries)
    except Absent as error:
        return Verdict(NOT_RUN, [], str(error))
    there = all(effect.inside for effect in effects)
    effects = [effect.decided(not there, sized) for effect in effects]
    reached = overall([effect.verdict for effect in effects], claim.test.superlative)
    return Verdict(reached, effects, UNKNOWN_RUNS if not all(effect.known for effect in effects) else "")


def judged(
    test: AnyTest,
    numbers: Numbers[Estimate],
    level: float,
    said: Interval | None = None,
    printed: Mapping[str, Interval] | None = None,
    sized: bool = False,
    paper_queries: int | None = None,
) -> list[Judged]:
    """Return the effects of a test with their intervals, undecided; see `judge`.

    A size that a sentence gives is tested as a direction and a printed effect. One that includes no effect, as in "less
    than 2 %", has no direction: where sizes compare it is a margin.

    Raises:
        Absent: a number that the test needs was not measured.
    """
    found = list(test.effects(numbers, said))
    made = []
    for effect in found:
        region, size = effect.region, (printed or {}).get(effect.words)
        size = -size if size and effect.down else size
        if said is not None and region != ABOVE and not (sized and region.low <= 0):
            region, size = ABOVE, region
        made.append(_judged(effect, region, size, level, len(found), paper_queries))
    return made


def _judged(
    effect: Effect[Estimate], region: Interval, printed: Interval | None, level: float, tests: int, queries: int | None
) -> Judged:
    """Return one effect of a claim with `tests` effects; `queries` are the paper's."""
    ratio = Ratio(effect.gain, effect.base or ONE)
    sure, surer = (confidence(region, part) for part in (level, level / tests))
    return Judged(
        words=effect.words,
        size=ratio.value,
        low=ratio.interval(sure)[0],
        high=ratio.interval(sure)[1],
        interval=ratio.interval(USUAL),
        confidence=sure,
        p=_p(ratio, region),
        against=_against(ratio, region),
        test=_test(ratio, region),
        queries=ratio.queries,
        seeds=ratio.seeds,
        region=(region.low, region.high),
        printed=(printed.low, printed.high) if printed else None,
        predicted=ratio.prediction(surer, queries or ratio.queries, selected=True) if printed else None,
        corrected=ratio.interval(surer) if tests > 1 else None,
        known=not ratio.unknown_runs,
        one_run=ratio.one_run,
        unless_refuted=effect.unless_refuted,
        sides=effect.sides,
        down=effect.down,
    )


def _p(ratio: Ratio, region: Interval) -> float:
    if region == ABOVE:
        return ratio.p
    sides = [ratio.p_above(low) for low in [region.low] if isfinite(low)]
    return max(sides + [ratio.p_below(high) for high in [region.high] if isfinite(high)])


def _against(ratio: Ratio, region: Interval) -> float:
    """Return p of the effect being outside the region."""
    if region == ABOVE:
        return ratio.p if ratio.value < 0 else 1.0
    sides = [ratio.p_below(low) for low in [region.low] if isfinite(low)]
    return min(sides + [ratio.p_above(high) for high in [region.high] if isfinite(high)])


def _test(ratio: Ratio, region: Interval) -> str:
    """Return the name of the test behind `p`."""
    if region == ABOVE:
        return ratio.test
    name = "t-test" if len(ratio.differing) >= FEW else "exact test"
    return f"two one-sided {name}s" if all(map(isfinite, region)) else f"one-sided {name}"


def detectable(half_width: float, confidence: float = 0.95, degrees: float = inf) -> float:
    """Return the smallest effect that a two-sided test of this confidence finds with probability `POWER`.

    (t_(1−α/2) + t_POWER) · standard error; that is the half-width of the interval over t_(1−α/2) (Cohen, 1988, ch. 2).

    Args:
        degrees: of freedom of t; default: the normal distribution.
    """
    decides, finds = scipy.stats.t.ppf([(1 + confidence) / 2, POWER], degrees)
    return float((1 + finds / decides) * half_width)
