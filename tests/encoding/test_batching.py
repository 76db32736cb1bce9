"""Batches by length, and padding."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from robustdr.encoding.batching import by_length, pad

LENGTHS = st.lists(st.integers(1, 60), max_size=80)


@given(LENGTHS, st.integers(1, 200), st.integers(1, 9))
def test_batches_partition_the_texts_within_both_bounds(lengths, batch_tokens, batch_size):
    batches = by_length(lengths, batch_tokens, batch_size)
    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        assert 1 <= len(batch) <= batch_size
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= batch_tokens


@given(LENGTHS, st.integers(1, 200))
def test_longest_texts_come_first_so_that_memory_runs_out_at_once_or_never(lengths, batch_tokens):
    in_order = [lengths[i] for batch in by_length(lengths, batch_tokens) for i in batch]
    assert in_order == sorted(lengths, reverse=True)


def test_batches_by_hand():
    # 10 tokens at most: 7 alone; 4 + 4 make 8, a third would make 12; 3 × 3 = 9.
    assert by_length([3, 7, 4, 3, 4, 2], batch_tokens=10) == [[1], [2, 4], [0, 3, 5]]


def test_pad_on_the_right():
    padded = pad([[5, 6, 7], [8]], padding=0)
    assert torch.equal(padded["input_ids"], torch.tensor([[5, 6, 7], [8, 0, 0]]))
    assert torch.equal(padded["attention_mask"], torch.tensor([[1, 1, 1], [1, 0, 0]]))


def test_tokens_of_several_ids_are_padded_with_as_many():
    padded = pad([[[1, 2]], [[3, 4], [5, 6]], []], padding=9)
    assert padded["input_ids"].tolist() == [[[1, 2], [9, 9]], [[3, 4], [5, 6]], [[9, 9], [9, 9]]]
    assert padded["attention_mask"].tolist() == [[1, 0], [1, 1], [0, 0]]
    assert padded["input_ids"].dtype == padded["attention_mask"].dtype == torch.int64
