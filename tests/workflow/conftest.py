"""Fixtures: a copy of the project in a folder of its own, and Snakemake run there as a user runs it."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "rules", "config", "profiles", "slurm", "envs", "report", "workflow", "requirements.lock")
# Nothing may be fetched: the hub is told to be offline, and other connections end at a port that nobody serves.
OFFLINE = {"HF_HUB_OFFLINE": "1", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}


JOB = re.compile(r"^(?:local)?rule (\S+):\n(?:    input: (.*)\n)?(?:    output: (.*)\n)?", re.MULTILINE)


# Snakemake prints the message of a job in place of its files, which tests read.
MESSAGE = re.compile(r"^    message:\n        .*\n", re.MULTILINE)


class Job(NamedTuple):
    """A job and its files: what it reads and makes."""

    rule: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


class Project:
    """A copy of the project in `folder`."""

    def __init__(self, folder: Path):
        self.folder = folder
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder / part)
        for rules in (folder / "rules").glob("*.smk"):
            rules.write_text(MESSAGE.sub("", rules.read_text(encoding="utf-8")), encoding="utf-8")

    @classmethod
    def at(cls, folder: Path) -> "Project":
        """The one that is in `folder` already."""
        project = cls.__new__(cls)
        project.folder = folder
        return project

    def copy(self, folder: Path) -> "Project":
        """A copy with results, Snakemake's memory and modification times."""
        return Project.at(Path(shutil.copytree(self.folder, folder, symlinks=True)))

    @property
    def environment(self) -> dict[str, str]:
        """Without a network."""
        return {**os.environ, **OFFLINE, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    @property
    def command(self) -> list[str]:
        return ["snakemake", "--cores", "2"]

    def snakemake(self, *arguments: str) -> tuple[int, str]:
        """Exit status and output."""
        done = subprocess.run(
            [*self.command, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout

    def jobs(self, *targets: str) -> list[Job]:
        """What a dry run would do."""
        status, output = self.snakemake("-n", *targets)
        assert status == 0, output
        return [
            Job(rule, *(tuple(path for path in part.split(", ") if path) for part in files))
            for rule, *files in JOB.findall(output)
        ]

    def plan(self, *targets: str) -> tuple[Counter[str], set[str]]:
        """What a dry run would do: jobs by rule, and the files that they would make."""
        jobs = self.jobs(*targets)
        return Counter(job.rule for job in jobs if job.rule != "all"), {path for job in jobs for path in job.outputs}


@pytest.fixture()
def project(tmp_path) -> Project:
    return Project(tmp_path)


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory) -> Project:
    """One for all tests of a module."""
    return Project(tmp_path_factory.mktemp("project"))
