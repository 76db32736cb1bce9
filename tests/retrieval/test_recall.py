"""How much of an exact search a compressed index finds."""

import json

import pytest

from robustdr.collections.rows import rows_of, write_rows
from robustdr.core.files import write_queries
from robustdr.retrieval.compressed import write_index
from robustdr.retrieval.embeddings import write_embeddings
from robustdr.retrieval.recall import write_recall
from robustdr.retrieval.runs import write_run
from robustdr.retrieval.search import rankings
from robustdr.retrieval.settings import EmbedSettings, Index, SearchSettings

PASSAGES = 60


@pytest.fixture(scope="module")
def searched(tiny_model, words, tmp_path_factory):
    """`searched("IVF8,Flat", 2)`: a run of compressed indexes of two shards, and all that its recall is told."""
    folder = tmp_path_factory.mktemp("searched")
    corpus, queries = folder / "corpus.jsonl", folder / "queries.tsv"
    texts = [f"{words[n % 19]} {words[n * 7 % 17]} {words[n * 5 % 13]} {n}" for n in range(PASSAGES)]
    lines = [json.dumps({"docid": f"d{n}", "title": "", "text": text}) for n, text in enumerate(texts)]
    corpus.write_text("".join(f"{line}\n" for line in lines))
    write_rows(corpus, rows_of(corpus))
    asked = {f"q{n}": f"what is {word}" for n, word in enumerate(words[8:])}
    write_queries(queries, asked.items())
    shards = [folder / f"{shard}.npy" for shard in (0, 1)]
    for shard, path in enumerate(shards):
        write_embeddings(EmbedSettings(16, "float16", "float32", 1), tiny_model, corpus, PASSAGES, shard, 2, path)

    def search(factory, nprobe, keep=slice(None)):
        indexes = [path.with_suffix(".faiss") for path in shards]
        for path, index in zip(shards, indexes, strict=True):
            write_index(factory, path, index)
        settings = SearchSettings(16, 16, 20, Index(factory, nprobe), 2, "float32", 1)
        files = {"model": [tiny_model], "compressed": indexes, "vectors": shards}
        (found,) = rankings(settings, corpus, files, [asked])
        run, output = folder / "run.arrow", folder / "recall.json"
        write_run(run, {qid: found[qid][keep] for qid in asked}, {"tag": "tiny"})
        write_recall(settings, tiny_model, corpus, queries, shards, run, output)
        return json.loads(output.read_text())

    return search


def test_all_lists_hold_all_that_an_exact_search_finds(searched):
    said = searched("IVF2,Flat", 2)
    assert said == {"queries": 11, "recall": {"10": 1.0, "100": 1.0, "1000": 1.0}}


def test_what_a_run_lacks_is_counted_at_every_depth(searched):
    """Without its first two: 8 of the best 10, 18 of all 20."""
    recall = searched("IVF2,Flat", 2, slice(2, None))["recall"]
    assert recall == pytest.approx({"10": 0.8, "100": 0.9, "1000": 0.9})


def test_one_list_of_several_finds_less(searched):
    assert 0 < searched("IVF8,Flat", 1)["recall"]["100"] < 1
