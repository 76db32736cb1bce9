"""The effects that claims compare, one by one, from printed or from measured numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic, Protocol, Self, TypeVar

from robustdr.claims.intervals import Interval

ORIGINAL = "original"
ABOVE = Interval(0.0, inf)


class Quantity(Protocol):
    """A mean, or a value computed from means: a rounding interval if printed, an estimate if measured."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __truediv__(self, other: Self, /) -> Self: ...


Systems = str | Sequence[str]  # several stand for their mean
Mean = tuple[Systems, str]  # of systems on a query set
Q = TypeVar("Q", bound=Quantity)
Q_co = TypeVar("Q_co", bound=Quantity, covariant=True)


class Numbers(Protocol[Q_co]):
    """The numbers of one collection and split, under the claim's measure unless another one is given."""

    def mean(self, system: Systems, query_set: str, measure: str = "") -> Q_co:
        """Return the mean of the measure over the queries, and over systems; raises Absent if there is none."""

    def drop(self, system: Systems, query_set: str, base: Systems = "") -> Q_co:
        """(mean on the query set − o) / o, where o is the mean of `base`, or of the system, on the original queries."""

    def hours(self, system: str) -> Q_co:
        """Return the hours of a system: its training, and its index if that is made anew."""

    def other_variations(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        """Return the variations that are not in `query_sets` and that none of these averages."""


@dataclass(frozen=True)
class Effect(Generic[Q]):
    """One comparison of a claim: if the claim is right, the quotient `gain` / `base` lies in `region`.

    `query_set` and `against` say what is compared, in words. `base` None: `gain` is already a share. `unless_refuted`:
    the claim is that a test finds nothing, so that it is right unless a test shows the effect outside of `region`.
    `sides`: two means, of which the first is the higher one if the claim is right; None if none decide. `down`: the
    claim is that a value falls; readers see its effect with the other sign, so that a loss is negative everywhere.
    `unit`: if `base` is itself a loss or a gain: the mean, or 1, that losses and gains are shares of.
    """

    query_set: str
    against: str
    gain: Q
    base: Q | None = None
    region: Interval = ABOVE
    unless_refuted: bool = False
    sides: tuple[Mean, Mean] | None = None
    down: bool = False
    unit: Q | None = None

    @property
    def words(self) -> str:
        """Return what is compared; the same text for printed and for measured numbers."""
        return ", ".join(filter(None, (self.query_set, self.against)))


Effects = Iterator[Effect[Q]]
