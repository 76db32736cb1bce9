"""Claims as arithmetic: what each test compares, written once for printed numbers and for measured ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, Protocol, Self, TypeVar

from robustdr.audit.intervals import Interval
from robustdr.core.errors import unknown

ORIGINAL = "original"
ABOVE = Interval(0.0, inf)


class Quantity(Protocol):
    """A mean, or what is computed of means: a rounding interval where printed, an estimate where measured."""

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
        """What making a system costs: its training, and the index where that is made anew."""

    def others(self, system: Systems, query_sets: Sequence[str]) -> list[str]:
        """The variations that are none of `query_sets`, nor averaged by one of them."""


@dataclass(frozen=True)
class Effect(Generic[Q]):
    """One comparison of a claim: the quotient `gain` / `base` lies in `region` if the claim is right.

    `query_set` is what is compared, `against` the other side in words. `base` None: `gain` is a share already.
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


def improves(
    numbers: Numbers[Q], system: Systems, over: list[str], query_sets: list[str], region: Interval = ABOVE
) -> Effects[Q]:
    """`system` is better than each of `over` on each query set, as a share of the latter on the original queries."""
    for other in over:
        for kind in query_sets:
            gain = numbers.mean(system, kind) - numbers.mean(other, kind)
            yield Effect(kind, f"over {other}", gain, numbers.mean(other, ORIGINAL), region)


def not_worse(numbers: Numbers[Q], system: Systems, than: str, query_sets: list[str], margin: float) -> Effects[Q]:
    """`system` is not worse than `than` by `margin`, a share of the latter on the original queries."""
    return improves(numbers, system, [than], query_sets, Interval(-margin, inf))


def equivalence(numbers: Numbers[Q], system: Systems, to: str, query_sets: list[str], margin: float) -> Effects[Q]:
    """`system` differs from `to` by less than `margin`, a share of the latter on the original queries.

    To be better by more is no failure, but not similar either.
    """
    return improves(numbers, system, [to], query_sets, Interval(-margin, margin))


def loses(
    numbers: Numbers[Q], system: Systems, query_sets: list[str], base: str = "", region: Interval = ABOVE
) -> Effects[Q]:
    """`system` is worse on each query set than `base` (by default itself) on the original queries, as a share of it."""
    original = numbers.mean(base or system, ORIGINAL)
    for kind in query_sets:
        yield Effect(kind, "", original - numbers.mean(system, kind), original, region)


def rises(numbers: Numbers[Q], system: Systems, query_sets: list[str], region: Interval = ABOVE) -> Effects[Q]:
    """`system` is better on each query set than on its own original queries, as a share of these."""
    original = numbers.mean(system, ORIGINAL)
    for kind in query_sets:
        yield Effect(kind, "", numbers.mean(system, kind) - original, original, region)


def no_gain(numbers: Numbers[Q], system: Systems, query_sets: list[str], margin: float) -> Effects[Q]:
    """`system` is on no query set better by `margin` than on its own original queries, as a share of these."""
    return rises(numbers, system, query_sets, Interval(-inf, margin))


def hurts_most(numbers: Numbers[Q], system: Systems, query_sets: list[str], against: Sequence[str] = ()) -> Effects[Q]:
    """Each of `query_sets` costs `system` more than each of `against`, by default every other variation."""
    for kind in query_sets:
        for other in against or numbers.others(system, query_sets):
            yield Effect(kind, f"against {other}", numbers.drop(system, other) - numbers.drop(system, kind))


def hurts_least(numbers: Numbers[Q], system: Systems, query_sets: list[str], against: Sequence[str] = ()) -> Effects[Q]:
    """Each of `query_sets` costs `system` less than each of `against`, by default every other variation."""
    for kind in query_sets:
        for other in against or numbers.others(system, query_sets):
            yield Effect(kind, f"against {other}", numbers.drop(system, kind) - numbers.drop(system, other))


def helps_most(
    numbers: Numbers[Q], system: Systems, base: str, query_sets: list[str], against: Sequence[str] = ()
) -> Effects[Q]:
    """`system` gains more over `base` on `query_sets` than on each of `against`, by default every other variation."""
    for kind, other, here, there in _gains(numbers, system, base, query_sets, against):
        yield Effect(kind, f"against {other}", here - there, numbers.mean(base, ORIGINAL))


