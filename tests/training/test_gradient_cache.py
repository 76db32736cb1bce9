"""Gradient caching: the gradients of the whole batch in the memory of a piece of it."""

import weakref
from dataclasses import replace

import pytest
import torch

from robustdr import losses
from robustdr.core.seeds import generator
from robustdr.encoding import encoder
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.losses.batch import Batch
from robustdr.training.dense import Student
from training.models import log


@pytest.fixture()
def gradients(tiny_model, settings, words):
    """`gradients(cache, dropout)`: of each parameter, for 8 queries and 24 passages of 3 to 20 words."""
    rng = generator("gradient cache")
    queries, passages = (
        [" ".join(rng.choices(words, k=rng.randint(3, 20))) for _ in range(count)] for count in (8, 24)
    )

    def compute(cache: int | None, dropout: float = 0.0, encoders: str = "shared") -> dict[str, torch.Tensor]:
        changed = replace(settings, dropout=dropout, gradient_cache=cache, encoders=encoders)
        student = Student.load(changed, 1, [], tiny_model, {})
        tokenise = student.encoders[QUERY].tokenise
        batch = Batch(
            passages=student.embed(student.reads(DOCUMENT), tokenise(passages, 24), 0, "passages"),
            positive=torch.arange(8) * 3,
            query=student.embed(student.reads(QUERY), tokenise(queries, 16), 0, "query"),
            variation=student.embed(student.reads(QUERY), tokenise(queries[::-1], 16), 0, "variation"),
        )
        student.backward(sum(losses.create("self_teaching")(batch).values()))
        # The pooler plays no part: it has no gradient.
        return {name: p.grad for name, p in student.parameters.items() if p.grad is not None}

    return compute


def assert_same(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert found.keys() == expected.keys()
    largest = max(gradient.abs().max() for gradient in expected.values())
    for name, gradient in expected.items():
        assert torch.allclose(found[name], gradient, rtol=1e-4, atol=1e-6 * largest), name


@pytest.mark.parametrize("encoders", ["shared", "separate"])
@pytest.mark.parametrize("cache", [1, 40, 10_000])
def test_gradients_are_those_of_the_whole_batch(gradients, cache, encoders):
    assert_same(gradients(cache, encoders=encoders), gradients(None, encoders=encoders))


def test_both_passes_see_the_same_dropout(gradients, monkeypatch):
    monkeypatch.setitem(encoder.GROUP_TOKENS, encoder.device().type, 40)  # the same pieces, and so the same seeds
    assert_same(gradients(40, dropout=0.3), gradients(None, dropout=0.3))


def test_dropout_changes_the_gradients(gradients):
    one, other = gradients(40), gradients(40, dropout=0.3)
    assert any(not torch.allclose(one[name], other[name], rtol=0.1) for name in one)


def test_texts_that_no_term_weighs_have_no_gradients(fit, queries_file):
    anchor_alone = {"name": "capot", "tau_positive": 0.0, "tau_negative": 0.0, "tau_ranking": 0.0}
    rows = log(fit("model", data=queries_file, loss=anchor_alone, gradient_cache=32))
    assert set(rows[0]) == {"step", "epoch", "learning_rate", "gradient_norm", "loss", "anchor"}
    assert float(rows[0]["anchor"]) == pytest.approx(0, abs=1e-6)


def peak(work) -> int:
    """The most bytes that autograd has kept for backward passes at once."""
    live = most = 0

    class Kept:
        def __init__(self, tensor: torch.Tensor):
            nonlocal live, most
            self.tensor, size = tensor, tensor.nbytes
            live += size
            most = max(most, live)
            weakref.finalize(self, free, size)

    def free(size: int) -> None:
        nonlocal live
        live -= size

    with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
        work()
    return most


def test_activations_are_those_of_one_piece_at_a_time(gradients):
    # 32 texts of about 12 tokens and their 8 variations; a piece holds two of the longest.
    assert peak(lambda: gradients(48)) < 0.25 * peak(lambda: gradients(None))
