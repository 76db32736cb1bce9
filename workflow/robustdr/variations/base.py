"""The base of all query variation generators: parameters, and random choices that depend only on the query."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar

from robustdr.core.errors import UserError, unknown
from robustdr.core.languages import ENGLISH
from robustdr.core.plugins import module_named
from robustdr.core.seeds import Draw
from robustdr.core.words import BETWEEN, LETTERS

# Letters and digits with their marks, and apostrophes and hyphens inside: don't, x-ray.
WORD = re.compile(rf"{LETTERS}(?:['\u2019-]{LETTERS})*")
_NOT_WORD = re.compile(BETWEEN)


@dataclass(frozen=True)
class Variation:
    """A query variation generator; its dataclass fields are its parameters.

    A varied query depends only on (seed, name, parameters, qid, text): not on order, batch, process or hash seed. A
    query that the rule cannot change keeps its text.
    """

    name: ClassVar[str]
    listed: ClassVar[int]  # position in lists; generators without it come last
    category: ClassVar[str]  # misspelling, naturality, ordering, paraphrasing, syntactic, logged or identity
    papers: ClassVar[tuple[str, ...]]
    needs: ClassVar[str] = "nothing"
    packages: ClassVar[tuple[str, ...]] = ()  # distributions with the pinned version, e.g. bm25s==0.3.16
    processes: ClassVar[bool] = True  # may run in several processes
    versions: ClassVar[int] = 1  # versions of a query made together; the parameter `version` selects one

    @classmethod
    def speaks(cls, language: str) -> bool:
        """Whether the rule applies to queries of a language, an ISO 639-1 code; most rules are for English alone."""
        return language == ENGLISH

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters with their values, without those whose default is implied."""
        parameters = {field.name: getattr(self, field.name) for field in fields(self) if field.init}
        implied = {
            field.name
            for field in fields(self)
            if field.metadata.get("implied") and field.default == parameters[field.name]
        }
        return {key: value for key, value in parameters.items() if key not in implied}

    @property
    def effective(self) -> dict[str, object]:
        """The parameters that decide texts, without those that only affect how texts are computed."""
        without = {field.name for field in fields(self) if not field.metadata.get("effect", True)}
        return {key: value for key, value in self.parameters.items() if key not in without}

    @property
    def files(self) -> Sequence[Path]:
        """The user's files and folders that decide texts, if no parameter holds their digest."""
        return ()

    @property
    def resource(self) -> str:
        """The data or model behind this generator, for tables and statistics."""
        return self.needs

    @property
    def pins(self) -> tuple[str, ...]:
        """The packages that this generator reads, each with its pinned version."""
        return self.packages

    @property
    def problems(self) -> Sequence[str]:
        """Problems with queries that kept their text, one text per query."""
        return ()

    def check(self) -> None:
        """Raise a `UserError` if a resource is not installed; it names the package."""
        for pin in self.pins:
            require(pin, self.name)

    @property
    def fetches(self) -> bool:
        """Whether `fetch` uses the network. It then runs on the host that submits jobs, before the others."""
        return False

    def fetch(self, queries: Mapping[str, str]) -> None:
        """Bring what `ready` and `vary` need for these queries, texts by qid, from the network.

        Raises:
            UserError: it cannot be had.
        """

    def ready(self, queries: Mapping[str, str]) -> None:
        """Make `vary` ready for these queries, texts by qid; called once, before `vary` and after `fetch`.

        Raises:
            UserError: a resource is not available.
        """

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        """Yield (qid, varied text) for every (qid, text), in the same order."""
        draws = self.draws(seed)
        for qid, text in queries:
            yield qid, self.rewrite(text, draws(qid, text))

    def split(self, queries: Mapping[str, str], seed: int) -> dict[str, int]:
        """By qid, the number (from 1) of the version for evaluation; the other versions are for training."""
        raise NotImplementedError

    def rewrite(self, text: str, draw: Draw) -> str:
        """The varied text of one query; `text` if the rule does not apply."""
        raise NotImplementedError

    def draws(self, seed: int) -> "Draws":
        """The random choices for each query, from this generator, its parameters and `seed`."""
        return Draws(seed, self.name, self.effective)


def plain(text: str) -> str:
    """qvg's preparation of a query: lower case; one blank for all that is not a letter, digit or underscore."""
    return " ".join(_NOT_WORD.sub(" ", text.lower()).split())


class Plain(Variation):
    """Mixin for rules on prepared queries (see `plain`), as in qvg; list it before the rule's class.

    A query that the rule does not change keeps its original text.
    """

    def rewrite(self, text: str, draw: Draw) -> str:
        prepared = plain(text)
        varied = self.rewrite_plain(prepared, draw)
        return text if varied == prepared else varied

    def rewrite_plain(self, text: str, draw: Draw) -> str:
        """The varied text of a prepared query."""
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
    """Raise a `UserError` if the distribution of `pin` (name==version) is missing or has another version."""
    package, _, expected = pin.partition("==")
    try:
        installed = version(package)
    except PackageNotFoundError:
        raise UserError(f"variation {name!r} needs the package {package}; run `pip install {pin}`") from None
    if installed != expected:
        raise UserError(f"variation {name!r} needs {pin}, not {installed}; run `pip install {pin}`")


def build(kind: type[Variation], parameters: Mapping[str, object]) -> Variation:
    """Make a generator from a user's parameters.

    Raises:
        UserError: a parameter is unknown (lists the nearest names first), or a value has another type than its default.
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
            raise UserError(f"variation {kind.name}: {key} is {value!r}; it must be of type {expected}")
    return kind(**parameters)


def find(place: str) -> type[Variation]:
    """The class named `family:Class` in this package."""
    family, _, cls = place.partition(":")
    return getattr(module_named(f"{__package__}.{family}"), cls)


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
