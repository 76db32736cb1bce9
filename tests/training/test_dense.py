"""Dual encoders as a training changes them: what is loaded, what a batch holds, and where gradients go."""

from dataclasses import replace

import pytest
import torch

from robustdr.core.errors import UserError
from robustdr.core.seeds import digest
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.training import distributed
from robustdr.training.dense import VECTORS, Student
from robustdr.training.feed import Feed
from training.models import examples_of

NAME = "encoder.layer.0.attention.self.query.weight"
CAPOT, RODR = {"name": "capot"}, {"name": "rodr"}


@pytest.fixture()
def examples(training_file):
    return examples_of(training_file)


@pytest.fixture()
def seen(examples):
    """A step of four queries with three passages each."""
    return next(Feed(examples, 4, 2, 0.0, 1).run(0, 1))


@pytest.fixture()
def student(settings, examples, tiny_model):
    """`student(…)`: of the tiny model, with other settings, another initial model or a teacher where given."""

    def load(seed=1, initial=tiny_model, files=None, **changes):
        return Student.load(replace(settings, **changes), seed, examples, initial, files or {})

    return load


@pytest.fixture()
def router(student, tiny_model, tmp_path):
    """A directory of two encoders, of which the one for passages is the tiny model moved by a tenth."""
    pair = student(encoders="separate")
    with torch.no_grad():
        pair.encoders[DOCUMENT].model.get_parameter(NAME).add_(0.1)
    pair.save(tiny_model, tmp_path / "router", "A card.\n")
    return tmp_path / "router"


def weight(encoder):
    return encoder.model.get_parameter(NAME)


# What is loaded


def test_each_route_of_a_router_is_trained_from_its_own_encoder(student, router, tiny_model):
    pair, start = student(initial=router, encoders="separate"), weight(student().encoders[QUERY])
    assert torch.equal(weight(pair.encoders[QUERY]), start)
    assert torch.allclose(weight(pair.encoders[DOCUMENT]), start + 0.1)
    assert {name.partition(".")[0] for name in pair.parameters} == {QUERY, DOCUMENT}
    assert pair.reads(DOCUMENT) is pair.encoders[DOCUMENT]
    with pytest.raises(UserError, match=r"systems\.tiny: .*router has an encoder for queries and one for passages"):
        student(initial=router)


@pytest.mark.parametrize(("loss", "routes"), [({"name": "lce"}, {QUERY, DOCUMENT}), (CAPOT, {QUERY})])
def test_the_encoder_of_passages_is_trained_where_a_loss_reads_them(student, loss, routes):
    assert student(loss=loss, encoders="separate").encoders.keys() == routes
    assert student(loss=loss).encoders.keys() == {QUERY}


def test_on_queries_alone_passages_are_read_by_the_encoder_that_stays(student, router):
    alone = student(initial=router, encoders="separate", loss=CAPOT)
    assert torch.allclose(weight(alone.reads(DOCUMENT)), weight(alone.reads(QUERY)) + 0.1)
    assert alone.reads(QUERY) is alone.encoders[QUERY]


def test_encoders_are_loaded_to_be_trained(student):
    """In training mode, with the settings' dropout, in single precision whatever they compute in."""
    pair = student(encoders="separate", dropout=0.3, precision="bfloat16")
    for encoder in pair.encoders.values():
        assert encoder.model.training
        assert {module.p for module in encoder.model.modules() if isinstance(module, torch.nn.Dropout)} == {0.3}
    assert {parameter.dtype for parameter in pair.parameters.values()} == {torch.float32}


def test_the_anchor_computes_as_what_is_trained_does(student):
    """In half precision its weights stay single, or its vectors would not be those that the training starts from."""
    assert weight(student(loss=CAPOT, precision="bfloat16").anchor).dtype == torch.float32


def test_word_embeddings_are_trained_unless_they_are_frozen(student):
    name = "query.embeddings.word_embeddings.weight"
    frozen, free = (student(freeze_word_embeddings=freeze).parameters for freeze in (True, False))
    assert free.keys() - frozen.keys() == {name}


def test_a_loss_with_a_teacher_needs_one(student):
    with pytest.raises(UserError, match=r"systems\.tiny: the loss rodr needs a teacher"):
        student(loss=RODR)


def test_a_model_of_word_pieces_is_used_by_sentence_transformers(student):
    assert "import SentenceTransformer" in student().use


# What a batch holds


def batch_of(made, seen, step, needs):
    return made.batch(made.read_fields(seen, needs), step)


