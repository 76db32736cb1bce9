"""The job graph: it builds offline at every scale, and reruns what an edit reaches and nothing else."""

import os
import re
from collections import Counter

import pytest
from tests.planned import paths_behind
from tests.workflow.conftest import ROOT
from tests.workflow.small import edit

from robustdr.experiments.config import load
from robustdr.graph.graph import graph

W3 = "query_alignment: 1.0, passage_alignment: 0.2}     # §4.1"
TABLES = ["results/mini/tables/rodr_table2.md", "results/mini/tables/rodr_table4.md"]
# Groups of query sets behind Table 2: other papers need the original queries of both without these variations.
GROUPS = {"dr_oq": 2, "rodr": 2}


def test_the_miniature_builds(project):
    config = load(project.folder / "config")
    jobs, made = project.plan("--config", f"papers=[{','.join(config.papers)}]")
    assert jobs["report"] == 1 and jobs["claims"] == len(config.papers)
    assert jobs["table"] == sum(len(paper.tables) for paper in config.papers.values())
    assert jobs["figure"] == sum(len(paper.figures) for paper in config.papers.values())
    files = paths_behind(graph(config, "mini"), config.papers, "train")
    trained = {re.sub(r"\.at\d+/", "/", path) for path in files if "/costs/" not in path}
    assert jobs["train"] == jobs["training_data"] == len(trained)
    assert {"results/mini/report/index.html", "results/mini/claims/rodr.json"} <= made
    assert all(path.startswith(("results/mini/", "results/audit/")) for path in made)
    described = re.findall(
        r"^\| `(\w+)/`", (ROOT / "docs/reference/results.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {path.removeprefix("results/").removeprefix("mini/").split("/")[0] for path in made} <= set(described)


ROW = re.compile(r"^\| ([^|]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,–]+) \| ([\d–]+)", re.MULTILINE)


@pytest.mark.slow
def test_the_page_of_costs_counts_the_jobs_of_the_plan(project):
    """What full scale needs: its heading has the numbers of the table below it, and the table those of Snakemake."""
    page = (ROOT / "docs/explanation/cost.md").read_text(encoding="utf-8")
    rows = {
        label.strip(): numbers for label, *numbers in ROW.findall(page.partition("## Jobs")[2].partition("## GPU")[0])
    }
    papers = load(project.folder / "config").papers
    everything = next(label for label in rows if label.startswith("all six"))
    assert f"| jobs | {rows[everything][0]} | {rows['`results/tables/rodr_table2.md`'][0]} |" in page
    plans = {"`results/tables/rodr_table2.md`": ("papers=[rodr]", "results/tables/rodr_table2.md")}
    plans |= {
        label: (f"papers=[{label.partition(',')[0]}]", "all") for label in rows if label.partition(",")[0] in papers
    }
    plans[everything] = (f"papers=[{','.join(papers)}]", "all")
    assert len(plans) == len(papers) + 2
    for label, (selection, target) in plans.items():
        jobs, _ = project.plan("--config", "scale=full", selection, "--", target)
        counts = [jobs.total(), jobs["train"], jobs["embed"], jobs["vary"] + jobs["vary_shard"]]
        assert rows[label] == [f"{count:,}" if count else "–" for count in counts], label


def test_there_is_one_rule_for_each_stage(project):
    status, output = project.snakemake("--list-rules")
    rules = re.findall(r"^\w+$", output, re.MULTILINE)
    page = (ROOT / "docs/reference/rules.md").read_text(encoding="utf-8").partition("## ")[0]
    assert status == 0 and {*re.findall(r"`(\w+)`", page)} == {*rules} and len(rules) == len({*rules}) <= 40
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    for part in ("message", "log", "benchmark", "conda", "threads", "resources", "shell"):
        # A rule that uses another one has its own message, log and benchmark.
        heads = r"^(?:use )?rule " if part in ("message", "log", "benchmark") else "^rule "
        assert len(re.findall(rf"^    {part}:", text, re.MULTILINE)) == len(re.findall(heads, text, re.MULTILINE))


def test_a_table_of_full_scale_builds_without_a_network(project):
    jobs, made = project.plan("results/tables/rodr_table2.md")
    assert jobs["train"] == 4 * 3  # four systems, three seeds
    # Their authors varied the training queries in one file, and the dev queries in eight.
    assert jobs["vary"] == jobs["download_release"] == 1 + 8
    assert jobs["embed"] == 2 * 12  # two shards of twelve models' vectors
    assert jobs["evaluate"] == 3 * (1 + 1 + GROUPS["dr_oq"] + GROUPS["rodr"])
    assert "results/collections/msmarco-passage/corpus.jsonl" in made
    assert not any(path.startswith("results/mini/") for path in made)


def test_the_versions_of_a_query_come_from_one_job(project):
    train, dev = (f"results/mini/variations/wordnet-mini/{split}" for split in ("train", "dev"))
    jobs, _ = project.plan(f"{train}/llm.tsv", f"{dev}/llm.tsv")
    assert jobs["vary"] == 2
    status, output = project.snakemake("-n", f"{train}/llm.version1.tsv")
    assert status == 1 and output.endswith(f"ask for their record: {train}/llm.tsv.sha256\n")


def test_millions_of_queries_are_varied_in_shards(project):
    folder = "results/variations/orcas/train"
    jobs = project.jobs(f"{folder}/back_translation.tsv")
    varied = {job.outputs[-1] for job in jobs if job.rule == "vary_shard"}
    assert varied == {f"{folder}/back_translation/{shard}-of-21.tsv.sha256" for shard in range(21)}
    (gathered,) = (job for job in jobs if job.rule == "vary")
    assert varied < {*gathered.inputs}


def test_a_compressed_index_is_made_once_for_all_searches(project):
    def compress(tree):
        tree["retrieval"]["index"] = {"factory": "IVF4,Flat", "nprobe": 2}

    edit(project.folder / "config/scales/mini.yaml", compress)
    systems = ["regular_nq", "capot_nq"]  # their passage encoder is the same
    jobs = project.jobs(*(f"results/mini/runs/wordnet-nature/{name}/seed1/test.original.arrow" for name in systems))
    (index,) = (job for job in jobs if job.rule == "compress")
    assert index.inputs == ("results/mini/embeddings/wordnet-nature/regular_nq/seed1/0.npy.sha256",)
    searches = [job for job in jobs if job.rule == "retrieve" and job.outputs[0].split("/")[4] in systems]
    assert len(searches) == 2 and all(index.outputs[-1] in job.inputs for job in searches)
    assert not any("/embeddings/" in path for job in searches for path in job.inputs)


def test_the_passages_are_encoded_once_for_a_retriever_and_its_alignments(project):
    jobs = project.jobs(
        "results/mini/tables/capot_table18.md",
        "results/mini/measures/wordnet-nature/capot_nq.at10/seed1/test.original.parquet",
    )
    vectors = "results/mini/embeddings/wordnet-nature/regular_nq/seed1/0.npy"
    assert [job.outputs[0] for job in jobs if job.rule == "embed"] == [vectors]
    searched = {
        job.outputs[0].split("/")[4]: [path for path in job.inputs if "/embeddings/" in path]
        for job in jobs
        if job.rule in ("mine", "retrieve") and "/bm25/" not in job.outputs[0]
    }
    assert all(searched.pop(system) == [f"{vectors}.sha256"] for system in ("regular_nq", "capot_nq", "capot_nq.at10"))
    assert searched == {"pt_nq": [], "da_nq": []}  # these have passage encoders of their own
    assert "results/mini/collections/wordnet-log/corpus.jsonl" not in {path for job in jobs for path in job.outputs}


def test_capot_at_full_scale_is_bound_to_the_test_questions(project):
    jobs = project.jobs("results/tables/capot_table18.md")
    made = {path for job in jobs for path in job.outputs}
    assert {path.removeprefix("results/collections/") for path in made if path.endswith("/queries.tsv")} == {
        "natural-questions/train/queries.tsv",
        "natural-questions/test/queries.tsv",
        "orcas/train/queries.tsv",
    }
    full = graph(load(project.folder / "config"), "full")
    judged = {split: full.split_files(("natural-questions", split))[1:] for split in ("train", "test")}
    assert {split: [file.path.split("/")[-1] for file in files] for split, files in judged.items()} == {
        "train": ["qrels.txt", "answers.jsonl"],
        "test": ["answers.jsonl"],
    }
    assert not any("/bm25/" in path for path in made)  # DPR's own hard negatives
    for job in (job for job in jobs if job.rule == "evaluate"):
        assert {path for path in job.inputs if "/collections/" in path} == {
            "results/collections/natural-questions/test/queries.tsv.sha256",
            "results/collections/natural-questions/corpus.jsonl.sha256",
        }
        assert all("/test." in path for path in job.inputs if "/runs/" in path)


@pytest.mark.parametrize(
    "file, old, new, message",
    [
        (
            "config/papers/rodr/experiment.yaml",
            "{label: BM25, kind: bm25}",
            "{lable: BM25, kind: bm25}",
            "experiment.yaml:41: systems.bm25: key: 'lable' is unknown (did you mean label?); allowed: ",
        ),
        (
            "config/config.yaml",
            "scale: mini",
            "scale: minii",
            "config/config.yaml: scale: 'minii' is unknown (did you mean mini",
        ),
        ("config/config.yaml", "scale: mini", "scael: mini", "config/config.yaml:2: top level: key: 'scael'"),
    ],
)
def test_a_mistake_is_one_clear_line(project, file, old, new, message):
    path = project.folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    status, output = project.snakemake("-n")
    assert status != 0
    assert message in output.splitlines()[-1], output
    assert "Traceback" not in output
    assert not (project.folder / "results").exists()


@pytest.fixture(scope="module")
def finished(shared_project):
    """A project in which two tables are up to date: every file is there, and Snakemake knows what made it."""
    _, summary = shared_project.snakemake("--summary", *TABLES)
    for line in summary.splitlines():
        if line.startswith("results/"):
            path = shared_project.folder / line.split("\t")[0]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("made\n")
    status, output = shared_project.snakemake("--touch", "--forceall", *TABLES)
    assert status == 0, output
    return shared_project


@pytest.fixture()
def edited(finished):
    """`edited(file, old, new)`: what Snakemake would do for the two tables after this edit, which is then undone."""
    originals = {}

    def edit(file, old, new):
        path = finished.folder / file
        originals[path] = text = path.read_bytes()
        assert old.encode() in text
        path.write_bytes(text.replace(old.encode(), new.encode(), 1))
        return finished.plan(*TABLES)

    yield edit
    for path, text in originals.items():
        path.write_bytes(text)


def test_a_second_run_does_nothing(finished):
    assert finished.plan(*TABLES) == (Counter(), set())


def test_a_missing_file_of_a_folder_is_made_anew_where_it_is_needed(finished):
    """Nobody needs it while what was made of it is there; the record comes back with the file."""
    record = finished.folder / "results/mini/models/wordnet-mini/rodr/seed1.sha256"
    whole = record.read_text()
    weights = record.with_suffix("") / "model.safetensors"
    record.write_text(f"{'0' * 64}  seed1/model.safetensors\n")
    os.utime(record, (1, 1))
    assert finished.plan(*TABLES) == (Counter(), set()) and not record.exists()
    run = finished.folder / "results/mini/runs/wordnet-mini/rodr/seed1/dev.original.arrow"
    measures = finished.folder / "results/mini/measures/wordnet-mini/rodr/seed1/dev.original.parquet"
    gone = [*run.parent.glob("*"), *measures.parent.glob("*")]
    texts = {path: path.read_bytes() for path in gone}
    for path in gone:
        path.unlink()
    jobs, _ = finished.plan(*TABLES, "results/mini/measures/wordnet-mini/rodr/seed1/dev.original.parquet")
    assert jobs["train"] == 1
    weights.write_text("weights")
    jobs, _ = finished.plan(*TABLES, "results/mini/measures/wordnet-mini/rodr/seed1/dev.original.parquet")
    assert record.exists() and "train" not in jobs and jobs["retrieve"]
    weights.unlink()
    record.write_text(whole)
    for path, text in texts.items():
        path.write_bytes(text)


def test_w3_reruns_rodr_and_what_comes_after(edited):
    jobs, made = edited("config/papers/rodr/experiment.yaml", W3, W3.replace("0.2", "0.3"))
    groups = GROUPS["rodr"] + 1  # and those of a snapshot
    assert jobs == {"train": 1, "retrieve": groups, "evaluate": groups, "table": 2}
    tables = {path for path in made if "/tables/" in path}
    assert len(tables) == 2 * 5  # four files and a record
    assert all(re.search(r"/rodr(\.at\d+)?/seed1", path) for path in made - tables)


def test_the_code_of_a_loss_reruns_the_systems_that_it_trains(edited):
    jobs, made = edited("workflow/robustdr/losses/rodr.py", ": weights[name] * term", ": 1.0 * weights[name] * term")
    assert jobs["train"] == 1
    assert not [path for path in made if "/dr_" in path]


def test_a_comment_in_the_code_reruns_nothing(edited):
    jobs, _ = edited("workflow/robustdr/losses/rodr.py", "import asdict\n", "import asdict  # a comment\n")
    assert not jobs


def test_a_label_reruns_the_tables_that_show_it(edited):
    jobs, _ = edited("config/papers/rodr/experiment.yaml", "label: DR_QV", "label: DR-QV")
    assert jobs == {"table": 2}


def test_a_variation_of_another_paper_reruns_nothing(edited):
    jobs, _ = edited("config/papers/capot/experiment.yaml", "reorder_words, back", "reorder_words, swap_words, back")
    assert not jobs


def test_an_edit_of_another_scale_reruns_nothing(edited):
    jobs, _ = edited("config/scales/full.yaml", "learning_rate: 5.0e-6", "learning_rate: 6.0e-6")
    assert not jobs


def test_a_collection_reruns_what_reads_it_and_no_training(edited):
    jobs, made = edited("config/collections.yaml", "parts_of_speech: [verb, adj]", "parts_of_speech: [verb]")
    assert jobs["write_passages"] == jobs["check"] == 1
    assert "train" not in jobs
    assert "results/mini/tables/rodr_table4.md" in made and "results/mini/tables/rodr_table2.md" not in made
