"""Which variations a training query is given: equal shares of the types, whatever they change."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from robustdr.training.assignment import assign_all, assign_one, share_out


@pytest.fixture(scope="module")
def tokenizer(tiny_transformer) -> Tokenizer:
    return Tokenizer.from_file(str(tiny_transformer / "tokenizer.json"))


# shares


def shares(options) -> dict[str, int]:
    chosen = share_out(options)
    assert chosen.keys() == options.keys()
    assert all(chosen[query] in own for query, own in options.items())
    return dict(Counter(chosen.values()))


def queries(**counts: int) -> dict[str, tuple[str, ...]]:
    """queries(ab=3): three queries that types a and b change."""
    return {f"{types}{number}": tuple(types) for types, count in counts.items() for number in range(count)}


def test_types_that_change_everything_have_equal_shares():
    assert shares(queries(abcd=400)) == {"a": 100, "b": 100, "c": 100, "d": 100}
    assert sorted(shares(queries(abc=11)).values()) == [3, 4, 4]


@pytest.mark.parametrize("order", [list, reversed])
def test_a_type_that_changes_a_share_of_the_queries_has_an_exact_share(order):
    """As transform_tense: c changes 40 of 120 queries, and has all of them; in whatever order they come."""
    options = dict(order(list(queries(abc=40, ab=80).items())))
    assert shares(options) == {"a": 40, "b": 40, "c": 40}


def test_a_type_that_changes_too_few_has_all_of_them():
    assert shares(queries(abc=10, ab=80)) == {"a": 40, "b": 40, "c": 10}


def test_a_query_that_one_type_changes_is_given_that_type():
    assert shares(queries(a=60, ab=40)) == {"a": 60, "b": 40}
    # a must take 60 of 110; b and c share what is left.
    assert shares(queries(a=60, abc=30, bc=20)) == {"a": 60, "b": 25, "c": 25}


def test_a_chain_of_moves():
    """a's own queries come last: they push others from a to b, and from b to c."""
    assert shares(queries(bc=30, ab=30, a=30)) == {"a": 30, "b": 30, "c": 30}
    assert shares(queries(ab=30, bc=30, c=30)) == {"a": 30, "b": 30, "c": 30}


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, unique=True).map(tuple), max_size=7))
def test_no_assignment_has_more_equal_shares(types):
    """Against all assignments: the same loads, largest first, as the best of them."""
    options = dict(enumerate(types))
    best = min(sorted(map(chosen.count, "abc"), reverse=True) for chosen in product(*types))
    found = shares(options)
    assert sorted((found.get(kind, 0) for kind in "abc"), reverse=True) == best


# texts


def test_every_type_has_an_equal_share(tokenizer):
    asked = {f"q{number}": "what is music" for number in range(800)}
    varied = {kind: dict.fromkeys(asked, f"what is {kind}") for kind in ("tree", "stone", "river", "gold")}
    found = Counter(assign_one(asked, varied, tokenizer, seed=1).values())
    assert found == {f"what is {kind}": 200 for kind in varied}


def test_a_type_that_leaves_the_tokens_alone_makes_way_for_the_others(tokenizer):
    """An uncased tokenizer sees no capitals; `some` changes 200 of the 600 queries, an exact third."""
    asked = {f"q{number}": "what is music" for number in range(600)}
    varied = {
        "capitals": dict.fromkeys(asked, "What Is MUSIC"),
        "same": asked,
        "tree": dict.fromkeys(asked, "what is tree"),
        "stone": dict.fromkeys(asked, "what is stone"),
        "some": {qid: "what is gold" if number < 200 else "what is music" for number, qid in enumerate(asked)},
    }
    found = Counter(assign_one(asked, varied, tokenizer, seed=1).values())
    assert found == {"what is tree": 200, "what is stone": 200, "what is gold": 200}


def test_a_query_that_no_type_changes_keeps_its_text(tokenizer):
    asked = {"q1": "what is music", "q2": "what is gold"}
    varied = {"capitals": {"q1": "WHAT is music", "q2": "What is gold"}}
    assert assign_one(asked, varied, tokenizer, seed=1) == asked
    assert assign_all(asked, varied, tokenizer) == {"q1": ["what is music"], "q2": ["what is gold"]}


@given(st.permutations([f"q{number}" for number in range(9)]), st.integers(0, 99))
def test_assignment_does_not_depend_on_the_order_of_queries_or_types(tokenizer, order, seed):
    asked = {qid: "what is music" for qid in sorted(order)}
    varied = {kind: dict.fromkeys(asked, f"what is {kind}") for kind in ("tree", "stone", "river")}
    varied["river"] |= {"q3": "what is music", "q5": "what is music"}
    expected = assign_one(asked, varied, tokenizer, seed)
    shuffled = {qid: asked[qid] for qid in order}
    found = assign_one(shuffled, dict(reversed(varied.items())), tokenizer, seed)
    assert found == expected
    assert list(found) == order


def test_assignment_depends_on_the_seed(tokenizer):
    asked = {f"q{number}": "what is music" for number in range(40)}
    varied = {kind: dict.fromkeys(asked, f"what is {kind}") for kind in ("tree", "stone")}
    assert assign_one(asked, varied, tokenizer, 1) != assign_one(asked, varied, tokenizer, 2)
