"""The stages of the chain: every job has one, none reads a later one, and DVC can tell their files apart."""

from argparse import Namespace
from pathlib import Path, PurePosixPath

import pytest
from tests.workflow.conftest import ROOT

from robustdr.core.errors import UserError
from robustdr.graph import chain, plan
from robustdr.graph.project import project


@pytest.fixture(scope="module", params=["results/mini", "results"])
def stages(request):
    """The stages of all papers at a scale."""
    of_all = project(folder=ROOT / "config")
    return chain.stages_of(of_all.graphs[request.param], tuple(of_all.config.papers))


def test_no_stage_reads_a_later_one(stages):
    order = list(chain.RULES)
    assert list(stages) == order
    stage_of = {node.path: stage for stage, nodes in stages.items() for node in nodes}
    for stage, nodes in stages.items():
        read = {stage_of[source.path] for node in nodes for source in chain.sources(node)}
        assert max(map(order.index, read), default=0) <= order.index(stage), stage


def test_models_are_told_by_what_they_learn_from(stages):
    made = {
        stage: {PurePosixPath(node.path).parts[-2] for node in nodes if node.rule == "train"}
        for stage, nodes in stages.items()
    }
    assert {"dr_oq", "regular_nq", "aligned"} <= made["base_models"]
    assert {"rodr", "capot_nq", "toroder", "rodr.at50"} <= made["fine_tuned_models"]
    mined = {
        stage: {node.path.split("/runs/")[-1] for node in stages[stage] if node.rule == "mine"} for stage in stages
    }
    for stage, system in [("negatives", "bm25"), ("mining", "dr_oq"), ("fine_tuned_models", "toroder_stage2")]:
        assert any(f"/{system}/" in run and "/train." in run for run in mined[stage])
    assert not any(mined[stage] for stage in ("base_models", "runs"))


def test_no_output_lies_in_another_one_and_each_holds_what_its_stage_makes(stages):
    outputs = chain.outputs(stages)
    stage_of = {path: stage for stage, paths in outputs.items() for path in paths}
    assert sum(map(len, outputs.values())) == len(stage_of)
    for path in stage_of:
        assert stage_of.keys().isdisjoint(map(str, PurePosixPath(path).parents)), path
    for stage, nodes in stages.items():
        for node in nodes:
            for path in (node.path, node.declared):
                places = [place for place in (path, *map(str, PurePosixPath(path).parents)) if place in stage_of]
                assert [stage_of[place] for place in places] == [stage], path
    # What has files whose names no node tells is a whole folder.
    files = [path for path in stage_of if PurePosixPath(path).suffix in (".npy", ".tsv", ".jsonl", ".faiss")]
    assert files == []


def test_dvc_yaml_is_that_of_the_configuration(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    assert (ROOT / "dvc.yaml").read_text(encoding="utf-8") == plan.dvc_yaml(project())
    assert "results/plan/base_models.txt" in plan.dvc_yaml(project({"scale": "full", "papers": ["rodr"]}))
    monkeypatch.setattr(plan, "DVC", Path(tmp_path / "dvc.yaml"))
    with pytest.raises(UserError, match="write it again: robustdr plan"):
        plan.run(Namespace(keys=tmp_path / "keys"))
    plan.run(Namespace(keys=None))
    plan.run(Namespace(keys=tmp_path / "keys"))
    assert "  results/mini/models/wordnet-mini/rodr/seed1\n" in (tmp_path / "keys/fine_tuned_models.txt").read_text()
