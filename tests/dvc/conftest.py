"""Fixtures: the project under Git and DVC in a folder of its own, configured so that every stage takes seconds."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.workflow.conftest import ROOT, Project
from tests.workflow.small import ROLE, edit, keep_papers, make_papers, only_claim, some

TRACKED = (".dvc/config", ".dvcignore", ".gitignore")
AUTHOR = {f"GIT_{who}_{what}": "tester" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def shrink(config: Path) -> None:
    """One paper, collection and variation; BM25, a retriever whose vectors are kept, and one that is fine-tuned."""

    def collections(tree):
        tree["wordnet-mini"] |= {"passages": 200, "splits": {"train": {"queries": 32}, "dev": {"queries": 50}}}

    def scale(tree):
        tree["budgets"]["passage"] |= {"batch_size": 16}
        tree["retrieval"]["depth"] = 20
        tree["embeddings"]["keep"] = True

    def experiment(tree):
        tree["evaluation"] = {ROLE: {**tree["evaluation"][ROLE], "variations": ["swap_words"]}}
        tree["systems"] = some(tree["systems"], ["bm25", "dr_oq", "rodr"])
        tree["systems"]["rodr"]["variations"] = ["swap_words"]
        tree["tables"] = {"table2": {**tree["tables"]["table2"], "systems": ["dr_oq", "rodr"]}}
        del tree["tables"]["table2"]["significance"]
        tree["figures"] = {"figure2": {"title": "Drop", "kind": "methods", "collection": ROLE, "measure": "RR@10"}}
        tree["figures"]["figure2"]["systems"] = {"dr_oq": "DR_OQ"}

    test = {"name": "hurts_most", "system": "dr_oq", "query_sets": ["swap_words"]}
    keep_papers(config.parent, "rodr")
    make_papers(config.parent, "rodr")
    edit(config / "collections.yaml", collections)
    edit(config / "scales/mini.yaml", scale)
    edit(config / "papers/rodr/experiment.yaml", experiment)
    edit(config / "papers/rodr/claims.yaml", only_claim(role=ROLE, measure="RR@10", test=test))


class Repository(Project):
    """A checkout of the project that Git and DVC track."""

    def __init__(self, folder: Path):
        self.folder = folder

    @property
    def environment(self) -> dict[str, str]:
        """Without a network; the project's own code, a folder of its own for what DVC notes of this machine."""
        notes = str(self.folder.parent / "site")
        return {
            **super().environment,
            **AUTHOR,
            "DVC_SITE_CACHE_DIR": notes,
            "PYTHONPATH": str(self.folder / "workflow"),
        }

    def run(self, *command: str) -> tuple[int, str]:
        """Exit status and output."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        return done.returncode, done.stdout

    def do(self, *command: str) -> str:
        """The output of a command that succeeds."""
        status, output = self.run(*command)
        assert status == 0, output
        return output

    def is_clean(self) -> bool:
        return self.run("dvc", "status", "--quiet")[0] == 0

    def snakemake_runs(self) -> int:
        """How often Snakemake ran here and did something."""
        return len(list((self.folder / ".snakemake/log").glob("*.log")))

    def results(self) -> dict[str, bytes]:
        """The report's files."""
        folders = ("tables", "figures", "claims", "report")
        paths = [path for part in folders for path in (self.folder / "results/mini" / part).rglob("*")]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in paths if path.is_file()}


@pytest.fixture(scope="session")
def first(tmp_path_factory) -> Repository:
    """The project after `dvc repro` from nothing, committed."""
    folder = tmp_path_factory.mktemp("dvc") / "first"
    folder.mkdir()
    Project(folder)
    shrink(folder / "config")
    for part in TRACKED:
        (folder / part).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / part, folder / part)
    made = Repository(folder)
    made.do("git", "init", "--quiet")
    made.do("robustdr", "plan")
    made.do("dvc", "repro")
    made.do("git", "add", "--all")
    made.do("git", "commit", "--quiet", "--message", "first results")
    return made


@pytest.fixture()
def repository(first):
    """The project as committed; a test's edits are undone, their results taken back from DVC's cache."""
    yield first
    first.do("git", "checkout", "--quiet", "--", ".")
    first.do("dvc", "checkout", "--quiet")
