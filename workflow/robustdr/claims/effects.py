"""What claims compare: one effect after the other, of printed numbers or of measured ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Generic, Protocol, Self, TypeVar

from robustdr.claims.intervals import Interval

ORIGINAL = "original"
ABOVE = Interval(0.0, inf)


class Quantity(Protocol):
    """A mean, or what is computed from means: a rounding interval where printed, an estimate where measured."""

    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __truediv__(self, other: Self, /) -> Self: ...


Systems = str | Sequence[str]  # several stand for their mean
Q = TypeVar("Q", bound=Quantity)
Q_co = TypeVar("Q_co", bound=Quantity, covariant=True)


class Numbers(Protocol[Q_co]):
    """The numbers of one collection and split, under the measure of a claim unless another one is named."""

    def mean(self, system: Systems, query_set: str, measure: str = "") -> Q_co:
        """The mean of the measure over the queries, and over systems; raises UserError where there is none."""

    def drop(self, system: Systems, query_set: str) -> Q_co:
        """(mean on the query set − mean on the original queries) / mean on the original queries of `system`."""

    def hours(self, system: str) -> Q_co:
        """Hours that a system takes: its training, and the index where that is made anew."""

    def others(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        """The variations that are not in `query_sets` and not averaged by one of them."""


@dataclass(frozen=True)
class Effect(Generic[Q]):
    """One comparison of a claim: the quotient `gain` / `base` lies in `region` if the claim is right.

    `query_set` is compared with `against`, in words. `base` None: `gain` is a share already.
    """

    query_set: str
    against: str
    gain: Q
    base: Q | None = None
    region: Interval = ABOVE

    @property
    def words(self) -> str:
        """What is compared; the same for printed and for measured numbers."""
        return ", ".join(filter(None, (self.query_set, self.against)))


Effects = Iterator[Effect[Q]]
