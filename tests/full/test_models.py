"""Every checkpoint and translator of full scale is read from the files of its release."""

import shutil

import numpy as np
import pytest
import torch
from tests.encoding.shapes import FORMS
from tests.full import hub, models
from tests.full.world import tree
from tests.workflow.conftest import ROOT

from robustdr.core.errors import UserError
from robustdr.core.hub import MODEL_FILES
from robustdr.encoding import loading
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.convert import convert
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings
from robustdr.variations.seq2seq import Seq2Seq

SCALE = tree(ROOT / "config/scales/full.yaml")
RELEASED = {name: entry for name, entry in SCALE["checkpoints"].items() if "hub" in entry.get("source", {})}
BY_HAND = {
    name: entry
    for name, entry in SCALE["checkpoints"].items()
    if entry.get("form") != "static" and entry.get("source", {}).get("path", "").startswith("data/models/")
}
TEXT = "what does the old river of peru sell in march"
TOKENIZERS = ("*.model", "*.spm", "vocab.*", "tokenizer*")


def fetched(name, folder):
    """A published model in `folder` / `published`, and a copy of what is fetched of it."""
    models.write_published(models.CHECKPOINTS[name], folder / "published" / name)
    for of, path in hub.fetched(folder / "published" / name, MODEL_FILES).items():
        (folder / "fetched" / of).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / "fetched" / of)
    return folder / "fetched"


def settings(name, source):
    return CheckpointSettings(**RELEASED[name] | {"name": name, "source": {"path": str(source)}})


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_checkpoint_is_written_with_its_words(name, tmp_path):
    write_checkpoint(settings(name, fetched(RELEASED[name]["source"]["hub"], tmp_path)), tmp_path / "made")
    assert {*FORMS[RELEASED[name].get("form", "encoder")]} <= {
        path.relative_to(tmp_path / "made").as_posix() for path in (tmp_path / "made").rglob("*")
    }
    tokenizer = loading.tokenizer(tmp_path / "made")
    assert tokenizer.decode(tokenizer(TEXT)["input_ids"], skip_special_tokens=True) == TEXT


@pytest.mark.parametrize("name", BY_HAND)
def test_a_checkpoint_that_was_fetched_by_hand_is_written_and_encodes(name, tmp_path):
    entry = {**BY_HAND[name], "name": name}
    for key in {"source", "queries"} & entry.keys():
        folder = entry[key]["path"].rpartition("/")[2]
        models.write_converted(folder, tmp_path / "published", tmp_path / folder)
        entry[key] = {"path": str(tmp_path / folder)}
        assert f"robustdr convert-weights data/released/{folder}" in entry["fetch"] or "$name" in entry["fetch"]
    write_checkpoint(CheckpointSettings(**entry), tmp_path / "made")
    vectors = Encoder(tmp_path / "made").encode([TEXT, "river"], 32)
    assert np.isfinite(vectors).all() and (vectors[0] != vectors[1]).any()


def test_the_t5_that_ranks_has_the_words_it_answers_with(tmp_path):
    write_checkpoint(settings("t5_msmarco", fetched("castorini/monot5-base-msmarco", tmp_path)), tmp_path / "made")
    tokenizer = loading.tokenizer(tmp_path / "made")
    assert tokenizer.unk_token_id not in tokenizer.convert_tokens_to_ids(["▁true", "▁false"])


def test_a_t5_without_spiece_model_is_refused(tmp_path):
    """transformers makes a tokenizer without words of such a folder, and says nothing."""
    source = fetched("castorini/monot5-base-msmarco", tmp_path)
    (source / "spiece.model").unlink()
    with pytest.raises(
        UserError, match=r"its tokenizer knows no word of .* are missing: tokenizer.json, .*spiece.model"
    ):
        write_checkpoint(settings("t5_msmarco", source), tmp_path / "made")


@pytest.mark.parametrize("name", models.GENERATORS)
def test_a_folder_that_was_fetched_by_hand_is_converted_and_rewords(name, tmp_path):
    models.write_published(models.FOLDERS[name], tmp_path / name)
    convert(tmp_path / name, tmp_path / "converted")
    kept = {path.name for path in (tmp_path / name).iterdir()} - {"pytorch_model.bin", ".gitattributes"}
    assert {path.name for path in (tmp_path / "converted").iterdir()} == {*kept, "model.safetensors"}
    languages = {"source": "en", "target": "de"} if name.startswith("m2m100") else {}
    model = Seq2Seq(tmp_path / "converted", "float64")
    (text,) = model.generate([TEXT], **languages, beams=2, longest=8)
    assert isinstance(text, str) and model._tokenizer(TEXT)["input_ids"].count(model._tokenizer.unk_token_id) == 0


@pytest.mark.parametrize("name", models.GENERATORS)
def test_a_folder_without_the_files_of_its_tokenizer_is_one_error(name, tmp_path):
    models.write_converted(name, tmp_path, tmp_path / "converted")
    for path in [path for pattern in TOKENIZERS for path in (tmp_path / "converted").glob(pattern)]:
        path.unlink()
    with pytest.raises(UserError, match="tokenizer"):
        Seq2Seq(tmp_path / "converted", "float64")


def test_weights_that_need_no_conversion_come_along(tmp_path):
    """Commands of `fetch` convert whatever was downloaded: a model may have been released anew."""
    source = fetched("google-bert/bert-base-uncased", tmp_path)
    convert(source, tmp_path / "made")
    assert (tmp_path / "made/model.safetensors").read_bytes() == (source / "model.safetensors").read_bytes()
    (source / "model.safetensors").unlink()
    with pytest.raises(UserError, match=r"has neither pytorch_model\.bin nor model\.safetensors"):
        convert(source, tmp_path / "again")


def test_folders_of_modules_come_along_and_weights_of_other_programs_do_not(tmp_path):
    folder = tmp_path / "folder"
    for name in ("1_Pooling/config.json", "config.json", "tf_model.h5", "flax_model.msgpack", "rust_model.ot"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    torch.save({"a": torch.zeros(2)}, folder / "pytorch_model.bin")
    convert(folder, tmp_path / "made")
    found = {path.relative_to(tmp_path / "made").as_posix() for path in (tmp_path / "made").rglob("*.*")}
    assert found == {"1_Pooling/config.json", "config.json", "model.safetensors"}
