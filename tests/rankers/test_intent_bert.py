"""intent's reranker: monoBERT's scores, and vectors of queries from one more layer."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from rankers.checks import PAIRS, pairs_do_not_see_each_other, scores
from robustdr.core.errors import UserError
from robustdr.rankers import RANKERS
from robustdr.rankers.ranker import load, saved


@pytest.fixture(scope="module")
def folder(tiny_model, tmp_path_factory):
    directory = tmp_path_factory.mktemp("saved") / "ranker"
    directory.mkdir()
    load("intent_bert", tiny_model, seed=1, reads="query").save(directory)
    return directory


def vectors(ranker, pairs=PAIRS):
    with torch.inference_mode():
        return ranker.represent(pairs, 8, 20)


def test_scores_are_those_of_mono_bert(folder, tmp_path):
    """Its directory, but for the layer, is monoBERT's."""
    for name in ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    ranker = load("intent_bert", folder)
    assert torch.equal(scores(ranker), scores(load("mono_bert", tmp_path)))
    pairs_do_not_see_each_other(ranker)


def test_it_is_a_cross_encoder_of_sentence_transformers(folder):
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(folder), device="cpu", local_files_only=True)
    np.testing.assert_allclose(model.predict(PAIRS), scores(load("intent_bert", folder), lengths=(8, 40)), atol=1e-5)


def test_saves_and_loads(folder, tmp_path):
    assert sorted(path.name for path in folder.iterdir()) == sorted(RANKERS.facts("intent_bert").files)
    assert saved(folder) == {"ranker": "intent_bert", "settings": {"reads": "query"}}
    again = load("intent_bert", folder, seed=5)
    assert torch.equal(vectors(again), vectors(load("intent_bert", folder, seed=6)))
    again.save(tmp_path)
    for name in RANKERS.facts("intent_bert").files:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_the_layer_is_drawn_by_the_seed(tiny_model):
    drawn = [vectors(load("intent_bert", tiny_model, seed=seed)) for seed in (1, 1, 2)]
    assert torch.equal(drawn[0], drawn[1]) and not torch.allclose(drawn[0], drawn[2])


@pytest.mark.parametrize("reads", ["pair", "query"])
def test_what_a_vector_is_made_of(folder, reads):
    """The third pair has the first one's query and another passage."""
    assert RANKERS.facts("intent_bert").represents
    ranker = load("intent_bert", folder, reads=reads)
    computed = vectors(ranker)
    assert computed.shape == (len(PAIRS), 32) and not torch.allclose(computed[0], computed[1])
    assert torch.allclose(computed[0], computed[2], atol=1e-6) == (reads == "query")
    single_vectors = torch.cat([vectors(ranker, [pair]) for pair in PAIRS])
    torch.testing.assert_close(single_vectors, computed, atol=1e-5, rtol=0)


def test_dropout_reaches_the_layer_and_is_seeded(folder):
    ranker = load("intent_bert", folder, training=True)

    def drawn(seed):
        return ranker.represent(PAIRS, 8, 20, seed=seed)

    ranker.drop_out(0.0)
    assert torch.equal(drawn(1), drawn(2))
    ranker.query_layer.self_attn.dropout = 0.3
    assert not torch.allclose(drawn(1), drawn(2))
    ranker.drop_out(0.0)
    assert torch.equal(drawn(1), drawn(2))
    ranker.drop_out(0.3)
    assert torch.equal(drawn(1), drawn(1)) and not torch.allclose(drawn(1), drawn(2))
    assert ranker.query_layer.self_attn.dropout == 0.3


def test_a_damaged_layer_is_refused(folder, tmp_path):
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    path = tmp_path / "query_layer.safetensors"
    path.write_bytes(b"no tensors")
    with pytest.raises(UserError, match=r"query_layer\.safetensors: not this model's layer .*; train the ranker again"):
        load("intent_bert", tmp_path)
    save_file({"norm1.weight": load_file(folder / path.name)["norm1.weight"]}, path)
    with pytest.raises(UserError, match=r"query_layer\.safetensors: not this model's layer"):
        load("intent_bert", tmp_path)
