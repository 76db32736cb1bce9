"""Jobs of small data: the real stages behind BM25's measures, one after the other in one process."""

import shutil
import subprocess
import sys

import pytest
from safetensors.torch import load_file, save_file
from tests.planned import of_papers

from robustdr.core.benchmarks import costs
from robustdr.evaluation.measures import read_measures
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.graph.site import page
from robustdr.keys.integrity import is_current
from robustdr.own import experiment, jobs, models
from robustdr.own.experiment import HOUSE, NAME, Data, Split

KINDS = {"misspelling": ["typo", "misspell"]}
MAKES = """
import sys
from pathlib import Path
from robustdr.core.errors import exit_status
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.own import jobs
from robustdr.own.experiment import HOUSE, NAME

folder = Path(sys.argv[1])
made = graph(load(HOUSE / "config", folder / "config"), NAME)
measures = made.measures("own_bm25", 0, (NAME, "test"), "original")
raise SystemExit(exit_status(lambda: jobs.make(made, [measures], folder)))
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Two passages and two queries."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "corpus.tsv").write_text("d1\ta broad river\nd2\ta small mountain\n")
    (folder / "queries.tsv").write_text("q1\twhat is a river\nq2\twhere is a mountain\n")
    (folder / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    return Data(folder / "corpus.tsv", {"test": Split(folder / "queries.tsv", folder / "qrels.txt")}, "test")


@pytest.fixture(scope="module")
def folder(tmp_path_factory, tiny_model, data):
    """Of the report, with its configuration."""
    folder = tmp_path_factory.mktemp("report")
    experiment.write(folder / "config", [models.find(str(tiny_model))], data, KINDS, ["RR@10"])
    return folder


@pytest.fixture
def job_graph(folder):
    return graph(load(HOUSE / "config", folder / "config"), NAME)


def make(folder):
    """The exit status, and what is said."""
    done = subprocess.run([sys.executable, "-c", MAKES, str(folder)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr.splitlines()


def test_a_job_runs_once_and_after_the_jobs_of_all_that_it_reads(job_graph, folder, monkeypatch):
    monkeypatch.chdir(folder)
    planned = list(jobs.jobs(job_graph, [*of_papers(job_graph, [NAME]), page(job_graph, (NAME,))]))
    made_paths = set()
    for node in planned:
        assert {
            (input_node.whole or input_node).path for input_node in (*node.input_nodes, *node.after)
        } <= made_paths, node.path
        made_paths |= {(artifact.whole or artifact).path for artifact in jobs.artifacts(node)}
    assert len({node.log for node in planned}) == len(planned)
    assert sorted(node.subject for node in planned if node.stage == "rank") == [
        f"ranking of own, test, original by {system}, seed 0" for system in ("own", "own_bm25", "own_hybrid")
    ]
    assert planned[-1].path == "results/own/report/index.html"


def test_what_is_made_stays_and_what_another_file_makes_is_made_anew(folder, job_graph, data, monkeypatch):
    monkeypatch.chdir(folder)
    status, messages = make(folder)
    assert (status, messages[-1]) == (0, "10 of 10 jobs"), messages
    node = job_graph.measures("own_bm25", 0, (NAME, "test"), "original")
    measured = read_measures(folder / node.path)
    assert set(measured["query_set"]) == {"test.original", "test.typo", "test.misspell"}
    assert (measured[measured["query_set"] == "test.original"]["value"] == 1).all()
    assert jobs.is_done(node) and costs(folder / node.benchmark)["s"] > 0 and (folder / node.log).is_file()
    assert make(folder) == (0, [])
    data.corpus.write_text("d1\ta broad river\nd2\ta small mountain\nd3\tthe sea\n")
    status, messages = make(folder)
    assert (status, messages[-1]) == (0, "6 of 6 jobs"), messages


def test_another_model_in_the_same_folder_makes_anew_what_reads_its_tokenizer(folder, job_graph, tiny_model, data):
    assert make(folder)[0] == 0
    second_model = folder / "other"
    shutil.copytree(tiny_model, second_model)
    weights = load_file(second_model / "model.safetensors")
    save_file(
        {name: 2 * weight for name, weight in weights.items()}, second_model / "model.safetensors", {"format": "pt"}
    )
    for model in (second_model, tiny_model, second_model):
        experiment.write(folder / "config", [models.find(str(model))], data, KINDS, ["RR@10"])
        status, messages = make(folder)
        assert status == 0, messages
        assert is_current(folder / job_graph.query_set((NAME, "test"), "typo").path)
        assert make(folder) == (0, [])


def test_a_job_that_fails_is_named_with_its_log_and_made_again_by_the_next_run(folder, job_graph):
    measures, run = (
        job_graph.measures("own_bm25", 0, (NAME, "test"), "original"),
        job_graph.run("own_bm25", 0, (NAME, "test"), "typo"),
    )
    assert make(folder)[0] == 0
    (folder / measures.path).unlink()
    (folder / run.path).write_bytes(b"broken")
    status, messages = make(folder)
    assert status == 2 and messages[-1].startswith(f"robustdr: {folder / measures.log}: ")
    assert f"{run.path}: damaged: its sha256 is" in messages[-1] and not (folder / measures.path).exists()
    status, messages = make(folder)
    assert (status, messages[-1]) == (0, "2 of 2 jobs")
