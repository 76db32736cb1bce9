"""Batches without padding waste."""

from collections.abc import Sequence

import numpy as np
import torch


def by_length(lengths: Sequence[int], batch_tokens: int, batch_size: int = 512) -> list[list[int]]:
    """Group positions into batches of similar length, longest first.

    Args:
        lengths: tokens of each text.
        batch_tokens: upper bound of texts × longest text in one batch (one text always fits).
        batch_size: upper bound of texts in one batch.

    Returns:
        Every position of `lengths` exactly once, in batches.
    """
    batches: list[list[int]] = []
    longest = 0
    for position in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if not batches or (len(batches[-1]) + 1) * longest > batch_tokens or len(batches[-1]) == batch_size:
            batches.append([])
            longest = lengths[position]
        batches[-1].append(position)
    return batches


def pad(sequences: Sequence[Sequence[int]], padding: int) -> dict[str, torch.Tensor]:
    """Pad token ids on the right; a token may be several ids, as many as every other one.

    Returns:
        `input_ids`, [texts, longest] or [texts, longest, ids], and `attention_mask`, [texts, longest], both int64.
    """
    longest = max(map(len, sequences))
    shape = (len(sequences), longest)
    ids = torch.full((*shape, *np.shape(sequences[0])[1:]), padding, dtype=torch.long)
    mask = torch.zeros(shape, dtype=torch.long)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.as_tensor(sequence)
        mask[row, : len(sequence)] = 1
    return {"input_ids": ids, "attention_mask": mask}
