"""Feed a training: `python -m rehearsal.feed FILE CORPUS STEPS`, the texts of so many steps and no model."""

import sys
import time
from pathlib import Path

from benchmarks.common import configured
from robustdr.training.data import read_training_data
from robustdr.training.feed import Feed


def main(data: Path, corpus: Path, steps: int) -> None:
    budget = configured("scales/full.yaml")["budgets"]["passage"]
    feed = Feed(read_training_data(data, corpus), budget["batch_size"], budget["negatives"], 0.0, seed=1)
    started = time.perf_counter()
    passages = sum(len([passage.read_passage() for passage in step.passages]) for step in feed.run(0, steps))
    seconds = time.perf_counter() - started
    print(f"{steps} steps of {passages // steps} passages: {1e3 * seconds / steps:.2f} ms each")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
