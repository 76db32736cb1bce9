"""Bayesian personalised ranking."""

from typing import Literal

import torch
import torch.nn.functional as F

from robustdr.losses.batch import Batch


class BPR:
    """−ln σ(s⁺ − s⁻), mean over all (positive, negative) pairs of a group (Rendle et al. 2009; intent §3).

    Args:
        queries: which side of the pair is trained on: `query` (original) or `variation`.
    """

    needs = ("groups",)

    def __init__(self, queries: Literal["query", "variation"] = "query"):
        self.queries = queries

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        scores = batch.group_scores(self.queries)  # [B, 1 + n]
        return {"bpr": -F.logsigmoid(scores[:, :1] - scores[:, 1:]).mean()}
