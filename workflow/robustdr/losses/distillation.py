"""Distillation from a cross-encoder, the third stage of ToRoDer's fine-tuning."""

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.losses import self_teaching
from robustdr.losses.batch import Batch, Terms, kl
from robustdr.losses.settings import LossSettings


@settings
class Settings(LossSettings):
    needs = ("passages", "positive", "query", "variation", "teacher_scores")

    alpha: float = Field(
        default=0.2, description="α, weight of the self-teaching loss (its contrastive and its self-teaching term)"
    )


def distillation(settings: Settings, batch: Batch) -> Terms:
    """KL(T(p|q) ‖ S(p|q)) + KL(T(p|q) ‖ S(p|q̄)) + α · (CE + ST) (ToRoDer §4.3–4.4, Eq. 4 and 6).

    T is a frozen cross-encoder, trained with localised contrastive estimation. It always reads the original query.
    Both KL are over the query's own group, CE and ST over all passages of the batch. The temperature is 1.

    The paper does not give the direction of its KL. Here the teacher is the first argument, KL(T ‖ S), as in
    self-teaching, in RoDR and in distillation in general. The gradient with respect to the student's scores is S − T.

    >>> import torch
    >>> zeros = torch.zeros(1, 2)  # a student without a preference
    >>> batch = Batch(query_scores=zeros, variation_scores=zeros, teacher_scores=torch.tensor([[1.0, 3.0]]).log())
    >>> distillation(Settings(alpha=0.0), batch)  # KL of (1, 3) / 4 and (1, 1) / 2
    {'distillation': tensor(0.1308), 'distillation_variation': tensor(0.1308)}
    """
    assert batch.teacher_scores is not None
    terms = {
        "distillation": kl(batch.teacher_scores, batch.group_scores("query")),
        "distillation_variation": kl(batch.teacher_scores, batch.group_scores("variation")),
    }
    if settings.alpha:
        teaching = self_teaching.Settings()
        terms |= {name: settings.alpha * term for name, term in self_teaching.self_teaching(teaching, batch).items()}
    return terms
