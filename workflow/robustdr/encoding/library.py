"""Models that sentence-transformers itself runs: sparse encoders and late interaction."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers.base.modules import Transformer

from robustdr.core.files import from_json
from robustdr.core.settings import Precision
from robustdr.encoding import loading_modules
from robustdr.encoding.directory import QUERY, SEPARATOR, SETTINGS
from robustdr.encoding.hardware import device, dtype
from robustdr.encoding.whole import modules

# Of one pass through the model, padding included. A sparse encoder scores every word for each of them: BERT's 30,522
# words take 0.13 GB for 1,024 tokens, some times over.
TOKENS = {"cpu": 1024, "cuda": 4096}


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

    def encode(self, texts: Sequence[str], route: str) -> Any:
        """Return what the model makes of texts, on the CPU, in single precision.

        Returns:
            Of a sparse encoder a sparse tensor, [texts, words]; of late interaction for each text [tokens, dimension].
        """
        first, length = modules(self.model, route)[0], self.lengths[route]
        if isinstance(first, Transformer):
            setattr(first, f"{route}_length", length)
        else:
            first.tokenizer.model_max_length = length
        encode = self.model.encode_query if route == QUERY else self.model.encode_document
        encoded = encode(list(texts), batch_size=max(1, self._tokens // length), show_progress_bar=False)
        return (
            encoded.cpu().float()
            if isinstance(encoded, torch.Tensor)
            else [vectors.cpu().float() for vectors in encoded]
        )
