"""Folders that name code, pickles or other folders: refused wherever a model or a tokenizer is loaded."""

import io
import json
import shutil
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Router, Transformer
from tests.encoding import shapes
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from robustdr.core.errors import UserError
from robustdr.encoding import loading, loading_modules
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.convert import convert
from robustdr.encoding.description import model_type
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.library import Library
from robustdr.encoding.settings import CheckpointSettings
from robustdr.own.rerank import library_scores
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.rankers.ranker import load
from robustdr.variations import seq2seq
from robustdr.variations.similarity import Similarity

PAIRS = [("a river", "the sea"), ("gold", "a stone house")]
CODE = """
from pathlib import Path
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
Path({ran!r}).touch()
class MyConfig(BertConfig): model_type = "mine"
class MyModel(BertModel): config_class = MyConfig
class MyTokenizer(PreTrainedTokenizerFast): pass
"""
MINE = {"AutoConfig": "code.MyConfig", "AutoModel": "code.MyModel"}


def written(folder, **about):
    source = {"path": str(folder)}
    write_checkpoint(CheckpointSettings(name="tiny", description="", source=source, **about), folder.parent / "written")


# Wherever a dual encoder's folder is read: what reads it.
READERS = {
    "checkpoint": lambda folder: written(folder, pooling="mean"),
    "whole checkpoint": lambda folder: written(folder, form="whole"),
    "character checkpoint": lambda folder: written(folder, pooling="mean", form="character", fitted=100, filters=[9]),
    "released characters": lambda folder: written(folder, pooling="mean", form="character"),
    "T5 checkpoint": lambda folder: written(folder, form="seq2seq"),
    "encoder": Encoder,
    "vocabulary": Vocabulary,
    "ranker": lambda folder: load("mono_bert", folder),
    "rerank": lambda folder: library_scores(folder, PAIRS),
    "similarity": lambda folder: Similarity(folder)(["a river"]),
    "seq2seq": lambda folder: seq2seq.Seq2Seq(folder, "float32"),
}

# name -> a file, what it says besides, and the refusal.
ATTACKS = {
    "a class of the folder": (
        "config.json", {"model_type": "mine", "auto_map": MINE}, "auto_map: .* MyConfig, MyModel; allowed: classes"
    ),
    "an architecture of the folder": (
        "config.json", {"architectures": ["MyModel"], "auto_map": {}}, "auto_map: .* MyModel; allowed: classes of"
    ),
    "another model that calls itself a BERT": (
        "config.json", {"architectures": ["BertModel"], "auto_map": MINE}, "auto_map: .* MyConfig, MyModel; allowed"
    ),
    "a class of a part": (
        "config.json", {"text_config": {"auto_map": {"AutoModelForX": "code.MyModel"}}}, "auto_map: names code of"
    ),
    "a tokenizer of the folder": (
        "tokenizer_config.json",
        {"tokenizer_class": "MyTokenizer", "auto_map": {"AutoTokenizer": ["code.MyTokenizer", None]}},
        "auto_map: .* MyTokenizer; allowed: classes of transformers",
    ),
    "a processor of the folder": (
        "processor_config.json", {"auto_map": {"AutoProcessor": "code.MyTokenizer"}}, "auto_map: .* allowed: classes"
    ),
    "a function as activation": (
        "config.json", {"hidden_act": "torch.utils.collect_env.main"}, "hidden_act: 'torch.*main' is refused; allowed"
    ),
    "a nested activation": (
        "config.json", {"text_config": {"activation_function": "os.abort"}}, "activation_function: 'os.abort' is"
    ),
    "a kernel of a hub": ("config.json", {"attn_implementation": "any/kernel"}, "attn_implementation: .* is refused"),
    "a kernel of a part": (
        "config.json", {"_attn_implementation": {"": "sdpa", "text_config": "any/kernel"}}, "_attn_.* is refused"
    ),
    "an adapter": ("adapter_config.json", {"base_model_name_or_path": "any/base"}, "adapters are not read; allowed"),
    "other configurations": ("config.json", {"configuration_files": ["config.1.0.json"]}, "configuration_files: .*not"),
    "other weights": ("config.json", {"transformers_weights": "b.safetensors"}, "transformers_weights: .*not"),
    "more layers than memory": ("config.json", {"num_hidden_layers": 10**7}, "num_hidden_layers: 10,000,000: not supp"),
    "weights of packages": ("config.json", {"quantization_config": {"quant_method": "a"}}, "quantization_.*not"),
    "a pickle among the shards": (
        "model.safetensors.index.json", {"weight_map": {"a": "pytorch_model.bin"}}, "weight_map: .*bin' is refused"
    ),
    "shards elsewhere": (
        "model.safetensors.index.json", {"weight_map": {"a": "../b.safetensors"}}, "weight_map: .* is refused; allowed"
    ),
}  # fmt: skip

