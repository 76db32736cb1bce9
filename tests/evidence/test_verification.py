"""What `robustdr verify` names: artifacts that are not those of today's plan, and texts that nobody generated."""

import shutil
from pathlib import Path

import pytest

from robustdr.cli import main, parser
from robustdr.evidence import verification
from robustdr.graph.project import project
from robustdr.keys.integrity import record
from robustdr.reference import PAGES, pages

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
PLANNED = {
    "a checkpoint": lambda graph: graph.checkpoint("base"),
    "passages": lambda graph: graph.corpus("wordnet-mini"),
    "what a training took": lambda graph: graph.cost(graph.model("rodr", 1)),
}


@pytest.fixture()
def folder(tmp_path, monkeypatch):
    """The project's configuration and texts, in a folder that may be written to."""
    for name in ("config", "docs", "evidence"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "README.md", tmp_path)
    if DATA.is_dir():
        (tmp_path / "data").symlink_to(DATA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_artifact_of_an_earlier_plan_is_named_though_its_record_is_touched(folder, capsys):
    graph = project().graphs["results/mini"]
    nodes = {name: find(graph) for name, find in PLANNED.items()}
    paths = {name: folder / node.path for name, node in nodes.items()}
    for name, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("bytes")
        record(path, key=nodes[name].key)
    (folder / "results/mini/mine").write_text("no artifact of the plan")
    record(folder / "results/mini/mine", key="0" * 16)
    assert main(["verify", "results"]) == 0 and "nothing is damaged" in capsys.readouterr().out
    for path in paths.values():
        record(path, key="0" * 16)
    assert main(["verify", "results/mini"]) == 1
    lines = [line.partition(";")[0] for line in capsys.readouterr().out.splitlines()]
    old = f"outdated: its key is {'0' * 16}, today's code and configuration give"
    assert sorted(lines) == sorted(f"{node.path}: {old} {node.key}" for node in nodes.values())


@pytest.mark.parametrize(
    ("page", "old", "new"),
    [
        ("docs/reference/commands.md", "exit status 1 if any are", "exit status 2 if any are"),
        ("docs/explanation/deviations.md", "The papers with the", "Papers with the"),
        ("docs/reference/scale.md", "<!-- end -->", "| `mine` | a key that nothing reads |\n<!-- end -->"),
    ],
)
def test_a_generated_page_that_was_written_by_hand_is_named(folder, page, old, new):
    assert not list(verification.changed_pages(pages(PAGES, parser())))
    text = (folder / page).read_text(encoding="utf-8")
    assert old in text
    (folder / page).write_text(text.replace(old, new, 1), encoding="utf-8")
    (line,) = verification.changed_pages(pages(PAGES, parser()))
    assert line.startswith(f"{page}:") and "it is not what `robustdr " in line


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="data/ is not here: the ledger has runs on its collections")
def test_a_finding_that_was_written_by_hand_is_named(folder):
    for place, old in (("README.md", "- **Held** ("), ("docs/findings.md", "**supported**")):
        text = (folder / place).read_text(encoding="utf-8")
        assert old in text
        (folder / place).write_text(text.replace(old, "- **Not held** (", 1), encoding="utf-8")
    assert [line.partition(":")[0] for line in verification.changed_findings()] == ["docs/findings.md", "README.md"]


def test_verify_asks_for_something_to_verify(capsys):
    assert main(["verify"]) == 2 and "such as results, or --texts" in capsys.readouterr().err
