"""Encoding passages: `Encoder.encode` beside sentence-transformers' own `encode`: same model, texts and precision.

    python tests/benchmarks encoding [rounds]

Both compute in the precision that the processor is fastest in and in their best batches; the two take turns.
"""

import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from benchmarks.common import report, timed, wordnet_source, write_base
from robustdr.collections import wordnet
from robustdr.core.processor import native
from robustdr.encoding.encoder import Encoder

LENGTH = 48


def main(rounds: int) -> None:
    texts = [passage.text for passage in wordnet.corpus(wordnet_source())][:4000]
    with tempfile.TemporaryDirectory() as folder:
        write_base(Path(folder) / "model")
        ours = Encoder(Path(folder) / "model", native())
        theirs = SentenceTransformer(
            str(Path(folder) / "model"), device=str(ours.device), model_kwargs={"dtype": native()}
        )
    theirs.max_seq_length = LENGTH

    def encode_theirs(batch_size: int) -> np.ndarray:
        return theirs.encode(texts, batch_size=batch_size, show_progress_bar=False, convert_to_numpy=True)

    best = min((64, 32, 128), key=lambda size: timed(lambda: encode_theirs(size))[0])
    ratios = []
    for _ in range(rounds):
        seconds_ours, vectors = timed(lambda: ours.encode(texts, LENGTH))
        seconds_theirs, expected = timed(lambda: encode_theirs(best))
        assert np.abs(vectors - expected).max() < 0.1, "the two must encode alike but for rounding"
        ratios.append(seconds_theirs / seconds_ours)
        print(f"ours {len(texts) / seconds_ours:7.0f} passages/s   sentence-transformers (batches of {best})"
              f" {len(texts) / seconds_theirs:7.0f} passages/s   ratio {ratios[-1]:.2f}")  # fmt: skip
    print(f"{native()}, threads: {torch.get_num_threads()}")
    report("encoding", "passages per second of ours / of sentence-transformers", statistics.median(ratios))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
