"""The tests of claims: the keys that each takes in claims.yaml, and what it compares."""

from collections.abc import Iterator
from math import inf
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from robustdr.claims.effects import ABOVE, ORIGINAL, Effect, Effects, Numbers, Q
from robustdr.claims.intervals import Interval
from robustdr.core.names import SomeNames
from robustdr.core.yaml_files import Document

Margin = Annotated[float, Field(gt=0)]
Share = Annotated[Margin, Field(description="A share of the same base as the effects.")]
Other = Annotated[str, Field(description="System that it is compared with.")]
Others = Annotated[SomeNames, Field(description="Systems that it is compared with.")]
Base = Annotated[str, Field(description="System that the gain is over.")]


class Place(Document, extra="allow"):
    """A printed number of reported.yaml: its table, and its coordinates as keys."""

    table: str
    """Table of reported.yaml."""
    __pydantic_extra__: dict[str, str | int]


class ClaimTest(Document):
    """What a claim compares. Effects are shares of the base on the original queries unless the test says otherwise."""

    system: str | SomeNames
    """System that the claim is about; several stand for their mean."""

    def named(self, *arguments: str) -> Iterator[tuple[str, str]]:
        """(argument, name) of every name that stands under one of these arguments."""
        for argument, value in ((argument, getattr(self, argument, None) or []) for argument in arguments):
            yield from ((argument, name) for name in ([value] if isinstance(value, str) else value))

    def systems(self) -> Iterator[tuple[str, str]]:
        """(argument, system) of every system that is compared."""
        return self.named("system", "over", "than", "to", "base", "snapshot")

    def region(self, said: Interval | None) -> Interval:
        """Where an effect must lie. `said`: the size that the claim's sentence gives, if any."""
        return ABOVE

    def effects(self, numbers: Numbers[Q], said: Interval | None = None) -> Effects[Q]:
        """The comparisons, one after the other.

        Raises:
            UserError: a number that is not there, when the comparison that needs it is reached.
        """
        return self._compared(numbers, self.region(said))

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        raise NotImplementedError


class OnQueries(ClaimTest):
    """A test on query sets."""

    query_sets: SomeNames
    """Query sets that are compared: variations, means over variations, or `original`."""


class Sized(ClaimTest):
    """A test of an effect whose size the sentence may give."""

    by: Place | None = None
    """Where the paper prints the size that the sentence gives; without it, any effect above 0 counts."""
    margin: Margin | None = None
    """How far an effect may be from that size; 0 unless given."""

    @model_validator(mode="after")
    def _margin_needs_a_size(self) -> Self:
        if self.margin is not None and self.by is None:
            raise ValueError("`margin` is given without `by`, the size that it is a margin of")
        return self

    def region(self, said: Interval | None) -> Interval:
        return ABOVE if said is None else said.widened(self.margin or 0.0)


class Gain(OnQueries):
    """A test of what `system` gains over others, as a share of their mean on the original queries."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for _, other in self.named("over", "than", "to", "base"):
            for query_set in self.query_sets:
                gain = numbers.mean(self.system, query_set) - numbers.mean(other, query_set)
                yield Effect(query_set, f"over {other}", gain, numbers.mean(other, ORIGINAL), region)


class Improves(Gain, Sized):
    """`system` is better than each of `over` on each query set, as a share of the latter on the original queries."""

    name: Literal["improves"]
    over: Others


class NotWorse(Gain):
    """`system` is not worse than `than` by `margin`, a share of the latter on the original queries."""

    name: Literal["not_worse"]
    than: Other
    margin: Share

    def region(self, said: Interval | None) -> Interval:
        return Interval(-self.margin, inf)


class Equivalence(Gain):
    """`system` differs from `to` by less than `margin`, a share of the latter on the original queries.

    To be better by more is no failure, but not similar either.
    """

    name: Literal["equivalence"]
    to: Other
    margin: Share

    def region(self, said: Interval | None) -> Interval:
        return Interval(-self.margin, self.margin)


class Loses(OnQueries, Sized):
    """`system` is worse on each query set than `base` on the original queries, as a share of it."""

    name: Literal["loses"]
    base: str = ""
    """System on the original queries; `system` itself unless given."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        original = numbers.mean(self.base or self.system, ORIGINAL)
        for query_set in self.query_sets:
            yield Effect(query_set, "", original - numbers.mean(self.system, query_set), original, region)


