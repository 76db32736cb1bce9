"""Random choices: a cheap way to make them must give the numbers of the plain one."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.seeds import Draw

SEEDS = st.binary(min_size=32, max_size=32)
COUNTS = st.lists(st.integers(1, 1 << 32), max_size=80)


def plain(seed: bytes, counts: list[int]) -> list[int]:
    """Digits of a 256-bit number, hashed anew while fewer than 2**128 values are left."""
    number, room, digits = int.from_bytes(seed), 1 << 256, []
    for n in counts:
        if room < 1 << 128:
            seed = hashlib.sha256(seed).digest()
            number, room = int.from_bytes(seed), 1 << 256
        room //= n
        number, digit = divmod(number, n)
        digits.append(digit)
    return digits


@given(SEEDS, COUNTS)
def test_each_choice_is_a_digit_of_the_number(seed, counts):
    draw = Draw(seed)
    assert [draw.integer_below(n) for n in counts] == plain(seed, counts)


@given(SEEDS, st.integers(0, 60), st.lists(st.integers(2, 9), min_size=40, max_size=40))
def test_a_shuffle_takes_a_choice_for_each_item_and_leaves_the_next_as_they_were(seed, items, then):
    draw = Draw(seed)
    shuffled, rest = draw.shuffled(range(items)), [draw.integer_below(n) for n in then]
    digits = plain(seed, [*range(items, 0, -1), *then])
    pool = list(range(items))
    for position, digit in enumerate(digits[:items]):
        pool[position], pool[position + digit] = pool[position + digit], pool[position]
    assert shuffled == pool and rest == digits[items:]


@given(SEEDS, st.integers(1, 9))
def test_a_sample_is_the_beginning_of_a_shuffle(seed, count):
    assert Draw(seed).sample("abcdefghi", count) == Draw(seed).shuffled("abcdefghi")[:count]
