"""What a model's directory says of itself, and what it is refused for, as sentence-transformers saves it."""

import json
import shutil

import pytest
import torch
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Router, StaticEmbedding, Transformer
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from robustdr.core.errors import UserError
from robustdr.encoding.description import describe


@pytest.fixture()
def folder(tmp_path):
    return tmp_path / "model"


def written(folder, *modules, **about):
    SentenceTransformer(modules=[*modules], device="cpu", **about).save(str(folder), create_model_card=False)
    return folder


def headed(tiny_transformer, folder, kind):
    """The tiny transformer with a head."""
    torch.manual_seed(0)
    kind.from_pretrained(tiny_transformer).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_transformer).save_pretrained(folder)
    return folder


def test_all_that_decides_a_vector_is_said(tiny_transformer, folder):
    parts = Transformer(str(tiny_transformer)), Pooling(32, ("cls", "mean"), include_prompt=False), Normalize()
    prompts = {"query": "query: ", "passage": "passage: ", "clustering": "topic: "}
    found = describe(written(folder, *parts, prompts=prompts))
    assert found.sentence() == (
        "Transformer (BertModel), Pooling (cls and mean, without the prompt), Normalize; cosine similarity; "
        "prompts: query 'query: '; None between title and text; reads 64 tokens of a query and 64 tokens of a passage; "
        "float32 weights"
    )
    assert found.ignored() == [
        "the stored prompt 'clustering' ('topic: ') is not used",
        "the stored prompt 'passage' ('passage: ') is not used",
    ]
    assert not any(SentenceTransformer(str(folder), device="cpu").prompts["document"])  # nor does the library use it


def test_two_encoders_have_their_own_modules_and_lengths(tiny_transformer, folder):
    def route(pooling, **how):
        return [Transformer(str(tiny_transformer), **how), Pooling(32, pooling)]

    router = Router.for_query_document(route("cls", max_seq_length=9), route("mean"))
    found = describe(written(folder, router, similarity_fn_name="dot"))
    assert found.modules["query"].endswith("(cls)") and found.modules["document"].endswith("(mean)")
    assert found.lengths == {"query": 9, "document": 64} and found.similarity == "dot"


def test_the_pooling_of_older_releases(tiny_model, folder):
    shutil.copytree(tiny_model, folder)
    old = {"word_embedding_dimension": 32, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
    (folder / "1_Pooling/config.json").write_text(json.dumps(old))
    assert describe(folder).modules["query"] == "Transformer (BertModel), Pooling (mean)"


def test_a_plain_transformer_needs_a_pooling_and_others_have_one(tiny_transformer, tiny_model):
    assert describe(tiny_transformer, "cls").modules["document"] == "Transformer (BertModel), Pooling (cls)"
    with pytest.raises(UserError, match=r"no modules\.json: of a plain transformer, say its pooling"):
        describe(tiny_transformer)
    with pytest.raises(UserError, match=r"its modules\.json says how it pools; `pooling` is for a plain transformer"):
        describe(tiny_model, "cls")


def test_of_positions_and_the_tokenizer_s_limit_the_smaller_counts(tiny_model, folder):
    """RoBERTa has 514 positions and reads 512 tokens."""
    shutil.copytree(tiny_model, folder)
    told = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(told | {"model_max_length": 62}))
    assert describe(folder).lengths == {"query": 62, "document": 62}
    (folder / "tokenizer_config.json").write_text(json.dumps(told | {"model_max_length": int(1e30)}))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": None}))
    with pytest.raises(UserError, match=r"gives the length of a text"):
        describe(folder)


def test_a_cross_encoder_is_refused_as_both_libraries_save_it(tiny_transformer, tmp_path, folder):
    bare = headed(tiny_transformer, tmp_path / "bare", AutoModelForSequenceClassification)
    CrossEncoder(str(bare), device="cpu").save_pretrained(str(folder))
    for place, pooling in ((folder, None), (bare, "cls")):
        with pytest.raises(
            UserError, match=f"{place}: a cross-encoder reads a query and a passage .*; allowed: a dual encoder, which"
        ):
            describe(place, pooling)


def test_a_static_model_reads_whole_texts(tiny_transformer, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(tiny_transformer).backend_tokenizer
    folder = written(tmp_path / "static", StaticEmbedding(tokenizer, embedding_dim=32))
    assert describe(folder).sentence() == (
        "StaticEmbedding; cosine similarity; prompts: none; None between title and text; reads all of a query and all "
        "of a passage; float32 weights"
    )


def test_onnx_alone_is_refused_and_beside_safetensors_left(tiny_model, folder):
    shutil.copytree(tiny_model, folder)
    (folder / "onnx").mkdir()
    (folder / "onnx/model.onnx").write_bytes(b"exported")
    describe(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match=r"onnx/model.onnx: ONNX is not read, and there is no model.safetensors in "):
        describe(folder)


@pytest.mark.parametrize("file", ["modules.json", "1_Pooling/config.json", "config.json", "model.safetensors"])
def test_a_damaged_directory_is_one_error(tiny_model, folder, file):
    shutil.copytree(tiny_model, folder)
    (folder / file).write_bytes((folder / file).read_bytes()[:20])
    with pytest.raises(UserError, match=r"no model there, or a damaged one"):
        describe(folder)
