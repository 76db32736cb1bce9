"""Pairwise losses over each query's own group."""

from typing import Literal

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms
from robustdr.losses.settings import OneSided


@settings
class Settings(OneSided):
    needs = ("groups",)

    of: Literal["softmax", "hinge"] = Field(default="softmax", description="of the difference of two scores")


def pairwise(settings: Settings, batch: Batch) -> Terms:
    """A loss of the score difference d = s⁺ − s⁻, mean over all (positive, negative) pairs of a group.

    `softmax`: σ(−d), the weight of the negative in a softmax over the pair (OpenNIR's default, which qvg used for KNRM
    and BERT); `hinge`: max(0, 1 − d) (Xiong et al. 2017 for KNRM; Guo et al. 2016 for DRMM).

    >>> import torch
    >>> scored = Batch(query_scores=torch.tensor([[2.0, 1.75, 0.0]]))  # d is 0.25 and 2
    >>> pairwise(Settings(of="hinge"), scored)  # (0.75 + 0) / 2
    {'pairwise': tensor(0.3750)}
    """
    import torch

    scores = batch.group_scores(settings.queries)  # [B, 1 + n]
    margins = scores[:, :1] - scores[:, 1:]  # [B, n]
    loss = torch.sigmoid(-margins) if settings.of == "softmax" else (1 - margins).clamp(min=0)
    return {"pairwise": loss.mean()}
