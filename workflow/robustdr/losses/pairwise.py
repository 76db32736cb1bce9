"""Pairwise losses over each query's own group."""

from typing import Literal

import torch

from robustdr.losses.batch import Batch


class Pairwise:
    """Mean over all (positive, negative) pairs of a group of a loss of the difference d = s⁺ − s⁻ of their scores.

    `softmax`: σ(−d), the weight of the negative in a softmax over the pair (the default of OpenNIR, with which qvg
    trained KNRM and BERT); `hinge`: max(0, 1 − d) (Xiong et al. 2017 for KNRM; Guo et al. 2016 for DRMM).

    Args:
        of: `softmax` or `hinge`. queries: which side of the pair is trained on: `query` (original) or `variation`.
    """

    needs = ("groups",)

    def __init__(self, of: Literal["softmax", "hinge"] = "softmax", queries: Literal["query", "variation"] = "query"):
        self.of, self.queries = of, queries

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        scores = batch.group_scores(self.queries)  # [B, 1 + n]
        margins = scores[:, :1] - scores[:, 1:]  # [B, n]
        loss = torch.sigmoid(-margins) if self.of == "softmax" else (1 - margins).clamp(min=0)
        return {"pairwise": loss.mean()}
