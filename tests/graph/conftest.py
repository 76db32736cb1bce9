"""Fixtures: the project's configuration, and the graphs of two of its scales."""

from pathlib import Path

import pytest

from robustdr.experiments.config import load
from robustdr.graph.graph import graph

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def config():
    return load(ROOT / "config")


@pytest.fixture(scope="session")
def mini(config):
    return graph(config, "mini")


@pytest.fixture(scope="session")
def full(config):
    return graph(config, "full")
