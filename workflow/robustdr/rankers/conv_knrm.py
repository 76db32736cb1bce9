"""Conv-KNRM: kernel pooling over n-grams of word vectors (Dai et al. 2018)."""

from collections.abc import Sequence
from pathlib import Path

import torch
import torch.nn.functional as F

from robustdr.rankers.conv_knrm_settings import Settings
from robustdr.rankers.ranker import Tokens
from robustdr.rankers.words import Kernels, WordRanker, cosines

NGRAMS = (1, 2, 3)


class ConvKNRM(WordRanker):
    """w · [9 × 11 features] + b: KNRM's features of the query's n-grams with the passage's, each length with each (§3).

    The vector of the n-gram at word t is W_n · [v_t; …; v_t+n−1] + b_n, with zeros after the last word; so a text has
    as many n-grams of each length as words. As in OpenNIR and unlike the paper, no ReLU and no tanh follow, and word
    vectors stay fixed. OpenNIR pads passages to 2,000 words and counts what begins in the padding as n-grams of cosine
    0, 0.61 each in the kernels at ±0.1, so that its scores depend on the passage's length; here padding counts nowhere.
    """

    def __init__(self, folder: Path, settings: Settings):
        super().__init__(folder, settings)
        self.convolutions = torch.nn.ModuleList(
            torch.nn.Conv1d(self.vectors.shape[1], settings.filters, n, dtype=torch.float64) for n in NGRAMS
        )
        self.kernels = Kernels(settings.trained_kernels)
        self.linear = torch.nn.Linear(len(NGRAMS) ** 2 * Kernels.COUNT, 1, dtype=torch.float64)
        self.restore(folder)

    def ngrams(self, rows: torch.Tensor) -> torch.Tensor:
        """Return vectors of the n-grams, first of one word, then of two, then of three: [pairs, 3 · words, filters]."""
        words = self.look_up(rows).mT  # [pairs, dimension, words]
        ngram_vectors = [
            convolution(F.pad(words, (0, n - 1))) for n, convolution in zip(NGRAMS, self.convolutions, strict=True)
        ]
        return torch.cat(ngram_vectors, dim=-1).mT

    def forward(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        queries, passages = self.padded(tokens)  # [pairs, q], [pairs, p]
        similarity = cosines(self.ngrams(queries), self.ngrams(passages))  # [pairs, 3q, 3p]
        crossed = similarity.unflatten(2, (len(NGRAMS), -1)).transpose(1, 2)  # [pairs, 3, 3q, p]
        matches = self.kernels(crossed, (passages > 0)[:, None, None])  # [pairs, 3, 3q, 11]
        words = matches.unflatten(2, (len(NGRAMS), -1))  # [pairs, 3 of the passage, 3 of the query, q, 11]
        features = (words * (queries > 0)[:, None, None, :, None]).sum(3)  # [pairs, 3, 3, 11]
        return self.linear(features.flatten(1)).squeeze(-1)
