"""The whole pipeline, run for real on a few hundred WordNet glosses."""

import json
import platform

import pytest
from tests.workflow.small import edit, shrink

from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.keys.integrity import damaged
from robustdr.retrieval.runs import read_run

pytestmark = pytest.mark.slow
TABLE, PAGE = "results/mini/tables/rodr_table2.md", "results/mini/report/index.html"


@pytest.fixture(scope="module")
def finished(shared_project):
    shrink(shared_project.folder)
    status, output = shared_project.snakemake()
    assert status == 0, output
    return shared_project


@pytest.fixture(scope="module")
def made(finished):
    return graph(load(finished.folder / "config"), "mini")


def test_training_used_what_the_recipe_says(finished):
    folder = finished.folder / "results/mini"
    lines = (folder / "training/wordnet-mini/rodr/seed1.jsonl").read_text(encoding="utf-8").splitlines()
    examples = [json.loads(line) for line in lines]
    assert len(examples) <= 64
    assert all(example["query"] != example["query_variation"] for example in examples)
    run = read_run(folder / "runs/wordnet-mini/dr_oq/seed1/train.original.arrow")
    for example in examples:
        mined = {docid for docid, _ in run[example["query_id"]]}
        assert {*example["negative_passages"]} <= mined
    log = (folder / "models/wordnet-mini/rodr/seed1/training.csv").read_text().splitlines()
    assert log[0] == "step,epoch,learning_rate,gradient_norm,loss,nll,query_alignment,passage_alignment"
    assert not list((folder / "resume").rglob("*.json"))


def test_a_second_run_does_nothing(finished):
    jobs, made = finished.plan()
    assert not jobs and not made


def reruns(finished, change):
    """What a dry run would do after a change of capot's or rodr's recipes, which is then undone."""
    path = finished.folder / "config/papers" / change.__name__ / "experiment.yaml"
    text = path.read_text(encoding="utf-8")
    edit(path, change)
    jobs, made = finished.plan(PAGE)
    path.write_text(text, encoding="utf-8")
    return jobs, made


def test_w3_reruns_rodr_and_what_comes_after(finished):
    def rodr(tree):
        tree["systems"]["rodr"]["loss"]["passage_alignment"] = 0.3

    jobs, _ = reruns(finished, rodr)
    once = dict.fromkeys(["train", "retrieve", "evaluate", "figure", "queries", "texts", "audit", "report"], 1)
    assert jobs == {**once, "table": 2, "claims": 2}  # rodr's, and those of all methods


def test_the_weight_of_the_anchor_reruns_capot_and_what_shows_it(finished):
    """No passage is encoded anew, and no other system trained or searched with, though they share its first stage."""

    def capot(tree):
        tree["systems"]["capot_nq"]["loss"]["tau_anchor"] = 3.0

    jobs, made = reruns(finished, capot)
    assert jobs == {
        "train": 1,
        "retrieve": 2,
        "evaluate": 2,
        "table": 1,
        "claims": 1,
        "queries": 2,
        "texts": 1,
        "audit": 1,
        "report": 1,
    }  # at 10 % and in the end
    made = {path.removeprefix("results/mini/") for path in made}
    report = {path for path in made if path.startswith(("report/", "results/audit/"))}
    assert {f"report/data/wordnet-mini/systems/{name}.js" for name in ("capot_nq", "capot_nq.at10")} <= report
    shown = {path for path in made if path.startswith(("tables/", "claims/"))}
    assert {path.partition(".")[0] for path in shown} == {"tables/capot_table18", "claims/capot"}
    assert {path.removeprefix("costs/").split("/")[2] for path in made - shown - report} == {
        "capot_nq",
        "capot_nq.at10",
    }


def test_a_query_encoder_alone_leaves_the_passages_as_they_are(finished):
    folder = finished.folder / "results/mini"
    weights = [
        {
            path.parent.name[0]: path.read_bytes()
            for path in folder.glob(f"models/wordnet-mini/{system}/seed1/*/*.safetensors")
        }
        for system in ("regular_nq", "capot_nq")
    ]
    assert [of_system.keys() for of_system in weights] == [{"q", "d"}] * 2
    assert weights[0]["d"] == weights[1]["d"] and weights[0]["q"] != weights[1]["q"]
    assert {path.name for path in folder.glob("embeddings/*/*")} == {"regular_nq", "dr_oq"}
    assert not (folder / "collections/wordnet-log/corpus.jsonl").exists()


@pytest.mark.parametrize("table", ["capot_table3", "capot_table18", "capot_table28", "all_methods"])
def test_every_layout_of_table_comes_out_with_numbers(finished, table):
    cells = json.loads((finished.folder / f"results/mini/tables/{table}.json").read_text(encoding="utf-8"))["cells"]
    assert len({cell["system"] for cell in cells}) > 1
    assert not [cell["not_run"] for cell in cells if cell["not_run"]]


def test_costs_have_records_of_their_own_and_models_hold_no_clock_host_or_path(finished):
    folder = finished.folder / "results/mini"
    cost = folder / "costs/models/wordnet-mini/rodr/seed1.json"
    table = (folder / "tables/all_methods.json.sha256").read_text(encoding="utf-8")
    assert str(cost.relative_to(folder)) in table and not list(damaged(folder))
    took = cost.read_text(encoding="utf-8")
    cost.write_text(took.replace('"processes": 1', '"processes": 2'), encoding="utf-8")
    assert [fault.partition(": ")[0] for fault in damaged(folder)] == [str(cost)]
    cost.write_text(took, encoding="utf-8")
    seconds = str(json.loads(took)["seconds"])
    tracked = [path for kind in ("checkpoints", "training", "models") for path in (folder / kind).rglob("*")]
    texts = [path.read_bytes() for path in tracked if path.is_file()]
    host = [platform.node()] if len(platform.node()) > 6 else []  # a shorter name stands in weights by chance
    words = [seconds, str(finished.folder), *host]
    assert not [word for word in words for text in texts if word.encode() in text]


def test_two_runs_from_scratch_give_the_same_bytes(finished):
    """RoDR's table, and CAPOT's measures: training with passages and on queries alone."""
    folder = finished.folder / "results/mini"
    folder.rename(folder.with_name("first"))
    status, output = finished.snakemake("results/mini/measures/wordnet-mini/capot_nq/seed1/dev.original.parquet", TABLE)
    assert status == 0, output
    kinds = ("collections", "variations", "training", "models", "runs", "measures", "tables")
    made = [path for kind in kinds for path in (folder / kind).rglob("*") if path.is_file()]
    assert len(made) > 60
    first = folder.with_name("first")
    different = [path for path in made if path.read_bytes() != (first / path.relative_to(folder)).read_bytes()]
    assert not different
