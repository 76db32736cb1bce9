"""The input of losses, and the divergence that several of them use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # the configuration reads the settings of losses, and starts no torch
    import torch

Tensor: TypeAlias = "torch.Tensor"
Terms: TypeAlias = "dict[str, torch.Tensor]"  # the weighted terms of a loss by name


@dataclass
class Batch:
    """Vectors of one batch of B queries and P passages (P = B · (1 + n)), dimension d.

    A query's group is its positive, then its n negatives. `passages` holds the groups in the order of the queries.
    A field that the loss does not need is None. A ranker gives scores of groups, but no vectors of passages. In its
    `needs`, a loss names `groups` if it reads the passages only through scores of groups, and `vectors` if it also
    reads vectors of queries.

    Attributes:
        passages: [P, d]
        positive: [B], int64: the row of `passages` that holds each query's positive, i · (1 + n) for query i
        query: [B, d], the original queries
        variation: [B, d], the queries' variations
        variations: [B, K, d], K variations of each query
        teacher_query: [B, d], the frozen teacher's vectors of the original queries
        teacher_passages: [P, d], the frozen teacher's vectors of the passages
        anchor: [B, d], the frozen initial model's vectors of the original queries
        negative: [B], int64: for each query, the row of `query` that is its random negative
        teacher_scores: [B, 1 + n], a ranker's scores of each original query's own group
        query_scores, variation_scores: [B, 1 + n], a ranker's scores of each query's own group
        variations_scores: [B, K, 1 + n], the same for K variations of each query
    """

    passages: Tensor | None = None
    positive: Tensor | None = None
    query: Tensor | None = None
    variation: Tensor | None = None
    variations: Tensor | None = None
    teacher_query: Tensor | None = None
    teacher_passages: Tensor | None = None
    anchor: Tensor | None = None
    negative: Tensor | None = None
    teacher_scores: Tensor | None = None
    query_scores: Tensor | None = None
    variation_scores: Tensor | None = None
    variations_scores: Tensor | None = None

    def scores(self, queries: str) -> Tensor:
        """Dot products of the queries in the field `queries` with all passages of the batch: [B, P]."""
        assert self.passages is not None
        return getattr(self, queries) @ self.passages.T

    def group_scores(self, queries: str) -> Tensor:
        """Scores of the queries in the field `queries` with their own group, the positive first: [B, 1 + n].

        A ranker's scores if the batch has them, else dot products of vectors. For `variations`: [B, K, 1 + n].
        """
        scores = getattr(self, f"{queries}_scores")
        if scores is not None:
            return scores
        import torch

        assert self.passages is not None
        vectors = getattr(self, queries)  # [B, d] or [B, K, d]
        groups = self.passages.unflatten(0, (len(vectors), -1))  # [B, 1 + n, d]
        return torch.einsum("b...d,bnd->b...n", vectors, groups)


def kl(teacher: Tensor, student: Tensor) -> Tensor:
    """KL(softmax(teacher) ‖ softmax(student)) over the last dimension, mean over the rows: [R, C], [R, C] -> [].

    Only the student gets gradients.
    """
    import torch.nn.functional as F

    target = teacher.detach().log_softmax(-1)
    return F.kl_div(student.log_softmax(-1), target, reduction="batchmean", log_target=True)
