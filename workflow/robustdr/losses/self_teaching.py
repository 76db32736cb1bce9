"""Self-teaching: a model's scores of the original queries teach its scores of their variations."""

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms, kl
from robustdr.losses.settings import LossSettings


@settings
class Settings(LossSettings):
    needs = ("passages", "positive", "query", "variation")


def self_teaching(settings: Settings, batch: Batch) -> Terms:
    """CE(q, p) + KL(S(p|q) ‖ S(p|q̄)) (Zhuang and Zuccon 2022; ToRoDer §4.4, Eq. 5).

    One model is teacher and student. The scores of the original queries are fixed targets of the KL: only variations
    and passages get its gradients. Both terms use all passages of the batch and have weight 1. The temperature is 1.

    >>> import torch
    >>> vectors = torch.eye(2)
    >>> batch = Batch(passages=vectors, positive=torch.arange(2), query=vectors, variation=0 * vectors)
    >>> self_teaching(Settings(), batch)  # KL of (e, 1) / (1 + e) and (1, 1) / 2
    {'nll': tensor(0.3133), 'self_teaching': tensor(0.1109)}
    """
    import torch.nn.functional as F

    assert batch.positive is not None
    original = batch.scores("query")  # [B, P]
    return {
        "nll": F.cross_entropy(original, batch.positive),
        "self_teaching": kl(original, batch.scores("variation")),
    }
