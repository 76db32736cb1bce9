"""The whole pipeline, run for real on a few hundred WordNet glosses."""

import json
import shutil

import pytest
import yaml

from robustdr.config import load
from robustdr.evaluation.measures import evaluate, read_measures
from robustdr.files import read_qrels
from robustdr.plan import Plan
from robustdr.reports import table_settings
from robustdr.retrieval.runs import read_metadata, read_run

pytestmark = pytest.mark.slow
TABLE, PAGE = "results/mini/tables/rodr_table2.md", "results/mini/report/index.html"
KINDS, NOISE = ["extra_punctuation", "swap_words"], ["stem", "random_char"]
ROLE = "msmarco-passage"


def edit(path, change):
    """Let `change` alter the file's tree, in which nothing is shared by anchors any more."""
    tree = json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8"))))
    change(tree)
    path.write_text(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), encoding="utf-8")


def some(tree, names):
    return {name: tree[name] for name in names}


def shrink(folder):
    """Let the configuration ask for a few systems, two variations, one small collection and a small query log."""

    def collections(tree):
        tree["wordnet-mini"] |= {"passages": 300, "splits": {"train": {"queries": 64}, "dev": {"queries": 25}}}
        tree["wordnet-log"] |= {"passages": 300, "splits": {"train": {"queries": 64}}}

    def scale(tree):
        for budget in tree["budgets"].values():
            budget |= {"epochs": 2.0, "batch_size": 16}
        tree["retrieval"]["depth"] = 20
        tree["collections"]["natural-questions"] = "wordnet-mini"

    def rodr(tree):
        tree["evaluation"] = {ROLE: {**tree["evaluation"][ROLE], "variations": KINDS}}
        tree["systems"] = some(tree["systems"], ["bm25", "dr_oq", "rodr"])
        tree["systems"]["rodr"]["variations"] = ["swap_words"]
        tree["tables"], tree["figures"] = some(tree["tables"], ["table2"]), {}
        tree["tables"]["table2"] |= {
            "systems": ["dr_oq", "rodr"],
            "significance": {"against": {"rodr": "dr_oq"}, "level": 0.01, "mark": "†"},
        }

    def capot(tree):
        evaluation = {"variations": NOISE, "means": {"typos_mean": ["random_char"]}, "measures": ["Success@20"]}
        tree["evaluation"] = {"natural-questions": {"split": "dev", **evaluation}}
        tree["systems"] = some(tree["systems"], ["regular_nq", "aligned", "pt_nq", "capot_nq", "capot_orcas_trivia"])
        tree["systems"]["capot_orcas_trivia"] |= {"initial": "regular_nq"}
        for system in ("aligned", "capot_nq", "capot_orcas_trivia"):
            tree["systems"][system]["variations"] = NOISE
        nq = {"collections": ["natural-questions"], "drop_from": ["regular_nq"]}
        tree["tables"] = some(tree["tables"], ["table3", "table18", "table28"])
        tree["tables"]["table3"] |= {**nq, "systems": [["regular_nq"], ["pt_nq"]], "measures": ["Success@20"]}
        tree["tables"]["table18"] |= {"systems": ["regular_nq", "pt_nq", "capot_nq"]}
        tree["tables"]["table28"] |= {**nq, "systems": ["regular_nq", "capot_orcas_trivia"]}
        tree["figures"] = {}

    def every(tree):
        tree["evaluation"][ROLE] |= {"variations": KINDS, "means": {"ordering_mean": ["swap_words"]}}
        tree["systems"], tree["tables"]["methods"]["systems"] = {}, ["dr_oq", "rodr"]
        tree["figures"]["methods"]["systems"] = {"dr_oq": "DR_OQ", "rodr": "RoDR"}

    def claim(role, measure, **test):
        return lambda tree: tree.update(claims=[{**tree["claims"][0], "role": role, "measure": measure, "test": test}])

    shutil.rmtree(folder / "config/papers/toroder")
    edit(folder / "config/collections.yaml", collections)
    edit(folder / "config/scales/mini.yaml", scale)
    test = {"name": "not_worse", "system": "rodr", "than": "dr_oq", "query_sets": ["original"], "margin": 0.02}
    share = {"name": "share_of_gain", "system": "capot_nq", "snapshot": "capot_nq.at10", "base": "regular_nq"}
    share |= {
        "query_sets": ["typos_mean"],
        "by": {"table": "prose_training", "quantity": "share_of_gain_after_1_epoch"},
    }
    for paper, change, claims in (
        ("rodr", rodr, claim(ROLE, "RR@10", **test)),
        ("capot", capot, claim("natural-questions", "Success@20", **share)),
        ("all", every, claim(ROLE, "RR@10", **test)),
    ):
        edit(folder / f"config/papers/{paper}/experiment.yaml", change)
        edit(folder / f"config/papers/{paper}/claims.yaml", claims)


@pytest.fixture(scope="module")
def finished(shared_project):
    shrink(shared_project.folder)
    status, output = shared_project.snakemake()
    assert status == 0, output
    return shared_project


@pytest.fixture(scope="module")
def plan(finished):
    return Plan(load(finished.folder / "config"), "mini")


def test_the_table_holds_what_was_measured(finished, plan):
    cells = json.loads((finished.folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))["cells"]
    assert {cell["system"] for cell in cells} == {"dr_oq", "rodr"}
    assert not [cell["not_run"] for cell in cells if cell["not_run"]]
    keys = table_settings(plan, "rodr", "table2").keys
    for cell in cells:
        (path,) = (path for path in keys if f"/{cell['system']}/" in path)
        frame, key = read_measures(finished.folder / path)
        assert cell["keys"] == key == keys[path]
        if cell["query_set"] in KINDS:
            at = frame[(frame["query_set"] == f"dev.{cell['query_set']}") & (frame["measure"] == cell["measured"])]
            assert cell["reproduced"] == pytest.approx(at["value"].mean(), abs=1e-12)
            assert cell["queries"] == 25
    assert "**Miniature.**" in (finished.folder / TABLE).read_text(encoding="utf-8").splitlines()[2]


