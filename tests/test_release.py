"""The wheel of a release, unpacked far from the clone: it audits and reviews as a clone does."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from robustdr.cli import main

ROOT = Path(__file__).parents[1]
BUILD = "from setuptools import build_meta; build_meta.build_wheel('dist')"
PAPER = "| Model | A | B | mean |\n|---|---|---|---|\n| DR_OQ | 1.5 | 2.5 | 2.0 |\n| misspell | 3.5 | 4.5 | 4.1 |\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The folder of an unpacked wheel, built from a copy of what the repository has."""
    source, unpacked = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("LICENSES", "config", "workflow"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    subprocess.run([sys.executable, "-c", BUILD], cwd=source, check=True, capture_output=True)
    (built,) = (source / "dist").glob("*.whl")
    with zipfile.ZipFile(built) as packed:
        packed.extractall(unpacked)
    return unpacked


@pytest.fixture
def robustdr(wheel, tmp_path):
    """`robustdr("audit", "rodr")`: exit status and both outputs of the wheel's program, in an empty folder."""

    def run(*arguments):
        command = [sys.executable, "-m", "robustdr", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(wheel)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run


def test_the_papers_are_audited(robustdr, capsys):
    assert main(["audit", "rodr"]) == 0
    here = capsys.readouterr().out
    status, output, _ = robustdr("audit", "rodr")
    assert (status, output) == (0, here)


def test_a_paper_is_reviewed(robustdr, tmp_path):
    """Labels of the project's papers are known: config/ is there."""
    (tmp_path / "paper.md").write_text(PAPER, encoding="utf-8")
    assert main(["review", str(tmp_path / "paper.md"), "-o", str(tmp_path / "clone")]) == 0
    status, _, errors = robustdr("review", str(tmp_path / "paper.md"), "-o", "wheel")
    assert status == 0, errors
    for name in ("index.html", "review.json", "reported.yaml"):
        assert (tmp_path / "wheel" / name).read_bytes() == (tmp_path / "clone" / name).read_bytes()


def test_what_needs_the_workflow_asks_for_a_clone(robustdr):
    files = ["--corpus", "c.tsv", "--queries", "q.tsv", "--qrels", "qrels.txt"]
    status, _, errors = robustdr("evaluate", "--model", "folder", *files, "-o", "report")
    assert status == 2 and "a clone of the project" in errors


def test_the_licences_are_there(wheel):
    (metadata,) = wheel.glob("*.dist-info")
    assert {path.name for path in metadata.rglob("licenses/**/*") if path.is_file()} == {"LICENSE", "MPL-1.1.txt"}
