"""CAPOT: post-training alignment of a query encoder with its noisy queries (Campos, Zhai, Magnani 2023, §4)."""

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Tensor, Terms
from robustdr.losses.settings import CapotSettings


@settings
class Settings(CapotSettings):
    """With a random other query as the negative."""

    needs = ("query", "variation", "anchor", "negative")


def squared_distance(first: Tensor, second: Tensor) -> Tensor:
    """‖first − second‖² row by row: [B, d], [B, d] -> [B]."""
    return (first - second).square().sum(-1)


def capot(settings: CapotSettings, batch: Batch) -> Terms:
    """Triplet loss + τ_anchor · anchor loss + τ_ranking · ranking loss (Eq. 4), on queries only.

    f is the encoder in training and f_a its frozen initial state. x is an original query, x⁺ its variation and x⁻ a
    random other original query of the batch; f encodes all three.

    Eq. 1, triplet: max(0, τ_positive · ‖f(x) − f(x⁺)‖² − τ_negative · ‖f(x) − f(x⁻)‖² + ε).
    Eq. 2, anchor: ‖f(x) − f_a(x)‖². The paper's max(0, · + ε_a) with ε_a ≥ 0 only adds a constant: no setting for ε_a.
    Eq. 3, ranking: subtracts vectors, but vectors have no order. Here the score of a query is its dot product with
    f_a(x), s(·) = f(·) · f_a(x). The loss is max(0, −(better − worse) + ε_r), y = 1, in one of three readings:

    - `printed`: better is s(x⁺), worse is s(x⁻), the queries of the equation.
    - `text`: better is s(x⁺), worse is f_a(x) · f_a(x): "f(x⁺) always ranks higher than f_a(x)" (§4.2).
    - `released_sibling`: as in another script of the same author, better is cos(x, x⁺), worse is cos(x, x⁻). The
      cosine embedding loss τ_positive · (1 − cos(x, x⁺)) + τ_negative · max(0, cos(x, x⁻) − 0.2), without ε, replaces
      the triplet loss. The anchor loss, τ_anchor and τ_ranking stay.

    All losses are means over the batch; the paper prints sums. With means, the learning rate does not depend on B.

    >>> import torch
    >>> vectors = torch.eye(2)  # each query equals its variation, and has the other query as its negative
    >>> batch = Batch(query=vectors, variation=vectors, anchor=vectors, negative=torch.tensor([1, 0]))
    >>> terms = capot(Settings(margin=1.0, tau_positive=1.0, tau_negative=0.1), batch)  # the triplet: 0 - 0.1 · 2 + 1
    >>> {name: round(term.item(), 4) for name, term in terms.items()}
    {'anchor': 0.0, 'triplet': 0.8, 'ranking': 0.0}
    """
    import torch
    import torch.nn.functional as F

    contrast = float(bool(settings.tau_positive or settings.tau_negative))
    weights = {
        "triplet": contrast,
        "cosine_embedding": contrast,
        "anchor": settings.tau_anchor,
        "ranking": settings.tau_ranking,
    }
    assert batch.query is not None and batch.variation is not None
    assert batch.anchor is not None and batch.negative is not None
    query, anchor = batch.query, batch.anchor.detach()  # [B, d]
    positive, negative = batch.variation, query[batch.negative]  # [B, d]
    terms = {"anchor": squared_distance(query, anchor)}  # each [B]
    if settings.variant == "released_sibling":
        better, worse = F.cosine_similarity(query, positive), F.cosine_similarity(query, negative)
        terms["cosine_embedding"] = settings.tau_positive * (1 - better) + settings.tau_negative * (worse - 0.2).relu()
    else:
        positive_distance, negative_distance = squared_distance(query, positive), squared_distance(query, negative)
        terms["triplet"] = (
            settings.tau_positive * positive_distance - settings.tau_negative * negative_distance + settings.margin
        ).relu()
        better = torch.linalg.vecdot(positive, anchor)
        worse = torch.linalg.vecdot(anchor if settings.variant == "text" else negative, anchor)
    terms["ranking"] = (worse - better + settings.margin_ranking).relu()
    return {name: weights[name] * term.mean() for name, term in terms.items() if weights[name]}
