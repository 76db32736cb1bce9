"""What the tests of claims share: a place in reported.yaml, systems, query sets and sizes."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from robustdr.claims.effects import ABOVE, ORIGINAL, Effect, Effects, Numbers, Q
from robustdr.claims.intervals import Interval
from robustdr.core.names import SomeNames
from robustdr.core.yaml_files import Document

Margin = Annotated[float, Field(gt=0)]
Share = Annotated[Margin, Field(description="A share of the same base as the effects.")]


class Place(Document, extra="allow"):
    """A printed number of reported.yaml: its table, and its coordinates as keys."""

    table: str
    """Table of reported.yaml."""
    __pydantic_extra__: dict[str, str | int]


class ClaimTest(Document):
    """What a claim compares. Effects are shares of the base on the original queries unless the test says otherwise."""

    superlative: ClassVar[bool] = False  # whether one opposite effect refutes the claim

    system: str | SomeNames
    """System that the claim is about; several stand for their mean."""

    def names_under(self, *arguments: str) -> Iterator[tuple[str, str]]:
        """Yield (argument, name) of every name under one of these arguments."""
        for argument, value in ((argument, getattr(self, argument, None) or []) for argument in arguments):
            yield from ((argument, name) for name in ([value] if isinstance(value, str) else value))

    def systems(self) -> Iterator[tuple[str, str]]:
        """Yield (argument, system) of every compared system."""
        return self.names_under("system", "over", "than", "to", "base", "snapshot")

    def region(self, stated_size: Interval | None) -> Interval:
        """Return where an effect must lie. `stated_size`: the size that the claim's sentence gives, if any."""
        return ABOVE

    def effects(self, numbers: Numbers[Q], stated_size: Interval | None = None) -> Effects[Q]:
        """Yield the comparisons, one by one.

        Raises:
            Absent: a missing number, raised at the comparison that needs it.
        """
        return self._compared(numbers, self.region(stated_size))

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        raise NotImplementedError


class OnQueries(ClaimTest):
    """A test on query sets."""

    query_sets: SomeNames
    """Query sets to compare: variations, means over variations, or `original`."""


class Sized(ClaimTest):
    """A test of an effect whose size the sentence may give."""

    printed_size: Place | None = None
    """Where the paper prints the size in the sentence; without it, any effect above 0 counts."""
    margin: Margin | None = None
    """How far an effect may be from that size; 0 if not given."""

    @model_validator(mode="after")
    def _margin_needs_a_size(self) -> Self:
        if self.margin is not None and self.printed_size is None:
            raise ValueError(
                "`margin` needs `printed_size`, the size that it is a margin of; `printed_size` is missing"
            )
        return self

    def region(self, stated_size: Interval | None) -> Interval:
        return ABOVE if stated_size is None else stated_size.widened(self.margin or 0.0)


class Gain(OnQueries):
    """A test of the gain of `system` over others, as a share of their mean on the original queries."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        for _, rival in self.names_under("over", "than", "to", "base"):
            for query_set in self.query_sets:
                gain = numbers.mean(self.system, query_set) - numbers.mean(rival, query_set)
                sides = (self.system, query_set), (rival, query_set)
                base = numbers.mean(rival, ORIGINAL)
                yield Effect(query_set, f"over {rival}", gain, base, region, sides=sides)


class Rise(OnQueries):
    """A test of the gain of `system` over its own original queries, as a share of its mean there."""

    def _compared(self, numbers: Numbers[Q], region: Interval) -> Effects[Q]:
        original = numbers.mean(self.system, ORIGINAL)
        for query_set in self.query_sets:
            gain = numbers.mean(self.system, query_set) - original
            sides = (self.system, query_set), (self.system, ORIGINAL)
            yield Effect(query_set, "", gain, original, region, sides=sides)
