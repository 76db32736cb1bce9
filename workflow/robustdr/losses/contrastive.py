"""Negative log likelihood of the positive passage among all passages of the batch."""

import torch
import torch.nn.functional as F

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch
from robustdr.losses.settings import OneSided


@settings
class Settings(OneSided):
    needs = ("passages", "positive")


def contrastive(settings: Settings, batch: Batch) -> dict[str, torch.Tensor]:
    """Cross-entropy over in-batch passages (Karpukhin et al. 2020; RoDR §3.2, Eq. 7).

    The loss of DR_OQ with `queries="query"`, of DR_QV and of the second stage of DR_OQ→QV with `queries="variation"`.
    """
    assert batch.positive is not None
    return {"nll": F.cross_entropy(batch.scores(settings.queries), batch.positive)}
