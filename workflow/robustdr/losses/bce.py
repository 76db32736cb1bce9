"""Binary cross-entropy: every passage of a group by itself."""

from typing import Literal

import torch
import torch.nn.functional as F

from robustdr.losses.batch import Batch


class BCE:
    """−ln σ(s⁺) of the positive and −ln σ(−s⁻) of each negative, mean over all of them (Nogueira and Cho 2019).

    monoBERT's two-class cross-entropy is this one with s the difference of its logits.

    Args:
        queries: which side of the pair is trained on: `query` (original) or `variation`.
    """

    needs = ("groups",)

    def __init__(self, queries: Literal["query", "variation"] = "query"):
        self.queries = queries

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        scores = batch.group_scores(self.queries)  # [B, 1 + n]
        relevant = torch.zeros_like(scores)
        relevant[:, 0] = 1
        return {"bce": F.binary_cross_entropy_with_logits(scores, relevant)}
