"""DRMM: histograms of the cosines between words (Guo et al. 2016)."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import torch

from robustdr.rankers.drmm_settings import Settings
from robustdr.rankers.ranker import Tokens
from robustdr.rankers.words import WordRanker, cosines


class DRMM(WordRanker):
    """Σ_i g_i · MLP(ln(h_i + 1e-5)) over the words q_i of the query (§4).

    h_i counts the words of the passage by their cosine with q_i, in `bins` − 1 bins of equal width between −1 and 1 and
    a last one for exact matches: bin ⌊(cos + 1.00001) / 2 · (bins − 1)⌋. The MLP has one hidden layer, with ReLU. The
    gate g is a softmax, over the words of the query, of idf = ln((N + 1) / (df + 1)) in the N ranked passages; N
    cancels, and without counts all words have the same weight. Words that share a random vector share their df.

    As in OpenNIR and unlike the paper, there is no tanh, and the gate has no trained weight. OpenNIR's softmax includes
    the padding of the query, with idf 0, and stop words have idf 0, because its index lacks them; here padding is left
    out and all words are counted. A query without words scores 0.
    """

    frequencies: torch.Tensor  # [words], df

    def __init__(self, folder: Path, settings: Settings):
        super().__init__(folder, settings)
        self.bins, hidden = settings.bins, settings.hidden
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(self.bins, hidden, dtype=torch.float64),
            torch.nn.ReLU(),
            torch.nn.Linear(hidden, 1, dtype=torch.float64),
        )
        self.register_buffer("frequencies", torch.zeros(len(self.vectors), dtype=torch.int64))
        self.restore(folder)

    def count(self, passages: Iterable[str]) -> None:
        self.frequencies.zero_()
        for passage in passages:
            self.frequencies[list(set(self.rows(passage)))] += 1

    def forward(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        queries, passages = self.padded(tokens)  # [pairs, q], [pairs, p]
        similarity = cosines(self.look_up(queries), self.look_up(passages))  # [pairs, q, p]
        bins = ((similarity + 1.00001) / 2 * (self.bins - 1)).long()
        real = (passages > 0).double().unsqueeze(1).expand_as(similarity)
        histogram = real.new_zeros(*queries.shape, self.bins).scatter_add(2, bins, real)  # [pairs, q, bins]
        matches = self.mlp((histogram + 1e-5).log()).squeeze(-1)  # [pairs, q]
        idf = -(self.frequencies[queries].double() + 1).log()  # [pairs, q], without ln(N + 1)
        gate = idf.masked_fill(queries == 0, -torch.inf).softmax(-1).nan_to_num()  # zeros for a query without words
        return (gate * matches).sum(-1)
