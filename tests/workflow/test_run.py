"""The whole pipeline, run for real on a few hundred WordNet glosses."""

import gzip
import json

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
KINDS = ["extra_punctuation", "swap_words"]


def shrink(folder):
    """Let the configuration ask for two dense systems, two variations and one small collection."""

    def edit(name, change):
        path = folder / "config" / name
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
        change(tree)
        path.write_text(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), encoding="utf-8")

    def collection(tree):
        tree["wordnet-mini"] |= {"passages": 300, "splits": {"train": {"queries": 64}, "dev": {"queries": 25}}}

    def scale(tree):
        for budget in tree["budgets"].values():
            budget |= {"epochs": 2.0, "batch_size": 16}
        tree["retrieval"]["depth"] = 20

    def experiment(tree):
        role = "msmarco-passage"
        tree["evaluation"] = {role: {**tree["evaluation"][role], "variations": KINDS}}
        tree["systems"] = {name: tree["systems"][name] for name in ("bm25", "dr_oq", "rodr")}
        tree["systems"]["rodr"]["variations"] = ["swap_words"]
        table = tree["tables"]["table2"]
        table |= {
            "systems": ["dr_oq", "rodr"],
            "significance": {"against": {"rodr": "dr_oq"}, "level": 0.01, "mark": "†"},
        }
        tree["tables"], tree["figures"] = {"table2": table}, {}

    def claims(tree):
        test = {"name": "not_worse", "system": "rodr", "than": "dr_oq", "query_sets": ["original"]}
        tree["claims"] = [{**tree["claims"][0], "test": test}]

    edit("collections.yaml", collection)
    edit("scales/mini.yaml", scale)
    edit("papers/rodr/experiment.yaml", experiment)
    edit("papers/rodr/claims.yaml", claims)


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
    keys = table_settings(plan, "rodr", "table2")["keys"]
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


def test_w3_reruns_rodr_and_what_comes_after(finished):
    path = finished.folder / "config/papers/rodr/experiment.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("passage_alignment: 0.2", "passage_alignment: 0.3"), encoding="utf-8")
    jobs, _ = finished.plan(PAGE)
    path.write_text(text, encoding="utf-8")
    assert jobs.pop("embed", 1) == 1  # vectors may be kept or made while searching
    assert jobs == dict.fromkeys(["train", "search_wordnet-mini_dev", "evaluate", "table", "claims", "page"], 1)


def test_a_file_that_was_made_by_other_settings_is_refused(finished, plan):
    """Snakemake trusts a file that it did not make; the table does not."""
    folder = finished.folder
    measures = folder / "results/mini/measures/wordnet-mini/rodr/seed1.parquet"
    other = folder / "results/mini/measures/wordnet-mini/dr_oq/seed1.parquet"
    saved = {path: path.read_bytes() for path in folder.glob("results/mini/tables/*")}
    whole = measures.read_bytes()
    measures.write_bytes(other.read_bytes())
    status, output = finished.snakemake("--forcerun", "table", "--rerun-triggers", "mtime", "--", TABLE)
    assert status == 0, output
    cells = json.loads((folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))["cells"]
    key = plan.measures_key("rodr", 1, "wordnet-mini")
    reasons = {cell["not_run"] for cell in cells if cell["system"] == "rodr"}
    assert len(reasons) == 1 and f"the configuration and code make {key}: stale" in reasons.pop()
    measures.write_bytes(whole)
    for path, content in saved.items():
        path.write_bytes(content)


def test_two_runs_from_scratch_give_the_same_bytes(finished):
    folder = finished.folder / "results/mini"
    kinds = ("collections/**/*", "variations/**/*.tsv", "training/**/*", "models/**/*", "runs/**/*", "measures/**/*")
    made = [
        path for kind in (*kinds, "tables/*", "claims/*", "report/*") for path in folder.glob(kind) if path.is_file()
    ]
    once = {path.relative_to(folder): path.read_bytes() for path in made}
    assert len(once) > 40
    folder.rename(folder.with_name("first"))
    status, output = finished.snakemake()
    assert status == 0, output
    different = [str(name) for name, content in once.items() if (folder / name).read_bytes() != content]
    assert not different
    assert all(gzip.decompress(content) for name, content in once.items() if name.suffix == ".gz")
