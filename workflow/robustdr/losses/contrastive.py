"""Negative log likelihood of the positive passage among all passages of the batch."""

from typing import Literal

import torch
import torch.nn.functional as F

from robustdr.losses.batch import Batch


class Contrastive:
    """Cross-entropy over in-batch passages (Karpukhin et al. 2020; RoDR §3.2, Eq. 7).

    The loss of DR_OQ with `queries="query"`, of DR_QV and of the second stage of DR_OQ→QV with `queries="variation"`.

    Args:
        queries: which side of the pair is trained on: `query` (original) or `variation`.
    """

    needs = ("passages", "positive")

    def __init__(self, queries: Literal["query", "variation"] = "query"):
        self.queries = queries

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        assert batch.positive is not None
        return {"nll": F.cross_entropy(batch.scores(self.queries), batch.positive)}
