"""Directories of sentence-transformers are taken as they are: its vectors, its rankings, and what it saves."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import BoW, Pooling, Router, Transformer
from tests.encoding import shapes
from tests.encoding.shapes import DIMENSION
from tests.encoding.shapes import DUAL as SHAPES

from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.encoding.agreement import agreement
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.directory import DOCUMENT, QUERY, is_plain
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings

LONG = 512


@pytest.fixture(scope="module")
def texts(words):
    rng = generator("texts of whole models")
    drawn = [" ".join(rng.choices([*words, "photosynthesis"], k=rng.randint(1, 30))) for _ in range(39)]
    return [*drawn, "https://gold.com/tree.jpg"]  # a text, though it looks like the place of an image


@pytest.fixture(scope="module")
def made(tiny_transformer, tmp_path_factory):
    """`made(name)`: the directory of a shape as sentence-transformers saves it, and as the checkpoint stage does."""
    folder, known = tmp_path_factory.mktemp("whole"), set()

    def make(name):
        given, taken = folder / name / "given", folder / name / "taken"
        if name not in known:
            shapes.write(name, tiny_transformer, given)
            write_checkpoint(settings(given), taken)
            known.add(name)
        return given, taken

    return make


def settings(path, **others):
    return CheckpointSettings(name="tiny", description="A model", source={"path": str(path)}, form="whole", **others)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("name", SHAPES)
def test_vectors_and_rankings_are_those_of_sentence_transformers(made, texts, name):
    given, taken = made(name)
    library = SentenceTransformer(str(given), device="cpu", local_files_only=True)
    expected = {QUERY: library.encode_query(texts[:10]), DOCUMENT: library.encode_document(texts[10:])}
    encoder = Encoder(taken)
    found = {QUERY: encoder.encode(texts[:10], LONG), DOCUMENT: encoder.for_route(DOCUMENT).encode(texts[10:], LONG)}
    assert np.array_equal(Encoder(taken, route=DOCUMENT).encode(texts[10:], LONG), found[DOCUMENT])
    for route, vectors in expected.items():
        wanted = unit(vectors) if library.similarity_fn_name == "cosine" else vectors
        assert np.abs(found[route] - wanted).max() < 1e-5
        assert found[route].shape[1] == encoder.dimension
    scores = library.similarity(expected[QUERY], expected[DOCUMENT]).numpy()
    assert np.array_equal((found[QUERY] @ found[DOCUMENT].T).argsort(), scores.argsort())


@pytest.mark.parametrize("name", SHAPES)
def test_the_written_directory_is_the_same_model_to_sentence_transformers(made, texts, name):
    one, other = (SentenceTransformer(str(path), device="cpu", local_files_only=True) for path in made(name))
    assert np.array_equal(one.encode_query(texts), other.encode_query(texts))
    assert np.array_equal(one.encode_document(texts), other.encode_document(texts))
    assert [type(module) for module in one] == [type(module) for module in other]
    for attribute in ("prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim", "max_seq_length"):
        assert getattr(one, attribute) == getattr(other, attribute)
    assert all((made(name)[1] / file).is_file() for file in shapes.FORMS["whole"])


def test_only_a_transformer_with_a_pooling_and_dot_products_is_read_without_sentence_transformers(made):
    assert [name for name in SHAPES if is_plain(made(name)[1])] == ["DPR", "TAS-B"]


def test_prompts_count_among_the_tokens_that_are_kept(made):
    encoder = Encoder(made("E5")[1])
    text = "gold " * 40
    (query,), (document,) = (encoder.for_route(route).tokenise([text], 10) for route in (QUERY, DOCUMENT))
    tokens = encoder.tokenizer.convert_ids_to_tokens
    assert tokens(query) == ["[CLS]", "what", "is", *["gold"] * 6, "[SEP]"]
    assert tokens(document) == [
        "[CLS]",
        "stone",
        *tokens(encoder.tokenizer(":")["input_ids"])[1:-1],
        *["gold"] * 6,
        "[SEP]",
    ]


def test_a_limit_above_the_model_s_own_changes_nothing(made):
    encoder = Encoder(made("Nomic")[1])
    assert [len(ids) for ids in encoder.tokenise(["gold " * 40], LONG)] == [12]
    assert [len(ids) for ids in encoder.tokenise(["gold " * 40], 8)] == [8]


def test_half_precision_turns_no_vector_away(made, texts):
    exact, found = (Encoder(made("LaBSE")[1], precision).encode(texts, 32) for precision in ("float32", "bfloat16"))
    assert 1e-6 < np.abs(found - exact).max() < 0.1
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)  # behind it: float32


def test_the_card_says_what_was_taken(made):
    card = (made("E5")[1] / "README.md").read_text()
    assert "Modules: Transformer, Pooling, Normalize." in card and '"query": "what is "' in card
    assert "Similarity: cosine." in card


def test_the_same_checkpoint_twice_is_the_same_bytes(made, tmp_path):
    given, taken = made("LaBSE")
    write_checkpoint(settings(given), tmp_path / "again")
    names = [path.relative_to(taken) for path in sorted(taken.rglob("*")) if path.is_file()]
    assert all((tmp_path / "again" / name).read_bytes() == (taken / name).read_bytes() for name in names)


# what is refused


def refused(folder, tmp_path, match):
    with pytest.raises(UserError, match=match) as caught:
        write_checkpoint(settings(folder), tmp_path / "model")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "model").exists()


@pytest.fixture()
def edited(made, tmp_path):
    """`edited(name, file, key=value)`: a copy of a shape with other settings in one of its JSON files."""

    def make(name, file, **changes):
        folder = shutil.copytree(made(name)[0], tmp_path / "edited")
        path = folder / file
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))
        return folder

    return make


@pytest.mark.parametrize("similarity", ["manhattan", "euclidean"])
def test_what_is_no_inner_product_is_refused(edited, tmp_path, similarity):
    folder = edited("TAS-B", "config_sentence_transformers.json", similarity_fn_name=similarity)
    refused(folder, tmp_path, f"similarity_fn_name: '{similarity}' does not rank like .* allowed: dot, cosine$")


def test_a_module_that_is_not_read_is_refused_by_its_name(tmp_path):
    SentenceTransformer(modules=[BoW(["gold"])], device="cpu").save(str(tmp_path / "given"), create_model_card=False)
    refused(
        tmp_path / "given", tmp_path, r"the module sentence_transformers\..*\.BoW is not read; allowed: Transformer"
    )


@pytest.mark.parametrize("name", ["my_code.Pooling", "os.system"])
def test_code_of_others_is_refused(made, tmp_path, name):
    folder = shutil.copytree(made("MiniLM")[0], tmp_path / "edited")
    entries = json.loads((folder / "modules.json").read_text())
    entries[1]["type"] = name
    (folder / "modules.json").write_text(json.dumps(entries))
    refused(folder, tmp_path, f"the module {name} is not read")


def test_a_router_without_the_two_routes_is_refused(tiny_transformer, tmp_path):
    routes = {"question": [Transformer(str(tiny_transformer)), Pooling(DIMENSION)]}
    SentenceTransformer(modules=[Router(routes)], device="cpu").save(str(tmp_path / "given"), create_model_card=False)
    refused(tmp_path / "given", tmp_path, "the Router has the routes question; needed: query, document")


def test_weights_that_are_a_pickle_are_refused(made, tmp_path):
    folder = shutil.copytree(made("LaBSE")[0], tmp_path / "edited")
    (folder / "2_Dense" / "model.safetensors").rename(folder / "2_Dense" / "pytorch_model.bin")
    refused(folder, tmp_path, r"2_Dense/pytorch_model\.bin: a pickle, and no model\.safetensors beside it")


def test_arguments_of_single_modules_are_refused(made, tmp_path):
    folder = shutil.copytree(made("MiniLM")[0], tmp_path / "edited")
    entries = json.loads((folder / "modules.json").read_text())
    entries[0]["kwargs"] = ["task"]
    (folder / "modules.json").write_text(json.dumps(entries))
    refused(folder, tmp_path, r"modules\.json: kwargs: arguments of single modules are not supported")


def test_a_transformer_without_a_module_after_it_is_refused(made, tmp_path):
    folder = shutil.copytree(made("MiniLM")[0], tmp_path / "alone")
    entries = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps(entries[:1]))
    refused(folder, tmp_path, "a Transformer makes a vector of each word")


def test_a_plain_transformer_is_told_to_state_its_pooling(tiny_transformer, tmp_path):
    refused(tiny_transformer, tmp_path, r"no modules\.json: of a plain transformer, say its pooling \(cls, mean\)")


@pytest.mark.parametrize("name", ["model.safetensors", "2_Dense/model.safetensors", "2_Dense/config.json"])
def test_a_damaged_directory(made, tmp_path, name):
    folder = shutil.copytree(made("LaBSE")[0], tmp_path / "damaged")
    (folder / name).write_bytes((folder / name).read_bytes()[:30])
    refused(folder, tmp_path, "checkpoint tiny: .*damaged.*: no model there, or a damaged one")
    with pytest.raises(UserError, match="no model there, or a damaged one"):
        Encoder(folder)


# what replaces what a directory says


def library(path):
    return SentenceTransformer(str(path), device="cpu", local_files_only=True)


def test_prompts_and_similarity_that_are_given_replace_its_own(made, texts, tmp_path):
    given, _ = made("Nomic")
    write_checkpoint(settings(given, prompts={"query": "stone: "}, similarity="dot"), tmp_path / "model")
    found = {route: Encoder(tmp_path / "model", route=route).encode(texts, LONG) for route in (QUERY, DOCUMENT)}
    assert np.abs(found[QUERY] - library(given).encode(texts, prompt="stone: ")).max() < 1e-5
    assert np.abs(found[DOCUMENT] - library(given).encode_document(texts)).max() < 1e-5


def test_a_plain_transformer_with_the_pooling_that_is_said(tiny_transformer, texts, tmp_path):
    write_checkpoint(settings(tiny_transformer, pooling="cls"), tmp_path / "model")
    expected = SentenceTransformer(
        modules=[Transformer(str(tiny_transformer)), Pooling(DIMENSION, "cls")], device="cpu"
    )
    assert np.abs(Encoder(tmp_path / "model").encode(texts, LONG) - unit(expected.encode(texts))).max() < 1e-5


@pytest.mark.parametrize("name", ["TAS-B", "MiniLM"])
def test_a_blank_stands_between_title_and_text_unless_another_separator_is_said(made, tmp_path, name):
    given, taken = made(name)
    assert Encoder(taken).separator == " "
    write_checkpoint(settings(given, separator=" / "), tmp_path / "model")
    assert Encoder(tmp_path / "model").separator == " / "


@pytest.mark.parametrize("name", ["TAS-B", "E5"])
def test_vectors_that_are_not_the_library_s_stop_the_work(made, name):
    """Here the library has a limit that the directory does not have."""
    _, taken = made(name)
    assert json.loads((taken / "agreement.json").read_text())["difference"] < 1e-5
    model = library(taken)
    model[0].max_seq_length = 20
    with pytest.raises(UserError, match=r"its vectors are not those of sentence-transformers \(they differ by 0\.\d"):
        agreement(taken, model)


def test_a_folder_of_model2vec(tiny_transformer, texts, tmp_path):
    """Its weights have another name and stand beside a configuration of its own, as of potion."""
    given = shapes.write("potion", tiny_transformer, tmp_path / "given")
    weights = load_file(given / "model.safetensors")
    save_file({"embeddings": weights["embedding.weight"]}, given / "model.safetensors")
    (given / "config_sentence_transformers.json").unlink()
    (given / "config.json").write_text(
        '{"model_type": "model2vec", "architectures": ["StaticModel"], "normalize": true}'
    )
    write_checkpoint(settings(given), tmp_path / "taken")
    expected = SentenceTransformer(str(given), device="cpu", local_files_only=True).encode(texts)
    assert np.abs(Encoder(tmp_path / "taken").encode(texts, LONG) - expected).max() < 1e-6


def test_a_model_with_the_same_vector_for_all_texts_is_refused(tiny_transformer, tmp_path):
    given = shapes.write("static", tiny_transformer, tmp_path / "given")
    weights = load_file(given / "model.safetensors")
    save_file({name: torch.ones_like(tensor) for name, tensor in weights.items()}, given / "model.safetensors")
    with pytest.raises(UserError, match="25 texts of different tokens have 1 different vectors"):
        write_checkpoint(settings(given), tmp_path / "taken")
