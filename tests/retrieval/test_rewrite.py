"""A rewriter in front of a system: corrected by the collection's own words, ranked as the system ranks."""

import json
from dataclasses import asdict

import pytest

from robustdr.core.errors import UserError
from robustdr.core.settings import as_json
from robustdr.retrieval.bm25_index import write_index
from robustdr.retrieval.rank import write_runs
from robustdr.retrieval.rewrite import symspell
from robustdr.retrieval.runs import read_run
from robustdr.retrieval.settings import BM25Settings, RewriteSettings

BM25 = BM25Settings(k1=0.9, b=0.4, stopwords=None, stemmer=None, depth=10)
SETTINGS = RewriteSettings("symspell", 2, "robustdr.retrieval.bm25", asdict(BM25))
CORPUS = {"d1": "a river flows", "d2": "the riven oak and the river", "d3": "stone stone house", "d4": "stove"}


@pytest.fixture()
def corpus(tmp_path):
    with open(tmp_path / "corpus.jsonl", "w") as file:
        for docid, text in CORPUS.items():
            file.write(json.dumps({"docid": docid, "title": "", "text": text}) + "\n")
    write_index(BM25.index, tmp_path / "corpus.jsonl", tmp_path / "index")
    return tmp_path / "corpus.jsonl"


@pytest.mark.parametrize(
    "query, corrected",
    [
        ("the rivr", "the river"),  # river and riven are one edit away; river is in two passages
        ("What is a STOME?", "what is a stone?"),  # stone twice, stove once; `what` and `is` have no neighbour
        ("riven oka", "riven oak"),  # a word that passages have stays, whatever lies near it
        ("qwertz", "qwertz"),
        ("", ""),
    ],
)
def test_unknown_words_become_the_nearest_known_ones(corpus, query, corrected):
    assert symspell(SETTINGS, corpus)(query) == corrected


def test_the_system_ranks_what_was_rewritten(corpus, tmp_path):
    (tmp_path / "typos.tsv").write_text("q1\tthe rivr\nq2\tstome huose\n")
    (tmp_path / "right.tsv").write_text("q1\tthe river\nq2\tstone house\n")
    runs = {}
    for name, ranks, settings in (("typos", "rewrite", SETTINGS), ("right", "bm25", BM25)):
        read = corpus, {"index": [tmp_path / "index"]}
        files = *read, [tmp_path / f"{name}.tsv"], [tmp_path / f"{name}.trec.gz"]
        write_runs(f"robustdr.retrieval.{ranks}", as_json(settings), "tag", "toy", *files)
        runs[name] = read_run(tmp_path / f"{name}.trec.gz")
    assert runs["typos"] == runs["right"] and runs["right"]["q2"][0][0] == "d3"


def test_queries_that_a_spell_checker_corrected_are_ranked_as_they_were_released(corpus, tmp_path):
    """In the format and under the names of the release; the rewriter of the settings is not asked."""
    (tmp_path / "typos.tsv").write_text("q1\tthe rivr\nq2\tstome huose\n")
    (tmp_path / "queries.dev.small.typo1.ms.tsv").write_text("q2\tstove\nq1\tthe river\n")
    files = {"index": [tmp_path / "index"], "corrected": [tmp_path / "queries.dev.small.typo1.ms.tsv"]}
    ask = "robustdr.retrieval.rewrite", as_json(SETTINGS), "tag", "toy", corpus, files, [tmp_path / "typos.tsv"]
    write_runs(*ask, [tmp_path / "run.trec.gz"])
    assert [docid for docid, _ in read_run(tmp_path / "run.trec.gz")["q2"]] == ["d4"]
    (tmp_path / "queries.dev.small.typo1.ms.tsv").write_text("q1\tthe river\n")
    with pytest.raises(UserError, match=r"typo1\.ms\.tsv: query 'q2' is missing in the file"):
        write_runs(*ask, [tmp_path / "run.trec.gz"])
