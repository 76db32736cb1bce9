"""Bayesian personalised ranking."""

from typing import Literal

import torch
import torch.nn.functional as F

from robustdr.losses.batch import Batch


def bpr(scores: torch.Tensor) -> torch.Tensor:
    """−ln σ(s⁺ − s⁻), mean over all pairs of a positive, the first of its group, and a negative: […, 1 + n] -> []."""
    return -F.logsigmoid(scores[..., :1] - scores[..., 1:]).mean()


class BPR:
    """−ln σ(s⁺ − s⁻), mean over all (positive, negative) pairs of a group (Rendle et al. 2009; intent §3).

    Args:
        queries: which side of the pair is trained on: `query` (original) or `variation`.
    """

    needs = ("groups",)

    def __init__(self, queries: Literal["query", "variation"] = "query"):
        self.queries = queries

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        return {"bpr": bpr(batch.group_scores(self.queries))}
