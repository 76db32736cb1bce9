"""The tests of claims: their keys in claims.yaml, and what they compare."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from robustdr.claims.bases import Gain, Margin, OnQueries, Place, Rise, Share, Sized
from robustdr.claims.effects import ABOVE, ORIGINAL, Effect, Effects, Numbers, Q, Systems
from robustdr.claims.intervals import Interval
from robustdr.core.names import SomeNames

Other = Annotated[str, Field(description="System that it is compared with.")]
Others = Annotated[SomeNames, Field(description="Systems that it is compared with.")]
Base = Annotated[str, Field(description="System that the gain is over.")]


class Improves(Gain, Sized):
    """`system` is better than each of `over` on each query set, as a share of the other's mean on original queries."""

    name: Literal["improves"]
    over: Others
    relative_to: Literal["original", "query_set"] = "original"
    """The gain is a share of the other's mean on these queries: the original ones, or the query set itself."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        bases = (numbers.mean(rival, query_set) for rival in self.over for query_set in self.query_sets)
        for effect in super()._compared(numbers, region):
            yield effect if self.relative_to == "original" else replace(effect, base=next(bases))


class NotWorse(Gain):
    """`system` is not worse than `than` by `margin`, a share of `than`'s mean on the original queries."""

    name: Literal["not_worse"]
    than: Other
    margin: Share

    def region(self, stated_size: Interval | None) -> Interval:
        return Interval(-self.margin, inf)


class Equivalence(Gain):
    """`system` differs from `to` by less than `margin`, a share of `to`'s mean on the original queries.

    An effect that is better by more does not fail, but the two are not similar either.
    """

    name: Literal["equivalence"]
    to: Other
    margin: Share

    def region(self, stated_size: Interval | None) -> Interval:
        return Interval(-self.margin, self.margin)


class Loses(OnQueries, Sized):
    """`system` is worse on each query set than `base` on the original queries, as a share of that mean."""

    name: Literal["loses"]
    base: str = ""
    """System on the original queries; `system` itself if not given."""
    at_least: Share | None = None
    """Smallest loss that counts; 0 if not given."""

    @model_validator(mode="after")
    def _one_size(self) -> Self:
        if self.at_least is not None and self.printed_size is not None:
            raise ValueError("`at_least` and `printed_size` both give a size; leave one out")
        return self

    def region(self, stated_size: Interval | None) -> Interval:
        return super().region(stated_size) if self.at_least is None else Interval(self.at_least, inf)

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        original = numbers.mean(self.base or self.system, ORIGINAL)
        for query_set in self.query_sets:
            loss = original - numbers.mean(self.system, query_set)
            sides = (self.base or self.system, ORIGINAL), (self.system, query_set)
            yield Effect(query_set, "", loss, original, region, sides=sides, down=True)


class Recovers(OnQueries):
    """`system` recovers at least the share `at_least` of the loss of `base` on each query set, against its original
    queries."""

    name: Literal["recovers"]
    base: Base
    at_least: Margin
    """Smallest share of the loss of `base` that counts."""

    def region(self, stated_size: Interval | None) -> Interval:
        return Interval(self.at_least, inf)

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for query_set in self.query_sets:
            base_mean, original = numbers.mean(self.base, query_set), numbers.mean(self.base, ORIGINAL)
            won = numbers.mean(self.system, query_set) - base_mean
            sides = (self.system, query_set), (self.base, query_set)
            loss, words = original - base_mean, f"of the loss of {self.base}"
            yield Effect(query_set, words, won, loss, region, sides=sides, unit=original)


class Rises(Rise, Sized):
    """`system` is better on each query set than on its own original queries, as a share of its mean there."""

    name: Literal["rises"]


class NoSignificantGain(Rise):
    """No system of `system` is significantly better on a query set than on its own original queries.

    The claim is that a test finds nothing: an effect holds unless the test refutes it. As printed, `mark` is the mark
    of a significant gain.
    """

    name: Literal["no_significant_gain"]

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for _, system in self.names_under("system"):
            single_test = self.model_copy(update={"system": system})
            for effect in Rise._compared(single_test, numbers, Interval(-inf, 0.0)):
                yield replace(effect, against=f"of {system}", unless_refuted=True)


class AgainstOthers(OnQueries):
    """A test that compares query sets with each other."""

    superlative: ClassVar[bool] = True

    against: SomeNames | None = None
    """Query sets that each of `query_sets` is compared with; every other variation if not given."""

    def _pairs(self, numbers: Numbers[Q]) -> Iterator[tuple[str, str]]:
        for query_set in self.query_sets:
            for rival_set in self.against or numbers.other_variations(self.system, self.query_sets):
                yield query_set, rival_set


class Hurts(AgainstOthers):
    """Each of `query_sets` costs `system` more (`hurts_most`) or less (`hurts_least`) than each of `against`."""

    name: Literal["hurts_most", "hurts_least"]

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for query_set, rival_set in self._pairs(numbers):
            harder, easier = (query_set, rival_set) if self.name == "hurts_most" else (rival_set, query_set)
            difference = numbers.drop(self.system, easier) - numbers.drop(self.system, harder)
            sides = (self.system, easier), (self.system, harder)
            down = harder == query_set
            yield Effect(query_set, f"against {rival_set}", difference, sides=sides, down=down)


