"""The wheel of a release, unpacked far from the clone: it audits and reviews as a clone does."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
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
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "requirements.lock"):
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


@pytest.fixture
def installed(wheel, tmp_path):
    """The program of an environment of its own, with the wheel and the packages that it depends on, and no clone."""
    folder = tmp_path / "environment"
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    shutil.copytree(wheel, site, dirs_exist_ok=True)
    packages = Path(sysconfig.get_path("purelib"))
    (site / "packages.pth").write_text(f"{packages}\n")  # a path in such a file is taken without its own such files

    def run(*arguments, status=0):
        command = [folder / "bin/python", "-m", "robustdr", *map(str, arguments)]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900)
        assert done.returncode == status, done.stderr
        return done.stdout, done.stderr

    return run


@pytest.mark.slow
def test_a_wheel_does_what_a_clone_does_for_people_s_own_files(installed, tmp_path, tiny_model):
    """`check`, `vary`, `evaluate`, `compare` and `audit`, outside a clone."""
    (tmp_path / "c.tsv").write_text("d1\ta broad river\nd2\ta small mountain\nd3\tthe music of a bird\n")
    (tmp_path / "q.tsv").write_text("q1\twhat is a broad river\nq2\twhere is the small mountain\n")
    (tmp_path / "r.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    files = ["--corpus", "c.tsv", "--queries", "q.tsv", "--qrels", "r.txt"]
    assert "0 error(s)" in installed("check", *files)[0]
    installed("vary", "q.tsv", "--variation", "dropped_blank", "-o", "varied.tsv")
    assert len((tmp_path / "varied.tsv").read_text().splitlines()) == 2
    evaluate = ["evaluate", "--model", tiny_model, *files]
    output, _ = installed(*evaluate, "--variations", "swap_words", "dropped_blank", "-o", "report")
    assert output.startswith("Take ") and output.splitlines()[-1] == "report/index.html"
    numbers = (tmp_path / "report/report.csv").read_text().splitlines()
    assert numbers[0].startswith("system,label,query_set,measure,queries,mean,") and len(numbers) == 1 + 3 * 6
    installed(*evaluate, "--variations", "swap_words", "-o", "report", "--fail-if-drop", "100")
    installed(*evaluate, "--variations", "swap_words", "-o", "report", "--fail-if-drop", "-101", status=1)
    installed("compare", "report/results/own", "report/results/own", "-o", "compared")
    assert (tmp_path / "compared/index.html").is_file()
    assert "rodr" in installed("audit", "rodr")[0]


def test_the_licences_are_there(wheel):
    (metadata,) = wheel.glob("*.dist-info")
    assert {path.name for path in metadata.rglob("licenses/**/*") if path.is_file()} == {"LICENSE", "MPL-1.1.txt"}
