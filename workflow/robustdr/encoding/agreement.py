"""A written model's vectors beside those that sentence-transformers computes."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from robustdr.core.errors import UserError
from robustdr.encoding.description import describe
from robustdr.encoding.directory import DOCUMENT, QUERY
from robustdr.encoding.encoder import Encoder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

LARGEST = 1e-4  # difference that rounding in single precision explains, of vectors of length 1
SAID = "Where do swifts sleep? In 1869 Mendeleev left gaps; die Tür, l'été, 北京, https://a.org/b?c=1 #tag *x* IT'S … "
# From one word to more than any limit.
TEXTS = [" ".join((SAID * 60).split()[n : n + 1 + (900 if n > 47 else n * n // 20)]) for n in range(50)]


class Agreement(NamedTuple):
    """Vectors of [texts, dimension] numbers and their largest `difference` from the library's."""

    texts: int
    dimension: int
    difference: float


def agreement(folder: Path, library: "SentenceTransformer") -> Agreement:
    """Return the largest difference of a number in the vectors of `TEXTS`, where the longest vector has length 1.

    One half of the texts are queries, the other passages.

    Args:
        folder: the model as `Encoder` reads it. library: the same model, in single precision on the CPU.

    Raises:
        UserError: it is larger than `LARGEST`.
    """
    encoder, lengths = Encoder(folder, on=torch.device("cpu")), describe(folder).lengths
    unit = library.similarity_fn_name == "cosine"
    found = 0.0
    for texts, route, encode in (
        (TEXTS[::2], QUERY, library.encode_query),
        (TEXTS[1::2], DOCUMENT, library.encode_document),
    ):
        expected = encode(texts, normalize_embeddings=unit)
        vectors = encoder.at(route).encode(texts, lengths[route])
        longest = np.linalg.norm(expected, axis=1).max()
        found = max(found, float(np.abs(vectors - expected).max() / longest))
    if not found <= LARGEST:
        raise UserError(
            f"{folder}: its vectors are not those of sentence-transformers (they differ by {found:.1g}; rounding "
            f"explains {LARGEST:.0e}); the model is not read as it should be: please report it"
        )
    return Agreement(len(TEXTS), encoder.dimension, float(f"{found:.0e}"))
