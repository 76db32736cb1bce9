"""Models that sentence-transformers itself runs: sparse encoders and late interaction.

For a sparse encoder, a text is weights of words, as in SPLADE (Formal et al. 2021). For late interaction, it is a
vector of every token, as in ColBERT (Khattab and Zaharia 2020).
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path

import numpy as np
import torch
from scipy.sparse import csr_array
from sentence_transformers.base.modules import Transformer

from robustdr.core.errors import UserError
from robustdr.core.files import from_json
from robustdr.core.settings import Precision
from robustdr.core.terminal import progress_bar
from robustdr.encoding import loading_modules
from robustdr.encoding.batching import by_length
from robustdr.encoding.directory import QUERY, SEPARATOR, SETTINGS
from robustdr.encoding.hardware import at_once, device, dtype
from robustdr.encoding.whole import modules

# Of one pass through the model, padding included. A sparse encoder scores every word for each of them: BERT's 30,522
# words take 31 MB for 256 tokens, some times over. More than 32 MB would be fetched from the system for each pass.
TOKENS = {"cpu": 256, "cuda": 4096}


class Library:
    """A model in a directory of sentence-transformers.

    Args:
        path: the directory. kind: `SPARSE` or `LATE`, the type of its model.
        lengths: tokens to read of a text, by route. precision: of the computation.
        on: device; default: the first GPU, else the CPU.

    Attributes:
        model: it, as sentence-transformers reads it. separator: the string between the title and the text of a passage.

    Raises:
        UserError: the model is of another type, a part of it is not supported, it is damaged, or the hardware does not
            compute in the precision.
    """

    def __init__(
        self,
        path: Path,
        kind: str,
        lengths: Mapping[str, int],
        precision: Precision = "float32",
        on: torch.device | None = None,
    ):
        on = on or device()
        self.path, self.lengths, self._tokens = path, lengths, TOKENS[on.type]
        self.model = loading_modules.of_type(path, kind, dtype(precision, on)).to(on)
        self.separator: str = from_json((path / SETTINGS).read_bytes()).get(SEPARATOR, " ")

    def encode(self, texts: Sequence[str], route: str, progress: str | None = None) -> list[torch.Tensor]:
        """Return what the model makes of each text, on the CPU, in single precision.

        Args:
            progress: label of the bar on a terminal; None for no bar.

        Returns:
            Of a sparse encoder sparse tensors, [words]; of late interaction [tokens, dimension].
        """
        first, length = modules(self.model, route)[0], self.lengths[route]
        if isinstance(first, Transformer):
            setattr(first, f"{route}_length", length)
        else:
            first.tokenizer.model_max_length = length
        token_ids = first.tokenizer(list(texts), truncation=True, max_length=length)["input_ids"]
        batches = by_length([len(ids) for ids in token_ids], self._tokens)
        route_encode = self.model.encode_query if route == QUERY else self.model.encode_document

        def encode(batch: list[int]) -> list[torch.Tensor]:
            encoded = route_encode([texts[i] for i in batch], batch_size=len(batch), show_progress_bar=False)
            bar.update(len(batch))
            return [vectors.cpu().float() for vectors in encoded]

        # The first call sets how the tokenizer cuts and pads; two threads may not do that at the same time.
        first_batch, *further_batches = batches
        with progress_bar(progress, len(texts)) as bar:
            encoded = [encode(first_batch), *at_once(encode, further_batches)]
        by_position = zip(chain.from_iterable(batches), chain.from_iterable(encoded), strict=True)
        return [vectors for _, vectors in sorted(by_position, key=itemgetter(0))]


def weights(model: Library, texts: Sequence[str], route: str, progress: str | None = None) -> csr_array:
    """Return a sparse encoder's weights of words in texts, [texts, words], float32.

    Their dot product is the model's similarity.

    Raises:
        UserError: a weight is not finite (names the text).
    """
    sparse_tensor = torch.stack(model.encode(texts, route, progress)).coalesce()
    rows, columns = sparse_tensor.indices().numpy()
    word_weights = csr_array((sparse_tensor.values().numpy(), (rows, columns)), shape=tuple(sparse_tensor.shape))
    if not np.isfinite(word_weights.data).all():
        row = int(rows[~np.isfinite(sparse_tensor.values().numpy())][0])
        raise UserError(f"{model.path}: the weights of the text {texts[row]!r} are not finite")
    if model.model.similarity_fn_name == "cosine":
        word_weights.data /= np.repeat(np.sqrt(word_weights.power(2).sum(axis=1)), np.diff(word_weights.indptr))
    return word_weights


def vectors(model: Library, texts: Sequence[str], route: str, progress: str | None = None) -> list[torch.Tensor]:
    """Return the vectors of texts by late interaction: of each, [tokens, dimension], float32.

    Raises:
        UserError: a vector is not finite (names the text).
    """
    text_vectors = model.encode(texts, route, progress)
    for text, token_vectors in zip(texts, text_vectors, strict=True):
        if not token_vectors.isfinite().all():
            raise UserError(f"{model.path}: a vector of the text {text!r} is not finite")
    return text_vectors
