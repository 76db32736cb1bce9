"""Claims judged on the whole ledger, and on each run alone."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from robustdr.claims.verdicts import NOT_RUN
from robustdr.core.errors import UserError
from robustdr.evaluation import ledger
from robustdr.evidence import priors
from robustdr.evidence.findings import findings
from robustdr.evidence.identity import expected
from robustdr.evidence.judging import Judge, Single, replicates
from robustdr.experiments.config import load
from robustdr.graph.graph import graphs

ROOT = Path(__file__).parents[2]
EVIDENCE, AT = Path("evidence"), ("wordnet-mini", "dev.misspell")


def test_the_share_of_runs_that_reach_the_verdict_leaves_out_what_was_not_run():
    effect = {"words": "misspell", "size": 0.1, "interval": [0.0, 0.2], "p": 0.04}
    outcomes = [("supported", [effect]), ("inconclusive", [effect]), (NOT_RUN, [])]
    singles = [
        (Single("mini", seed, "a"), {"verdict": verdict, "effects": effects})
        for seed, (verdict, effects) in enumerate(outcomes)
    ]
    replicated = replicates("supported", singles)
    assert (replicated["same"], replicated["of"]) == (1, 2)
    dot = {"words": "misspell", "size": 0.1, "interval": [0.0, 0.2]}
    assert replicated["runs"][0] == {
        "scale": "mini",
        "seed": 0,
        "hardware": "a",
        "verdict": "supported",
        "effects": [dot],
    }
    assert len(replicated["runs"]) == 3


@pytest.fixture()
def graphs_by_folder(tmp_path, monkeypatch):
    """The graphs of a configuration whose one claim is that self-teaching is better than data augmentation."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for path in (tmp_path / "config/papers").glob("*/claims.yaml"):
        path.unlink()
    test = {"name": "improves", "system": "st", "over": ["da"], "query_sets": ["misspell"]}
    claim = {"claim": "It is better", "source": "§1", "headline": True, "role": "msmarco-passage", "measure": "RR@10"}
    path = tmp_path / "config/papers/all/claims.yaml"
    path.write_text(yaml.safe_dump({"claims": [{**claim, "level": 0.05, "test": test}]}), encoding="utf-8")
    return graphs(load(tmp_path / "config"))


def write(graphs_by_folder, better, settings="", hardware="a", scale="mini", collection=AT[0]):
    """Add a run of each system for each seed; self-teaching's values are higher by `better` of the seed."""
    settings_of, draw = expected(graphs_by_folder[f"results/{scale}"]), np.random.default_rng(1)
    base = draw.uniform(0.3, 0.7, 200)
    rows = []
    for seed, gain in better.items():
        for system in ("da", "st"):
            values = base + (gain if system == "st" else 0) + draw.normal(0, 0.05, 200)
            for query_set in ("dev.original", "dev.misspell"):
                run = {"scale": scale, "system": system, "collection": collection, "seed": seed, "code": "c"}
                run |= {"key": f"{system}{seed}{hardware}", "hardware": hardware, "commit": "abc", "date": "2026-01-01"}
                run |= {"query_set": query_set, "measure": "RR@10", "qids": " ".join(map(str, range(1000, 1200)))}
                rows.append(
                    {**run, "settings": settings or settings_of[system, collection, query_set], "values": values}
                )
    ledger.write_rows(EVIDENCE, rows)


def judged(graphs_by_folder):
    (path,) = Judge.from_ledger(graphs_by_folder, EVIDENCE).write("mini", ["all"], Path("out"))
    return json.loads(path.read_text(encoding="utf-8"))["claims"][0]


def test_seeds_of_several_files_add_up_and_each_run_has_a_dot(graphs_by_folder):
    write(graphs_by_folder, {1: 0.1})
    write(graphs_by_folder, {2: 0.11})
    write(graphs_by_folder, {3: 0.09, 1: 0.1}, hardware="b")
    claim = judged(graphs_by_folder)
    assert claim["verdict"] == "supported" and claim["effects"][0]["seeds"] == 3
    runs = claim["replicates"]["runs"]
    assert [(run["scale"], run["seed"], run["hardware"]) for run in runs] == [
        ("mini", 1, "a"),
        ("mini", 1, "b"),
        ("mini", 2, "a"),
        ("mini", 3, "b"),
    ]
    assert all(run["effects"][0]["size"] > 0.1 for run in runs)


