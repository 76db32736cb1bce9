"""What the command takes as a model."""

import shutil

import huggingface_hub
import pytest

from robustdr.core.errors import UserError
from robustdr.own import models

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_directory(tiny_model):
    model = models.find(str(tiny_model))
    length = models.length(tiny_model)
    assert model.recipe == {"initial": "base", "query_length": length, "passage_length": length}
    assert model.checkpoint["source"] == {"path": str(tiny_model)} and model.folder == tiny_model


def test_of_other_lengths_those_that_are_given_count(tiny_model):
    recipe = models.find(str(tiny_model), {"query_length": 9, "passage_length": None}).recipe
    assert (recipe["query_length"], recipe["passage_length"]) == (9, models.length(tiny_model))


def test_a_directory_says_how_long_a_text_may_be(tiny_model, tmp_path):
    shutil.copy(tiny_model / "config.json", tmp_path)  # without what sentence-transformers says: positions
    assert models.length(tmp_path) == 64
    (tmp_path / "config.json").unlink()
    with pytest.raises(UserError, match=r"neither sentence_bert_config.json nor config.json"):
        models.length(tmp_path)


@pytest.mark.parametrize("name", ["nowhere", "./a/b/c", "a model/of mine"])
def test_neither_a_directory_nor_a_name_on_the_hub(name):
    with pytest.raises(
        UserError, match=f"--model: {name}: no such directory; allowed: a directory or a hub's <organisation>/<model>"
    ):
        models.find(name)


def test_a_directory_of_something_else(tmp_path):
    with pytest.raises(UserError, match=r"no modules.json; allowed: a directory that sentence-transformers saved"):
        models.find(str(tmp_path))


@pytest.fixture()
def cached(tiny_model, tmp_path, monkeypatch):
    """The hub's cache as its library writes it, with the tiny model behind the default branch and the branch `v2`."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--me--mine"
    shutil.copytree(tiny_model, folder / "snapshots" / COMMIT)
    (folder / "refs").mkdir()
    for name in ("main", "v2"):
        (folder / "refs" / name).write_text(COMMIT)
    return folder


@pytest.mark.parametrize("name", ["me/mine", "me/mine@v2", f"me/mine@{COMMIT}"])
def test_of_the_hub_the_commit_is_pinned(cached, name):
    model = models.find(name)
    assert model.checkpoint["source"] == {"hub": "me/mine", "revision": COMMIT} and model.label == "me/mine"


@pytest.mark.parametrize("name", ["me/other", "me/mine@v3"])
def test_what_the_hub_cannot_give_is_one_error(cached, name):
    with pytest.raises(
        UserError, match=rf"--model: {name} could not be fetched from the hub .*run again with the netw"
    ):
        models.find(name)
