"""Distillation from a cross-encoder, the third stage of ToRoDer's fine-tuning."""

import torch

from robustdr.losses.batch import Batch, kl
from robustdr.losses.self_teaching import SelfTeaching


class Distillation:
    """KL(T(p|q) ‖ S(p|q)) + KL(T(p|q) ‖ S(p|q̄)) + α · (CE + ST) (ToRoDer §4.3–4.4, Eq. 4 and 6).

    T is a cross-encoder, trained with localised contrastive estimation and fixed, that always reads the original query.
    Both KL run over the query's own group, CE and ST over all passages of the batch; the temperature is 1.

    The paper's text leaves the direction of its KL open. Here the teacher is the first argument, KL(T ‖ S), as in
    self-teaching, in RoDR and in distillation in general: its gradient by the student's scores is S − T.

    Args:
        alpha: α, weight of the self-teaching loss (contrastive and self-teaching term).
    """

    needs = ("passages", "positive", "query", "variation", "teacher_scores")

    def __init__(self, alpha: float = 0.2):
        self.alpha = alpha
        self.self_teaching = SelfTeaching()

    def __call__(self, batch: Batch) -> dict[str, torch.Tensor]:
        assert batch.teacher_scores is not None
        terms = {
            "distillation": kl(batch.teacher_scores, batch.group_scores("query")),
            "distillation_variation": kl(batch.teacher_scores, batch.group_scores("variation")),
        }
        if self.alpha:
            terms |= {name: self.alpha * term for name, term in self.self_teaching(batch).items()}
        return terms
