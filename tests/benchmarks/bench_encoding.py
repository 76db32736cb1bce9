"""Encoding passages: `Encoder.encode` beside sentence-transformers' own `encode`: same model, texts and precision.

    python tests/benchmarks encoding [passages]

The model is the embedded MiniLM with its six layers, as it was released, and one thread computes. Both compute in the
precision that the processor is fastest in and in their best batches; the two take turns.
"""

import statistics
import sys
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from benchmarks.common import configured, report, timed, wordnet_source
from robustdr.collections import wordnet
from robustdr.core.processor import native
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.directory import DOCUMENT
from robustdr.encoding.encoder import Encoder
from robustdr.encoding.settings import CheckpointSettings

ROUNDS = 3


def main(passages: int) -> None:
    torch.set_num_threads(1)
    texts = [passage.text for passage in islice(wordnet.corpus(wordnet_source()), passages)]
    with tempfile.TemporaryDirectory() as folder:
        source = configured("scales/mini.yaml")["checkpoints"]["base"]["source"]
        model = Path(folder) / "model"
        write_checkpoint(CheckpointSettings(name="minilm", description="", form="whole", source=source), model)
        ours = Encoder(model, native(), route=DOCUMENT)
        theirs = SentenceTransformer(str(model), device=str(ours.device), model_kwargs={"dtype": native()})

    def encode_theirs(batch_size: int, texts: list[str] = texts) -> np.ndarray:
        return theirs.encode_document(texts, batch_size=batch_size, show_progress_bar=False)

    best = min((64, 32, 128), key=lambda size: timed(lambda: encode_theirs(size, texts[:1000]))[0])
    ratios = []
    for _ in range(ROUNDS):
        seconds_ours, vectors = timed(lambda: ours.encode(texts, theirs.max_seq_length))
        seconds_theirs, expected = timed(lambda: encode_theirs(best))
        assert np.abs(vectors - expected).max() < 0.1, "the two must encode alike but for rounding"
        ratios.append(seconds_ours / seconds_theirs)
        print(f"{len(texts):,} passages: ours {seconds_ours:.1f} s   sentence-transformers (batches of {best})"
              f" {seconds_theirs:.1f} s   ratio {ratios[-1]:.2f}")  # fmt: skip
    print(f"{native()}, threads: {torch.get_num_threads()}")
    report("encoding", "seconds of ours / of sentence-transformers", statistics.median(ratios))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
