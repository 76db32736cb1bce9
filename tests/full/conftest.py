"""Fixtures: a copy of the project, and beside it all that full scale reads, in upstream's formats."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.full.world import World
from tests.workflow.conftest import Project

# A network of its own, in which nothing answers, where the system lets a user make one.
ALONE = ["unshare", "--user", "--map-root-user", "--net"]


class FullScale(Project):
    """A copy of the project in a folder with data, caches and an overlay; nothing can be fetched."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.world = World(folder, folder / "config")

    @property
    def environment(self) -> dict[str, str]:
        caches = {"IR_DATASETS_HOME": str(self.world.irds), "HF_HOME": str(self.world.hub)}
        return {**super().environment, **caches, "OMP_NUM_THREADS": "1"}

    @property
    def command(self) -> list[str]:
        lonely = shutil.which("unshare") and subprocess.run([*ALONE, "true"], stderr=subprocess.DEVNULL).returncode == 0
        return [*(ALONE if lonely else []), *super().command]

    def make(self, *targets: str, papers: str = "rodr") -> tuple[int, str]:
        """Make targets at full scale; return exit status and output."""
        settings = ["overlay=.", "scale=full", "qvg_labels=data/qvg", f"papers=[{papers}]"]
        return self.snakemake("--config", *settings, "--", *targets)


@pytest.fixture(scope="session")
def full(tmp_path_factory) -> FullScale:
    return FullScale(tmp_path_factory.mktemp("full"))
