"""Fixtures: a SLURM for the tests of this folder; they are skipped, with the reason, where there can be none."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from slurm.cluster import Cluster, Unavailable, install


def running(nodes: int) -> Iterator[Cluster]:
    # Not tmp_path: the path of a socket may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        cluster = Cluster(Path(folder), nodes)
        try:
            install()
            cluster.start()
            yield cluster
        except Unavailable as error:
            pytest.skip(str(error))
        finally:
            cluster.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    yield from running(nodes=1)


@pytest.fixture()
def two_nodes() -> Iterator[Cluster]:
    yield from running(nodes=2)
