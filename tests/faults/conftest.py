"""What tests need that harm copies of the tiny project."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.workflow.conftest import OFFLINE, Project
from tests.workflow.small import TABLE

ROOT = "results/mini"
TAKEN_BACK = re.compile(rb"^# (kept|read|made with): .*\n", re.MULTILINE)


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.faults)


def results(folder: Path) -> dict[str, bytes]:
    """The bytes of every artifact by its path, without what times differ in and what was moved out of the way.

    Of records it leaves out that a job took back what the same work made before, and digests of the records it read.
    """
    files = (path for path in (folder / ROOT).rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder / ROOT)): (
            TAKEN_BACK.sub(b"", path.read_bytes()) if path.suffix == ".sha256" else path.read_bytes()
        )
        for path in files
        if path.relative_to(folder / ROOT).parts[0] not in ("logs", "benchmarks", "costs")
        and ".damaged" not in str(path)
    }


def same(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    """Both have the same files and the same bytes in them."""
    assert one.keys() == other.keys()
    assert not [name for name in one if one[name] != other[name]]


def temporaries(folder: Path) -> list[Path]:
    """What an interrupted writer left."""
    return [path for path in (folder / ROOT).rglob(".*") if path.name != ".snakemake_timestamp"]


def start(folder: Path, *arguments: str) -> subprocess.Popen:
    """Snakemake in the background, in a process group of its own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.Popen(
        ["snakemake", "--cores", "2", *arguments],
        cwd=folder,
        env={**os.environ, **OFFLINE, "PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def commands(project: Project) -> list[list[str]]:
    """The arguments of every stage behind the table."""
    status, output = project.snakemake("-n", "-p", "--forceall", "--quiet", "progress", "--", TABLE)
    assert status == 0, output
    called = re.findall(r"-m robustdr\.stages (\S+) @(\S+) > \S+ 2>&1", output)
    return [[stage, *shlex.split((project.folder / settings).read_text())] for stage, settings in called]
