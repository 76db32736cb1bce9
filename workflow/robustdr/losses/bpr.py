"""Bayesian personalised ranking."""

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Tensor, Terms
from robustdr.losses.settings import OneSided


@settings
class Settings(OneSided):
    needs = ("groups",)


def bayesian_ranking(scores: Tensor) -> Tensor:
    """−ln σ(s⁺ − s⁻), mean over all (positive, negative) pairs; the positive is first: […, 1 + n] -> []."""
    import torch.nn.functional as F

    return -F.logsigmoid(scores[..., :1] - scores[..., 1:]).mean()


def bpr(settings: Settings, batch: Batch) -> Terms:
    """−ln σ(s⁺ − s⁻), mean over all (positive, negative) pairs of a group (Rendle et al. 2009; intent §3).

    >>> import torch
    >>> bpr(Settings(), Batch(query_scores=torch.tensor([[1.0, 1.0]])))  # ln 2
    {'bpr': tensor(0.6931)}
    """
    return {"bpr": bayesian_ranking(batch.group_scores(settings.queries))}
