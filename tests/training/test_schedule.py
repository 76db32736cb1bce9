"""What is seen when: windows of negatives, positives, batches."""

import math
import subprocess
import sys
from collections import Counter
from itertools import combinations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from transformers import get_linear_schedule_with_warmup

from robustdr.training.schedule import batches, learning_rate, turn, window

SEEDS, EPOCHS, QIDS = st.integers(0, 50), st.integers(0, 30), st.text("abc123", min_size=1, max_size=4)


@given(st.integers(1, 30), st.integers(1, 8), SEEDS, QIDS)
def test_a_window_moves_on_by_its_size_with_every_epoch_and_wraps_around(length, count, seed, qid):
    if length < count:
        return
    negatives = list(range(length))
    shuffled = [window(negatives, 1, epoch, seed, qid)[0] for epoch in range(length)]
    assert sorted(shuffled) == negatives
    for epoch in range(2 * length):
        offset = epoch * count % length
        expected = [shuffled[(offset + i) % length] for i in range(count)]
        assert window(negatives, count, epoch, seed, qid) == expected


def test_windows_of_seven_in_twenty_eight_show_every_negative_once_in_four_epochs():
    seen = [docid for epoch in range(4) for docid in window(list(range(28)), 7, epoch, 1, "q")]
    assert sorted(seen) == list(range(28))


def test_a_list_as_long_as_the_window_is_seen_whole():
    assert all(sorted(window("abcd", 4, epoch, 1, "q")) == list("abcd") for epoch in range(9))


@given(st.integers(1, 5), st.integers(1, 5), EPOCHS, SEEDS, QIDS)
def test_a_short_list_is_sampled_with_replacement(length, more, epoch, seed, qid):
    drawn = window(list(range(length)), length + more, epoch, seed, qid)
    assert len(drawn) == length + more
    assert set(drawn) <= set(range(length))


def test_what_is_drawn_from_a_short_list_changes_with_the_epoch():
    drawn = [tuple(window("abc", 5, epoch, 1, "q")) for epoch in range(40)]
    assert len(set(drawn)) > 30  # of 243 possible ones


@pytest.mark.parametrize("length, count", [(20, 5), (4, 30)], ids=["windows", "drawn from a short list"])
def test_negatives_differ_between_queries_and_seeds(length, count):
    windows = [tuple(window(list(range(length)), count, 0, seed, qid)) for seed in (1, 2) for qid in ("a", "b", "c")]
    assert len(set(windows)) == len(windows)


@given(st.integers(1, 6), SEEDS, QIDS)
def test_all_take_their_turn(count, seed, qid):
    taken = [turn(range(count), epoch, seed, qid) for epoch in range(2 * count)]
    assert taken == [(taken[0] + number) % count for number in range(2 * count)]


def test_turns_begin_anywhere():
    begun = [turn(range(4), 0, 1, f"q{number}") for number in range(400)]
    lowest, highest = binom.interval(1 - 1e-9, 400, 1 / 4)
    assert all(lowest <= begun.count(first) <= highest for first in range(4))


@given(st.integers(0, 300), st.integers(1, 7), EPOCHS, SEEDS)
def test_an_epoch_shows_every_example_once_but_for_an_incomplete_batch(examples, size, epoch, seed):
    made = batches(examples, size, epoch, seed)
    seen = [i for batch in made for i in batch]
    assert all(len(batch) == size for batch in made)
    assert len(made) == examples // size
    assert len(set(seen)) == len(seen) and set(seen) <= set(range(examples))


def test_the_example_that_is_left_out_changes_with_the_epoch():
    left_out = {min(set(range(9)) - {i for batch in batches(9, 4, epoch, 1) for i in batch}) for epoch in range(40)}
    assert len(left_out) > 4


def test_any_two_examples_share_a_batch_equally_often():
    """Batches are uniform random subsets: an example has each of the 23 others beside it in 3 of 23 epochs."""
    epochs = 800
    together = Counter(
        pair for epoch in range(epochs) for batch in batches(24, 4, epoch, 1) for pair in combinations(sorted(batch), 2)
    )
    lowest, highest = binom.interval(1 - 1e-9, epochs, 3 / 23)
    assert len(together) == 24 * 23 // 2
    assert lowest <= min(together.values()) and max(together.values()) <= highest


def test_batches_change_with_epoch_and_seed():
    """Which examples share a batch, not only their order, is another draw in every epoch and with every seed."""
    made = [{frozenset(batch) for batch in batches(40, 4, epoch, seed)} for epoch in range(3) for seed in range(3)]
    for one, other in combinations(made, 2):
        assert len(one & other) <= 1  # of 10; two draws share a batch of four by a chance of one in a thousand


def test_the_schedule_is_the_same_in_another_process_with_another_hash_seed():
    code = (
        "from robustdr.training.schedule import *;"
        "print(window(list(range(9)), 4, 3, 1, 'q7'), turn('abc', 5, 2, 'q7'), batches(15, 4, 2, 1))"
    )

    def run(hash_seed: str) -> str:
        environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "workflow"}
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        ).stdout

    here = f"{window(list(range(9)), 4, 3, 1, 'q7')} {turn('abc', 5, 2, 'q7')} {batches(15, 4, 2, 1)}\n"
    assert run("1") == run("2") == here


def test_learning_rate_by_hand():
    # Two of eight steps warm up, also if they are 1.6 steps; the other six fall from the full rate to a sixth of it.
    falling = [8, 8 * 5 / 6, 8 * 4 / 6, 8 * 3 / 6, 8 * 2 / 6, 8 / 6]
    for warmup in (0.25, 0.2):
        assert [learning_rate(step, 8, 8.0, warmup, decay=True) for step in range(8)] == pytest.approx([0, 4, *falling])
    assert [learning_rate(step, 8, 8.0, 0.25, decay=False) for step in range(8)] == [0, 4] + [8] * 6
    assert learning_rate(0, 1, highest=8.0, warmup=0.0, decay=True) == 8.0


@pytest.mark.parametrize("steps, warmup", [(1, 0.0), (10, 0.1), (37, 0.042), (8, 1.0)])
def test_the_learning_rate_is_that_of_hugging_face(steps, warmup):
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = get_linear_schedule_with_warmup(optimiser, math.ceil(warmup * steps), steps)
    for step in range(steps):
        assert learning_rate(step, steps, 1.0, warmup, decay=True) == pytest.approx(theirs.get_last_lr()[0])
        optimiser.step()
        theirs.step()


@given(st.integers(1, 60), st.floats(0, 1))
def test_the_learning_rate_never_exceeds_its_setting(steps, warmup):
    rates = [learning_rate(step, steps, 1.0, warmup, decay=True) for step in range(steps)]
    assert all(0 <= rate <= 1 for rate in rates) and (0.0 in rates) == (warmup > 0)