def helps_least(
    numbers: Numbers[Q], system: Systems, base: str, query_sets: list[str], against: Sequence[str] = ()
) -> Effects[Q]:
    """`system` gains less over `base` on `query_sets` than on each of `against`, by default every other variation."""
    for kind, other, here, there in _gains(numbers, system, base, query_sets, against):
        yield Effect(kind, f"against {other}", there - here, numbers.mean(base, ORIGINAL))


def _gains(
    numbers: Numbers[Q], system: Systems, base: str, query_sets: list[str], against: Sequence[str]
) -> Iterator[tuple[str, str, Q, Q]]:
    def gain(kind: str) -> Q:
        return numbers.mean(system, kind) - numbers.mean(base, kind)

    for kind in query_sets:
        for other in against or numbers.others(system, query_sets):
            yield kind, other, gain(kind), gain(other)


def smaller_drop(numbers: Numbers[Q], system: Systems, than: list[str], query_sets: list[str]) -> Effects[Q]:
    """The drop of `system` is smaller than that of each of `than`, each against its own original queries."""
    for other in than:
        for kind in query_sets:
            yield Effect(kind, f"against {other}", numbers.drop(system, kind) - numbers.drop(other, kind))


def share_of_gain(
    numbers: Numbers[Q], system: Systems, snapshot: str, base: str, query_sets: list[str], region: Interval
) -> Effects[Q]:
    """`system` gains over `base`, and its `snapshot` has that share of the gain, or more."""
    yield from improves(numbers, system, [base], query_sets)
    for kind in query_sets:
        before = numbers.mean(base, kind)
        gain, early = numbers.mean(system, kind) - before, numbers.mean(snapshot, kind) - before
        yield Effect(kind, "share of the gain", early, gain, Interval(region.low, inf))


def loss_shrinks(
    numbers: Numbers[Q], system: Systems, query_sets: list[str], from_measure: str, region: Interval = ABOVE
) -> Effects[Q]:
    """The drop of `system` under the claim's measure is smaller than under `from_measure`, as a share of the latter."""
    for kind in query_sets:
        then, now = (
            (numbers.mean(system, ORIGINAL, measure) - numbers.mean(system, kind, measure))
            / numbers.mean(system, ORIGINAL, measure)
            for measure in (from_measure, "")
        )
        yield Effect(kind, f"from {from_measure}", then - now, then, region)


def gain_shrinks(
    numbers: Numbers[Q], system: Systems, base: str, query_sets: list[str], from_measure: str
) -> Effects[Q]:
    """The gain of `system` over `base`, a share of the latter, is smaller than under `from_measure`."""
    for kind in query_sets:
        then, now = (
            (numbers.mean(system, kind, measure) - numbers.mean(base, kind, measure))
            / numbers.mean(base, ORIGINAL, measure)
            for measure in (from_measure, "")
        )
        yield Effect(kind, f"from {from_measure}", then - now)


def cheaper(numbers: Numbers[Q], system: str, than: str, region: Interval) -> Effects[Q]:
    """`than` costs that many times what `system` does, or more."""
    yield Effect("hours", f"against {than}", numbers.hours(than), numbers.hours(system), Interval(region.low, inf))


TESTS: dict[str, Callable[..., Effects[Any]]] = {
    test.__name__: test
    for test in (
        improves,
        not_worse,
        equivalence,
        loses,
        rises,
        no_gain,
        hurts_most,
        hurts_least,
        helps_most,
        helps_least,
        smaller_drop,
        share_of_gain,
        loss_shrinks,
        gain_shrinks,
        cheaper,
    )
}


def effects(test: Mapping[str, Any], numbers: Numbers[Q], said: Interval | None, where: str) -> Effects[Q]:
    """The comparisons of a claim's test, one after the other.

    Args:
        test: `name` and arguments of a claim's test; `by` names the printed number that the sentence gives.
        said: what that number can stand for; the size of an effect must lie within `margin` of it.
        where: begins the message.

    Raises:
        UserError: an unknown test, or a number that is not there (when the comparison that needs it is reached).
    """
    arguments = dict(test)
    name = arguments.pop("name")
    if name not in TESTS:
        raise unknown(f"{where}: test", name, TESTS)
    if said is not None:
        del arguments["by"]
        arguments["region"] = said.widened(arguments.pop("margin", 0.0))
    return TESTS[name](numbers, **arguments)
