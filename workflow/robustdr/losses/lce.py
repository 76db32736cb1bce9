"""Localised contrastive estimation: negative log likelihood of the positive passage in the query's own group."""

from typing import Literal

import torch

from robustdr.losses.batch import Batch


class LCE:
    """Cross-entropy over each query's positive and its own n negatives (Gao, Dai, Callan 2021; ToRoDer §4.3, Eq. 3).

    Unlike the contrastive loss, the passages of the batch's other queries take no part.

    Args:
        queries: which side of the pair is trained on: `query` (original) or `variation`.
    """

    needs = ("groups",)

    def __init__(self, queries: Literal["query", "variation"] = "query"):
        self.queries = queries

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        likelihood = batch.group_scores(self.queries).log_softmax(-1)  # [B, 1 + n]
        return {"nll": -likelihood[:, 0].mean()}
