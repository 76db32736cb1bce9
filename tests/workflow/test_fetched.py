"""Answers of a language model come by a job of their own, on the host: jobs that vary ask nobody."""

import threading
from pathlib import Path

import pytest
from tests.variations import chat_server

from robustdr.core.files import read_queries
from workflow.small import edit

QUERIES = Path("results/mini/collections/wordnet-candidates/test/queries.tsv")
FETCHED = Path("results/mini/fetched/wordnet-candidates/test/llm.json")
VARIED = Path("results/mini/variations/wordnet-candidates/test/llm.tsv")


@pytest.mark.slow
def test_a_language_model_is_asked_before_queries_are_varied(project):
    server = chat_server.Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def collections(tree):
        few = {name: {**split, "queries": 20} for name, split in tree["wordnet-candidates"]["splits"].items()}
        tree["wordnet-candidates"] |= {"passages": 300, "splits": few}

    def scale(tree):
        parameters = {"engine": "server", "base_url": server.url, "model": chat_server.SERVED, "cache": "llm.jsonl"}
        tree["variations"] = {"llm": {"parameters": parameters}}

    edit(project.folder / "config/collections.yaml", collections)
    edit(project.folder / "config/scales/mini.yaml", scale)
    status, output = project.snakemake(str(FETCHED))
    assert status == 0, output
    assert len(server.good) == 20 and not (project.folder / VARIED).exists()
    server.shutdown()
    server.server_close()
    status, output = project.snakemake(str(VARIED))
    assert status == 0, output
    queries, varied = (read_queries(project.folder / path) for path in (QUERIES, VARIED))
    assert {qid for qid in queries if queries[qid] in varied[qid]} == queries.keys() == varied.keys()
