"""Early cut-off: after an edit that changes no bytes, the edited step works again and nothing behind it does."""

import os
from pathlib import Path

import pytest
from tests.faults.conftest import results, same
from tests.workflow.conftest import Project
from tests.workflow.small import TABLE

from robustdr.keys.integrity import damaged

pytestmark = pytest.mark.slow
RUN = "results/mini/runs/wordnet-mini/bm25/seed0/dev.original.arrow"
KEPT = "The same work made this before; it is kept."
BEHIND_VARY = ["evaluate", "evaluate", "retrieve", "retrieve", "table"]  # of BM25 and DR_OQ


@pytest.fixture()
def project(finished, tmp_path):
    return finished.copy(tmp_path / "project")


def edit(project: Project, file: str, old: str, new: str) -> None:
    path = project.folder / "workflow/robustdr" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def edit_vary(project: Project) -> None:
    """An edit that moves the key of the query set, and no byte of it."""
    edit(project, "variations/surface.py", "_TOKEN = re", "UNUSED = 1\n_TOKEN = re")


def run(project: Project, *options: str) -> tuple[list[str], list[str]]:
    """Run; return the rules of the jobs that worked, and of those that kept what was there."""
    root = project.folder / "results/mini"
    logs = {path: path.stat().st_mtime_ns for path in root.rglob("*.log")}
    links = project.folder / "links"  # so that no new file gets the inode of an old one
    for path in results(project.folder):
        link = links / path
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        os.link(root / path, link)
    status, output = project.snakemake(*options, "--", TABLE)
    assert status == 0, output
    assert not (project.folder / ".snakemake/kept").exists()
    ran = [path for path in root.rglob("*.log") if path.stat().st_mtime_ns != logs.get(path)]
    kept = [path for path in ran if KEPT in path.read_text(encoding="utf-8")]
    return rules({*ran} - {*kept}), rules(kept)


def rules(logs: list[Path] | set[Path]) -> list[str]:
    return sorted(path.parent.name for path in logs)


def rewritten(project: Project) -> set[str]:
    """The folders of results with artifacts that are other files than before the run."""
    root, links = project.folder / "results/mini", project.folder / "links"
    files = (path for path in results(project.folder) if not path.endswith(".sha256"))
    return {Path(path).parts[0] for path in files if not os.path.samefile(root / path, links / path)}


def bytes_of(project: Project) -> dict[str, bytes]:
    return {path: data for path, data in results(project.folder).items() if not path.endswith(".sha256")}


def test_after_an_edit_that_changes_no_bytes_nothing_behind_it_works(project):
    before = bytes_of(project)
    edit_vary(project)
    assert run(project) == (["vary"], BEHIND_VARY)
    assert rewritten(project) == {"variations"}
    same(bytes_of(project), before)
    assert not list(damaged(project.folder / "results/mini"))
    assert project.plan("--", TABLE) == ({}, set())


def test_after_an_edit_that_changes_bytes_everything_behind_it_works(project):
    edit(project, "variations/surface.py", "first = draw.choice(words)", "first = words[0]")
    worked, kept = run(project)
    assert sorted([*worked, *kept]) == sorted(["vary", *BEHIND_VARY])
    # BM25 does not see the order of words: its runs may have the bytes that they had, to the last bit of a score
    assert kept in ([], ["evaluate"])
    assert rewritten(project) == {"variations", "runs", "measures", "tables"}


def test_what_an_interrupted_run_left_behind_is_made_anew_though_a_job_that_it_only_waits_for_runs_too(project):
    """Snakemake does not look at a job behind one that runs if all that it reads of that one is `ancient`."""
    edit(project, "collections/wordnet/database.py", "_SENSE_TYPES =", "UNUSED = 1\n_SENSE_TYPES =")
    status, output = project.snakemake("--", "results/mini/collections/wordnet-mini/corpus.jsonl")
    assert status == 0, output
    (project.folder / "results/mini/collections/wordnet-mini/train/queries.tsv").unlink()  # the card is made anew
    worked, kept = run(project)
    assert {"check", "build_index"} <= {*worked, *kept}


def test_a_damaged_artifact_is_made_anew_though_its_work_is_the_same(project):
    before, path = bytes_of(project), project.folder / RUN
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    edit_vary(project)
    assert run(project) == (["retrieve", "vary"], ["evaluate", "evaluate", "retrieve", "table"])
    same(bytes_of(project), before)


def test_what_the_user_forces_works_though_its_work_is_the_same(project):
    assert run(project, "--forcerun", "evaluate") == (["evaluate", "evaluate"], ["table"])
    assert rewritten(project) == {"measures"}


def test_what_a_failed_job_made_before_is_not_taken_for_its_result(project):
    before = bytes_of(project)
    edit(project, "retrieval/bm25.py", "def rankings(", "raise ValueError\n\n\ndef rankings(")
    status, _ = project.snakemake("--", TABLE)
    assert status and not (project.folder / RUN).exists() and not (project.folder / ".snakemake/kept").exists()
    edit(project, "retrieval/bm25.py", "raise ValueError\n\n\ndef rankings(", "def rankings(")
    worked, _ = run(project)
    assert set(worked) == {
        "mine",
        "retrieve",
    }  # its results were removed; what is behind them finds the bytes that it read
    same(bytes_of(project), before)
