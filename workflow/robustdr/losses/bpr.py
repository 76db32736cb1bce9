"""Bayesian personalised ranking."""

import torch
import torch.nn.functional as F

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch
from robustdr.losses.settings import OneSided


@settings
class Settings(OneSided):
    needs = ("groups",)


def bayesian_ranking(scores: torch.Tensor) -> torch.Tensor:
    """−ln σ(s⁺ − s⁻), mean over all (positive, negative) pairs; the positive is first: […, 1 + n] -> []."""
    return -F.logsigmoid(scores[..., :1] - scores[..., 1:]).mean()


def bpr(settings: Settings, batch: Batch) -> dict[str, torch.Tensor]:
    """−ln σ(s⁺ − s⁻), mean over all (positive, negative) pairs of a group (Rendle et al. 2009; intent §3).

    >>> bpr(Settings(), Batch(query_scores=torch.tensor([[1.0, 1.0]])))  # ln 2
    {'bpr': tensor(0.6931)}
    """
    return {"bpr": bayesian_ranking(batch.group_scores(settings.queries))}
