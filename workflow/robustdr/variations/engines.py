"""Generators that hand batches of queries to an engine: a model, a program, or rules that stand in for them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import ClassVar

from robustdr import lexicon
from robustdr.variations import seq2seq
from robustdr.variations.base import Draw, Variation, in_range, one_of
from robustdr.variations.morphology import INFLECTIONS

Engine = Callable[[Sequence[str]], list[str]]

_BATCH = 32


@dataclass(frozen=True)
class Engined(Variation):
    """A generator with an `engine`; `rules` is its stand-in, which needs lexical data only.

    `model` is a folder or a pinned hub model, `owner/name@revision:sha256 of model.safetensors`; `beams` is the width
    of its beam search, `tokens` the length at which an output is cut.
    """

    packages = (lexicon.WORDNET, lexicon.STOPWORDS, INFLECTIONS)
    engines: ClassVar[tuple[str, ...]]
    stand_in: ClassVar[str]

    engine: str = "rules"
    model: str = ""
    beams: int = 5
    tokens: int = 64

    def __post_init__(self) -> None:
        one_of(self, "engine", ("rules", *self.engines))
        in_range(self, "beams", 1, 64)
        in_range(self, "tokens", 1, 512)

    @property
    def models(self) -> dict[str, str]:
        """The models that the engine loads, by parameter."""
        return {} if self.engine in ("rules", "apertium") else {"model": self.model}

    @property
    def files(self) -> list[Path]:
        return [Path(model) for model in self.models.values() if not seq2seq.PINNED.fullmatch(model)]

    def check(self) -> None:
        if self.engine == "rules":
            super().check()
        for key, model in self.models.items():
            seq2seq.check(model, f"variation {self.name}: engine {self.engine}: {key}")

    @property
    def resource(self) -> str:
        if self.engine == "rules":
            return f"stand-in: {self.stand_in}"
        return " and ".join((self.engine, *self.models.values()))

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        if self.engine == "rules":
            yield from super().vary(queries, seed)
            return
        engine, remaining = self.start(), iter(queries)
        while batch := list(islice(remaining, _BATCH)):
            prepared = [self.prepare(text) for _, text in batch]
            outputs = (" ".join(output.split()) for output in engine(prepared))
            for (qid, text), before, after in zip(batch, prepared, outputs, strict=True):
                yield qid, text if after in ("", before) else after

    def rewrite(self, text: str, draw: Draw) -> str:
        prepared = self.prepare(text)
        varied = self.reword(prepared, draw)
        return text if varied == prepared else varied

    def prepare(self, text: str) -> str:
        """What the engine reads for this query."""
        return text

    def start(self) -> Engine:
        """The engine, ready to take batches."""
        return self.generator(self.model)

    def generator(self, model: str) -> Callable[..., list[str]]:
        """A loaded model's `generate` with this generator's settings."""
        return partial(seq2seq.load(model).generate, beams=self.beams, longest=self.tokens)

    def reword(self, text: str, draw: Draw) -> str:
        """The stand-in's rule."""
        raise NotImplementedError
