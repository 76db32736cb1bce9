"""Sparse encoders: a text is weights of words, as in SPLADE (Formal et al. 2021)."""

from collections.abc import Sequence

import numpy as np
import torch
from scipy.sparse import csr_array

from robustdr.core.errors import UserError
from robustdr.encoding.library import Library


def weights(model: Library, texts: Sequence[str], route: str) -> csr_array:
    """Return weights of words in texts, [texts, words], float32; their dot product is the model's similarity.

    Raises:
        UserError: a weight is not finite (names the text).
    """
    sparse_tensor = torch.stack(model.encode(texts, route)).coalesce()
    rows, columns = sparse_tensor.indices().numpy()
    word_weights = csr_array((sparse_tensor.values().numpy(), (rows, columns)), shape=tuple(sparse_tensor.shape))
    if not np.isfinite(word_weights.data).all():
        row = int(rows[~np.isfinite(sparse_tensor.values().numpy())][0])
        raise UserError(f"{model.path}: the weights of the text {texts[row]!r} are not finite")
    if model.model.similarity_fn_name == "cosine":
        word_weights.data /= np.repeat(np.sqrt(word_weights.power(2).sum(axis=1)), np.diff(word_weights.indptr))
    return word_weights
