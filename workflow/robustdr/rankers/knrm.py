"""KNRM: kernel pooling over word vectors (Xiong et al. 2017)."""

from collections.abc import Sequence
from pathlib import Path

import torch

from robustdr.rankers.knrm_settings import Settings
from robustdr.rankers.ranker import Tokens
from robustdr.rankers.words import Kernels, WordRanker, cosines


class KNRM(WordRanker):
    """w · Σ_i log(Σ_j K(cos(q_i, d_j)) + 1e-6) + b over the words q_i of the query and d_j of the passage (§3).

    As in OpenNIR, which the papers of this project ran, and unlike the paper, the score is linear in the features (the
    paper's tanh changes no order), word vectors stay fixed, and the kernels are trained. OpenNIR counts the padding of
    a passage as words of cosine 0, 0.61 each in the kernels at ±0.1, so that its scores depend on the longest passage
    of the batch; here padding counts nowhere.

    >>> from robustdr.rankers.ranker import load
    >>> ranker = load("knrm", words, trained_kernels=False)
    >>> ranker.linear.weight.data[:], ranker.linear.bias.data[:] = torch.eye(11)[10:], 0.5  # exact matches alone
    >>> ranker.score(ranker.tokenise([("gold", "Gold of gold"), ("gold", "gold")], 20, 20))  # ln 2 + 0.5, ln 1 + 0.5
    tensor([1.1931, 0.5000])
    """

    def __init__(self, folder: Path, settings: Settings):
        super().__init__(folder, settings)
        self.kernels = Kernels(settings.trained_kernels)
        self.linear = torch.nn.Linear(Kernels.COUNT, 1, dtype=torch.float64)
        self.restore(folder)

    def forward(self, tokens: Sequence[Tokens]) -> torch.Tensor:
        queries, passages = self.padded(tokens)  # [pairs, q], [pairs, p]
        similarity = cosines(self.look_up(queries), self.look_up(passages))  # [pairs, q, p]
        matches = self.kernels(similarity, (passages > 0).unsqueeze(1))  # [pairs, q, 11]
        features = (matches * (queries > 0).unsqueeze(-1)).sum(1)  # [pairs, 11]
        return self.linear(features).squeeze(-1)
