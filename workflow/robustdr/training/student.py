"""The encoders that a training changes, and their gradients."""

from dataclasses import dataclass, field
from pathlib import Path

import torch

from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.seeds import digest
from robustdr.training import distributed
from robustdr.training.settings import TrainSettings


@dataclass
class Part:
    """Vectors that wait for their gradients: what was encoded, how, and the vectors, cut off from the encoder."""

    encoder: Encoder
    tokens: list[list[int]]
    seed: int
    vectors: torch.Tensor  # [texts, d]


@dataclass
class Student:
    """One encoder for queries and passages (under `query`), or one each; on queries alone there is none for passages.

    With `cache` (tokens), the activations of at most so many tokens are in memory at once: vectors are computed without
    a graph, and a second pass takes their gradients back through the encoder, piece by piece (gradient caching, Gao et
    al. 2021). Dropout is seeded by piece, so both passes see the same.
    """

    encoders: dict[str, Encoder]
    cache: int | None
    parts: list[Part] = field(default_factory=list)

    @classmethod
    def load(cls, initial: Path, settings: TrainSettings, passages: bool) -> "Student":
        """Load the encoders of `initial` that are trained; `passages`: whether the loss sees any."""
        encoders = {QUERY: Encoder(initial, settings.precision, training=True)}
        if settings.encoders == "separate" and passages:
            encoders[DOCUMENT] = Encoder(initial, settings.precision, training=True, route=DOCUMENT)
        for encoder in encoders.values():
            encoder.model.train()
            if settings.freeze_word_embeddings:
                encoder.model.get_input_embeddings().requires_grad_(False)
            for module in encoder.model.modules():
                if isinstance(module, torch.nn.Dropout):
                    module.p = settings.dropout
        return cls(encoders, settings.gradient_cache)

    @property
    def parameters(self) -> dict[str, torch.nn.Parameter]:
        """What is trained, by name."""
        return {
            f"{route}.{name}": parameter
            for route, encoder in self.encoders.items()
            for name, parameter in encoder.model.named_parameters()
            if parameter.requires_grad
        }

    def embed(self, route: str, tokens: list[list[int]], seed: int) -> torch.Tensor:
        """Vectors of this process's texts and of all other processes', [processes · texts, d], in rank order."""
        encoder = self.encoders.get(route, self.encoders[QUERY])
        with torch.set_grad_enabled(self.cache is None):
            vectors = encoder.embed(tokens, seed, self.cache)
        if self.cache is not None:
            vectors.requires_grad_()
            self.parts.append(Part(encoder, tokens, seed, vectors))
        return distributed.gather(vectors)

    def backward(self, loss: torch.Tensor) -> None:
        """Gradients of all parameters, averaged over the processes."""
        loss.backward()
        for part in self.parts:
            if part.vectors.grad is None:  # a term whose weight is 0
                continue
            for number, group in enumerate(part.encoder.groups(part.tokens, self.cache)):
                vectors = part.encoder.forward([part.tokens[i] for i in group], digest(part.seed, number))
                vectors.backward(part.vectors.grad[group])
        self.parts.clear()
        distributed.average_gradients(self.parameters.values())
