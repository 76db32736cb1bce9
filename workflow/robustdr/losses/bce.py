"""Binary cross-entropy, separately for every passage of a group."""

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms
from robustdr.losses.settings import OneSided


@settings
class Settings(OneSided):
    needs = ("groups",)


def bce(settings: Settings, batch: Batch) -> Terms:
    """−ln σ(s⁺) of the positive and −ln σ(−s⁻) of each negative, mean over all of them (Nogueira and Cho 2019).

    It equals monoBERT's two-class cross-entropy if s is the difference of the two logits.

    >>> import torch
    >>> scored = Batch(query_scores=torch.tensor([[3.0, 1.0]]).log())  # σ is 3/4 and 1/2
    >>> bce(Settings(), scored)  # (ln 4/3 + ln 2) / 2
    {'bce': tensor(0.4904)}
    """
    import torch
    import torch.nn.functional as F

    scores = batch.group_scores(settings.queries)  # [B, 1 + n]
    relevant = torch.zeros_like(scores)
    relevant[:, 0] = 1
    return {"bce": F.binary_cross_entropy_with_logits(scores, relevant)}
