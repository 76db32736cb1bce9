"""Generators with an engine, which varies batches of queries: a model, a program, or rules as a stand-in."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import ClassVar

from robustdr.variations import lexicon, seq2seq
from robustdr.variations.base import Draw, Variation, in_range, one_of
from robustdr.variations.morphology import INFLECTIONS

Engine = Callable[[Sequence[str]], list[str]]

_BATCH = 32
SAMPLE = 512  # queries; if none of them differs, fewer than 0.6 % of all do (with 95 % confidence)


@dataclass(frozen=True)
class Engined(Variation):
    """A generator with an `engine`; the engine `rules` is a stand-in that needs only lexical data.

    `model` is a folder or a pinned hub model, `owner/name@revision:sha256 of model.safetensors`; `beams` is the width
    of its beam search, `tokens` the longest output. Models compute in float64; on a GPU in half precision if this
    changes no output for a sample of the queries.
    """

    packages = (lexicon.WORDNET, lexicon.STOPWORDS, INFLECTIONS)
    engines: ClassVar[tuple[str, ...]]
    stand_in: ClassVar[str]

    engine: str = "rules"
    model: str = ""
    beams: int = 5
    tokens: int = 64
    chosen: dict[str, str] = field(default_factory=dict, init=False, compare=False)  # `precision`, after `choose`

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

    @property
    def fetches(self) -> bool:
        return any(seq2seq.PINNED.fullmatch(model) for model in self.models.values())

    def fetch(self, queries: Mapping[str, str]) -> None:
        for model in self.models.values():
            seq2seq.find(model)

    def ready(self, queries: Mapping[str, str]) -> None:
        if self.models and (precisions := seq2seq.half()):
            self.choose(precisions, list(queries.values()))

    def choose(self, precisions: Iterable[str], texts: Sequence[str]) -> None:
        """Choose the first precision that changes no output for a sample of the texts, else float64; print which.

        The sample is drawn from all queries of a split, so all its shards choose the same precision.
        """
        sample = [self.prepare(text) for text in texts[:: -(-len(texts) // SAMPLE)]]
        exact = self._outputs(seq2seq.EXACT, sample)
        for precision in precisions:
            changed = sum(
                exact_output != output
                for exact_output, output in zip(exact, self._outputs(precision, sample), strict=True)
            )
            print(f"{self.name}: {precision} changes {changed} of {len(sample)} sampled queries", file=sys.stderr)
            if not changed:
                break
        else:
            self.chosen["precision"] = seq2seq.EXACT
        seq2seq.load.cache_clear()  # free the models that were not chosen
        print(f"{self.name}: models compute in {self.chosen['precision']}", file=sys.stderr, flush=True)

    def _outputs(self, precision: str, prepared: list[str]) -> list[str]:
        """The models' outputs for prepared queries, computed in a precision."""
        self.chosen["precision"] = precision
        return _outputs(self.start(), prepared)

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        if self.engine == "rules":
            yield from super().vary(queries, seed)
            return
        engine, remaining = self.start(), iter(queries)
        while batch := list(islice(remaining, _BATCH)):
            prepared = [self.prepare(text) for _, text in batch]
            for (qid, text), before, after in zip(batch, prepared, _outputs(engine, prepared), strict=True):
                yield qid, text if after in ("", before) else after

    def rewrite(self, text: str, draw: Draw) -> str:
        prepared = self.prepare(text)
        varied = self.reword(prepared, draw)
        return text if varied == prepared else varied

    def prepare(self, text: str) -> str:
        """The text that the engine reads for this query."""
        return text

    def start(self) -> Engine:
        """Load the engine."""
        return self.generator(self.model)

    def generator(self, model: str) -> Callable[..., list[str]]:
        """The `generate` function of a model, loaded here, with this generator's settings."""
        loaded = seq2seq.load(model, self.chosen.get("precision", seq2seq.EXACT))
        return partial(loaded.generate, beams=self.beams, longest=self.tokens)

    def reword(self, text: str, draw: Draw) -> str:
        """The varied text by the stand-in's rule."""
        raise NotImplementedError


def _outputs(engine: Engine, prepared: list[str]) -> list[str]:
    """The outputs of an engine for queries, in batches."""
    batches = (prepared[start : start + _BATCH] for start in range(0, len(prepared), _BATCH))
    return [" ".join(output.split()) for batch in batches for output in engine(batch)]
