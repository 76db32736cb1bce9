"""What the command takes as a model."""

import hashlib
import json
import shutil
import time

import huggingface_hub
import pytest
from tests.encoding import shapes

from robustdr.core.errors import UserError
from robustdr.own import models

SPLADE = "sentence_transformers.sparse_encoder.modules.SpladePooling"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_directory(tiny_model):
    model = models.find(str(tiny_model))
    assert model.recipe == {"initial": "base", "query_length": 64, "passage_length": 64}
    assert model.checkpoint["source"] == {"path": str(tiny_model)} and model.folder == tiny_model


def test_what_is_said_replaces_what_the_directory_says(tiny_model):
    overrides = {"prompts": {"query": "q: "}, "separator": " / ", "similarity": "cosine"}
    model = models.find(str(tiny_model), {"query_length": 9, **overrides})
    assert (model.recipe["query_length"], model.recipe["passage_length"]) == (9, 64)
    assert model.checkpoint.items() >= overrides.items()
    assert model.encodes.sentence() == (
        "Transformer (BertModel), Pooling (mean); cosine similarity; prompts: query 'q: '; ' / ' between title and "
        "text; reads 9 tokens of a query and 64 tokens of a passage; float32 weights"
    )


SAYS = {"sparse": shapes.SPARSE, "late_interaction": [*shapes.LATE, *shapes.OLDER], None: shapes.DUAL}
ABOUT = "config_sentence_transformers.json"
REFUSED = {  # name -> (shape, file, changes of its JSON, what is said)
    "code of others": ("MiniLM", "config.json", {"auto_map": {"AutoModel": "mine.Model"}}, "auto_map: names code of"),
    "distances": ("TAS-B", ABOUT, {"similarity_fn_name": "manhattan"}, "'manhattan' does not rank like"),
    "sparse distances": ("SPLADE", ABOUT, {"similarity_fn_name": "euclidean"}, "'euclidean' does not rank like"),
    "no head for words": ("SPLADE", "config.json", {"architectures": ["BertModel"]}, "'BertModel' scores no words"),
    "words in a file": ("idf alone", "config.json", {"path": "idf.json"}, "path: 'idf.json' is not read"),
    "of no library": ("ColBERT", "modules.json", {1: {"type": "pylate.models.My"}}, "pylate.models.My is not read"),
    "PyLate's in another": ("GTR", "modules.json", {2: {"type": "pylate.models.Dense.Dense"}}, "Dense is not read"),
    "of sparse encoders": ("ColBERT", "modules.json", {2: {"type": SPLADE}}, "SpladePooling is not read; allowed: "),
    "an activation": ("two projections", "1_Dense/config.json", {"activation_function": "os.system"}, "'os.system'"),
    "an unknown type": ("SPLADE", ABOUT, {"model_type": "X"}, "the module .*SpladePooling is not read"),
    "routes": ("DPR", "router_config.json", {"structure": {}}, "the Router has the routes ; needed: query, document"),
}


def test_forty_shapes_are_taken_as_what_they_are_or_refused_by_name_in_a_second(tiny_transformer, tmp_path):
    """That their vectors are the library's is tested where they are encoded."""
    folders = {name: shapes.write(name, tiny_transformer, tmp_path / name) for names in SAYS.values() for name in names}
    for kind, names in SAYS.items():
        for name in names:
            start = time.process_time()
            assert models.find(str(folders[name])).recipe.get("kind") == kind and time.process_time() - start < 1
    for name, (shape, file, changes, says) in REFUSED.items():
        folder = shutil.copytree(folders[shape], tmp_path / "refused" / name)
        tree = json.loads((folder / file).read_text())
        for key, value in changes.items():
            tree[key] = tree[key] | value if isinstance(key, int) else value
        (folder / file).write_text(json.dumps(tree))
        start = time.process_time()
        with pytest.raises(UserError, match=says):
            models.find(str(folder))
        assert time.process_time() - start < 1
    assert len(folders) + len(REFUSED) > 40


def test_a_damaged_tokenizer_is_one_error(tiny_model, tmp_path):
    folder = shutil.copytree(tiny_model, tmp_path / "model")
    assert models.unknown_share(folder, ["a stone"]) <= 1
    half = (folder / "tokenizer.json").read_text()[:1000]
    (folder / "tokenizer.json").write_text(half)
    with pytest.raises(UserError, match=r"tokenizer\.json: no tokenizer there, or a damaged one \(EOF"):
        models.unknown_share(folder, ["a stone"])


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


@pytest.mark.parametrize(("folder", "label"), [("mine", "mine"), ("rodr/seed12", "rodr/seed12"), ("a/seeds", "seeds")])
def test_a_directory_has_its_name_and_one_of_a_seed_that_of_the_system_too(tiny_model, tmp_path, folder, label):
    shutil.copytree(tiny_model, tmp_path / folder)
    assert models.find(str(tmp_path / folder)).label == label


@pytest.mark.parametrize("name", ["me/mine", "me/mine@v2", f"me/mine@{COMMIT}"])
def test_of_the_hub_the_commit_is_pinned(cached, name):
    model = models.find(name)
    assert model.checkpoint["source"] == {"hub": "me/mine", "revision": COMMIT} and model.label == "me/mine"


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "1_Pooling/config.json"])
@pytest.mark.parametrize("linked", [True, False])
def test_a_model_of_the_hub_that_changed_after_it_was_fetched_is_refused(cached, name, linked):
    """The cache has links to blobs that are named by their digests, or copies where a file system has no links."""
    if linked:
        (cached / "blobs").mkdir()
        for file in [path for path in (cached / "snapshots").rglob("*") if path.is_file()]:
            data = file.read_bytes()
            large = file.suffix == ".safetensors"
            sha = hashlib.sha256(data) if large else hashlib.sha1(b"blob %d\0" % len(data) + data)
            file.rename(blob := cached / "blobs" / sha.hexdigest())
            file.symlink_to(blob)
    models.find("me/mine")
    file = cached / "snapshots" / COMMIT / name
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(UserError, match=rf"{name}.*(has sha256|its SHA-256 is)"):
        models.find("me/mine")


@pytest.mark.parametrize("name", ["me/other", "me/mine@v3"])
def test_what_the_hub_cannot_give_is_one_error(cached, name):
    with pytest.raises(
        UserError,
        match=rf"--model: {name} could not be fetched from the hub .*with the netw.*; there is no folder {name} here",
    ):
        models.find(name)


@pytest.mark.parametrize(("text", "share"), [("what is a stone", 0.0), ("हिन्दी भाषा का इतिहास", 1.0)])
def test_the_share_of_tokens_that_a_model_does_not_know(tiny_model, tmp_path, text, share):
    assert models.unknown_share(tiny_model, [text]) == share
    assert models.unknown_share(tmp_path, [text]) == 0.0
