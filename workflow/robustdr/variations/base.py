"""The base of all query variation generators: parameters, and random choices that depend on the query alone."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar

from robustdr.core.errors import UserError, unknown
from robustdr.core.seeds import Draw

# Letters and digits, with apostrophes and hyphens inside: don't, x-ray.
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_NOT_WORD = re.compile(r"\W+")


@dataclass(frozen=True)
class Variation:
    """A query variation generator; its dataclass fields are its parameters.

    A variation is a function of (seed, name, parameters, qid, text) and of nothing else: not of order, batch, process
    or hash seed. A query that the rule cannot change keeps its text.
    """

    name: ClassVar[str]
    listed: ClassVar[int]  # place in lists; without a number of its own a generator stands last
    category: ClassVar[str]  # misspelling, naturality, ordering, paraphrasing, syntactic or identity
    papers: ClassVar[tuple[str, ...]]
    needs: ClassVar[str] = "nothing"
    packages: ClassVar[tuple[str, ...]] = ()  # distributions with the pinned version, e.g. bm25s==0.3.16
    processes: ClassVar[bool] = True  # may run in several processes
    versions: ClassVar[int] = 1  # of a query that are made at once: the parameter `version` says which one this is

    @property
    def parameters(self) -> dict[str, object]:
        """The declared parameters with their values."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.init}

    @property
    def effective(self) -> dict[str, object]:
        """The parameters that decide texts; those that only say how texts are computed are left out."""
        without = {field.name for field in fields(self) if not field.metadata.get("effect", True)}
        return {key: value for key, value in self.parameters.items() if key not in without}

    @property
    def files(self) -> Sequence[Path]:
        """The user's files and folders that decide texts and whose contents no parameter fixes."""
        return ()

    @property
    def resource(self) -> str:
        """The data or model behind this generator, for tables and statistics."""
        return self.needs

    @property
    def problems(self) -> Sequence[str]:
        """Problems with single queries, which kept their text."""
        return ()

    def check(self) -> None:
        """Raise a `UserError` naming the package when a resource is not installed."""
        for pin in self.packages:
            require(pin, self.name)

    def fetch(self, queries: Mapping[str, str]) -> None:
        """Get whatever `vary` needs for these queries, texts by qid; called once, before `vary`.

        Raises:
            UserError: it is not available.
        """

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        """Yield (qid, varied text) for every (qid, text), streaming and in the same order."""
        draws = self.draws(seed)
        for qid, text in queries:
            yield qid, self.rewrite(text, draws(qid, text))

    def split(self, queries: Mapping[str, str], seed: int) -> dict[str, int]:
        """By qid, the number (from 1) of the version that is evaluated on; the other versions train."""
        raise NotImplementedError

    def rewrite(self, text: str, draw: Draw) -> str:
        """The variation of one query, or `text` itself when the rule does not apply."""
        raise NotImplementedError

    def draws(self, seed: int) -> "Draws":
        """The random choices for each query under this generator, its parameters and `seed`."""
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

    def __init__(self, seed: int, name: str, parameters: dict[str, object]):
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


def build(kind: type[Variation], parameters: Mapping[str, object]) -> Variation:
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
            parameters = {**parameters, key: float(value)}
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
