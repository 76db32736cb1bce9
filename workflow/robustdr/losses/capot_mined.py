"""CAPOT with negative queries that are near their query (Campos, Zhai, Magnani 2023, §4.2, footnote 6)."""

from dataclasses import replace

from robustdr.core.settings import settings
from robustdr.losses import capot
from robustdr.losses.batch import Batch, Terms
from robustdr.losses.settings import CapotSettings


@settings
class Settings(CapotSettings):
    """With the nearest other query as the negative."""

    needs = ("query", "variation", "anchor")


def capot_mined(settings: Settings, batch: Batch) -> Terms:
    """CAPOT, where x⁻ is the other query of the batch whose vector f_a(x⁻) is nearest to f_a(x).

    f_a does not change, so that a query's distances to others do not either. The paper mines x⁻ "from nearby query
    representation", and does not say from how many queries. A query that is alone is its own negative.

    >>> import torch
    >>> vectors = torch.tensor([[0.0], [1.0], [5.0]])  # the nearest others are at the squared distances 1, 1 and 16
    >>> batch = Batch(query=vectors, variation=vectors, anchor=vectors)
    >>> terms = capot_mined(Settings(margin=1.0, tau_positive=1.0, tau_negative=0.1), batch)
    >>> {name: round(term.item(), 4) for name, term in terms.items()}  # the triplet: (0.9 + 0.9 + 0) / 3
    {'anchor': 0.0, 'triplet': 0.6, 'ranking': 0.0}
    """
    import torch

    assert batch.anchor is not None
    distances = torch.cdist(batch.anchor, batch.anchor).fill_diagonal_(torch.inf)  # [B, B]
    return capot.capot(settings, replace(batch, negative=distances.argmin(1)))
