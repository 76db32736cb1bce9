"""A written model's vectors beside those that sentence-transformers computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from robustdr.core.errors import UserError
from robustdr.encoding import hardware
from robustdr.encoding.any_type import describe
from robustdr.encoding.description import LATE, SPARSE, model_type
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.library import Library, vectors, weights

APART = 0.5  # least share of texts with a vector of their own, of those that are different tokens
LARGEST = 1e-4  # difference that rounding in single precision explains, of vectors of length 1
SAID = "Where do swifts sleep? In 1869 Mendeleev left gaps; die Tür, l'été, 北京, https://a.org/b?c=1 #tag *x* IT'S … "
# From one word to more than any limit.
TEXTS = [" ".join((SAID * 60).split()[n : n + 1 + (900 if n > 47 else n * n // 20)]) for n in range(50)]


class Agreement(NamedTuple):
    """Vectors of [texts, dimension] numbers and their largest `difference` from the library's.

    Of a sparse encoder the dimension is the number of words; of late interaction each token has a vector.
    """

    texts: int
    dimension: int
    difference: float


def agreement(folder: Path, library: Any) -> Agreement:
    """Return the largest difference of a number in the vectors of `TEXTS`, where the longest vector has length 1.

    One half of the texts are queries, the other passages.

    Args:
        folder: the model as this package reads it. library: the same model, in single precision on the CPU.

    Raises:
        UserError: it is larger than `LARGEST`, or see `_encode_apart`.
    """
    hardware.start(1)  # the texts are few, and the difference shall not depend on the cores
    encode_folder, difference = _reader(folder), 0.0
    for texts, route, encode in (
        (TEXTS[::2], QUERY, library.encode_query),
        (TEXTS[1::2], DOCUMENT, library.encode_document),
    ):
        # One text at a time: a sparse encoder takes 0.06 GB, some times over, for one of 512 tokens.
        expected, actual = _numbers(encode(texts, batch_size=1)), encode_folder(texts, route)
        if library.similarity_fn_name == "cosine":
            expected = expected / np.linalg.norm(expected, axis=1, keepdims=True)
        longest = np.linalg.norm(expected, axis=1).max()
        same_shape = actual.shape == expected.shape
        difference = max(difference, float(np.abs(actual - expected).max() / longest) if same_shape else np.inf)
    if not difference <= LARGEST:
        raise UserError(
            f"{folder}: its vectors are not those of sentence-transformers (they differ by {difference:.1g}; rounding "
            f"explains {LARGEST:.0e}): the folder lacks weights, which are drawn at random, or is not read as it "
            "should be; please report that"
        )
    return Agreement(len(TEXTS), actual.shape[1], float(f"{difference:.0e}"))


def _reader(folder: Path) -> Callable[[list[str], str], np.ndarray]:
    """Return what makes vectors of texts, [vectors, dimension], by the model in a folder."""
    lengths, on = describe(folder).lengths, torch.device("cpu")
    kind = model_type(folder)
    if kind not in (SPARSE, LATE):
        encoder = Encoder(folder, on=on)
        return lambda texts, route: _encode_apart(encoder.for_route(route), texts, lengths[route])
    model = Library(folder, kind, lengths, on=on)
    if kind == SPARSE:
        return lambda texts, route: weights(model, texts, route).toarray()
    return lambda texts, route: _numbers(vectors(model, texts, route))


def _encode_apart(encoder: Encoder, texts: list[str], length: int) -> np.ndarray:
    """Return vectors of texts, [texts, dimension].

    Raises:
        UserError: most texts of different tokens have the vector of another one.
    """
    vectors = encoder.encode(texts, length)
    inputs = len({*map(tuple, encoder.tokenise(texts, length))})
    distinct = len(np.unique((vectors / np.linalg.norm(vectors, axis=1).max()).round(4), axis=0))
    if distinct < APART * inputs:
        raise UserError(
            f"{encoder.path}: {inputs} texts of different tokens have {distinct} different vectors: "
            "its weights are damaged"
        )
    return vectors


def _numbers(vectors_of_model: Any) -> np.ndarray:
    """Vectors of any type of model as one array, [vectors, dimension]."""
    if isinstance(vectors_of_model, list):
        return torch.cat(vectors_of_model).numpy()
    return vectors_of_model.to_dense().numpy() if isinstance(vectors_of_model, torch.Tensor) else vectors_of_model
