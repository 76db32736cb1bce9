"""Contrastive training of queries against misspellings (Sidiropoulos and Kanoulas, SIGIR 2022)."""

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms
from robustdr.losses.settings import LossSettings


@settings
class Settings(LossSettings):
    needs = ("passages", "positive", "query", "variation")

    weight: float = Field(default=1.0, ge=0, description="w, weight of the queries' own loss")


def query_contrastive(settings: Settings, batch: Batch) -> Terms:
    """Data augmentation, and a query nearer to its variation than to other queries.

    ½ CE(q, P) + ½ CE(q̄, P): cross-entropy over the P passages of the batch. The authors draw which half of the queries
    are varied; this is the mean over their draw.

    w · CE(q, Q): −ln(e^{q · q̄} / (e^{q · q̄} + Σ e^{q · q'})), where q' are the other original queries of the batch.

    >>> import torch
    >>> vectors = torch.eye(2)
    >>> batch = Batch(passages=vectors, positive=torch.arange(2), query=vectors, variation=vectors)
    >>> query_contrastive(Settings(), batch)  # q · q̄ is 1 and q · q' is 0
    {'nll': tensor(0.3133), 'query_contrast': tensor(0.3133)}
    """
    import torch
    import torch.nn.functional as F

    assert batch.query is not None and batch.variation is not None and batch.positive is not None
    likelihoods = [F.cross_entropy(batch.scores(queries), batch.positive) for queries in ("query", "variation")]
    similar = batch.query @ batch.query.T  # [B, B]
    diagonal = torch.eye(len(similar), dtype=torch.bool, device=similar.device)
    similar = torch.where(diagonal, batch.query @ batch.variation.T, similar)
    rows = torch.arange(len(similar), device=similar.device)
    return {
        "nll": torch.stack(likelihoods).mean(),
        "query_contrast": settings.weight * F.cross_entropy(similar, rows),
    }
