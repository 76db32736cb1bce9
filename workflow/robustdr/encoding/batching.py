"""Batches of texts of similar length, to keep padding small."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import torch


def by_length(lengths: Sequence[int], batch_tokens: int, batch_size: int = 512) -> list[list[int]]:
    """Group positions into batches of similar length, longest first.

    Args:
        lengths: tokens of each text.
        batch_tokens: upper bound of texts × longest text in one batch (a single longer text is a batch of its own).
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
    """Pad token ids on the right; a token may be several ids, the same number for each.

    Returns:
        `input_ids`, [texts, longest] or [texts, longest, ids], and `attention_mask`, [texts, longest], both int64.
    """
    lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
    mask = np.arange(lengths.max()) < lengths[:, None]  # [texts, longest]
    ids = np.full((*mask.shape, *np.shape(sequences[0])[1:]), padding, np.int64)
    ids[mask] = np.array(list(chain.from_iterable(sequences)), np.int64)
    return {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask.astype(np.int64))}
