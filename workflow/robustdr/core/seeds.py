"""Random numbers that depend only on what they are for."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
HALF = 1 << 128


def digest(*parts: object) -> int:
    """A 63-bit number from the text of `parts`: the same in every process, on every machine."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


def generator(*parts: object) -> random.Random:
    """Return a random generator seeded by `parts`, for training. Another generator would change its results."""
    return random.Random(digest(*parts))


class Draw:
    """Random choices from a 256-bit number: a cheap generator for the many choices of variations and masks.

    Each choice among n takes one digit in base n; the number is hashed anew before its digits run out.
    """

    def __init__(self, seed: bytes):
        self._digest = seed
        self._number = int.from_bytes(seed)
        self._used = 1  # the product of the bases of its digits

    def integer_below(self, n: int) -> int:
        """A number from 0 to n - 1 (bias below 2**-96 for n under 2**32)."""
        if self._used > HALF:
            self._digest = hashlib.sha256(self._digest).digest()
            self._number, self._used = int.from_bytes(self._digest), 1
        self._used *= n
        self._number, chosen = divmod(self._number, n)
        return chosen

    def choice(self, items: Sequence[Item]) -> Item:
        """One of `items`, uniform."""
        return items[self.integer_below(len(items))]

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """`count` of `items` without replacement, in random order (Fisher-Yates)."""
        pool = list(items)
        for position in range(count):
            partner = position + self.integer_below(len(pool) - position)
            pool[position], pool[partner] = pool[partner], pool[position]
        return pool[:count]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All of `items` in random order."""
        return self.sample(items, len(items))
