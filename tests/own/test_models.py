"""What the command takes as a model."""

import shutil

import huggingface_hub
import pytest

from robustdr.core.errors import UserError
from robustdr.own import models

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_directory(tiny_model):
    model = models.find(str(tiny_model))
    assert model.recipe == {"initial": "base", "query_length": 64, "passage_length": 64}
    assert model.checkpoint["source"] == {"path": str(tiny_model)} and model.folder == tiny_model


def test_what_is_said_replaces_what_the_directory_says(tiny_model):
    how = {"prompts": {"query": "q: "}, "separator": " / ", "similarity": "cosine"}
    model = models.find(str(tiny_model), {"query_length": 9, **how})
    assert (model.recipe["query_length"], model.recipe["passage_length"]) == (9, 64)
    assert model.checkpoint.items() >= how.items()
    assert model.encodes.said() == (
        "Transformer (BertModel), Pooling (mean); cosine similarity; prompts: query 'q: '; ' / ' between title and "
        "text; reads 9 tokens of a query and 64 tokens of a passage; float32 weights"
    )


@pytest.mark.parametrize("name", ["nowhere", "./a/b/c", "a model/of mine"])
def test_neither_a_directory_nor_a_name_on_the_hub(name):
    with pytest.raises(
        UserError, match=f"--model: {name}: no such directory; allowed: a directory or a hub's <organisation>/<model>"
    ):
        models.find(name)


def test_a_directory_of_something_else(tmp_path):
    with pytest.raises(UserError, match=r"--model: .*: no model directory: it has no config.json"):
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
