"""What a step sees: batches, the texts of the queries, random negatives."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from robustdr.collections.rows import Reference
from robustdr.training.data import Example
from robustdr.training.dense import derangement
from robustdr.training.feed import Feed
from training.models import examples_of

EXAMPLES = [Example(f"q{number}", "original", ("varied",)) for number in range(2000)]


def feed(share: float, examples: list[Example] = EXAMPLES, seed: int = 1, size: int = 4) -> Feed:
    return Feed(examples, size, negatives=2, augmentation=share, seed=seed)


def augmented(of: Feed, epoch: int) -> set[str]:
    return {example.qid for example in of.examples if of.texts(example, epoch)[0] == "varied"}


# augmentation


def test_without_augmentation_queries_are_original():
    assert not augmented(feed(0), epoch=3)


def test_augmentation_of_all_queries():
    assert len(augmented(feed(1.0), epoch=3)) == len(EXAMPLES)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_the_share_of_varied_queries_is_as_set(share):
    lowest, highest = binom.interval(1 - 1e-9, len(EXAMPLES), share)
    for epoch in range(5):
        assert lowest <= len(augmented(feed(share), epoch)) <= highest


def test_every_epoch_and_every_seed_varies_other_queries():
    of_epochs = [augmented(feed(0.5, seed=seed), epoch) for seed in (1, 2) for epoch in (0, 1)]
    lowest, highest = binom.interval(1 - 1e-9, len(EXAMPLES), 0.25)  # both of two independent draws
    for number, one in enumerate(of_epochs):
        for other in of_epochs[:number]:
            assert lowest <= len(one & other) <= highest


def test_augmentation_depends_on_seed_epoch_and_query_alone():
    expected = augmented(feed(0.5), epoch=2)
    some = EXAMPLES[::-3]
    assert augmented(feed(0.5, some, size=7), epoch=2) == expected & {example.qid for example in some}


def test_augmentation_leaves_the_variation_as_it_is():
    half = feed(0.5)
    assert {half.texts(example, 0)[1] for example in EXAMPLES} == {"varied"}


# variations in turn


@given(st.integers(1, 5), st.integers(0, 30), st.integers(0, 9))
def test_variations_take_turns_with_the_epochs(count, epoch, seed):
    example = Example("q", "original", tuple(f"varied {number}" for number in range(count)))
    seen = [feed(0, [example] * 4, seed).texts(example, epoch + i)[1] for i in range(2 * count)]
    assert sorted(seen[:count]) == list(example.variations)
    assert seen[:count] == seen[count:]


def test_all_variations_of_a_batch_lie_query_by_query(intents_file):
    examples = examples_of(intents_file)
    for step in feed(0, examples).run(0, 6):
        assert len(step.variations) == 8
        for place, number in enumerate(step.examples):
            assert step.items_of("variations", place, place + 1) == list(examples[number].variations)
            assert step.items_of("query", place, place + 1) == [examples[number].query]
            assert step.variation[place] in examples[number].variations
        assert (
            step.items_of("variations", 1, 3) == step.variations[2:6]
            and step.items_of("passages", 1, 3) == step.passages[3:9]
        )


# steps


def test_a_feed_can_start_at_any_step(training_file):
    steps = feed(0.5, examples_of(training_file))
    whole = list(steps.run(0, 15))
    assert len(whole) == 15
    assert all(list(steps.run(start, 15)) == whole[start:] for start in range(15))


def test_each_query_brings_its_positive_and_then_its_negatives(training_file):
    examples = examples_of(training_file)
    for step in feed(0, examples).run(0, 15):
        groups = [step.passages[start : start + 3] for start in range(0, 12, 3)]
        for number, query, variation, (positive, *negatives) in zip(
            step.examples, step.query, step.variation, groups, strict=True
        ):
            assert (query, (variation,)) == (examples[number].query, examples[number].variations)
            assert positive in examples[number].positives
            assert set(negatives) <= set(examples[number].negatives)


def test_every_epoch_and_every_seed_has_batches_of_its_own(training_file):
    examples = examples_of(training_file)
    epochs = [
        {frozenset(step.examples) for step in feed(0, examples, seed).run(start, start + 6)}
        for seed in (1, 2)
        for start in (0, 6, 12)
    ]
    assert all(len(one & other) <= 1 for one, other in combinations(epochs, 2))  # of 6


def test_every_query_and_every_seed_has_passages_and_variations_of_its_own():
    """What is seen first of four is an independent draw for each query, seed and kind of text."""
    passages = tuple(Reference(docid, row, None) for row, docid in enumerate("abcd"))
    examples = [Example(f"q{number}", "original", tuple("abcd"), passages, passages) for number in range(400)]

    def first(seed: int) -> list[list[str]]:
        of = Feed(examples, size=4, negatives=1, augmentation=0.0, seed=seed)
        groups = [[passage.docid for passage in of.passages(example, 0)] for example in examples]
        return [*map(list, zip(*groups, strict=True)), [of.texts(example, 0)[1] for example in examples]]

    draws = [*first(seed=1), *first(seed=2)]
    lowest, highest = binom.interval(1 - 1e-9, 400, 1 / 4)
    assert all(lowest <= draw.count(letter) <= highest for draw in draws for letter in "abcd")
    for one, other in combinations(draws, 2):
        assert lowest <= sum(map(str.__eq__, one, other)) <= highest


def test_queries_alone_have_no_passages(queries_file):
    steps = list(feed(0, examples_of(queries_file)).run(0, 6))
    assert not any(step.passages for step in steps)
    assert len({number for step in steps for number in step.examples}) == 24


# random negatives


@given(st.integers(2, 60), st.integers())
def test_a_derangement_is_one_cycle_through_all(size, seed):
    other, at, seen = derangement(size, seed), 0, set()
    for _ in range(size):
        at = other[at]
        seen.add(at)
    assert at == 0 and seen == set(range(size))
    assert all(other[i] != i for i in range(size))


def test_negatives_change_from_step_to_step():
    assert len({str(derangement(8, 1, "negative query", step)) for step in range(20)}) > 15
