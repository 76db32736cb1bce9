"""Existing runs as a system: read by score, refused where they are of another collection."""

import gzip
import json
from pathlib import Path

import pytest
from tests.changes import changed
from tests.recipes import with_systems

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.experiments.kinds import kind_named
from robustdr.graph.graph import graph
from robustdr.retrieval.existing import notes, rankings
from robustdr.retrieval.rank import write_runs
from robustdr.retrieval.runs import read_run
from robustdr.retrieval.settings import RunSettings

ROOT = Path(__file__).parents[2]
AT = ("wordnet-mini", "dev")
QUERIES = {"q1": "gold", "q2": "tree"}


@pytest.fixture()
def corpus(tmp_path):
    lines = [json.dumps({"docid": docid, "title": "", "text": docid}) for docid in ("d1", "d2", "d3")]
    (tmp_path / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return tmp_path / "corpus.jsonl"


def read_rankings(corpus, text, files=None, depth=2):
    path = corpus.with_name("run.trec")
    path.write_text(text)
    (ranking,) = rankings(RunSettings(depth), corpus, {"candidates": [path], **(files or {})}, [QUERIES])
    return ranking


def test_scores_decide_whatever_rank_is_stated(corpus):
    ranking = read_rankings(corpus, "q1 Q0 d1 1 0.5 engine\nq1 Q0 d3 2 2.5 engine\nq1 Q0 d2 3 0.5 engine\n")
    assert ranking == {"q1": [("d3", 2.5), ("d2", 0.5)], "q2": []}  # of ties, the later docid


def test_of_judged_candidates_all_are_kept(corpus):
    qrels = corpus.with_name("qrels.txt")
    qrels.write_text("q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 0\n")
    run = "".join(f"q1 Q0 d{number} {number} {-number} engine\n" for number in (1, 2, 3))
    assert [docid for docid, _ in read_rankings(corpus, run, {"judged": [qrels]})["q1"]] == ["d1", "d2", "d3"]


@pytest.mark.parametrize(
    "line, message",
    [
        ("q9 Q0 d1 1 0.5 engine", "the query 'q9' is not in its query set"),
        ("q1 Q0 d9 1 0.5 engine", "the passage 'd9' of query 'q1' is not in the collection"),
        ("q1 Q0 d1 1 0.5 engine\nq1 Q0 d1 2 0.4 engine", "query 'q1' has a passage twice"),
        ("q1 d1", "run.trec:1: not a TREC run"),
        ("q1 d1 much", "run.trec:1: not a TREC run"),
    ],
)
def test_runs_of_something_else_are_refused(corpus, line, message):
    with pytest.raises(UserError, match=message):
        read_rankings(corpus, f"{line}\n")


@pytest.fixture()
def config(tmp_path):
    """The configuration with the system `engine`, whose original queries have a run."""
    engine = {"label": "Engine", "kind": "existing", "runs": str(tmp_path / "runs")}
    folder = tmp_path / "runs" / AT[0]
    folder.mkdir(parents=True)
    (folder / "dev.original.trec.gz").write_bytes(gzip.compress(b"q1 Q0 d1 1 1 engine\n"))
    return with_systems(load(ROOT / "config"), "rodr", {"engine": engine})


def test_a_run_is_read_and_its_bytes_are_in_the_key(config, tmp_path):
    run = tmp_path / "runs" / AT[0] / "dev.original.trec.gz"
    ranking = graph(config, "mini").run("engine", 0, AT, "original")
    candidates = ranking.inputs["candidates"]
    assert candidates.paths == [str(run)] and not candidates.nodes  # no job makes it, so no record is waited for
    assert ["--candidates", str(run)] in ranking.options_told
    before = ranking.key
    run.write_bytes(gzip.compress(b"q1 Q0 d1 1 2 engine\n"))
    assert graph(config, "mini").run("engine", 0, AT, "original").key != before


def test_a_query_set_without_a_run_is_named(config):
    with pytest.raises(UserError, match=r"systems\.engine\.runs: .*/dev\.swap_words\.trec\.gz is missing"):
        graph(config, "mini").run("engine", 0, AT, "swap_words")


def test_a_folder_that_is_not_there(config):
    broken = changed(config, "systems", "engine", "runs", "nowhere")
    with pytest.raises(UserError, match=r"here\.runs: 'nowhere' is not a folder"):
        kind_named("existing").check(broken, "engine", "here")


def test_an_empty_run_is_refused_and_missing_queries_are_told(corpus):
    with pytest.raises(UserError, match=r"run\.trec: an empty run: it ranks no passage for any query"):
        read_rankings(corpus, "")
    path = corpus.with_name("run.trec")
    with pytest.raises(UserError, match=r"an empty run"):
        notes(path, QUERIES)
    path.write_text("q1 Q0 d1 1 0.5 engine\n")
    assert notes(path, QUERIES) == ["lacks 1 of 2 queries, which count 0"]


def test_the_passage_with_the_id_of_the_query_is_left_out_on_demand(corpus, tmp_path):
    (tmp_path / "queries.tsv").write_text("d1\tgold\nq2\ttree\n")
    (tmp_path / "own.trec").write_text("d1 Q0 d1 1 3 x\nd1 Q0 d2 2 2 x\nq2 Q0 d1 1 3 x\n")
    for ignored, expected in ((False, ["d1", "d2"]), (True, ["d2"])):
        files, run = {"candidates": [tmp_path / "own.trec"]}, tmp_path / "run.arrow"
        place = ("robustdr.retrieval.existing", '{"depth": 9}', "x", "own", corpus, files, [tmp_path / "queries.tsv"])
        write_runs(*place, [run], ignore_identical_ids=ignored)
        ranked = {qid: [docid for docid, _ in ranking] for qid, ranking in read_run(run).items()}
        assert ranked == {"d1": expected, "q2": ["d1"]}
