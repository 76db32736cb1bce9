"""The rehearsal runs through at a thousandth of its size, and its drawn data are what it says."""

import numpy as np
import pytest

from rehearsal import made


def test_texts_have_the_lengths_and_frequencies_of_a_zipf_vocabulary(tmp_path):
    made.write_texts(tmp_path / "texts.tsv", 3000, 56)
    ids, texts = zip(*(line.split("\t") for line in (tmp_path / "texts.tsv").read_text().splitlines()), strict=True)
    assert ids == tuple(str(1_000_000 + row) for row in range(3000))
    words = [text.split(" ") for text in texts]
    assert np.mean([len(of) for of in words]) == pytest.approx(56, abs=1.5)
    _, counts = np.unique(np.concatenate(words), return_counts=True)
    counts = np.sort(counts)[::-1]
    # P(rank 1) = ln 2 / ln V and P(rank 10) = ln 1.1 / ln V
    shares = counts[[0, 9]] / counts.sum() * np.log(made.VOCABULARY)
    assert shares == pytest.approx(np.log([2, 1.1]), rel=0.05)


def test_what_is_drawn_is_drawn_again(tmp_path):
    for name in ("one", "two"):
        made.write_rankings(tmp_path / name, 1500, 9000, 4)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_rankings_are_a_run_without_repetitions(tmp_path):
    made.write_rankings(tmp_path / "run.trec.gz", 1500, 9000, 1000)
    from robustdr.retrieval.runs import read_run

    run = read_run(tmp_path / "run.trec.gz")
    assert len(run) == 1500 and all(len({docid for docid, _ in run[qid]}) == 1000 for qid in list(run)[::100])
