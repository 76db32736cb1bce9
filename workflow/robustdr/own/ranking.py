"""Systems in order, each beside the best one: on the original queries, and on the mean of their variations."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypedDict

import numpy as np

from robustdr.evaluation.store import MEAN, Store
from robustdr.experiments.models import ORIGINAL
from robustdr.own.compared import Compared, compare, correct
from robustdr.own.experiment import NAME


class Ranked(TypedDict):
    """A system: its measures minus those of the best system there, and what its variations cost it.

    Attributes:
        original, variations: against the best; `p_holm` is corrected over the other systems. Of the best itself, the
            difference is 0. drop: from the original queries to the variations. others: the drop of further measures.
    """

    system: str
    label: str
    original: Compared
    variations: Compared
    drop: Compared
    others: dict[str, Compared]


class Pair(TypedDict):
    """Two systems: the measure of the first minus that of the second, query by query.

    Attributes:
        change: what the variations change for the first, minus what they change for the second. Each `p_holm` is
            corrected over the pairs.
    """

    labels: tuple[str, str]
    original: Compared
    variations: Compared
    change: Compared


class ByCategory:
    """Measures, in which the categories of variations weigh alike: `MEAN` is the mean of their means."""

    def __init__(self, store: Store, categories: Sequence[str]) -> None:
        self.store, self.categories = store, categories

    def values(self, system: str, role: str, query_set: str, measure: str) -> np.ndarray:
        """Return values [seeds, queries]; see `Store.values`."""
        names = self.categories if query_set == MEAN else [query_set]
        return np.mean([self.store.values(system, role, name, measure) for name in names], axis=0)


def ranking(store: ByCategory, labels: Mapping[str, str], measures: Sequence[str]) -> list[Ranked]:
    """Return the systems by the first measure of their original queries, best first.

    Args:
        labels: of the systems. measures: the first one orders.
    """
    first, *further_measures = measures

    def dropped(system: str, measure: str) -> Compared:
        return compare(*(store.values(system, NAME, query_set, measure) for query_set in (MEAN, ORIGINAL)))

    on = {query_set: _against_best(store, list(labels), query_set, first) for query_set in (ORIGINAL, MEAN)}
    return [
        {
            "system": system,
            "label": labels[system],
            "original": change,
            "variations": on[MEAN][system],
            "drop": dropped(system, first),
            "others": {measure: dropped(system, measure) for measure in further_measures},
        }
        for system, change in sorted(on[ORIGINAL].items(), key=lambda pair: (-pair[1]["mean"], pair[0]))
    ]


def pairs(store: ByCategory, ranked: Sequence[Ranked], measure: str) -> list[Pair]:
    """Return each pair of systems of `ranking`, the better one first."""
    on = {
        query_set: {entry["system"]: _values(store, entry["system"], query_set, measure) for entry in ranked}
        for query_set in (ORIGINAL, MEAN)
    }
    on["change"] = {system: on[MEAN][system] - on[ORIGINAL][system] for system in on[MEAN]}
    system_pairs = list(combinations(ranked, 2))
    changes = {
        part: [compare(values[first["system"]], values[second["system"]]) for first, second in system_pairs]
        for part, values in on.items()
    }
    for part_changes in changes.values():
        correct(part_changes)
    return [
        {"labels": (first["label"], second["label"]), "original": original, "variations": varied, "change": change}
        for (first, second), original, varied, change in zip(
            system_pairs, changes[ORIGINAL], changes[MEAN], changes["change"], strict=True
        )
    ]


def _values(store: ByCategory, system: str, query_set: str, measure: str) -> np.ndarray:
    """Return a measure of each query, [1, queries]."""
    return store.values(system, NAME, query_set, measure).mean(axis=0, keepdims=True)


def _against_best(store: ByCategory, systems: Sequence[str], query_set: str, measure: str) -> dict[str, Compared]:
    values = {system: _values(store, system, query_set, measure) for system in systems}
    best = min(systems, key=lambda system: (-values[system].mean(), system))
    changes = {system: compare(values[system], values[best]) for system in systems}
    correct([changes[system] for system in systems if system != best])
    return changes
