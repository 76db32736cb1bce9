"""What all query variation generators share: declared parameters, and chance that depends on the query alone."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from robustdr.core.errors import UserError, unknown

Item = TypeVar("Item")

# Letters and digits, with apostrophes and hyphens inside: don't, x-ray.
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_NOT_WORD = re.compile(r"\W+")


class Draw:
    """Random choices taken from a 256-bit number: the same for the same bytes, on every machine, and cheap to make.

    Each choice among n takes one digit in base n; the number is hashed anew before its digits run out.
    """

    def __init__(self, seed: bytes):
        self._digest = seed
        self._number = int.from_bytes(seed)
        self._left = 1 << 256

    def below(self, n: int) -> int:
        """A number from 0 to n - 1 (bias below 2**-96 for n under 2**32)."""
        if self._left < 1 << 128:
            self._digest = hashlib.sha256(self._digest).digest()
            self._number, self._left = int.from_bytes(self._digest), 1 << 256
        self._left //= n
        self._number, chosen = divmod(self._number, n)
        return chosen

    def choice(self, items: Sequence[Item]) -> Item:
        """One of `items`, uniform."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """`count` of `items` without replacement, in random order (Fisher-Yates)."""
        pool = list(items)
        for at in range(count):
            other = at + self.below(len(pool) - at)
            pool[at], pool[other] = pool[other], pool[at]
        return pool[:count]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """All of `items` in random order."""
        return self.sample(items, len(items))


@dataclass(frozen=True)
class Variation:
    """A query variation generator; its dataclass fields are its parameters.

    A variation is a function of (seed, name, parameters, qid, text) and of nothing else: not of order, batch, process
    or hash seed. A query that the rule cannot change keeps its text.
    """

    name: ClassVar[str]
    category: ClassVar[str]  # misspelling, naturality, ordering, paraphrasing, syntactic or identity
    papers: ClassVar[tuple[str, ...]]
    needs: ClassVar[str] = "nothing"
    packages: ClassVar[tuple[str, ...]] = ()  # distributions with the pinned version, e.g. bm25s==0.3.16
    processes: ClassVar[bool] = True  # may run in several processes
    versions: ClassVar[int] = 1  # of a query that are made at once: the parameter `version` says which one this is

    @property
    def parameters(self) -> dict[str, Any]:
        """The declared parameters with their values."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}

    @property
    def effective(self) -> dict[str, Any]:
        """The parameters that decide texts: those that say how to come by them are left out."""
        without = {field.name for field in fields(self) if not field.metadata.get("effect", True)}
        return {key: value for key, value in self.parameters.items() if key not in without}

    @property
    def files(self) -> Sequence[Path]:
        """The files and folders of the user's that decide texts and that no parameter pins."""
        return ()

    @property
    def resource(self) -> str:
        """What stands behind this generator here, for tables and statistics."""
        return self.needs

    @property
    def problems(self) -> Sequence[str]:
        """What went wrong with single queries, which kept their text."""
        return ()

    def check(self) -> None:
        """Raise a `UserError` naming the package when a resource is not installed."""
        for pin in self.packages:
            require(pin, self.name)

    def fetch(self, queries: Mapping[str, str]) -> None:
        """Have at hand what varying these queries, texts by qid, takes; it is called once, before `vary`.

        Raises:
            UserError: it cannot be had.
        """

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        """Yield (qid, varied text) for every (qid, text), streaming and in the same order."""
        draws = self.draws(seed)
        for qid, text in queries:
            yield qid, self.rewrite(text, draws(qid, text))

    def split(self, queries: Mapping[str, str], seed: int) -> dict[str, int]:
        """Which of the `versions` of a query attacks, from 1 on, for every query that has them."""
        raise NotImplementedError

    def rewrite(self, text: str, draw: Draw) -> str:
        """The variation of one query, or `text` itself when the rule does not apply."""
        raise NotImplementedError

    def draws(self, seed: int) -> "Draws":
        """The chance of each query under this generator, its parameters and `seed`."""
        return Draws(seed, self.name, self.effective)


def plain(text: str) -> str:
    """qvg's preparation of a query: lower case, and one blank for what is no letter, digit or underscore."""
    return " ".join(_NOT_WORD.sub(" ", text.lower()).split())


class Plain(Variation):
    """A rule for prepared queries (see `plain`), as qvg has them; to be named before the class of the rule.

    A query that the rule does not change keeps its text as it was.
    """

    def rewrite(self, text: str, draw: Draw) -> str:
        prepared = plain(text)
        varied = self.rewrite_plain(prepared, draw)
        return text if varied == prepared else varied

    def rewrite_plain(self, text: str, draw: Draw) -> str:
        """The rule, for a prepared query."""
        return super().rewrite(text, draw)


class Draws:
    """The `Draw` of each query: SHA-256 over seed, generator, parameters, qid and text."""

    def __init__(self, seed: int, name: str, parameters: dict[str, Any]):
        self._prefix = hashlib.sha256(json.dumps([seed, name, parameters], sort_keys=True).encode())

    def __call__(self, qid: str, text: str) -> Draw:
        state = self._prefix.copy()
        state.update(f"{len(qid)} {qid}{text}".encode("utf-8", "surrogatepass"))
        return Draw(state.digest())


def require(pin: str, name: str) -> None:
    """Raise a `UserError` when the distribution of `pin` (name==version) is missing or another version."""
    package, _, expected = pin.partition("==")
    try:
        found = version(package)
    except PackageNotFoundError:
        raise UserError(f"variation {name!r} needs the package {package}; run `pip install {pin}`") from None
    if found != expected:
        raise UserError(f"variation {name!r} needs {pin}, not {found}; run `pip install {pin}`")


def build(kind: type[Variation], parameters: dict[str, Any]) -> Variation:
    """Make a generator from parameters given by a user.

    Raises:
        UserError: an unknown parameter (nearest names first) or a value of another type than the default's.
    """
    defaults = {field.name: field.default for field in fields(kind) if field.init}
    for key, value in parameters.items():
        if key not in defaults:
            raise unknown(f"parameter of variation {kind.name}", key, defaults)
        default = defaults[key]
        if isinstance(default, float) and type(value) is int:
            parameters = parameters | {key: float(value)}
        elif type(value) is not type(default):
            expected = type(default).__name__
            raise UserError(f"variation {kind.name}: {key} is {value!r}; a value of type {expected} is expected")
    return kind(**parameters)


def find(place: str) -> type[Variation]:
    """The class at `family:Class` of this package."""
    family, _, cls = place.partition(":")
    return getattr(import_module(f"{__package__}.{family}"), cls)


def in_range(variation: Variation, key: str, low: float, high: float) -> None:
    """Raise a `UserError` unless parameter `key` of `variation` lies in [low, high]."""
    value = getattr(variation, key)
    if not low <= value <= high:
        raise UserError(f"variation {variation.name}: {key} is {value!r}; it must lie between {low} and {high}")


def one_of(variation: Variation, key: str, allowed: Iterable[str]) -> None:
    """Raise a `UserError` unless parameter `key` of `variation` is one of `allowed`."""
    value = getattr(variation, key)
    if value not in (allowed := tuple(allowed)):
        raise unknown(f"variation {variation.name}: {key}", value, allowed)


def splice(text: str, start: int, end: int, word: str) -> str:
    """`text` with the characters from `start` to `end` replaced by `word`."""
    return text[:start] + word + text[end:]
