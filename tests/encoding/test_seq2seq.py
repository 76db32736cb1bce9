"""Checkpoints of sequence-to-sequence models: a T5 is copied."""

import shutil

import pytest
import torch
from safetensors.torch import load_file
from tests.encoding.shapes import FORMS
from transformers import AutoTokenizer, T5ForConditionalGeneration

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.settings import CheckpointSettings


def settings(source, **others):
    return CheckpointSettings(name="tiny", description="", source={"path": str(source)}, form="seq2seq", **others)


def digests(folder):
    return {path.name: sha256(path) for path in folder.iterdir()}


def test_the_directory_is_one_of_transformers(tiny_seq2seq):
    assert sorted(path.name for path in tiny_seq2seq.iterdir()) == sorted(FORMS["seq2seq"])
    model = T5ForConditionalGeneration.from_pretrained(tiny_seq2seq, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(tiny_seq2seq, local_files_only=True)
    assert (tokenizer.eos_token, tokenizer.pad_token_id) == ("[SEP]", model.config.pad_token_id)
    assert model.config.decoder_start_token_id == tokenizer.cls_token_id


def test_the_same_checkpoint_twice_is_the_same_bytes(tiny_seq2seq, tmp_path):
    for name in ("one", "other"):
        write_checkpoint(settings(tiny_seq2seq), tmp_path / name)
    assert digests(tmp_path / "one") == digests(tmp_path / "other")


def test_a_t5_is_copied(tiny_seq2seq, tmp_path):
    write_checkpoint(settings(tiny_seq2seq), tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == sorted(FORMS["seq2seq"])
    one, other = (load_file(folder / "model.safetensors") for folder in (tiny_seq2seq, tmp_path / "copy"))
    assert one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
    assert "A T5 checkpoint as it is" in (tmp_path / "copy" / "README.md").read_text()


def test_a_t5_is_taken_whole(tiny_seq2seq):
    with pytest.raises(ValueError, match="layers"):
        settings(tiny_seq2seq, layers=[0])


def test_other_models_are_refused(tiny_transformer, tmp_path):
    with pytest.raises(UserError, match=r"checkpoint tiny: .* holds 'bert'; allowed: t5"):
        write_checkpoint(settings(tiny_transformer), tmp_path / "made")


def test_damaged_weights_are_refused(tiny_seq2seq, tmp_path):
    folder = shutil.copytree(tiny_seq2seq, tmp_path / "cut")
    (folder / "model.safetensors").write_bytes(b"")
    with pytest.raises(UserError, match=r"checkpoint tiny: .*/cut: no model there, or a damaged one"):
        write_checkpoint(settings(folder), tmp_path / "made")