# What sentence-transformers alone reads.
LIBRARY = ("whole checkpoint", "rerank", "similarity")
SETTINGS = "sentence_bert_config.json"
LIBRARY_ATTACKS = {
    "a module of the folder": ([{"name": "0", "path": "", "type": "code.MyModel"}], "code.MyModel is not read"),
    "a module that makes others": (
        [{"name": "0", "path": "", "type": "sentence_transformers.sentence_transformer.modules.WordEmbeddings"}],
        "WordEmbeddings is not read; allowed: Transformer",
    ),
    "many modules": ([{"path": "", "type": "sentence_transformers.Pooling"}] * 10**5, "100,000 modules; allowed: up"),
    "another tokenizer": ({"tokenizer_name_or_path": "/tmp"}, "tokenizer_name_or_path: not supported"),
    "arguments of the model": ({"model_kwargs": {"gguf_file": "a"}}, "model_kwargs: 'gguf_file' is refused; allowed"),
    "old names of arguments": ({"config_args": {"hidden_act": "os.abort"}}, "config_args: 'hidden_act' is refused"),
}  # fmt: skip


def change(file, says):
    told = json.loads(file.read_text()) if file.is_file() else {}
    file.write_text(json.dumps(says if isinstance(says, list) else told | says))


@pytest.fixture()
def folder(tiny_model, tmp_path, monkeypatch):
    """A dual encoder's folder with code of its own; whoever asks whether to run it is told `yes`."""
    copy = shutil.copytree(tiny_model, tmp_path / "model")
    (copy / "code.py").write_text(CODE.format(ran=str(tmp_path / "ran")))
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n" * 9))
    return copy


def refused(read, folder, match):
    with pytest.raises(UserError, match=match) as caught:
        read(folder)
    assert str(folder) in str(caught.value) and "\n" not in str(caught.value)
    assert not (folder.parent / "ran").exists() and not (folder.parent / "written").exists()
    assert sys.stdin.read() == "yes\n" * 9  # nobody asked


@pytest.mark.parametrize(
    ("reader", "attack"),
    [
        (reader, attack)
        for reader in READERS
        for attack, (file, *_) in ATTACKS.items()
        if reader not in ("vocabulary", "T5 checkpoint") or "index" not in file  # they read no shards
    ],
)
def test_what_names_code_or_other_files_is_refused_everywhere(folder, reader, attack):
    file, says, match = ATTACKS[attack]
    change(folder / file, says)
    refused(READERS[reader], folder, match)


@pytest.mark.parametrize("attack", LIBRARY_ATTACKS)
@pytest.mark.parametrize("reader", LIBRARY)
def test_what_the_settings_of_modules_name_is_refused(folder, reader, attack):
    says, match = LIBRARY_ATTACKS[attack]
    change(folder / ("modules.json" if isinstance(says, list) else SETTINGS), says)
    refused(READERS[reader], folder, match)


@pytest.mark.parametrize("reader", [name for name in READERS if name != "vocabulary"])
def test_a_pickle_is_loaded_nowhere(folder, reader):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    refused(
        READERS[reader], folder, r"has no model\.safetensors|pytorch_model\.bin: a pickle, and no .*convert-weights"
    )


def test_a_converted_pickle_is_read(folder, tiny_model):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    convert(folder, folder.parent / "converted")
    shutil.copy(folder.parent / "converted" / "model.safetensors", folder)
    assert np.array_equal(library_scores(folder, PAIRS), library_scores(tiny_model, PAIRS))


# modules behind the transformer


@pytest.fixture()
def with_dense(tiny_transformer, folder):
    parts = [Transformer(str(tiny_transformer)), Pooling(32, "mean"), Dense(32, 8)]
    SentenceTransformer(modules=parts, device="cpu").save(str(folder.parent / "dense"), create_model_card=False)
    return folder.parent / "dense"


