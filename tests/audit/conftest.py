"""A paper from a few tables; hand-made labels; a store of measures from a few ranks."""

import pytest
import yaml

from audit.labelled import write_released
from robustdr.audit.reported import load
from robustdr.evaluation.store import Source, Store


@pytest.fixture
def paper(tmp_path):
    """A paper from tables given as {id: {columns, cells, relations, …}}; the row is the query set unless named."""

    def build(**tables):
        filled = {id: {"caption": id, "row": "query_set", **table} for id, table in tables.items()}
        path = tmp_path / "reported.yaml"
        text = yaml.safe_dump({"paper": "mine", "title": "mine", "tables": filled}, default_flow_style=None)
        path.write_text(text, encoding="utf-8")
        return load(path)

    return build


@pytest.fixture
def labelled(tmp_path):
    """A folder with hand-made labels, laid out as the released ones."""
    write_released(tmp_path / "labels")
    return tmp_path / "labels"


@pytest.fixture()
def store(measured):
    """`store({"rodr": {"original": ranks, …}, …})`: measured values of systems on the role `toy`."""

    def make(systems, measures=("RR@10",), **means):
        kinds = dict.fromkeys(kind for sets in systems.values() for kind in sets if kind != "original")
        named = {system: {f"dev.{kind}": ranks for kind, ranks in sets.items()} for system, sets in systems.items()}
        sources = [Source(measured(system, sets, measures=measures), "key") for system, sets in named.items()]
        where = {"collection": "toy", "split": "dev", "means": {"variations_mean": list(kinds), **means}}
        return Store(sources, {"toy": where})

    return make
