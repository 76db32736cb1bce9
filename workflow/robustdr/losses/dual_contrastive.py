"""Contrastive dual learning (DANCE): passages for queries, and queries for passages."""

from dataclasses import replace
from typing import Literal

import torch
import torch.nn.functional as F
from pydantic import PositiveFloat

from robustdr.losses.batch import Batch
from robustdr.losses.bpr import bpr


class DualContrastive:
    """CE(q; d⁺, d⁻) + w · CE(d⁺; q⁺, q⁻), each a softmax over two similarities / τ (Li et al. 2021, released code).

    A softmax over two is BPR of their difference; both terms are means. d⁻ are the negatives of the query's own group.
    q⁻ is the other query of the batch that is nearest to d⁺, where the authors draw from the 200 nearest of all
    training queries; without other queries the second term is 0. The defaults are the authors', who search normalised
    vectors; `similarity: dot`, with a temperature of its own, trains the scores that dual encoders here search with.

    Args:
        weight: w, of the queries for passages. tau: τ. similarity: of queries and passages.
    """

    needs = ("passages", "positive", "query")

    def __init__(self, weight: float = 0.1, tau: PositiveFloat = 0.01, similarity: Literal["cosine", "dot"] = "cosine"):
        self.weight, self.tau, self.similarity = weight, tau, similarity

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        assert batch.query is not None and batch.passages is not None and batch.positive is not None
        if self.similarity == "cosine":
            vectors = {"query": F.normalize(batch.query, dim=-1), "passages": F.normalize(batch.passages, dim=-1)}
            batch = replace(batch, **vectors)
        terms = {"query_to_passage": bpr(batch.group_scores("query") / self.tau)}
        if self.weight:
            scores = batch.scores("query")[:, batch.positive].T / self.tau  # [B, B], positives by queries
            own = torch.eye(len(scores), dtype=torch.bool, device=scores.device)
            nearest = scores.masked_fill(own, -torch.inf).amax(1)
            terms["passage_to_query"] = self.weight * bpr(torch.stack([scores.diagonal(), nearest], -1))
        return terms
