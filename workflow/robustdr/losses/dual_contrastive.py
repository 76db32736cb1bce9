"""Contrastive dual learning (DANCE): passages for queries, and queries for passages."""

from dataclasses import replace
from typing import Literal

from pydantic import Field, PositiveFloat

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms
from robustdr.losses.bpr import bayesian_ranking
from robustdr.losses.settings import LossSettings


@settings
class Settings(LossSettings):
    needs = ("passages", "positive", "query")

    weight: float = Field(default=0.1, description="w, weight of the queries for passages")
    tau: PositiveFloat = Field(default=0.01, description="τ, temperature")
    similarity: Literal["cosine", "dot"] = Field(default="cosine", description="of queries and passages")


def dual_contrastive(settings: Settings, batch: Batch) -> Terms:
    """CE(q; d⁺, d⁻) + w · CE(d⁺; q⁺, q⁻), each a softmax over two similarities / τ (Li et al. 2021, released code).

    A softmax over two values is BPR of their difference. Both terms are means. d⁻ are the negatives of the query's own
    group. q⁻ is the other query of the batch that is nearest to d⁺; the authors draw it from the 200 nearest of all
    training queries. Without other queries the second term is 0. The defaults are the authors', who search normalised
    vectors. Dual encoders here search by dot product: to train these scores, set `similarity: dot` and another `tau`.

    >>> import torch
    >>> vectors = torch.eye(4)  # each query has its positive and one negative
    >>> batch = Batch(passages=vectors, positive=torch.tensor([0, 2]), query=vectors[[0, 2]])
    >>> terms = dual_contrastive(Settings(tau=1.0), batch)  # similarities are 1 and 0: ln(1 + 1 / e), and a tenth of it
    >>> {name: round(term.item(), 4) for name, term in terms.items()}
    {'query_to_passage': 0.3133, 'passage_to_query': 0.0313}
    """
    import torch
    import torch.nn.functional as F

    assert batch.query is not None and batch.passages is not None and batch.positive is not None
    if settings.similarity == "cosine":
        vectors = {"query": F.normalize(batch.query, dim=-1), "passages": F.normalize(batch.passages, dim=-1)}
        batch = replace(batch, **vectors)
    terms = {"query_to_passage": bayesian_ranking(batch.group_scores("query") / settings.tau)}
    if settings.weight:
        scores = batch.scores("query")[:, batch.positive].T / settings.tau  # [B, B], positives by queries
        diagonal = torch.eye(len(scores), dtype=torch.bool, device=scores.device)
        nearest = scores.masked_fill(diagonal, -torch.inf).amax(1)
        terms["passage_to_query"] = settings.weight * bayesian_ranking(torch.stack([scores.diagonal(), nearest], -1))
    return terms
