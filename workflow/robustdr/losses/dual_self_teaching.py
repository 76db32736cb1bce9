"""Dual self-teaching: passages for queries, and queries for passages (Tasawong et al., Findings of ACL 2023)."""

from pydantic import Field, PositiveFloat

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Tensor, Terms, kl
from robustdr.losses.settings import LossSettings


@settings
class Settings(LossSettings):
    needs = ("passages", "positive", "query", "variations")

    beta: float = Field(default=0.5, ge=0, le=1, description="β, weight of self-teaching; 1 − β is that of the labels")
    gamma: float = Field(default=0.5, ge=0, le=1, description="γ, weight of queries for passages among the labels")
    sigma: float = Field(default=0.2, ge=0, le=1, description="σ, weight of queries for passages in self-teaching")
    tau: PositiveFloat = Field(default=1.0, description="τ, temperature of the teacher's scores")


def dual_self_teaching(settings: Settings, batch: Batch) -> Terms:
    """(1 − β) · [(1 − γ) · CE(q, P) + γ · CE(p⁺, Q)] + β · [(1 − σ) · KL(P) + σ · KL(Q)] (released code).

    CE(q, P) is the cross-entropy of each query over the P passages of the batch. CE(p⁺, Q) is that of each positive
    passage over the B original queries.

    KL(P) compares the distributions over passages of a query and of its variations. KL(Q) compares, for each of the P
    passages, the distributions over the original queries and over their k-th variations. Both are means over the K
    variations. As in self-teaching, the scores of the original queries are fixed targets.

    The defaults are the authors'. They have 40 variations of each query.

    >>> import torch
    >>> vectors = torch.eye(2)  # each query equals its passage, and each variation equals its query
    >>> batch = Batch(passages=vectors, positive=torch.arange(2), query=vectors, variations=vectors.unsqueeze(1))
    >>> terms = dual_self_teaching(Settings(), batch)  # CE is ln(1 + 1 / e) = 0.3133, and has a quarter of the weight
    >>> {name: round(term.item(), 4) for name, term in terms.items()}
    {'nll': 0.0783, 'passage_to_query': 0.0783, 'self_teaching': 0.0, 'query_self_teaching': 0.0}
    """
    import torch
    import torch.nn.functional as F

    assert batch.positive is not None
    query_scores = batch.scores("query")[:, batch.positive].T  # [B, B], positives by queries
    labels = F.cross_entropy(query_scores, torch.arange(len(query_scores), device=query_scores.device))
    return with_self_teaching(settings, batch, labels)


def with_self_teaching(settings: Settings, batch: Batch, passage_to_query: Tensor) -> Terms:
    """Return all terms of the loss, with `passage_to_query` as the part of the labels for passages."""
    import torch.nn.functional as F

    assert batch.positive is not None and batch.passages is not None and batch.variations is not None
    original = batch.scores("query")  # [B, P]
    varied = (batch.variations @ batch.passages.T).transpose(0, 1)  # [K, B, P]
    teacher = (original / settings.tau).expand_as(varied)
    labels, teaching = 1 - settings.beta, settings.beta
    return {
        "nll": labels * (1 - settings.gamma) * F.cross_entropy(original, batch.positive),
        "passage_to_query": labels * settings.gamma * passage_to_query,
        "self_teaching": teaching * (1 - settings.sigma) * kl(teacher.flatten(0, 1), varied.flatten(0, 1)),
        "query_self_teaching": teaching * settings.sigma * kl(teacher.mT.flatten(0, 1), varied.mT.flatten(0, 1)),
    }
