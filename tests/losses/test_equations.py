"""Losses against their equations in NumPy: the terms, their gradients, and what gradients must not reach.

What every loss must do is here too, whether it has equations or an example in its docstring (tests/test_examples.py).
"""

from types import SimpleNamespace
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from losses import equations
from losses.equations import random_batch
from robustdr import losses
from robustdr.losses.batch import Batch

CASES = [
    ("contrastive", {}),
    ("contrastive", {"queries": "variation"}),
    ("rodr", {}),
    ("rodr", {"nll": 0.5, "query_alignment": 0.1, "passage_alignment": 0.7}),
    ("rodr", {"nll": 0.0}),
    ("rodr", {"query_alignment": 0.0}),
    ("rodr", {"passage_alignment": 0.0}),
    ("self_teaching", {}),
    ("lce", {}),
    ("lce", {"queries": "variation"}),
    ("pairwise", {}),
    ("pairwise", {"of": "hinge", "queries": "variation"}),
    ("bpr", {}),
    ("bpr", {"queries": "variation"}),
    ("intent", {}),
    ("intent", {"alpha": 0.3, "tau": 0.7, "similarity": "dot"}),
    ("intent", {"alpha": 0.0}),
    ("dual_contrastive", {}),
    ("dual_contrastive", {"weight": 0.7, "tau": 0.5}),
    ("dual_contrastive", {"similarity": "dot", "tau": 1.0}),
    ("dual_contrastive", {"weight": 0.0}),
    ("bce", {}),
    ("bce", {"queries": "variation"}),
    ("distillation", {}),
    ("distillation", {"alpha": 0.0}),
    ("capot", {}),
    ("capot", {"tau_positive": 0.5, "tau_negative": 0.6, "margin": 0.5, "margin_ranking": 0.3}),
    ("capot", {"tau_positive": 2.0, "tau_negative": 0.0, "tau_anchor": 0.0}),
    ("capot", {"tau_positive": 0.0, "tau_negative": 0.6}),
    ("capot", {"tau_positive": 0.0, "tau_negative": 0.0}),
    ("capot", {"variant": "text"}),
    ("capot", {"variant": "text", "tau_ranking": 0.7, "margin_ranking": 0.3}),
    ("capot", {"variant": "released_sibling"}),
    ("capot", {"variant": "released_sibling", "tau_positive": 2.0, "tau_negative": 0.5, "margin_ranking": 0.3}),
    ("capot", {"variant": "released_sibling", "tau_ranking": 0.0}),
    ("capot_mined", {}),
    ("capot_mined", {"tau_positive": 0.5, "tau_negative": 0.6, "margin": 0.5, "margin_ranking": 0.3}),
    ("dual_self_teaching", {}),
    ("dual_self_teaching", {"beta": 0.3, "gamma": 0.8, "sigma": 0.6, "tau": 2.0}),
    ("multi_positive", {}),
    ("multi_positive", {"beta": 0.3, "gamma": 0.8, "sigma": 0.6, "tau": 2.0}),
    ("query_contrastive", {}),
    ("query_contrastive", {"weight": 0.3}),
]
TEXTS = ("passages", "query", "variation", "variations")
VECTORS = (*TEXTS, "teacher_query", "teacher_passages", "anchor", "teacher_scores")
PAIRS = {"pairwise", "bpr", "intent", "dual_contrastive"}  # they compare with negatives, and so need one
TEACHER = ("teacher_query", "teacher_passages")


def choices(name: str) -> list[tuple[str, dict]]:
    """A loss with its defaults, and with each value that a setting may be chosen from."""
    hints = get_type_hints(losses.LOSSES.facts(name))
    chosen = [(key, value) for key, hint in hints.items() if get_origin(hint) is Literal for value in get_args(hint)]
    return [(name, {}), *((name, {key: value}) for key, value in chosen)]


ALL = [*CASES, *(case for name in losses.LOSSES.names() for case in choices(name) if case not in CASES)]
every_case = pytest.mark.parametrize("name, settings", CASES)
every_loss = pytest.mark.parametrize("name, settings", ALL)


def arrays(batch) -> SimpleNamespace:
    tensors = {field: value for field, value in vars(batch).items() if value is not None}
    return SimpleNamespace(**{field: value.numpy().copy() for field, value in tensors.items()})


def fields(name: str, settings: dict) -> set[str]:
    """The fields of a batch of vectors that a loss reads."""
    return {"passages" if need == "groups" else need for need in losses.check(name, **settings) - {"vectors"}}


def differences(function, x: SimpleNamespace, field: str) -> np.ndarray:
    """Central differences of `function`, a sum of terms, by every number of one field."""
    values, step = getattr(x, field), 1e-5
    gradient = np.empty_like(values)
    for index in np.ndindex(values.shape):
        value = values[index]
        values[index] = value + step
        upper = sum(function(x).values())
        values[index] = value - step
        gradient[index] = (upper - sum(function(x).values())) / (2 * step)
        values[index] = value
    return gradient


def test_every_equation_has_a_case():
    assert {name for name, _ in CASES} == {name for name in losses.LOSSES.names() if hasattr(equations, name)}


@every_case
@given(
    st.builds(
        random_batch, st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 4), st.integers(1, 8), st.integers(1, 4)
    )
)
def test_a_loss_equals_its_equations(name, settings, batch):
    assume(name not in PAIRS or len(batch.passages) > len(batch.query))
    terms = losses.create(name, **settings)(batch)
    expected = getattr(equations, name)(arrays(batch), arrays(batch), **settings)
    assert {term: value.item() for term, value in terms.items()} == pytest.approx(expected, rel=0, abs=1e-6)