@pytest.mark.parametrize("reader", LIBRARY)
@pytest.mark.parametrize("name", ["torch.utils.collect_env.main", "torch.nn.Bilinear", "os.abort", "sklearn.Mine"])
def test_an_activation_of_a_dense_layer_is_one_of_a_list(with_dense, reader, name):
    change(with_dense / "2_Dense" / "config.json", {"activation_function": name})
    refused(READERS[reader], with_dense, f"activation '{name}' is refused; allowed: torch.nn. and one of Identity")


@pytest.mark.parametrize("reader", LIBRARY)
def test_other_safetensors_make_no_pickle_harmless(with_dense, reader):
    torch.save(load_file(with_dense / "2_Dense" / "model.safetensors"), with_dense / "2_Dense" / "pytorch_model.bin")
    (with_dense / "2_Dense" / "model.safetensors").rename(with_dense / "2_Dense" / "other.safetensors")
    refused(READERS[reader], with_dense, r"2_Dense/pytorch_model\.bin: a pickle")


@pytest.fixture()
def router(tiny_transformer, folder):
    routes = ([Transformer(str(tiny_transformer)), Pooling(32)] for _ in range(2))
    made = SentenceTransformer(modules=[Router.for_query_document(*routes)], device="cpu")
    made.save(str(folder.parent / "router"), create_model_card=False)
    return folder.parent / "router"


@pytest.mark.parametrize("reader", LIBRARY)
def test_a_router_in_a_router_hides_no_module(router, reader):
    inner = shutil.copytree(router, router / "deep")
    types = json.loads((inner / "router_config.json").read_text())["types"]
    change(inner / "router_config.json", {"types": types | {"query_1_Pooling": "code.MyModel"}})
    outer = json.loads((router / "modules.json").read_text())[0]["type"]
    change(router / "router_config.json", {"types": {"deep": outer}, "structure": {"query": ["deep"]}})
    refused(READERS[reader], router, "the module code.MyModel is not read")


@pytest.mark.parametrize("reader", LIBRARY)
def test_a_routers_old_file_is_not_read(router, reader):
    """sentence-transformers would fall back on it."""
    types = json.loads((router / "router_config.json").read_text())["types"]
    change(router / "router_config.json", {"types": types | {"query_1_Pooling": "code.MyModel"}})
    (router / "router_config.json").rename(router / "config.json")
    refused(READERS[reader], router, "no model there, or a damaged one .'types'")


# cross-encoders


@pytest.fixture()
def cross(tiny_model, folder):
    bare = folder.parent / "bare"
    AutoModelForSequenceClassification.from_pretrained(tiny_model, num_labels=1).save_pretrained(bare)
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(bare)
    CrossEncoder(str(bare)).save_pretrained(str(folder.parent / "cross"))
    return folder.parent / "cross"


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("config_sentence_transformers.json", lambda name: {"activation_fn": name}),
        ("config.json", lambda name: {"sentence_transformers": {"activation_fn": name}}),
        ("config.json", lambda name: {"sbert_ce_default_activation_function": name}),
    ],
    ids=["settings", "config", "old"],
)
@pytest.mark.parametrize("name", ["torch.utils.collect_env.main", "torch.nn.Bilinear", "os.abort"])
def test_an_activation_of_a_cross_encoder_is_one_of_a_list(cross, file, says, name):
    change(cross / file, says(name))
    refused(READERS["rerank"], cross, f"{file}: .*activation '{name}' is refused; allowed: torch.nn. and one of")
    change(cross / file, says("torch.nn.modules.activation.Tanh"))
    assert np.isfinite(library_scores(cross, PAIRS)).all()


def test_a_cross_encoders_pickle_is_not_loaded(cross):
    torch.save(load_file(cross / "model.safetensors"), cross / "pytorch_model.bin")
    (cross / "model.safetensors").unlink()
    refused(READERS["rerank"], cross, r"pytorch_model\.bin: a pickle, and no model\.safetensors beside it")


# what is read nevertheless


