"""intent: ranking and intent alignment at once, over all variations of a query (§3.2.2–3.2.3)."""

from typing import Literal

from pydantic import Field, PositiveFloat

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Tensor, Terms
from robustdr.losses.bpr import bayesian_ranking
from robustdr.losses.settings import LossSettings


@settings
class Settings(LossSettings):
    needs = ("groups", "vectors", "query", "variations")

    alpha: float = Field(default=1.0, description="α, weight of NT-Xent")
    tau: PositiveFloat = Field(default=0.1, description="τ, temperature of NT-Xent")
    similarity: Literal["cosine", "dot"] = Field(
        default="cosine", description="inside NT-Xent; the scores of BPR are the system's own"
    )


def intent(settings: Settings, batch: Batch) -> Terms:
    """BPR + α · NT-Xent (Eq. 11), on each query and its K variations together.

    An intent is a query and its variations; each of them is a text of the intent.

    BPR (Eq. 7, 8): −ln σ(s⁺ − s⁻) for every text of an intent, with the positive and every negative of its group.

    NT-Xent (Eq. 10): −ln(e^{sim(q, q̄) / τ} / (e^{sim(q, q̄) / τ} + Σ e^{sim(q, q') / τ})) for every query q and each
    variation q̄ of it; q' are the texts of the batch's other intents. Without other intents it is 0.

    Both are means; the paper prints sums. With means, the learning rate and the effect of α do not depend on the
    numbers of queries, variations and negatives. The paper gives neither α nor τ nor the similarity.

    >>> import torch
    >>> vectors, zeros = torch.eye(2), torch.zeros(2, 2)  # two intents, each of a query and its equal; no preference
    >>> scores = {"query_scores": zeros, "variations_scores": zeros.unsqueeze(1)}
    >>> batch = Batch(query=vectors, variations=vectors.unsqueeze(1), **scores)
    >>> intent(Settings(tau=1.0), batch)  # ln 2, and ln(1 + 2 / e): the other intent has two texts
    {'bpr': tensor(0.6931), 'nt_xent': tensor(0.5514)}
    """
    import torch

    scores = [batch.group_scores("query").unsqueeze(1), batch.group_scores("variations")]
    terms = {"bpr": bayesian_ranking(torch.cat(scores, 1))}  # of [B, 1 + K, 1 + n]
    if settings.alpha:
        terms["nt_xent"] = settings.alpha * nt_xent(settings, batch)
    return terms


def nt_xent(settings: Settings, batch: Batch) -> Tensor:
    """Mean over the B · K pairs of a query and one of its variations."""
    import torch
    import torch.nn.functional as F

    assert batch.query is not None and batch.variations is not None
    texts = torch.cat([batch.query.unsqueeze(1), batch.variations], 1)  # [B, 1 + K, d]
    if settings.similarity == "cosine":
        texts = F.normalize(texts, dim=-1)
    similar = torch.einsum("bd,ckd->bck", texts[:, 0], texts) / settings.tau  # [B, B, 1 + K]
    diagonal = torch.eye(len(texts), dtype=torch.bool, device=texts.device)
    negatives = similar.masked_fill(diagonal.unsqueeze(-1), -torch.inf).flatten(1)  # [B, B · (1 + K)]
    positives = similar[diagonal][:, 1:]  # [B, K]
    logits = torch.cat([positives.unsqueeze(-1), negatives.unsqueeze(1).expand(-1, positives.shape[1], -1)], -1)
    return -logits.log_softmax(-1)[..., 0].mean()
