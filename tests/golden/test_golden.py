"""Losses, rankers and encoders against golden vectors, which NumPy alone made; README.md names the tolerances."""

import json
import shutil
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from golden import make
from golden.make_rankers import wave
from robustdr import losses
from robustdr.core.files import sha256
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings
from robustdr.losses.batch import Batch
from robustdr.rankers.ranker import load

HERE = Path(__file__).parent
OF_LOSSES, OF_RANKERS, OF_ENCODERS = (
    json.loads((HERE / f"{name}.json").read_text()) for name in ("losses", "rankers", "encoders")
)
CASES = OF_LOSSES["cases"]


@pytest.mark.parametrize("name", make.FILES)
def test_the_files_are_what_the_scripts_make(name):
    def numbers(tree):
        if isinstance(tree, dict):
            return [number for key in sorted(tree) for number in numbers(tree[key])]
        if isinstance(tree, list):
            return [number for each in tree for number in numbers(each)]
        return [tree] if isinstance(tree, float | int) else []

    made, kept = (numbers(json.loads(text)) for text in (make.text(name), (HERE / name).read_text()))
    assert len(made) > 100
    np.testing.assert_allclose(made, kept, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("case", CASES, ids=[json.dumps(case["loss"]) for case in CASES])
def test_losses(case):
    names = {field.name for field in fields(Batch)}
    x = {name: torch.tensor(np.array(of)) for name, of in OF_LOSSES["inputs"].items() if name in names}
    for tensor in x.values():
        tensor.requires_grad_(tensor.is_floating_point())
    terms = losses.create(**case["loss"])(Batch(**x))
    assert {name: term.item() for name, term in terms.items()} == pytest.approx(case["terms"], rel=0, abs=1e-9)
    sum(terms.values()).backward()
    for name, tensor in x.items():
        found = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
        expected = case["gradients"].get(name, np.zeros(tensor.shape))
        np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=1e-6, err_msg=name)


def waved(module, without=(), prefix="model."):
    """The module with the weights of `wave`, in double precision."""
    module.double()
    for name, parameter in module.named_parameters():
        if name not in without:
            parameter.data = torch.tensor(wave(name.removeprefix(prefix), tuple(parameter.shape)))
    return module


@pytest.mark.parametrize("name", OF_RANKERS["words"])
def test_rankers_over_word_vectors(tmp_path, name):
    file = tmp_path / "vectors.vec"
    lines = (f"{word} {' '.join(map(str, vector))}\n" for word, vector in OF_RANKERS["vectors"].items())
    file.write_text(f"{len(OF_RANKERS['vectors'])} 3\n" + "".join(lines))
    source = {"path": str(file), "sha256": sha256(file)}
    settings = CheckpointSettings(name="words", description="", source=source, form="static", hashed=1)
    write_checkpoint(settings, tmp_path / "words")
    told = {"filters": 2} if name == "conv_knrm" else {}
    ranker = waved(load(name, tmp_path / "words", training=True, **told), ("kernels.mu", "kernels.sigma"))
    found = ranker(ranker.tokenise(list(map(tuple, OF_RANKERS["texts"])), 20, 20)).tolist()
    assert found == pytest.approx([score for (score,) in OF_RANKERS["words"][name]], rel=0, abs=1e-9)


@pytest.mark.parametrize("name", OF_RANKERS["transformers"])
def test_rankers_over_transformers(name, tiny_model, tiny_seq2seq):
    ranker = waved(load(name, tiny_seq2seq if name == "mono_t5" else tiny_model))
    pairs = [(first, second) for first, second in OF_RANKERS["tokens"]]
    if name == "epic":  # a passage begins with [CLS] too
        pairs = [(first, [first[0], *second]) for first, second in pairs]
    if name == "mono_t5":
        pairs = [([*first, *second],) for first, second in pairs]
    function = ranker.query_vectors if name == "intent_bert" else ranker
    with torch.inference_mode():
        found = function(pairs).numpy().reshape(len(pairs), -1)
    np.testing.assert_allclose(found, OF_RANKERS["transformers"][name], rtol=0, atol=1e-6)


@pytest.fixture(scope="module")
def with_a_head(tiny_transformer, tmp_path_factory):
    """A release with a linear layer and a norm, segments, and vectors of length 1; their weights do not matter."""
    folder = shutil.copytree(tiny_transformer, tmp_path_factory.mktemp("released") / "model")
    size = {"head.weight": (32, 32), "head.bias": (32,), "norm.weight": (32,), "norm.bias": (32,)}
    weights = load_file(folder / "model.safetensors") | {name: torch.ones(shape) for name, shape in size.items()}
    weights["head.weight"] = torch.eye(32)  # texts that have one vector are refused
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    told = {"head": ["head", "norm"], "segments": True, "unit": True, "pooling": "cls", "form": "retriever"}
    settings = CheckpointSettings(name="tiny", description="", source={"path": str(folder)}, **told)
    write_checkpoint(settings, folder.with_name("made"))
    return folder.with_name("made")


@pytest.mark.parametrize("name", OF_ENCODERS["vectors"])
def test_encoders(name, request):
    folder = {"retriever": "with_a_head", "character": "tiny_character"}.get(name, "tiny_model")
    encoder = Encoder(request.getfixturevalue(folder))
    waved(encoder.model, prefix="0.model.")
    if name == "retriever":  # what follows the transformer computes in single precision
        encoder.model[1:].float()
    elif name == "cls":
        encoder.pooling = "cls"
    characters = name == "character"
    tokens = encoder.tokenise(OF_ENCODERS["words"], 9) if characters else OF_ENCODERS["texts"]
    encoder.model.eval()
    with torch.inference_mode():
        found = encoder.embed(tokens).numpy()
    np.testing.assert_allclose(found, OF_ENCODERS["vectors"][name], rtol=0, atol=2e-6)