def test_a_batch_holds_what_is_needed(student, seen):
    made = student()
    assert made.batch(made.read_fields(seen, {"query"}), 0).passages is None
    batch = made.batch(made.read_fields(seen, {"groups", "variations"}), 0)
    assert batch.query is batch.variation is batch.negative is batch.anchor is None
    assert batch.passages.shape == (12, 32) and batch.variations.shape == (4, 1, 32)
    assert batch.positive.tolist() == [0, 3, 6, 9]
    assert made.batch(made.read_fields(seen, {"passages"}), 0).passages.requires_grad


def test_passages_are_encoded_by_their_own_encoder(student, seen):
    pair, needs = student(encoders="separate"), {"passages", "query"}
    before = batch_of(pair, seen, 0, needs)
    with torch.no_grad():
        weight(pair.encoders[DOCUMENT]).mul_(9)
    after = batch_of(pair, seen, 0, needs)
    assert torch.equal(after.query, before.query)
    assert not torch.allclose(after.passages, before.passages, atol=0.01)


def test_every_text_of_every_step_has_a_dropout_of_its_own(student, seen):
    """The same text is another vector as a variation, in another step and under another seed, and the same again."""
    twice = replace(seen, variation=seen.query)

    def batch(step=0, seed=1):
        return batch_of(student(seed=seed, dropout=0.3), twice, step, {"passages", "query", "variation"})

    once = batch()
    assert not torch.allclose(once.query, once.variation)
    for name in ("passages", "query", "variation"):
        vectors = getattr(once, name)
        assert torch.equal(vectors, getattr(batch(), name))
        assert not torch.allclose(vectors, getattr(batch(step=1), name))
        assert not torch.allclose(vectors, getattr(batch(seed=2), name))


def test_a_process_encodes_its_own_share(student, seen, monkeypatch):
    """What the second of two processes adds; the same texts have another dropout there."""
    needs = {"passages", "query"}
    twice = replace(seen, query=seen.query[2:] * 2, passages=seen.passages[6:] * 2)
    whole = batch_of(student(), seen, 0, needs)
    first = batch_of(student(batch_size=2, dropout=0.3), twice, 0, needs)
    monkeypatch.setattr(distributed, "rank", lambda: 1)
    share = batch_of(student(batch_size=2), seen, 0, needs)
    second = batch_of(student(batch_size=2, dropout=0.3), twice, 0, needs)
    for name, start in (("query", 2), ("passages", 6)):
        assert torch.allclose(getattr(share, name), getattr(whole, name)[start:], atol=1e-5)
        assert not torch.allclose(getattr(second, name), getattr(first, name))


def test_a_temperature_divides_every_dot_product_of_every_vector(student, seen, tiny_model, embeddings):
    """Vectors are divided by its root, also those of the teacher and of the anchor; 1 leaves them as they are."""
    files = {"teacher": [tiny_model], "teacher_embeddings": embeddings}
    found = set()
    for loss, teacher in (("capot", {}), ("rodr", files)):
        needs = {"passages", "query", "variation", "variations", "negative"}
        plain, cold = (
            batch_of(student(loss={"name": loss}, files=teacher, temperature=temperature), seen, 0, needs)
            for temperature in (1.0, 2.0)
        )
        for name in VECTORS:
            if (vectors := getattr(plain, name)) is not None:
                assert torch.allclose(getattr(cold, name), vectors / 2**0.5), name
                found.add(name)
        assert torch.equal(cold.negative, plain.negative) and torch.equal(cold.positive, plain.positive)
    assert found == set(VECTORS)


# Gradients


def test_the_second_pass_takes_the_pieces_and_the_dropout_of_the_first(student, seen):
    made = student(gradient_cache=40, dropout=0.3)
    made.batch(made.read_fields(seen, {"passages"}), 0)
    (kept,) = made.parts
    pieces = kept.encoder.groups(kept.tokens, 40)
    assert len(pieces) > 1
    for number, piece in enumerate(pieces):
        again = kept.encoder.forward([kept.tokens[at] for at in piece], digest(kept.seed, number))
        assert torch.allclose(again, kept.vectors[piece], atol=1e-6)


@pytest.mark.parametrize("cache", [None, 40])
def test_gradients_of_a_text_that_no_term_reads_are_left_out(student, seen, cache):
    """What is encoded after it has its gradients all the same, and the next step starts with none."""
    made = student(gradient_cache=cache)
    batch = made.batch(made.read_fields(seen, {"passages", "query", "variation"}), 0)
    made.backward(batch.variation.sum())
    assert not made.parts
    alone = student()
    alone.backward(alone.batch(alone.read_fields(seen, {"variation"}), 0).variation.sum())
    expected = {name: p.grad for name, p in alone.parameters.items() if p.grad is not None}
    assert len(expected) > 10
    for name, gradient in expected.items():
        assert torch.allclose(made.parameters[name].grad, gradient, atol=1e-5), name
