"""Dual self-teaching with all variations as positives of a passage (Sidiropoulos and Kanoulas, ECIR 2024)."""

from robustdr.core.settings import settings
from robustdr.losses import dual_self_teaching
from robustdr.losses.batch import Batch, Terms


@settings
class Settings(dual_self_teaching.Settings):
    """The authors' defaults are those of dual self-teaching."""


def multi_positive(settings: Settings, batch: Batch) -> Terms:
    """Dual self-teaching in which CE(p⁺, Q) has 1 + K positives: the query and its K variations (released code).

    For each positive passage it is the mean over the positives of −ln(e^s / (e^s + Σ e^s⁻)), where s⁻ are the scores of
    the other queries of the batch and of their variations. One positive is no negative of another.

    >>> import torch
    >>> vectors = torch.eye(2)
    >>> batch = Batch(passages=vectors, positive=torch.arange(2), query=vectors, variations=vectors.unsqueeze(1))
    >>> multi_positive(Settings(), batch)["passage_to_query"]  # s is 1, two s⁻ are 0: ln(1 + 2 / e) / 4
    tensor(0.1379)
    """
    import torch
    import torch.nn.functional as F

    assert batch.query is not None and batch.variations is not None
    assert batch.passages is not None and batch.positive is not None
    texts = torch.cat([batch.query.unsqueeze(1), batch.variations], 1)  # [B, 1 + K, d]
    scores = torch.einsum("pd,bkd->pbk", batch.passages[batch.positive], texts)  # [B, B, 1 + K]
    diagonal = torch.eye(len(texts), dtype=torch.bool, device=texts.device)
    negatives = scores.masked_fill(diagonal.unsqueeze(-1), -torch.inf).flatten(1).logsumexp(1)  # [B]
    labels = F.softplus(negatives.unsqueeze(1) - scores[diagonal]).mean()
    return dual_self_teaching.with_self_teaching(settings, batch, labels)
