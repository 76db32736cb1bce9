"""A store of measures from a few ranks."""

import pytest

from robustdr.evaluation.store import Source, Store


@pytest.fixture()
def store(measured):
    """`store({"rodr": {"original": ranks, …}, …})`: measured values of systems on the role `toy`."""

    def make(systems, measures=("RR@10",), **means):
        kinds = dict.fromkeys(kind for sets in systems.values() for kind in sets if kind != "original")
        stored_sets = {
            system: {f"dev.{kind}": ranks for kind, ranks in sets.items()} for system, sets in systems.items()
        }
        sources = [Source(measured(system, sets, measures=measures), "key") for system, sets in stored_sets.items()]
        role = {"collection": "toy", "split": "dev", "means": {"variations_mean": list(kinds), **means}}
        return Store(sources, {"toy": role})

    return make