def test_runs_with_other_settings_are_not_judged(graphs_by_folder):
    write(graphs_by_folder, {1: 0.1, 2: 0.1, 3: 0.1}, settings="0123456789abcdef")
    assert not Judge.from_ledger(graphs_by_folder, EVIDENCE).has("mini")
    write(graphs_by_folder, {4: 0.1}, hardware="b")
    assert judged(graphs_by_folder)["effects"][0]["seeds"] == 1


def test_runs_on_files_that_are_not_here_are_refused_and_their_scale_keeps_its_priors(graphs_by_folder):
    """Without the files, runs on them would be left out in silence: other verdicts, and other priors."""
    write(graphs_by_folder, {1: 0.1}, scale="text", collection="medquad", settings="0123456789abcdef")
    with pytest.raises(UserError, match="evidence: its runs on medquad cannot be judged here: MedQuAD's pairs"):
        Judge.from_ledger(graphs_by_folder, EVIDENCE)
    before = json.loads((ROOT / "evidence/priors.json").read_text(encoding="utf-8"))
    (EVIDENCE / "priors.json").write_text(json.dumps(before), encoding="utf-8")
    priors.write([graphs_by_folder["results/mini"], graphs_by_folder["results/text"]], EVIDENCE)
    after = json.loads((EVIDENCE / "priors.json").read_text(encoding="utf-8"))
    assert after["scales"] == {"text": before["scales"]["text"]}


def test_real_text_stands_beside_and_is_no_single_run_of_the_miniature(graphs_by_folder, monkeypatch):
    monkeypatch.setattr("robustdr.evidence.findings.CHAINS", ("none", "methods"))
    write(graphs_by_folder, {1: 0.1, 2: 0.1, 3: 0.1})
    write(graphs_by_folder, {1: -0.1, 2: -0.11, 3: -0.1}, scale="text", collection="squad-sentences")
    assert {run["scale"] for run in judged(graphs_by_folder)["replicates"]["runs"]} == {"mini"}
    Path("docs").mkdir()
    Path("README.md").write_text("<!-- findings of none -->\n<!-- end of findings -->\n", encoding="utf-8")
    findings(graphs_by_folder, "mini", "text", EVIDENCE, Path("page.md"))
    for page in ("page.md", "README.md"):
        text = Path(page).read_text(encoding="utf-8")
        assert "**Held** (1 of 1 sentences): It is better." in text
        assert "**Contradicted on real text** (1 of 1 sentences): It is better (against it: 1 of 1 compar" in text
    (row,) = (line for line in Path("page.md").read_text(encoding="utf-8").splitlines() if line.startswith("| “"))
    assert "| **supported** |" in row and "| **contradicted** |" in row and " | 1 of 1 differ; clearest " in row


def test_the_page_is_made_of_the_ledger_or_says_what_is_missing(graphs_by_folder, monkeypatch):
    monkeypatch.setattr("robustdr.evidence.findings.CHAINS", ("none", "methods"))
    with pytest.raises(UserError, match="evidence: no runs at scale mini, and results/mini/claims has no verdicts"):
        findings(graphs_by_folder, "mini", "text", EVIDENCE, Path("page.md"))
    write(graphs_by_folder, {1: 0.1, 2: 0.1, 3: 0.1})
    with pytest.raises(UserError, match=r"README\.md: no line"):
        findings(graphs_by_folder, "mini", "text", EVIDENCE, Path("page.md"))
    Path("docs").mkdir()
    Path("README.md").write_text("<!-- findings of none -->\n<!-- end of findings -->\n", encoding="utf-8")
    findings(graphs_by_folder, "mini", "text", EVIDENCE, Path("page.md"))
    assert "- **Held** (1 of 1 sentences): It is better." in Path("README.md").read_text(encoding="utf-8")
    assert Path("docs/headlines.svg").is_file()
    ((claim, singles),) = json.loads((EVIDENCE / "replicates.json").read_text(encoding="utf-8"))["all"].items()
    assert claim == "It is better" and [single["seed"] for single in singles] == [1, 2, 3]
    assert all(
        single["interval"][0] < single["size"] < single["interval"][1] and single["hardware"] == "a"
        for single in singles
    )
    page = Path("page.md").read_text(encoding="utf-8")
    assert (
        "From 6 trained models (3 seeds, 1 kind of machine), 6 measured runs, kept in the folder evidence." in page
        and "| “It is better” (§1) | **supported** |" in page
    )
