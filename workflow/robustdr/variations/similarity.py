"""Semantic similarity between queries and their variations, by a user's embedding models."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, write_json
from robustdr.encoding import loading_modules
from robustdr.variations.statistics import cosine


@dataclass
class Similarity:
    """The embedding model in `path`, a sentence-transformers folder; it is loaded at its first use.

    Raises:
        UserError: `path` is not such a folder.
    """

    path: Path

    def __post_init__(self) -> None:
        if not (self.path / "modules.json").is_file():
            raise UserError(
                f"{self.path}: no embedding model; expected: a sentence-transformers folder, with modules.json"
            )

    def __call__(self, texts: list[str]) -> np.ndarray:
        """Vectors of the texts, [texts, dimension]."""
        return self._model.encode(texts, batch_size=64, show_progress_bar=False, convert_to_numpy=True)

    @cached_property
    def _model(self) -> Any:
        return loading_modules.sentence_transformer(self.path)


def write_similarity(threads: int, model: Path, queries: Path, varied: list[Path], output: Path) -> None:
    """Write the mean cosine similarity of queries and their variations, by variation (intent, Table 2).

    Args:
        threads: of the processor. model: see `Similarity`. queries: file of the original queries.
        varied: one file per variation, with its name.
        output: JSON, similarity by variation.
    """
    from robustdr.encoding.hardware import start  # slow to import, and not needed to vary queries

    start(threads)
    encode, originals = Similarity(model), read_queries(queries)
    vectors = encode(list(originals.values()))
    similarities = {}
    for path in varied:
        texts = read_queries(path)
        similarities[path.stem] = cosine(vectors, encode([texts[qid] for qid in originals])) / len(originals)
    write_json(output, similarities)
