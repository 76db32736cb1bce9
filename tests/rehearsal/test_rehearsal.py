"""The rehearsal: its drawn data are what it says, and it runs through."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rehearsal import made
from robustdr.retrieval.runs import read_run


def test_texts_have_the_lengths_and_frequencies_of_a_zipf_vocabulary(tmp_path):
    made.write_texts(tmp_path / "texts.tsv", 3000, 56)
    ids, texts = zip(*(line.split("\t") for line in (tmp_path / "texts.tsv").read_text().splitlines()), strict=True)
    assert ids == tuple(str(1_000_000 + row) for row in range(3000))
    words = [text.split(" ") for text in texts]
    assert np.mean([len(of) for of in words]) == pytest.approx(56.5, abs=1.5)
    _, counts = np.unique(np.concatenate(words), return_counts=True)
    shares = np.sort(counts)[[-1, -10]] / counts.sum()
    expected = np.log([2 / 1, 11 / 10]) / np.log(made.VOCABULARY)  # of the words of ranks 1 and 10
    assert shares == pytest.approx(expected, rel=0.05)


def test_rankings_are_a_run_of_all_queries_without_repetitions(tmp_path):
    for name in ("one.arrow", "two.arrow"):
        made.write_rankings(tmp_path / name, 1500, 9000, 1000)
    assert (tmp_path / "one.arrow").read_bytes() == (tmp_path / "two.arrow").read_bytes()
    run = read_run(tmp_path / "one.arrow")
    assert list(run) == [str(1_000_000 + row) for row in range(1500)]
    assert all(len({docid for docid, _ in run[qid]}) == 1000 for qid in list(run)[::100])


def test_shards_of_vectors_are_not_alike_and_of_low_rank(tmp_path):
    made.write_vectors([tmp_path / "0.npy", tmp_path / "1.npy"], 3000)
    first, second = (np.load(tmp_path / f"{shard}.npy").astype(np.float32) for shard in range(2))
    assert first.shape == second.shape == (1500, made.DIMENSION) and not np.isclose(first, second).all(axis=1).any()
    values = np.linalg.svd(first, compute_uv=False)
    assert values[made.RANK - 1] > 10 * values[made.RANK]
    assert (tmp_path / "1.ids").read_text().splitlines() == [str(1_000_000 + row) for row in range(1500, 3000)]


@pytest.mark.slow
def test_every_stage_runs_and_nothing_is_left(tmp_path):
    command = [sys.executable, "-m", "rehearsal", "--size", "0.0005", "--folder", str(tmp_path)]
    path = os.pathsep.join(str(Path(__file__).parents[2] / part) for part in ("workflow", "tests"))
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len([line for line in done.stdout.splitlines() if line.endswith(" h |")]) == 8
    assert not any(tmp_path.iterdir())
