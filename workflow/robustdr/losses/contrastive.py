"""Negative log likelihood of the positive passage among all passages of the batch."""

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms
from robustdr.losses.settings import OneSided


@settings
class Settings(OneSided):
    needs = ("passages", "positive")


def contrastive(settings: Settings, batch: Batch) -> Terms:
    """Cross-entropy over in-batch passages (Karpukhin et al. 2020; RoDR §3.2, Eq. 7).

    With `queries="query"` it is the loss of DR_OQ; with `queries="variation"`, of DR_QV and of DR_OQ→QV's second stage.

    >>> import torch
    >>> vectors = torch.eye(2)
    >>> batch = Batch(passages=vectors, positive=torch.arange(2), query=vectors)
    >>> contrastive(Settings(), batch)  # scores are 1 and 0: ln(1 + 1 / e)
    {'nll': tensor(0.3133)}
    """
    import torch.nn.functional as F

    assert batch.positive is not None
    return {"nll": F.cross_entropy(batch.scores(settings.queries), batch.positive)}
