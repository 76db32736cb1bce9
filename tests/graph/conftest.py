"""Fixtures: the project's configuration, and the graphs of two of its scales."""

from dataclasses import replace
from pathlib import Path

import pytest

from robustdr.experiments.config import load
from robustdr.graph.graph import graph

ROOT = Path(__file__).parents[2]


PAPERS = ("all", "capot", "intent", "qvg", "rodr", "toroder")


@pytest.fixture(scope="session")
def every_paper():
    """The configuration with all papers that are here."""
    return load(ROOT / "config")


@pytest.fixture(scope="session")
def config(every_paper):
    """The configuration of six papers. Tests name their systems one by one; a further paper's would be among them."""

    def theirs(by_paper):
        return {paper: by_paper[paper] for paper in PAPERS}

    def made_by_them(by_name):
        return {name: recipe for name, recipe in by_name.items() if every_paper.paper_of(name) in PAPERS}

    return replace(
        every_paper,
        **{key: theirs(getattr(every_paper, key)) for key in ("papers", "claims", "sources", "folders")},
        **{key: made_by_them(getattr(every_paper, key)) for key in ("systems", "pretraining")},
    )


@pytest.fixture(scope="session")
def mini(config):
    return graph(config, "mini")


@pytest.fixture(scope="session")
def full(config):
    return graph(config, "full")
