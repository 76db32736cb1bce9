"""The encoder gives the vectors that sentence-transformers gives, whatever the order and the batches."""

import shutil

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

from robustdr.core import processor
from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.encoding import encoder as module
from robustdr.encoding import hardware
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings


@pytest.fixture(scope="module")
def texts(words):
    """Texts of 1 to 40 words, some of them unknown to the model."""
    rng = generator("texts")
    return [" ".join(rng.choices([*words, "photosynthesis", "42nd"], k=rng.randint(1, 40))) for _ in range(60)]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_vectors_equal_those_of_sentence_transformers(tiny_transformer, texts, tmp_path, pooling):
    source = {"path": str(tiny_transformer)}
    write_checkpoint(
        CheckpointSettings(name="tiny", description="", source=source, pooling=pooling), tmp_path / "model"
    )
    found = Encoder(tmp_path / "model").encode(texts, max_length=24, batch_tokens=300)
    reference = SentenceTransformer(str(tmp_path / "model"), device="cpu", local_files_only=True)
    reference.max_seq_length = 24
    assert found.dtype == np.float32
    assert np.abs(found - reference.encode(texts)).max() < 1e-4


def test_vectors_do_not_depend_on_order_or_batches(tiny_model, texts):
    encoder = Encoder(tiny_model)
    together = encoder.encode(texts, 32)
    one_by_one = np.concatenate([encoder.encode([text], 32) for text in texts])
    backwards = encoder.encode(texts[::-1], 32, batch_tokens=64)[::-1]
    assert np.abs(together - one_by_one).max() < 1e-5
    assert np.abs(together - backwards).max() < 1e-5


@pytest.mark.parametrize("cores", [2, 5])
def test_vectors_do_not_depend_on_the_cores_of_a_job(tiny_model, texts, cores):
    encoder, threads = Encoder(tiny_model), torch.get_num_threads()
    hardware.start(1)
    alone = encoder.encode(texts, 32, batch_tokens=100)
    with processor.job_cores(cores):
        together = encoder.encode(texts, 32, batch_tokens=100)
    hardware.start(threads)
    assert together.tobytes() == alone.tobytes()


def test_half_precision_turns_no_vector_away(tiny_model, texts):
    exact, found = (Encoder(tiny_model, precision).encode(texts, 32) for precision in ("float32", "bfloat16"))
    assert found.dtype == np.float32
    cosine = (found * exact).sum(1) / np.linalg.norm(found, axis=1) / np.linalg.norm(exact, axis=1)
    assert cosine.min() > 0.999


def test_a_model_in_training_keeps_its_weights_in_single_precision_and_computes_in_half(tiny_model, texts):
    encoder = Encoder(tiny_model, "bfloat16", training=True)
    assert {parameter.dtype for parameter in encoder.model.parameters()} == {torch.float32}
    exact, found = Encoder(tiny_model).encode(texts, 32), encoder.encode(texts, 32)
    assert 1e-4 < np.abs(found - exact).max() < 0.1


def test_texts_are_cut_at_max_length_with_the_last_token_in_place(tiny_model):
    encoder = Encoder(tiny_model)
    short, long = encoder.tokenise(["music", "water " * 50], max_length=8)
    tokens = encoder.tokenizer.convert_ids_to_tokens
    assert tokens(short) == ["[CLS]", "music", "[SEP]"]
    assert tokens(long) == ["[CLS]", *["water"] * 6, "[SEP]"]


def test_embed_lets_gradients_through_in_the_order_of_the_texts(tiny_model, monkeypatch):
    monkeypatch.setitem(module.GROUP_TOKENS, "cpu", 8)  # several groups
    encoder = Encoder(tiny_model)
    tokens = encoder.tokenise(["music", "the king of the river", "gold"], 32)
    vectors = encoder.embed(tokens)
    assert vectors.requires_grad
    with torch.no_grad():
        alone = [encoder.embed([ids])[0] for ids in tokens]
    assert torch.allclose(vectors, torch.stack(alone), atol=1e-5)


def test_a_directory_without_a_model(tmp_path):
    with pytest.raises(UserError, match=r"nothing: no model there, or a damaged one \(.*\); delete it and run again"):
        Encoder(tmp_path / "nothing")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json", "1_Pooling/config.json"])
def test_a_damaged_directory(tiny_model, tmp_path, name):
    path = shutil.copytree(tiny_model, tmp_path / "model") / name
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(UserError, match="no model there, or a damaged one") as caught:
        Encoder(tmp_path / "model")
    assert "\n" not in str(caught.value)