class Rise(OnQueries):
    """A test of what `system` gains over its own original queries, as a share of these."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        original = numbers.mean(self.system, ORIGINAL)
        for query_set in self.query_sets:
            yield Effect(query_set, "", numbers.mean(self.system, query_set) - original, original, region)


class Rises(Rise, Sized):
    """`system` is better on each query set than on its own original queries, as a share of these."""

    name: Literal["rises"]


class NoGain(Rise):
    """`system` is on no query set better by `margin` than on its own original queries, as a share of these."""

    name: Literal["no_gain"]
    margin: Share

    def region(self, said: Interval | None) -> Interval:
        return Interval(-inf, self.margin)


class AgainstOthers(OnQueries):
    """A test that compares query sets with each other."""

    against: SomeNames | None = None
    """Query sets that each of `query_sets` is compared with; every other variation unless given."""

    def _pairs(self, numbers: Numbers[Q]) -> Iterator[tuple[str, str]]:
        for query_set in self.query_sets:
            for other in self.against or numbers.others(self.system, self.query_sets):
                yield query_set, other


class Hurts(AgainstOthers):
    """Each of `query_sets` costs `system` more (`hurts_most`) or less (`hurts_least`) than each of `against`."""

    name: Literal["hurts_most", "hurts_least"]

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for query_set, other in self._pairs(numbers):
            more, less = (query_set, other) if self.name == "hurts_most" else (other, query_set)
            difference = numbers.drop(self.system, less) - numbers.drop(self.system, more)
            yield Effect(query_set, f"against {other}", difference)


class Helps(AgainstOthers):
    """`system` gains more (`helps_most`) or less (`helps_least`) over `base` on `query_sets` than on `against`."""

    name: Literal["helps_most", "helps_least"]
    base: Base

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        def gain(query_set: str) -> Q:
            return numbers.mean(self.system, query_set) - numbers.mean(self.base, query_set)

        for query_set, other in self._pairs(numbers):
            more, less = (query_set, other) if self.name == "helps_most" else (other, query_set)
            yield Effect(query_set, f"against {other}", gain(more) - gain(less), numbers.mean(self.base, ORIGINAL))


class SmallerDrop(OnQueries):
    """The drop of `system` is smaller than that of each of `than`, each against its own original queries."""

    name: Literal["smaller_drop"]
    than: Others

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for other in self.than:
            for query_set in self.query_sets:
                difference = numbers.drop(self.system, query_set) - numbers.drop(other, query_set)
                yield Effect(query_set, f"against {other}", difference)


class ShareOfGain(Gain, Sized):
    """`system` gains over `base`, and its `snapshot` has the share of the gain that `by` says, or more."""

    name: Literal["share_of_gain"]
    snapshot: str
    """The system after a part of its training, `<system>.at<percent>`."""
    base: Base
    by: Place
    """Where the paper prints the share."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        yield from super()._compared(numbers, ABOVE)
        for query_set in self.query_sets:
            before = numbers.mean(self.base, query_set)
            gain, early = numbers.mean(self.system, query_set) - before, numbers.mean(self.snapshot, query_set) - before
            yield Effect(query_set, "share of the gain", early, gain, Interval(region.low, inf))


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
            yield Effect(query_set, f"from {self.from_measure}", then - now, then, region)


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
            yield Effect(query_set, f"from {self.from_measure}", then - now)


class Cheaper(Sized):
    """`than` takes that many times the hours of `system`, or more."""

    name: Literal["cheaper"]
    system: str
    """System that the claim is about."""
    than: Other
    by: Place
    """Where the paper prints how many times."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        hours = numbers.hours(self.than), numbers.hours(self.system)
        yield Effect("hours", f"against {self.than}", *hours, Interval(region.low, inf))


AnyTest = Annotated[
    Improves
    | NotWorse
    | Equivalence
    | Loses
    | Rises
    | NoGain
    | Hurts
    | Helps
    | SmallerDrop
    | ShareOfGain
    | LossShrinks
    | GainShrinks
    | Cheaper,
    Field(discriminator="name"),
]
