"""What a loss sees."""

from dataclasses import dataclass

import torch


@dataclass
class Batch:
    """Vectors of one batch of B queries and P passages (P = B · (1 + negatives)), dimension d.

    Attributes:
        passages: [P, d]
        positive: [B], int64: the row of `passages` that holds each query's positive
        query: [B, d], the original queries; None where the loss does not need them
        variation: [B, d], the queries' variations; None where the loss does not need them
        teacher_query: [B, d], the original queries as the frozen teacher sees them; None without a teacher
        teacher_passages: [P, d], the passages as the frozen teacher sees them; None without a teacher
    """

    passages: torch.Tensor
    positive: torch.Tensor
    query: torch.Tensor | None = None
    variation: torch.Tensor | None = None
    teacher_query: torch.Tensor | None = None
    teacher_passages: torch.Tensor | None = None