class Helps(AgainstOthers):
    """`system` gains more (`helps_most`) or less (`helps_least`) over `base` on `query_sets` than on `against`."""

    name: Literal["helps_most", "helps_least"]
    base: Base

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        def gain(query_set: str) -> Q:
            return numbers.mean(self.system, query_set) - numbers.mean(self.base, query_set)

        for query_set, rival_set in self._pairs(numbers):
            helped_more, helped_less = (query_set, rival_set) if self.name == "helps_most" else (rival_set, query_set)
            base, sides = numbers.mean(self.base, ORIGINAL), ((self.system, helped_more), (self.system, helped_less))
            difference, down = gain(helped_more) - gain(helped_less), helped_less == query_set
            yield Effect(query_set, f"against {rival_set}", difference, base, sides=sides, down=down)


class SmallerDrop(OnQueries, Sized):
    """The drop of `system` is smaller than the drop of each of `than`; with `printed_size`, by at least that share.

    Among its query sets `variations_worst` is, for each system, the variation that costs it most.
    """

    name: Literal["smaller_drop"]
    than: Others
    base: str = ""
    """System whose original queries both drops are from; each system's own if not given."""

    def region(self, stated_size: Interval | None) -> Interval:
        return ABOVE if stated_size is None else Interval(super().region(stated_size).low, inf)

    def _relative_loss(self, numbers: Numbers[Q], system: Systems, query_set: str) -> Q:
        original = numbers.mean(self.base or system, ORIGINAL)
        return (original - numbers.mean(system, query_set)) / original

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for rival in self.than:
            for query_set in self.query_sets:
                sides = (self.system, query_set), (rival, query_set)
                if self.printed_size:
                    system_change, rival_change = (
                        self._relative_loss(numbers, system, query_set) for system in (self.system, rival)
                    )
                    unit = numbers.mean(rival, ORIGINAL) / numbers.mean(rival, ORIGINAL)
                    yield Effect(
                        query_set,
                        f"against {rival}",
                        rival_change - system_change,
                        rival_change,
                        region,
                        sides=sides,
                        unit=unit,
                    )
                else:
                    system_change, rival_change = (
                        numbers.drop(system, query_set, self.base) for system in (self.system, rival)
                    )
                    yield Effect(query_set, f"against {rival}", system_change - rival_change, sides=sides)


class ShareOfGain(Gain, Sized):
    """`system` gains over `base`, and its `snapshot` has at least the share of the gain that is printed."""

    name: Literal["share_of_gain"]
    snapshot: str
    """The system after a part of its training, `<system>.at<percent>`."""
    base: Base
    printed_size: Place
    """Where the paper prints the share."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        yield from super()._compared(numbers, ABOVE)
        for query_set in self.query_sets:
            before = numbers.mean(self.base, query_set)
            gain, early = numbers.mean(self.system, query_set) - before, numbers.mean(self.snapshot, query_set) - before
            original = numbers.mean(self.base, ORIGINAL)
            yield Effect(query_set, "share of the gain", early, gain, Interval(region.low, inf), unit=original)


class LossShrinks(OnQueries, Sized):
    """The drop of `system` under the claim's measure is smaller than under `from_measure`, as a share of the latter."""

    name: Literal["loss_shrinks"]
    from_measure: str
    """Measure under which the drop is larger."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for query_set in self.query_sets:
            then, now = (
                (numbers.mean(self.system, ORIGINAL, measure) - numbers.mean(self.system, query_set, measure))
                / numbers.mean(self.system, ORIGINAL, measure)
                for measure in (self.from_measure, "")
            )
            unit = numbers.mean(self.system, ORIGINAL) / numbers.mean(self.system, ORIGINAL)
            yield Effect(query_set, f"from {self.from_measure}", then - now, then, region, unit=unit)


class GainShrinks(OnQueries):
    """The gain of `system` over `base`, a share of the latter, is smaller than under `from_measure`."""

    name: Literal["gain_shrinks"]
    base: Base
    from_measure: str
    """Measure under which the gain is larger."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for query_set in self.query_sets:
            then, now = (
                (numbers.mean(self.system, query_set, measure) - numbers.mean(self.base, query_set, measure))
                / numbers.mean(self.base, ORIGINAL, measure)
                for measure in (self.from_measure, "")
            )
            yield Effect(query_set, f"from {self.from_measure}", then - now, down=True)


class Cheaper(Sized):
    """`than` takes at least as many times the hours of `system` as printed."""

    name: Literal["cheaper"]
    system: str
    """System that the claim is about."""
    than: Other
    printed_size: Place
    """Where the paper prints this factor."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        hours = numbers.hours(self.than), numbers.hours(self.system)
        yield Effect("hours", f"against {self.than}", *hours, region=Interval(region.low, inf))


AnyTest = Annotated[
    Improves
    | NotWorse
    | Equivalence
    | Loses
    | Recovers
    | Rises
    | NoSignificantGain
    | Hurts
    | Helps
    | SmallerDrop
    | ShareOfGain
    | LossShrinks
    | GainShrinks
    | Cheaper,
    Field(discriminator="name"),
]
