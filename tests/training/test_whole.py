"""A model that is taken as it is stays what it was: modules, prompts, similarity and lengths; its parameters learn."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Router, Transformer

from robustdr.collections.records import Passage
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.directory import ABOUT, AGREEMENT, DOCUMENT, QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings
from robustdr.training.dense import Student
from robustdr.training.feed import Step
from training.models import files, references

TEXTS = ["what is the meaning of music", "gold", "the king of the river and a plant"]
PROMPTS = {"query": "what is ", "document": "stone: ", "clustering": "the "}
CAPOT = {"name": "capot"}
STEPS = {"epochs": 0.34}  # two


def written(modules, folder, **about):
    SentenceTransformer(modules=modules, device="cpu", **about).save(str(folder / "given"), create_model_card=False)
    settings = CheckpointSettings(
        name="tiny", description="A model", source={"path": str(folder / "given")}, form="whole"
    )
    write_checkpoint(settings, folder / "taken")
    return folder / "taken"


@pytest.fixture(scope="module")
def projected(tiny_transformer, tmp_path_factory):
    """Prompts, a Dense and vectors of length 1."""
    torch.manual_seed(1)
    modules = [Transformer(str(tiny_transformer), max_seq_length=20), Pooling(32, "mean"), Dense(32, 16), Normalize()]
    folder = tmp_path_factory.mktemp("projected")
    return written(modules, folder, prompts=PROMPTS, similarity_fn_name="cosine", truncate_dim=12)


@pytest.fixture(scope="module")
def pair(tiny_transformer, tmp_path_factory):
    """Two encoders with a Dense behind both."""
    torch.manual_seed(1)
    sides = [[Transformer(str(tiny_transformer)), Pooling(32, "cls")] for _ in range(2)]
    modules = [Router.for_query_document(*sides), Dense(32, 16)]
    return written(modules, tmp_path_factory.mktemp("pair"), prompts=PROMPTS, similarity_fn_name="dot")


def library(folder):
    return SentenceTransformer(str(folder), device="cpu", local_files_only=True)


def vectors_are_the_library_s(folder):
    """With vectors that a cosine compares brought to length 1."""
    model = library(folder)
    for route, encode in ((QUERY, model.encode_query), (DOCUMENT, model.encode_document)):
        expected = encode(TEXTS, normalize_embeddings=model.similarity_fn_name == "cosine")
        assert np.abs(Encoder(folder, route=route).encode(TEXTS, 99) - expected).max() < 1e-5


def test_a_trained_model_keeps_what_it_started_with(fit, projected):
    model = fit("model", initial=projected, **STEPS)
    before, after = library(projected), library(model)
    assert [type(module) for module in after] == [Transformer, Pooling, Dense, Normalize]
    for attribute in ("prompts", "default_prompt_name", "similarity_fn_name", "truncate_dim", "max_seq_length"):
        assert getattr(after, attribute) == getattr(before, attribute)
    vectors_are_the_library_s(model)
    assert set(files(model)) == {*files(projected), "training.csv"} - {AGREEMENT} and set(ABOUT) <= set(files(model))


def test_modules_with_parameters_learn_too(fit, projected):
    model = fit("model", initial=projected, **STEPS)
    for name in ("model.safetensors", "2_Dense/model.safetensors"):
        before, after = load_file(projected / name), load_file(model / name)
        assert before.keys() == after.keys()
        moved = {key for key in before if not torch.equal(before[key], after[key])}
        assert moved and "embeddings.word_embeddings.weight" not in moved  # frozen


def test_a_step_sees_prompts_and_the_similarity(settings, projected, tmp_path):
    student = Student.load(replace(settings, batch_size=3), 1, [], projected, {})
    student.encoders[QUERY].model.eval()
    written = [Passage(str(number), "tree" if number % 2 else "", text) for number, text in enumerate(TEXTS * 3)]
    passages = references(tmp_path, written)
    seen = Step([0, 1, 2], TEXTS, [], [], passages[:6])
    batch = student.batch(student.read_fields(seen, {"query", "passages", "positive"}), 0)
    queries, documents = (vectors.detach().numpy() for vectors in (batch.query, batch.passages))
    texts = [f"{title} {text}".strip() for _, title, text in written[:6]]
    assert np.abs(queries - library(projected).encode_query(TEXTS, normalize_embeddings=True)).max() < 1e-5
    assert np.abs(documents - library(projected).encode_document(texts, normalize_embeddings=True)).max() < 1e-5


def test_a_temperature_divides_every_dot_product(settings, projected, tmp_path):
    passages = references(tmp_path, [Passage(str(number), "", text) for number, text in enumerate(TEXTS * 2)])

    def batch(temperature):
        student = Student.load(replace(settings, batch_size=3, temperature=temperature), 1, [], projected, {})
        student.encoders[QUERY].model.eval()
        seen = Step([0, 1, 2], TEXTS, TEXTS, [], passages)
        return student.batch(student.read_fields(seen, {"query", "variation", "passages"}), 0)

    cool, warm = batch(0.25), batch(1.0)
    for name in ("query", "variation"):
        assert torch.allclose(cool.scores(name), 4 * warm.scores(name), atol=1e-5)


def test_separate_encoders_of_a_model_are_a_router_with_its_prompts(fit, projected):
    model = fit("model", initial=projected, encoders="separate", **STEPS)
    made = library(model)
    assert [type(module) for module in made] == [Router]
    for route in (QUERY, DOCUMENT):
        assert [type(module) for module in made[0].sub_modules[route]] == [Transformer, Pooling, Dense, Normalize]
    assert made.prompts == PROMPTS and made.similarity_fn_name == "cosine" and made.truncate_dim == 12
    vectors_are_the_library_s(model)


def test_a_router_is_continued_on_both_sides(fit, pair):
    model = fit("model", initial=pair, encoders="separate", **STEPS)
    vectors_are_the_library_s(model)
    for route in (QUERY, DOCUMENT):
        before, after = (Encoder(path, route=route).encode(TEXTS, 16) for path in (pair, model))
        assert np.abs(before - after).max() > 1e-4


def test_queries_alone_leave_the_vectors_of_the_passages_as_they_are(fit, queries_file, pair):
    model = fit("model", data=queries_file, initial=pair, encoders="separate", loss=CAPOT, **STEPS)
    before, after = (Encoder(path, route=DOCUMENT).encode(TEXTS, 16) for path in (pair, model))
    assert np.array_equal(before, after)
    before, after = (Encoder(path, route=QUERY).encode(TEXTS, 16) for path in (pair, model))
    assert np.abs(before - after).max() > 1e-4


def test_two_encoders_are_not_trained_as_one(fit, pair):
    with pytest.raises(UserError, match=r"systems\.tiny: .* has an encoder for queries .*: add `encoders: separate`"):
        fit("model", initial=pair)


def test_the_same_training_twice_is_the_same_bytes(fit, projected):
    one, other = (fit(name, initial=projected, **STEPS) for name in ("one", "other"))
    assert [sha256(one / name) for name in files(one)] == [sha256(other / name) for name in files(one)]
