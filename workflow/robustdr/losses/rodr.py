"""RoDR: local ranking alignment (Chen et al., IJCAI 2022, §3)."""

from dataclasses import asdict

from pydantic import Field

from robustdr.core.settings import settings
from robustdr.losses.batch import Batch, Terms, kl
from robustdr.losses.settings import LossSettings


@settings
class Settings(LossSettings):
    needs = ("passages", "positive", "variation", "teacher_query", "teacher_passages")

    nll: float = Field(default=1.0, description="w1, weight of Eq. 7")
    query_alignment: float = Field(default=1.0, description="w2, weight of Eq. 3: each query's ranking of the passages")
    passage_alignment: float = Field(
        default=0.2, description="w3, weight of Eq. 6: each passage's ranking of the queries"
    )


def rodr(settings: Settings, batch: Batch) -> Terms:
    """w1 · NLL(q̄) + w2 · KL(T(p|q) ‖ S(p|q̄)) + w3 · KL(T(q|p) ‖ S(q̄|p)) (Eq. 8).

    The teacher is a frozen DR_OQ. The student scores variations against its own passage vectors, so the passages get
    gradients too. All terms use all passages of the batch. There is no temperature and no loss on original queries.

    >>> import torch
    >>> vectors = torch.eye(2)
    >>> teacher = {"teacher_query": vectors, "teacher_passages": vectors}
    >>> batch = Batch(passages=vectors, positive=torch.arange(2), variation=0 * vectors, **teacher)
    >>> terms = rodr(Settings(), batch)  # ln 2, and KL of (e, 1) / (1 + e) and (1, 1) / 2, once with the weight 0.2
    >>> {name: round(term.item(), 4) for name, term in terms.items()}
    {'nll': 0.6931, 'query_alignment': 0.1109, 'passage_alignment': 0.0222}
    """
    import torch.nn.functional as F

    weights = asdict(settings)
    assert batch.positive is not None and batch.teacher_query is not None and batch.teacher_passages is not None
    student = batch.scores("variation")  # [B, P]
    teacher = batch.teacher_query @ batch.teacher_passages.T  # [B, P]
    terms = {
        "nll": F.cross_entropy(student, batch.positive),
        "query_alignment": kl(teacher, student),
        "passage_alignment": kl(teacher.T, student.T),
    }
    return {name: weights[name] * term for name, term in terms.items() if weights[name]}
