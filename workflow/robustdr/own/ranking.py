"""Systems in order, each beside the best one: on the original queries, and on the mean of their variations."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from robustdr.evaluation.statistics import holm
from robustdr.evaluation.store import MEAN, Store
from robustdr.experiments.models import ORIGINAL
from robustdr.own.compared import Compared, compare
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


def ranking(store: Store, labels: Mapping[str, str], measures: Sequence[str]) -> list[Ranked]:
    """Return the systems by the first measure of their original queries, best first.

    Args:
        labels: of the systems. measures: the first one orders.
    """
    first, *others = measures

    def dropped(system: str, measure: str) -> Compared:
        return compare(*(store.values(system, NAME, query_set, measure) for query_set in (MEAN, ORIGINAL)))

    on = {query_set: _against_best(store, list(labels), query_set, first) for query_set in (ORIGINAL, MEAN)}
    return [
        {
            "system": system,
            "label": labels[system],
            "original": of,
            "variations": on[MEAN][system],
            "drop": dropped(system, first),
            "others": {measure: dropped(system, measure) for measure in others},
        }
        for system, of in sorted(on[ORIGINAL].items(), key=lambda pair: (-pair[1]["mean"], pair[0]))
    ]


def _against_best(store: Store, systems: Sequence[str], query_set: str, measure: str) -> dict[str, Compared]:
    values = {system: store.values(system, NAME, query_set, measure).mean(axis=0, keepdims=True) for system in systems}
    best = max(systems, key=lambda system: values[system].mean())
    found = {system: compare(values[system], values[best]) for system in systems}
    rest = [system for system in systems if system != best]
    for system, p in zip(rest, holm([found[system]["p"] for system in rest]), strict=True):
        found[system]["p_holm"] = p
    return found
