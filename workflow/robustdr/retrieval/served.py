"""Dense retrieval with an encoder that a server runs."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from robustdr.core.client import Client
from robustdr.core.secrets import secret
from robustdr.encoding.served import Served
from robustdr.retrieval.nearest import nearest, texts_of
from robustdr.retrieval.rank import Files, judged_lists, listed_passages
from robustdr.retrieval.runs import Ranking
from robustdr.retrieval.settings import ServedSettings as Settings

CHUNK = 16384  # passages in memory at once


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set by a server's vectors.

    Raises:
        UserError: the environment variable of the key is not set; see also `Served.encode`.
    """
    s = settings
    client = Client(s.url, s.model, secret(s.key), s.attempts, s.timeout)
    encoder = Served(client, s.dimension, s.similarity, Path(s.cache), s.batch, s.concurrency, s.attempts)
    lists = judged_lists(files)
    corpus_passages = listed_passages(corpus, lists, separator=" ")

    def passages() -> Iterator[tuple[np.ndarray, list[str]]]:
        while chunk := list(islice(corpus_passages, CHUNK)):
            yield encoder.encode([text for _, text in chunk], s.prompts["passage"]), [docid for docid, _ in chunk]

    texts = texts_of(query_sets)
    vectors = encoder.encode(texts, s.prompts["query"])
    yield from nearest(query_sets, texts, vectors, passages(), lists, s.depth)
