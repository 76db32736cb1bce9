"""Localised contrastive estimation: negative log likelihood of the positive passage in the query's own group."""

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms
from robustdr.losses.settings import OneSided


@settings
class Settings(OneSided):
    needs = ("groups",)


def lce(settings: Settings, batch: Batch) -> Terms:
    """Cross-entropy over each query's positive and its own n negatives (Gao, Dai, Callan 2021; ToRoDer §4.3, Eq. 3).

    Unlike the contrastive loss, it does not use the passages of the batch's other queries.

    >>> import torch
    >>> lce(Settings(), Batch(query_scores=torch.tensor([[1.0, 3.0]]).log()))  # the positive has 1/4: ln 4
    {'nll': tensor(1.3863)}
    """
    likelihood = batch.group_scores(settings.queries).log_softmax(-1)  # [B, 1 + n]
    return {"nll": -likelihood[:, 0].mean()}