def test_code_beside_a_class_that_transformers_has_is_not_run(folder, tiny_model):
    """As released models of Nomic have it: transformers took the class over, and its code lies there still."""
    own = {
        "AutoConfig": "code.BertConfig",
        "AutoModel": "any/repository--code.BertModel",
        "AutoModelForX": "code.MyModel",
    }
    change(folder / "config.json", {"auto_map": own, "activation_function": "swiglu"})
    change(folder / "tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["code.MyTokenizer", None]}})
    assert np.array_equal(Encoder(folder).encode(["a river"], 9), Encoder(tiny_model).encode(["a river"], 9))
    assert np.array_equal(library_scores(folder, PAIRS), library_scores(tiny_model, PAIRS))
    assert not (folder.parent / "ran").exists()


def test_links_out_of_the_folder_are_followed_as_in_a_hubs_cache(tiny_model, tmp_path):
    for path in tiny_model.rglob("*"):
        link = tmp_path / path.relative_to(tiny_model)
        link.mkdir() if path.is_dir() else link.symlink_to(path)
    assert np.array_equal(library_scores(tmp_path, PAIRS), library_scores(tiny_model, PAIRS))


def test_pickles_that_no_module_reads_do_no_harm(folder):
    (folder / "openvino").mkdir()
    for name in ("openvino/openvino_model.bin", "training_args.bin"):
        (folder / name).write_bytes(b"not read")
    assert np.isfinite(library_scores(folder, PAIRS)).all()


@pytest.mark.parametrize("reader", ["rerank", "vocabulary"])
def test_a_name_is_never_one_of_a_hub(tmp_path, monkeypatch, reader):
    """A hub's model that is in its cache would be read unchecked."""
    from pathlib import Path

    called = []
    monkeypatch.setattr("transformers.AutoTokenizer.from_pretrained", lambda *of, **how: called.append(of))
    monkeypatch.setattr("sentence_transformers.SentenceTransformer", lambda *of, **how: called.append(of))
    with pytest.raises((UserError, OSError)):
        {**READERS, "rerank": loading_modules.sentence_transformer}[reader](Path("any/model"))
    assert not called


def test_an_activation_that_transformers_lacks_is_named_with_those_it_has(folder):
    change(folder / "config.json", {"hidden_act": "gleu"})
    refused(READERS["checkpoint"], folder, r"config\.json: names what transformers does not have: 'gleu' .* gelu, ")


def test_nobody_is_asked_anything_while_a_folder_is_read(folder):
    class Asks:
        @staticmethod
        def from_pretrained(*of, **how):
            with pytest.raises(EOFError):
                input("Run the code?")
            return how

    how = loading.transformer(Asks, folder)
    assert how == {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False}
    assert sys.stdin.read().startswith("yes")


# a folder without the files of its tokenizer: the libraries make one that knows no word, and every text has one vector


def without_tokenizer(folder):
    for path in folder.rglob("*"):
        if path.name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
            path.unlink()
    return folder


KNOWS_NONE = "its tokenizer knows no word of .*; the files of a tokenizer are missing: tokenizer.json, vocab.txt"


@pytest.mark.parametrize("reader", [name for name in READERS if name != "released characters"])
def test_a_model_without_the_files_of_its_tokenizer_is_refused_everywhere(folder, reader):
    refused(READERS[reader], without_tokenizer(folder), KNOWS_NONE)


@pytest.mark.parametrize("shape", ["SPLADE", "SPLADE doc", "ColBERT", "PyLate 1"])
def test_so_is_a_model_of_another_type(tiny_transformer, tmp_path, shape):
    folder = without_tokenizer(shapes.write(shape, tiny_transformer, tmp_path / "model"))
    kind = model_type(folder)
    readers = {
        "checkpoint": READERS["whole checkpoint"],
        "library": lambda folder: Library(folder, kind, {"query": 9, "document": 9}),
        "of type": lambda folder: loading_modules.of_type(folder, kind, "auto"),
    }
    for read in readers.values():
        with pytest.raises(UserError, match=f"{KNOWS_NONE}|Couldn't instantiate the backend tokenizer"):
            read(folder)


def test_so_are_a_cross_encoder_and_a_router(cross, router):
    for reader, model in (("rerank", cross), ("whole checkpoint", router)):
        with pytest.raises(UserError, match=KNOWS_NONE):
            READERS[reader](without_tokenizer(model))


def test_so_is_the_comparison_with_the_library(folder):
    with pytest.raises(UserError, match=KNOWS_NONE):
        loading_modules.sentence_transformer(without_tokenizer(folder))


def test_a_static_embedding_knows_words(tmp_path):
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    for name, words in (("full", "what is the meaning of a river"), ("empty", "")):
        tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0} | {w: n for n, w in enumerate(words.split(), 1)}, "[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=4)], device="cpu")
        model.save(str(tmp_path / name), create_model_card=False)
    assert loading_modules.sentence_transformer(tmp_path / "full")
    with pytest.raises(UserError, match=KNOWS_NONE):
        loading_modules.sentence_transformer(tmp_path / "empty")
