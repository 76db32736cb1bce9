"""Initial checkpoints: where they come from, what is refused, what is written."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.core.settings import read_settings
from robustdr.encoding.checkpoint import locate, write_checkpoint
from robustdr.encoding.settings import CheckpointSettings


def settings(source, **others):
    return CheckpointSettings(name="tiny", description="", source=source, pooling="mean", **others)


def test_the_directory_is_one_of_sentence_transformers(tiny_model):
    assert [module["path"] for module in json.loads((tiny_model / "modules.json").read_text())] == ["", "1_Pooling"]
    model = SentenceTransformer(str(tiny_model), device="cpu", local_files_only=True)
    assert model.similarity_fn_name == "dot"
    assert model.encode(["what is the meaning of music"]).shape == (1, 32)


def test_the_same_checkpoint_twice_is_the_same_bytes(tiny_transformer, tiny_model, tmp_path):
    write_checkpoint(settings({"path": str(tiny_transformer)}), tmp_path / "again")
    made = {path.relative_to(tiny_model): sha256(path) for path in tiny_model.rglob("*") if path.is_file()}
    again = {p.relative_to(tmp_path / "again"): sha256(p) for p in (tmp_path / "again").rglob("*") if p.is_file()}
    assert again == made


def test_layers_are_kept_in_the_order_named(tiny_transformer, tmp_path):
    write_checkpoint(settings({"path": str(tiny_transformer)}, layers=[1]), tmp_path / "model")
    name = "attention.self.query.weight"
    whole, cut = load_file(tiny_transformer / "model.safetensors"), load_file(tmp_path / "model" / "model.safetensors")
    assert torch.equal(cut[f"encoder.layer.0.{name}"], whole[f"encoder.layer.1.{name}"])
    assert not any(key.startswith("encoder.layer.1.") for key in cut)
    assert json.loads((tmp_path / "model" / "config.json").read_text())["num_hidden_layers"] == 1


def test_random_weights_keep_the_shape_alone(tiny_transformer, tiny_model, tmp_path):
    for name in ("model", "again"):
        write_checkpoint(settings({"path": str(tiny_transformer)}, random_weights=True), tmp_path / name)
    source, drawn = load_file(tiny_model / "model.safetensors"), load_file(tmp_path / "model" / "model.safetensors")
    assert {name: weight.shape for name, weight in drawn.items()} == {
        name: weight.shape for name, weight in source.items()
    }
    word_vectors = "embeddings.word_embeddings.weight"
    assert torch.nn.functional.cosine_similarity(drawn[word_vectors], source[word_vectors]).abs().mean() < 0.5
    assert sha256(tmp_path / "model" / "model.safetensors") == sha256(tmp_path / "again" / "model.safetensors")
    assert "Weights: drawn anew." in (tmp_path / "model" / "README.md").read_text()


def test_layers_out_of_range(tiny_transformer, tmp_path):
    with pytest.raises(UserError, match=r"checkpoint tiny: layers \[0, 2\]; .* has 0\.\.1"):
        write_checkpoint(settings({"path": str(tiny_transformer)}, layers=[0, 2]), tmp_path / "model")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["encoder", "character"])
def test_an_encoder_without_a_pooling_is_refused(form):
    told = {"name": "tiny", "description": "", "source": {"path": "here"}, "form": form}
    with pytest.raises(UserError, match=f"CheckpointSettings: pooling: missing; the form '{form}' needs it"):
        read_settings(CheckpointSettings, json.dumps(told))


def test_the_pinned_weights_are_taken(tiny_transformer):
    pin = sha256(tiny_transformer / "model.safetensors")
    assert locate({"path": str(tiny_transformer), "sha256": pin}) == tiny_transformer


def test_other_weights_than_the_pinned_ones_are_refused(tiny_transformer):
    with pytest.raises(UserError, match=f"has sha256 [0-9a-f]{{64}}, the configuration pins {'0' * 64}"):
        locate({"path": str(tiny_transformer), "sha256": "0" * 64})


def test_weights_that_are_no_safetensors_are_refused(tiny_transformer, tmp_path):
    shutil.copytree(tiny_transformer, tmp_path / "pickled")
    (tmp_path / "pickled" / "model.safetensors").rename(tmp_path / "pickled" / "pytorch_model.bin")
    with pytest.raises(UserError, match=r"pickled has no model\.safetensors"):
        write_checkpoint(settings({"path": str(tmp_path / "pickled")}), tmp_path / "model")
    assert not (tmp_path / "model").exists()


# parts that a transformer with a pooling lacks


@pytest.fixture()
def more(tiny_transformer, tmp_path):
    """`more(modules, weights)`: a copy of the tiny transformer with these modules and further weights."""

    def make(modules: tuple[str, ...] = (), weights: tuple[str, ...] = (), without: tuple[str, ...] = ()):
        folder = shutil.copytree(tiny_transformer, tmp_path / "more")
        tensors = load_file(folder / "model.safetensors") | {name: torch.ones(32) for name in weights}
        tensors = {name: tensor for name, tensor in tensors.items() if name not in without}
        save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
        if modules:
            entries = [{"idx": number, "type": f"sentence_transformers.models.{m}"} for number, m in enumerate(modules)]
            (folder / "modules.json").write_text(json.dumps(entries))
        return {"path": str(folder)}

    return make


@pytest.mark.parametrize(
    "modules, weights, named",
    [
        (("Transformer", "Pooling", "Normalize"), (), "Normalize"),
        (("Transformer", "Pooling", "Dense", "Normalize"), (), "Dense, Normalize"),
        ((), ("embeddingHead.weight", "embeddingHead.bias", "norm.weight"), "embeddingHead, norm"),  # ANCE
        (("Transformer", "Pooling"), ("cls.predictions.bias",), "cls"),
        ((), ("bert.encoder.layer.2.output.dense.bias",), "encoder"),
    ],
)
def test_parts_that_would_be_lost_are_refused(more, tmp_path, modules, weights, named):
    source = more(modules, weights)
    with pytest.raises(UserError, match=rf"checkpoint tiny: .*/more is more than .*: {named}; these parts"):
        write_checkpoint(settings(source), tmp_path / "model")
    assert not (tmp_path / "model").exists()
    write_checkpoint(settings(source, drop=named.split(", ")), tmp_path / "model")
    assert f"Left out: {named.split(', ')}." in (tmp_path / "model" / "README.md").read_text()


def test_only_the_named_parts_are_left_out(more, tmp_path):
    source = more(("Transformer", "Pooling", "Dense", "Normalize"))
    with pytest.raises(UserError, match="with a pooling: Dense; "):
        write_checkpoint(settings(source, drop=["Normalize"]), tmp_path / "model")


def test_a_part_that_is_not_there_cannot_be_left_out(more, tmp_path):
    with pytest.raises(UserError, match=r"checkpoint tiny: drop: 'norm' is unknown; allowed: Normalize"):
        write_checkpoint(settings(more(("Normalize",)), drop=["norm"]), tmp_path / "model")


def test_a_transformer_without_all_of_its_weights_is_refused(more, tmp_path):
    name = "encoder.layer.1.output.dense.bias"
    with pytest.raises(UserError, match=rf"more lacks weights of its transformer: {name}"):
        write_checkpoint(settings(more(without=(name,))), tmp_path / "model")


def test_two_encoders_are_refused(tiny_transformer, tmp_path):
    folder = shutil.copytree(tiny_transformer, tmp_path / "router")
    (folder / "router_config.json").write_text("{}")
    with pytest.raises(UserError, match="router has an encoder for queries and one for passages"):
        locate({"path": str(folder)})


def test_missing_package():
    with pytest.raises(UserError, match="package 'no_such_model' is not installed; run: pip install no-such-model"):
        locate({"package": "no_such_model"})


def test_the_hub_is_not_asked_offline():
    with pytest.raises(UserError, match=r"google-bert/bert-base-uncased@0{40} could not be fetched .* `path:`"):
        locate({"hub": "google-bert/bert-base-uncased", "revision": "0" * 40})
