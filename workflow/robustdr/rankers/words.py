"""Shared parts of the rankers over word vectors: words, their frozen vectors, a directory, and kernel pooling."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file

from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.core.seeds import digest
from robustdr.encoding.batching import pad
from robustdr.encoding.wordvectors import UNKNOWN, WORD
from robustdr.rankers.ranker import Pair, Ranker, Tokens, saved
from robustdr.rankers.settings import RankerSettings

EMBEDDING = "embedding.weight"  # sentence-transformers' name of the vectors


class WordRanker(Ranker):
    """A ranker over frozen word vectors.

    A text is split by its checkpoint's tokenizer; a word without a vector gets one of the random vectors after the
    words', chosen by a hash of the word. Everything is computed in double precision, whatever `precision` says: the
    kernel of exact matches has σ = 0.001, and in single precision a score would differ with the batch.

    Args:
        folder: word vectors, or a directory that the ranker saved.

    Attributes:
        vectors: [words, dimension], float32; row 0 is padding's.
        vocabulary: row by word.
    """

    vectors: torch.Tensor

    def __init__(self, folder: Path, settings: RankerSettings):
        super().__init__(settings)
        try:
            self.tokenizer = (folder / "tokenizer.json").read_text(encoding="utf-8")
            self.vocabulary: dict[str, int] = json.loads(self.tokenizer)["model"]["vocab"]
            self.hashed = range(self.vocabulary[UNKNOWN.format(0)], len(self.vocabulary))
            with safe_open(folder / "model.safetensors", "pt") as tensors:
                vectors = tensors.get_tensor("vectors" if saved(folder) else EMBEDDING)
            if len(vectors) != len(self.vocabulary):
                raise ValueError(f"{len(vectors)} vectors for {len(self.vocabulary)} words")
        except (OSError, ValueError, LookupError, TypeError, SafetensorError) as error:
            raise UserError(
                f"{folder}: not of the form that this ranker starts from ({error}); expected: a checkpoint of the form "
                "static, word vectors, or a directory that the ranker saved"
            ) from error
        self.register_buffer("vectors", vectors)

    def restore(self, folder: Path) -> None:
        """Load the weights that the ranker saved in a folder; those of a ranker from a checkpoint stay as drawn.

        Raises:
            UserError: weights of another shape, or missing weights.
        """
        if saved(folder):
            try:
                self.load_state_dict(load_file(folder / "model.safetensors"))
            except RuntimeError as error:
                raise UserError(
                    f"{folder / 'model.safetensors'}: not the weights of a ranker with the settings "
                    f"{asdict(self.settings)}; saved with: {saved(folder)['settings']}"
                ) from error

    def save(self, folder: Path) -> None:
        self.describe(folder)
        write_text(folder / "tokenizer.json", self.tokenizer)
        save_file(self.state_dict(), folder / "model.safetensors", metadata={"format": "pt"})

    def rows(self, text: str) -> list[int]:
        """Return the row of each word of a text in `vectors`."""
        return [
            self.vocabulary.get(word) or self.hashed[digest(word) % len(self.hashed)]
            for word in WORD.findall(text.lower())
        ]

    def tokenise(self, pairs: Sequence[Pair], query_length: int, passage_length: int) -> list[Tokens]:
        rows = {text: self.rows(text) for text in {text for pair in pairs for text in pair}}
        return [(rows[query][:query_length], rows[passage][:passage_length]) for query, passage in pairs]

    def padded(self, tokens: Sequence[Tokens]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return rows of the words of the queries and of the passages, each [pairs, words]; 0 is padding.

        A text without words has one row, of padding.
        """
        texts = zip(*tokens, strict=True)
        queries, passages = (pad([rows or [0] for rows in side], 0)["input_ids"].to(self.device) for side in texts)
        return queries, passages

    def look_up(self, rows: torch.Tensor) -> torch.Tensor:
        """Return vectors of words: [pairs, words] -> [pairs, words, dimension], float64; zeros for padding."""
        return self.vectors[rows].double()


def cosines(queries: torch.Tensor, passages: torch.Tensor) -> torch.Tensor:
    """Return cosines of a query's vectors with those of its passage: [pairs, q, d], [pairs, p, d] -> [pairs, q, p]."""
    return F.normalize(queries, dim=-1) @ F.normalize(passages, dim=-1).mT


class Kernels(torch.nn.Module):
    """Kernel pooling (Xiong et al. 2017, §3): soft counts of a passage's words that match a query's word, at 11 levels.

    K_k(s) = exp(−(s − μ_k)² / 2σ_k²) with μ = −0.9, −0.7 … 0.9 and σ = 0.1, and for exact matches μ = 1, σ = 0.001.

    Args:
        trained: whether μ and σ are trained too.
    """

    COUNT = 11
    mu: torch.Tensor
    sigma: torch.Tensor

    def __init__(self, trained: bool):
        super().__init__()
        mu = torch.tensor([*(-0.9 + 0.2 * step for step in range(10)), 1.0], dtype=torch.float64)
        sigma = torch.tensor([0.1] * 10 + [0.001], dtype=torch.float64)
        for name, values in (("mu", mu), ("sigma", sigma)):
            if trained:
                self.register_parameter(name, torch.nn.Parameter(values))
            else:
                self.register_buffer(name, values)

    def forward(self, similarity: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Return log(Σ_j K_k(s_ij) + 1e-6) over the real words j of the passage.

        Args:
            similarity: [..., q, p]. real: which words of the passages are not padding, broadcast to [..., q, p].

        Returns:
            [..., q, 11]
        """
        kernels = (-(similarity.unsqueeze(-1) - self.mu).square() / (2 * self.sigma.square())).exp()  # [..., q, p, 11]
        return ((kernels * real.unsqueeze(-1)).sum(-2) + 1e-6).log()
