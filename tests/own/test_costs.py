"""Costs of systems: times of queries with all loaded, and sums of parts."""

import json

import numpy as np
import pytest
from tests.encoding import shapes

from robustdr.collections.rows import rows_of, write_rows
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings
from robustdr.own import latency
from robustdr.own.models import KINDS
from robustdr.retrieval.settings import Index, LibrarySettings, RerankSettings, RewriteSettings, SearchSettings

QUERIES = ["what is a stone", "the river"] * 25


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    texts = ["a broad river", "the small stone", "music of a bird"]
    rows = [{"docid": f"d{n}", "title": "", "text": text} for n, text in enumerate(texts)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    write_rows(path, rows_of(path))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_library_runs_is_timed_and_its_index_is_scaled(tiny_transformer, corpus, tmp_path, kind):
    name = {"SparseEncoder": "SPLADE", "MultiVectorEncoder": "ColBERT"}[kind]
    source = {"path": str(shapes.write(name, tiny_transformer, tmp_path / "given"))}
    settings = CheckpointSettings(name="tiny", description="", source=source, form="whole")
    write_checkpoint(settings, tmp_path / "model")
    library = LibrarySettings(kind, 16, 16, 10, "float32", 1)
    times, size = latency.of_library(library, tmp_path / "model", corpus, 3, QUERIES)
    assert len(times["single"]) == 50 and min(times["single"]) > 0 and times["batched"] > 0
    _, doubled = latency.of_library(library, tmp_path / "model", corpus, 6, QUERIES[:2])
    assert size > 0 and doubled == 2 * size


def test_a_spell_checker_and_a_reranker_are_timed(cross, corpus):
    checked = latency.of_rewriter(RewriteSettings("symspell", 2, "", {}), corpus, QUERIES)
    assert len(checked["single"]) == 50 and min(checked["single"]) > 0
    settings = RerankSettings({"name": "mono_bert"}, 16, 16, 3, "float32", 1)
    reranked = latency.of_reranker(settings, cross[1], corpus, QUERIES)
    assert len(reranked["single"]) == 50 and min(reranked["single"]) > 0


def test_a_sample_is_even_and_repeats_few_queries():
    assert latency.sample([str(number) for number in range(500)])[:3] == ["0", "10", "20"]
    assert len(latency.sample(["a", "b"])) == latency.SAMPLE and {*latency.sample(["a", "b"])} == {"a", "b"}


def test_parts_are_added_query_by_query():
    """Medians of sums are no sums of medians: 1 + 5, 2 + 4 and 9 + 1."""
    whole = latency.total([{"single": [1, 2, 9], "batched": 0.5}, {"single": [5, 4, 1], "batched": 1.5}])
    assert whole == {"single": [6, 6, 10], "batched": 2.0}
    assert latency.summary(whole) == {"p50": 6.0, "p95": pytest.approx(9.6), "throughput": 500.0}


def test_a_query_alone_takes_longer_than_one_of_a_batch_and_loading_does_not_count(tiny_model, monkeypatch):
    settings = SearchSettings(16, 16, 10, Index("Flat", 1), 0, "float32", 1)
    loads = []
    monkeypatch.setattr(latency, "Encoder", lambda *a: loads.append(a) or Encoder(*a))
    times = latency.of_vectors(settings, tiny_model, 100, QUERIES)
    assert len(loads) == 1 and len(times["single"]) == 50 and min(times["single"]) > 0
    assert 0 < times["batched"] < np.median(times["single"])
