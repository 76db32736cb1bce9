"""Checkpoints of sequence-to-sequence models: a T5 copied, a stand-in made from a BERT."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, T5ForConditionalGeneration

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.directory import FORMS
from robustdr.encoding.settings import CheckpointSettings


def settings(source, **others):
    return CheckpointSettings(
        name="tiny", description="Stand-in for T5", source={"path": str(source)}, form="seq2seq", **others
    )


def digests(folder):
    return {path.name: sha256(path) for path in folder.iterdir()}


def test_the_directory_is_one_of_transformers(tiny_seq2seq):
    assert sorted(path.name for path in tiny_seq2seq.iterdir()) == sorted(FORMS["seq2seq"])
    model = T5ForConditionalGeneration.from_pretrained(tiny_seq2seq, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(tiny_seq2seq, local_files_only=True)
    assert (tokenizer.eos_token, tokenizer.pad_token_id) == ("[SEP]", model.config.pad_token_id)
    assert model.config.decoder_start_token_id == tokenizer.cls_token_id
    card = (tiny_seq2seq / "README.md").read_text()
    assert "A stand-in for a T5" in card and "layers all of the BERT" in card


def test_the_matrices_of_a_stand_in_are_the_berts(tiny_transformer, tmp_path):
    write_checkpoint(settings(tiny_transformer, layers=[1, 0]), tmp_path / "made")
    bert, t5 = load_file(tiny_transformer / "model.safetensors"), load_file(tmp_path / "made" / "model.safetensors")
    inner = "attention.self.query.weight"
    for block, part, layer in [
        ("encoder.block.0.layer.0", "SelfAttention", 1),
        ("encoder.block.1.layer.0", "SelfAttention", 0),
        ("decoder.block.0.layer.0", "SelfAttention", 0),
        ("decoder.block.0.layer.1", "EncDecAttention", 0),
    ]:
        torch.testing.assert_close(t5[f"{block}.{part}.q.weight"] * 4, bert[f"encoder.layer.{layer}.{inner}"])  # √16
    assert torch.equal(
        t5["decoder.block.0.layer.2.DenseReluDense.wo.weight"], bert["encoder.layer.0.output.dense.weight"]
    )
    assert "decoder.block.1.layer.0.SelfAttention.q.weight" not in t5
    assert not t5["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"].any()


def test_embeddings_of_a_stand_in_are_normalised(tiny_transformer, tiny_seq2seq):
    bert, t5 = load_file(tiny_transformer / "model.safetensors"), load_file(tiny_seq2seq / "model.safetensors")
    added = bert["embeddings.token_type_embeddings.weight"][0] + bert["embeddings.position_embeddings.weight"].mean(0)
    row = (bert["embeddings.word_embeddings.weight"][7] + added).double().numpy()
    row = (row - row.mean()) / np.sqrt(row.var() + 1e-12)
    row = row * bert["embeddings.LayerNorm.weight"].numpy() + bert["embeddings.LayerNorm.bias"].numpy()
    np.testing.assert_allclose(t5["shared.weight"][7].numpy(), row, atol=1e-5)


def test_the_same_checkpoint_twice_is_the_same_bytes(tiny_transformer, tmp_path):
    for name in ("one", "other"):
        write_checkpoint(settings(tiny_transformer), tmp_path / name)
    assert digests(tmp_path / "one") == digests(tmp_path / "other")


def test_a_t5_is_copied(tiny_seq2seq, tmp_path):
    write_checkpoint(settings(tiny_seq2seq), tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == sorted(FORMS["seq2seq"])
    one, other = (load_file(folder / "model.safetensors") for folder in (tiny_seq2seq, tmp_path / "copy"))
    assert one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
    assert "A T5 checkpoint as it is" in (tmp_path / "copy" / "README.md").read_text()


def test_a_t5_is_taken_whole(tiny_seq2seq, tmp_path):
    with pytest.raises(UserError, match=r"checkpoint tiny: layers \[0\]; a T5 is taken whole"):
        write_checkpoint(settings(tiny_seq2seq, layers=[0]), tmp_path / "copy")
    assert not list(tmp_path.iterdir())


def test_layers_out_of_range(tiny_transformer, tmp_path):
    with pytest.raises(UserError, match=r"checkpoint tiny: layers \[0, 2\]; .* has 0\.\.1"):
        write_checkpoint(settings(tiny_transformer, layers=[0, 2]), tmp_path / "made")


def test_other_models_are_refused(tiny_transformer, tmp_path):
    folder = shutil.copytree(tiny_transformer, tmp_path / "other")
    config = json.loads((folder / "config.json").read_text()) | {"model_type": "gpt2"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match=r"checkpoint tiny: .*/other holds 'gpt2'; allowed: t5, bert"):
        write_checkpoint(settings(folder), tmp_path / "made")


@pytest.mark.parametrize("source", ["tiny_transformer", "tiny_seq2seq"])
def test_damaged_weights_are_refused(request, source, tmp_path):
    folder = shutil.copytree(request.getfixturevalue(source), tmp_path / "cut")
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match=r"checkpoint tiny: .*/cut holds no whole T5 or BERT"):
        write_checkpoint(settings(folder), tmp_path / "made")