@every_case
@pytest.mark.parametrize(
    "seed, queries, per_query, dimension", [(3, 3, 2, 4), (4, 4, 3, 2), (5, 2, 1, 6), (6, 1, 2, 3)]
)
def test_gradients_equal_finite_differences(name, settings, seed, queries, per_query, dimension):
    per_query += name in PAIRS
    batch = random_batch(seed, queries, per_query, dimension)
    held = arrays(batch)
    vectors = [getattr(batch, field).requires_grad_() for field in VECTORS]
    total = torch.stack(list(losses.create(name, **settings)(batch).values())).sum()
    gradients = torch.autograd.grad(total, vectors, materialize_grads=True)
    for field, gradient in zip(VECTORS, gradients, strict=True):
        x = SimpleNamespace(**{**vars(held), field: getattr(held, field).copy()})
        expected = differences(lambda x: getattr(equations, name)(x, held, **settings), x, field)
        assert gradient.numpy() == pytest.approx(expected, rel=0, abs=1e-6), field


@pytest.mark.parametrize("variations", [1, 3])
def test_intent_with_duplicate_queries(variations):
    """The first two of three intents have one query, and it is the second one's first variation too."""
    batch = random_batch(8, queries=3, per_query=2, dimension=4, variations=variations)
    batch.query[1] = batch.variations[1, 0] = batch.query[0]
    held = arrays(batch)
    vectors = {field: getattr(batch, field).requires_grad_() for field in TEXTS}
    terms = losses.create("intent")(batch)
    assert {term: value.item() for term, value in terms.items()} == pytest.approx(
        equations.intent(held, held), abs=1e-6
    )
    sum(terms.values()).backward()
    for field in ("query", "variations", "passages"):
        expected = differences(lambda x: equations.intent(x, held), SimpleNamespace(**vars(held)), field)
        assert vectors[field].grad.numpy() == pytest.approx(expected, rel=0, abs=1e-6), field


@pytest.mark.parametrize(
    "name, settings, term, fixed",
    [
        ("rodr", {}, "query_alignment", TEACHER),
        ("rodr", {}, "passage_alignment", TEACHER),
        ("self_teaching", {}, "self_teaching", ("query",)),
        ("distillation", {}, "distillation", ("teacher_scores",)),
        ("distillation", {}, "distillation_variation", ("teacher_scores", "query")),
        ("distillation", {}, "self_teaching", ("query",)),
        ("capot", {}, "anchor", ("anchor",)),
        ("capot", {"margin_ranking": 9.0}, "ranking", ("anchor",)),
        ("capot", {"variant": "text", "margin_ranking": 9.0}, "ranking", ("anchor",)),
        ("dual_self_teaching", {}, "self_teaching", ("query",)),
        ("dual_self_teaching", {}, "query_self_teaching", ("query",)),
    ],
)
def test_a_term_does_not_reach_what_is_fixed(name, settings, term, fixed):
    batch = random_batch(6, queries=3, per_query=2, dimension=4)
    vectors = {field: getattr(batch, field).requires_grad_() for field in VECTORS}
    losses.create(name, **settings)(batch)[term].backward()
    assert not [field for field in fixed if vectors[field].grad is not None]
    assert [field for field in VECTORS if vectors[field].grad is not None and vectors[field].grad.any()]


@every_loss
def test_terms_are_single_numbers_with_finite_gradients(name, settings):
    batch = random_batch(9, queries=3, per_query=3, dimension=4)
    vectors = [getattr(batch, field).requires_grad_() for field in VECTORS]
    terms = losses.create(name, **settings)(batch)
    assert terms and all(term.shape == () and term.isfinite() for term in terms.values())
    gradients = torch.autograd.grad(sum(terms.values()), vectors, materialize_grads=True)
    assert all(gradient.isfinite().all() for gradient in gradients)


@every_loss
def test_a_loss_reads_only_what_it_needs(name, settings):
    loss, batch = losses.create(name, **settings), random_batch(7, queries=3, per_query=2, dimension=4)
    needs = fields(name, settings)
    assert loss(Batch(**{field: getattr(batch, field) for field in needs})) == loss(batch)


@pytest.mark.parametrize(
    "name, settings", [case for case in ALL if "groups" in losses.check(case[0], **case[1])], ids=str
)
def test_a_loss_over_groups_takes_the_scores_of_a_ranker(name, settings):
    loss, batch = losses.create(name, **settings), random_batch(7, queries=3, per_query=2, dimension=4)
    needs = losses.check(name, **settings)
    scored = needs & {"query", "variation", "variations"}
    ranker = Batch(**{f"{queries}_scores": batch.group_scores(queries) for queries in scored})
    for field in needs - {"groups", "vectors"} - (set() if "vectors" in needs else scored):
        setattr(ranker, field, getattr(batch, field))
    assert loss(ranker) == loss(batch)


@pytest.mark.parametrize("name", losses.LOSSES.names())
def test_a_loss_reads_all_that_it_needs(name):
    loss, batch, needs = losses.create(name), random_batch(7, queries=3, per_query=2, dimension=4), fields(name, {})
    for absent in needs:
        with pytest.raises((AssertionError, AttributeError, TypeError)):
            loss(Batch(**{field: getattr(batch, field) for field in needs - {absent}}))
