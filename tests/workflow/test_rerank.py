"""A table of rerankers and of what one of them teaches, from nothing, by Snakemake, on a few hundred glosses."""

import json

import pytest
from tests.workflow.small import ROLE, edit, tiny

from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.graph.tables import table_settings
from robustdr.keys.integrity import key_of, recorded
from robustdr.rankers.ranker import saved
from robustdr.retrieval.runs import read_run

pytestmark = pytest.mark.slow
TABLE = "results/mini/tables/rodr_table2.md"
EXPERIMENT = "config/papers/rodr/experiment.yaml"
KNRM = {
    "label": "KNRM",
    "kind": "rerank",
    "candidates": {"system": "bm25", "depth": 10, "queries": "own"},
    "ranker": {"name": "knrm"},
    "initial": "word_vectors",
    "collection": ROLE,
    "negatives": "bm25",
    "loss": {"name": "pairwise"},
    "budget": "knrm",
}
BERT = {**KNRM, "label": "BERT", "ranker": {"name": "mono_bert"}, "initial": "base", "budget": "mono_bert"}
BERT |= {"loss": {"name": "lce"}}
ON_ORIGINAL = {key: BERT[key] for key in ("kind", "ranker", "budget")} | {"label": "BERT again", "initial": "bert"}
ON_ORIGINAL |= {"candidates": {"system": "bm25", "depth": 10, "queries": "original"}}
DISTILLED = {"label": "Distilled", "collection": ROLE, "initial": "base", "negatives": "bm25", "budget": "passage"}
DISTILLED |= {"variations": ["swap_words"], "teacher": "bert", "loss": {"name": "distillation"}}
SYSTEMS = {"knrm": KNRM, "bert": BERT, "on_original": ON_ORIGINAL, "distilled": DISTILLED}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    project = tiny(tmp_path_factory.mktemp("rerank"))

    def experiment(tree):
        tree["systems"] |= SYSTEMS
        tree["tables"]["table2"]["systems"] = ["bm25", "knrm", "on_original", "distilled"]

    def scale(tree):
        tree["depths"] = {"10": 5}
        tree["checkpoints"]["word_vectors"]["words"] = 2000

    edit(project.folder / EXPERIMENT, experiment)
    edit(project.folder / "config/scales/mini.yaml", scale)
    jobs, _ = project.plan("--", TABLE)
    status, output = project.snakemake("--", TABLE)
    assert status == 0, output
    return project, jobs


@pytest.fixture(scope="module")
def folder(finished):
    return finished[0].folder / "results/mini"


@pytest.fixture(scope="module")
def made(finished):
    return graph(load(finished[0].folder / "config"), "mini")


def test_every_stage_is_run_once_for_what_it_makes(finished):
    """bert is trained to be shared and to teach; its own runs are nobody's."""
    _, jobs = finished
    once = dict.fromkeys(["score", "table", "write_passages", "mine"], 1)
    several = {"check": 3, "download_checkpoint": 2, "train": 3, "training_data": 3, "retrieve": 2, "rerank": 2}
    made = once | several | {"evaluate": 4}
    assert {rule: jobs[rule] for rule in made} == made


def test_the_table_holds_what_was_measured(finished, folder, made):
    cells = json.loads((finished[0].folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))["cells"]
    assert {cell["system"] for cell in cells} == {"bm25", "knrm", "on_original", "distilled"}
    assert not [cell["not_run"] for cell in cells if cell["not_run"]]
    digests = {recorded(finished[0].folder / path) for path in table_settings(made, "rodr", "table2").keys}
    assert {cell["measures"] for cell in cells} == {digest[:16] for digest in digests}


def test_rerankers_rank_what_their_first_stage_found(folder, made):
    """For their own queries, or for the original ones; the best five of them at this scale."""

    def run(system, kind):
        seed = 0 if system == "bm25" else 1
        path = folder / f"runs/wordnet-mini/{system}/seed{seed}/dev.{kind}.arrow"
        assert key_of(path) == made.run(system, seed, ("wordnet-mini", "dev"), kind).key
        return {qid: [docid for docid, _ in ranking] for qid, ranking in read_run(path).items()}

    first = {kind: {q: of[:5] for q, of in run("bm25", kind).items()} for kind in ("original", "swap_words")}
    for system, kind, candidates in (
        ("knrm", "original", "original"),
        ("knrm", "swap_words", "swap_words"),
        ("on_original", "original", "original"),
        ("on_original", "swap_words", "original"),
    ):
        found = run(system, kind)
        assert {qid: {*of} for qid, of in found.items()} == {qid: {*of} for qid, of in first[candidates].items()}
        assert found != first[candidates]


def test_directories_say_what_was_trained(folder):
    lengths = {"query_length": 32, "passage_length": 24}
    models = folder / "models/wordnet-mini"
    assert {path.name for path in models.iterdir()} == {"knrm", "bert", "distilled"}
    assert saved(models / "knrm/seed1") == {"ranker": "knrm", "settings": {"trained_kernels": True}, "lengths": lengths}
    assert saved(models / "bert/seed1") == {"ranker": "mono_bert", "settings": {}, "lengths": lengths}
    assert saved(models / "distilled/seed1") == {}
    log = (models / "distilled/seed1/training.csv").read_text().splitlines()
    assert log[0].endswith("loss,distillation,distillation_variation,nll,self_teaching")


def test_a_teacher_scored_the_training_file(folder):
    data, scores = (
        [json.loads(line) for line in (folder / f"training/wordnet-mini/distilled/{name}").read_text().splitlines()]
        for name in ("seed1.jsonl", "seed1.scores.jsonl")
    )
    for line, of in zip(data, scores, strict=True):
        assert line["query_id"] == of["query_id"]
        group = [*line["positive_passages"], *line["negative_passages"]]
        assert group == list(of["scores"])


def test_a_second_run_does_nothing(finished):
    assert finished[0].plan("--", TABLE) == ({}, set())


def reruns(project, system, **change):
    """What a dry run would do after a change of a recipe, which is then undone."""
    path = project.folder / EXPERIMENT
    text = path.read_text(encoding="utf-8")
    edit(path, lambda tree: tree["systems"][system].update(change))
    jobs, _ = project.plan("--", TABLE)
    path.write_text(text, encoding="utf-8")
    return jobs


def test_a_change_reruns_what_it_reaches(finished):
    project, _ = finished
    after = {"rerank": 1, "evaluate": 1, "table": 1}
    assert reruns(project, "knrm", candidates={**KNRM["candidates"], "depth": 9}) == after
    taught = {"train": 2, "score": 1, "embed": 1, "retrieve": 1, "rerank": 1, "evaluate": 2, "table": 1}
    assert reruns(project, "bert", loss={"name": "bpr"}) == taught
    assert reruns(project, "distilled", loss={"name": "distillation", "alpha": 0.3}) == {
        **dict.fromkeys(["train", "embed", "retrieve", "evaluate", "table"], 1)
    }
