"""CAPOT: post-training alignment of a query encoder with its noisy queries (Campos, Zhai, Magnani 2023, §4)."""

from typing import Literal

import torch
import torch.nn.functional as F

from robustdr.losses.batch import Batch


def squared_distance(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """‖one − other‖² row by row: [B, d], [B, d] -> [B]."""
    return (one - other).square().sum(-1)


class Capot:
    """Triplet loss + τ_anchor · anchor loss + τ_ranking · ranking loss (Eq. 4), on queries alone.

    f is the encoder being trained and f_a its frozen initial state. x is an original query, x⁺ its variation and x⁻ a
    random other original query of the batch, both encoded by f.

    Eq. 1, triplet: max(0, τ_positive · ‖f(x) − f(x⁺)‖² − τ_negative · ‖f(x) − f(x⁻)‖² + ε).
    Eq. 2, anchor: ‖f(x) − f_a(x)‖². The paper's max(0, · + ε_a) with ε_a ≥ 0 adds a constant only: no setting for ε_a.
    Eq. 3, ranking: subtracts vectors, which have no order. Here the score of a query is its dot product with f_a(x),
    s(·) = f(·) · f_a(x), and the loss max(0, −(better − worse) + ε_r), y = 1, in one of three readings:

    - `printed`: s(x⁺) above s(x⁻), the queries of the equation.
    - `text`: s(x⁺) above f_a(x) · f_a(x): "f(x⁺) always ranks higher than f_a(x)" (§4.2).
    - `released_sibling`: what another script of the same author does, on cosines: cos(x, x⁺) above cos(x, x⁻), and
      in place of the triplet loss the cosine embedding loss τ_positive · (1 − cos(x, x⁺)) + τ_negative ·
      max(0, cos(x, x⁻) − 0.2), where ε plays no part; the anchor loss stays. τ_anchor and τ_ranking scale as before.

    All losses are means over the batch where the paper prints sums, so that the learning rate does not depend on B.

    Args:
        tau_positive, tau_negative, tau_anchor, tau_ranking: the defaults are those of MS MARCO (Table 5).
        margin: ε of Eq. 1; the paper gives none.
        margin_ranking: ε_r of Eq. 3; the paper gives none.
        variant: the reading of Eq. 3.
    """

    needs = ("query", "variation", "anchor", "negative")

    def __init__(
        self,
        tau_positive: float = 1.0,
        tau_negative: float = 0.1,
        tau_anchor: float = 2.0,
        tau_ranking: float = 1.0,
        margin: float = 1.0,
        margin_ranking: float = 0.0,
        variant: Literal["printed", "text", "released_sibling"] = "printed",
    ):
        self.tau_positive, self.tau_negative = tau_positive, tau_negative
        self.margin, self.margin_ranking = margin, margin_ranking
        self.variant = variant
        contrast = float(bool(tau_positive or tau_negative))
        self.weights = {
            "triplet": contrast,
            "cosine_embedding": contrast,
            "anchor": tau_anchor,
            "ranking": tau_ranking,
        }

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        assert batch.query is not None and batch.variation is not None
        assert batch.anchor is not None and batch.negative is not None
        query, anchor = batch.query, batch.anchor.detach()  # [B, d]
        positive, negative = batch.variation, query[batch.negative]  # [B, d]
        terms = {"anchor": squared_distance(query, anchor)}  # each [B]
        if self.variant == "released_sibling":
            better, worse = F.cosine_similarity(query, positive), F.cosine_similarity(query, negative)
            terms["cosine_embedding"] = self.tau_positive * (1 - better) + self.tau_negative * (worse - 0.2).relu()
        else:
            near, far = squared_distance(query, positive), squared_distance(query, negative)
            terms["triplet"] = (self.tau_positive * near - self.tau_negative * far + self.margin).relu()
            better = torch.linalg.vecdot(positive, anchor)
            worse = torch.linalg.vecdot(anchor if self.variant == "text" else negative, anchor)
        terms["ranking"] = (worse - better + self.margin_ranking).relu()
        return {name: self.weights[name] * term.mean() for name, term in terms.items() if self.weights[name]}
