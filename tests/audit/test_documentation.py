"""The pages on the audit: the examples are findings of the papers, the commands and the YAML work."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from robustdr.audit.audited import audit
from robustdr.audit.relations import KINDS
from robustdr.audit.reported import PAPERS, load, load_paper
from robustdr.cli import main as robustdr

PAGES = ("explanation/audit.md", "how-to/audit.md", "how-to/review.md", "reference/reported.md")
DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)


def test_every_example_is_a_finding_and_every_kind_has_a_row():
    findings = {name: audit(load_paper(name.lower())).findings for name in ("CAPOT", "qvg", "RoDR")}
    examples = re.findall(r"^\| (`[^|]+`) \| (CAPOT|qvg|RoDR)(?:, Tables? (\d+))?", TEXT, re.MULTILINE)
    assert len(examples) >= 12
    for kinds, paper, table in examples:
        ids = [finding.id for finding in findings[paper] if f"`{finding.kind}`" in kinds]
        assert any(finding_id.startswith(f"table{table}/") if table else finding_id for finding_id in ids), (
            kinds,
            paper,
            table,
        )
    all_kinds = {finding.kind for group in findings.values() for finding in group} | set(KINDS)
    assert not [kind for kind in all_kinds if f"`{kind}`" not in TEXT]


def block(word: str) -> str:
    """The YAML of the document that has this word."""
    return next(text for text in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL) if word in text)


@pytest.mark.parametrize(("paper", "status"), [("rodr", 1), ("toroder", 0)])
def test_the_command_of_the_github_action_fails_where_there_are_findings(tmp_path, monkeypatch, paper, status):
    steps = yaml.safe_load(block("runs-on"))["jobs"]["audit"]["steps"]
    [command] = [step["run"] for step in steps if step.get("run", "").startswith("robustdr")]
    [uploaded] = [step["with"]["path"] for step in steps if "upload" in step.get("uses", "")]
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "reported.yaml").write_bytes((PAPERS / paper / "reported.yaml").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert robustdr(shlex.split(command)[1:]) == status
    assert (tmp_path / uploaded).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_declaration_of_runs_and_tests_is_one(tmp_path):
    rest = """
    caption: t
    where: {measure: RR@10}
    row: system
    columns: [{query_set: original}, {query_set: typo}]
    cells: |
      a | 1.0 | 0.5
      b | 1.0 | 0.7†
"""
    path = tmp_path / "reported.yaml"
    path.write_text(f"paper: t\ntitle: t\ntables:\n  t:\n{block('{system}')}{rest}", encoding="utf-8")
    assert len(load(path).tables["t"].tests) == 1