@pytest.mark.parametrize("system", ["dr_oq", "rodr"])
def test_every_query_set_has_its_own_run_and_measures(finished, plan, system):
    """A mix-up of files between two rules would show here: values are computed anew from each run."""
    folder = finished.folder / "results/mini"
    qrels = read_qrels(folder / "collections/wordnet-mini/dev/qrels.txt")
    frame, _ = read_measures(folder / f"measures/wordnet-mini/{system}/seed1.parquet")
    runs = folder / f"runs/wordnet-mini/{system}/seed1"
    for kind in ("original", *KINDS):
        run = runs / f"dev.{kind}.trec.gz"
        header = read_metadata(run)
        assert header["implementation"]["key"] == plan.run_key(system, 1, "wordnet-mini", "dev", kind)
        assert header["data"]["test_data"]["topics"] == ("queries.tsv" if kind == "original" else f"{kind}.tsv")
        for measure, expected in evaluate(qrels, read_run(run), ["RR@10", "R@100"]).items():
            rows = frame[(frame["query_set"] == f"dev.{kind}") & (frame["measure"] == measure)]
            assert dict(zip(rows["qid"], rows["value"], strict=True)) == pytest.approx(expected)


def test_training_used_what_the_recipe_says(finished):
    folder = finished.folder / "results/mini"
    lines = (folder / "training/wordnet-mini/rodr/seed1.jsonl").read_text(encoding="utf-8").splitlines()
    examples = [json.loads(line) for line in lines]
    assert len(examples) <= 64
    assert all(example["query"] != example["query_variation"] for example in examples)
    run = read_run(folder / "runs/wordnet-mini/dr_oq/seed1/train.original.trec.gz")
    for example in examples:
        mined = {docid for docid, _ in run[example["query_id"]]}
        assert {passage["docid"] for passage in example["negative_passages"]} <= mined
    log = (folder / "models/wordnet-mini/rodr/seed1/training.csv").read_text().splitlines()
    assert log[0] == "step,epoch,learning_rate,loss,nll,query_alignment,passage_alignment"
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
    once = dict.fromkeys(["train", "search", "evaluate", "figure", "page"], 1)
    assert jobs == {**once, "table": 2, "claims": 2}  # rodr's, and those of all methods


def test_the_weight_of_the_anchor_reruns_capot_and_what_shows_it(finished):
    """No passage is encoded anew, and no other system trained or searched with, though they share its first stage."""

    def capot(tree):
        tree["systems"]["capot_nq"]["loss"]["tau_anchor"] = 3.0

    jobs, made = reruns(finished, capot)
    assert jobs == {
        "train": 1,
        "search": 2,
        "evaluate": 2,
        "table": 1,
        "claims": 1,
        "page": 1,
    }  # at 10 % and in the end
    made = {path.removeprefix("results/mini/") for path in made}
    shown = {path for path in made if path.startswith(("tables/", "claims/", "report/"))}
    assert {path.partition(".")[0] for path in shown} == {"tables/capot_table18", "claims/capot", "report/index"}
    assert {path.split("/")[2] for path in made - shown} == {"capot_nq", "capot_nq.at10"}


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


def test_a_file_that_was_made_by_other_settings_is_refused(finished, plan):
    """Snakemake trusts a file that it did not make; the table does not."""
    folder = finished.folder
    measures = folder / "results/mini/measures/wordnet-mini/rodr/seed1.parquet"
    other = folder / "results/mini/measures/wordnet-mini/dr_oq/seed1.parquet"
    saved = {path: path.read_bytes() for path in folder.glob("results/mini/tables/*")}
    record, of_other = (path.with_name(f"{path.name}.sha256") for path in (measures, other))
    whole, recorded = measures.read_bytes(), record.read_bytes()
    measures.write_bytes(other.read_bytes())
    record.write_bytes(of_other.read_bytes())
    status, output = finished.snakemake("--forcerun", "table", "--rerun-triggers", "mtime", "--", TABLE)
    assert status == 0, output
    cells = json.loads((folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))["cells"]
    key = plan.measures_key("rodr", 1, "wordnet-mini")
    reasons = {cell["not_run"] for cell in cells if cell["system"] == "rodr"}
    assert len(reasons) == 1 and f"the configuration and code make {key}: stale" in reasons.pop()
    measures.write_bytes(whole)
    record.write_bytes(recorded)
    for path, content in saved.items():
        path.write_bytes(content)


def test_two_runs_from_scratch_give_the_same_bytes(finished):
    """RoDR's table, and CAPOT's measures: training with passages and on queries alone."""
    folder = finished.folder / "results/mini"
    folder.rename(folder.with_name("first"))
    status, output = finished.snakemake("results/mini/measures/wordnet-mini/capot_nq/seed1.parquet", TABLE)
    assert status == 0, output
    kinds = ("collections", "variations", "training", "models", "runs", "measures", "tables")
    made = [
        path for kind in kinds for path in (folder / kind).rglob("*") if path.is_file() and path.name != "cost.json"
    ]
    assert len(made) > 60
    first = folder.with_name("first")
    different = [path for path in made if path.read_bytes() != (first / path.relative_to(folder)).read_bytes()]
    assert not different
