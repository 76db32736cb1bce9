"""Fixtures: a SLURM for the tests of this folder; they are skipped, with the reason, where there can be none."""

import tempfile
from pathlib import Path

import pytest

from slurm.cluster import Cluster, Unavailable, install


@pytest.fixture(scope="session")
def cluster():
    # Not tmp_path: the path of a socket may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        cluster = Cluster(Path(folder))
        try:
            install()
            cluster.start()
            yield cluster
        except Unavailable as error:
            pytest.skip(str(error))
        finally:
            cluster.stop()
