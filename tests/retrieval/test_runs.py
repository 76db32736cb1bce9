"""Runs: the tie rule, the header, and damaged files."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.errors import UserError
from robustdr.retrieval.runs import rank, read_metadata, read_run, write_run

METADATA = {"tag": "rodr-seed1", "data": {"test_data": {"name": "wordnet-mini", "topics": "“x”.tsv"}}}
SCORES = st.floats(-1e6, 1e6, width=32)


def test_the_tie_rule_by_hand():
    scored = [("d1", 1.0), ("d3", 2.0), ("d10", 2.0), ("d2", 2.0), ("d0", 3.0)]
    assert rank(scored, 4) == [("d0", 3.0), ("d3", 2.0), ("d2", 2.0), ("d10", 2.0)]


@given(st.dictionaries(st.text("ab12", min_size=1), st.dictionaries(st.text("xyz", min_size=1), SCORES, min_size=1)))
def test_a_run_is_read_back_as_it_was_ranked(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("run") / "run.trec.gz"
    run = {qid: rank(scored.items(), 100) for qid, scored in scores.items()}
    write_run(path, run, METADATA)
    found = read_run(path)
    assert {qid: [docid for docid, _ in ranking] for qid, ranking in found.items()} == {
        qid: [docid for docid, _ in ranking] for qid, ranking in run.items()
    }
    for qid, ranking in run.items():
        exact = np.array([score for _, score in ranking], dtype=np.float32)
        assert np.array_equal(np.array([score for _, score in found[qid]], dtype=np.float32), exact)


def test_two_neighbouring_scores_stay_apart(tmp_path):
    score = np.float32(0.7071)
    above = np.nextafter(score, np.float32(1))
    write_run(tmp_path / "run.trec.gz", {"q": [("a", float(above)), ("b", float(score))]}, METADATA)
    assert read_run(tmp_path / "run.trec.gz")["q"][0][0] == "a"


def test_the_file_by_hand(tmp_path):
    write_run(
        tmp_path / "run.trec.gz", {"q1": [("d2", 1.5), ("d1", 0.25)]}, {"tag": "t", "method": {"automatic": True}}
    )
    assert gzip.decompress((tmp_path / "run.trec.gz").read_bytes()).decode() == (
        "# ir_metadata.start\n# tag: t\n# method:\n#   automatic: true\n# ir_metadata.end\n"
        "q1 Q0 d2 1 1.5 t\nq1 Q0 d1 2 0.25 t\n"
    )


def test_the_header_is_read_back(tmp_path):
    write_run(tmp_path / "run.trec.gz", {"q": [("d", 1.0)]}, METADATA)
    assert read_metadata(tmp_path / "run.trec.gz") == METADATA


def test_the_same_run_twice_is_the_same_bytes(tmp_path):
    run = {f"q{i}": [(f"d{j}", float(-j)) for j in range(50)] for i in range(20)}
    write_run(tmp_path / "one.trec.gz", run, METADATA)
    write_run(tmp_path / "two.trec.gz", run, METADATA)
    assert (tmp_path / "one.trec.gz").read_bytes() == (tmp_path / "two.trec.gz").read_bytes()


def test_runs_of_other_tools_are_put_under_the_tie_rule(tmp_path):
    (tmp_path / "run.txt").write_text("q Q0 a 1 2.0 x\nq Q0 c 2 3.0 x\nq Q0 b 3 2.0 x\n")
    assert read_run(tmp_path / "run.txt") == {"q": [("c", 3.0), ("b", 2.0), ("a", 2.0)]}


@pytest.mark.parametrize("line", ["q Q0 d 1 1.0", "q Q0 d 1 high t", "q Q0 d 1 1.0 t more"])
def test_a_line_that_is_no_run_line(tmp_path, line):
    (tmp_path / "run.txt").write_text(f"q Q0 a 1 2.0 x\n{line}\n")
    with pytest.raises(UserError, match=r"run\.txt:2: not a TREC run"):
        read_run(tmp_path / "run.txt")


@pytest.mark.parametrize("damage", ["truncated", "flipped", "no gzip", "not UTF-8"])
def test_a_damaged_file(tmp_path, damage):
    path = tmp_path / "run.trec.gz"
    rng = np.random.default_rng(0)
    write_run(path, {f"q{i}": [(f"d{j}", float(rng.normal())) for j in range(99)] for i in range(20)}, METADATA)
    whole = bytearray(path.read_bytes())
    if damage == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "flipped":
        for at in range(len(whole) // 2, len(whole) // 2 + 40):
            whole[at] ^= 0xFF
        path.write_bytes(whole)
    else:
        path.write_bytes(b"q Q0 d 1 1.0 t\n" if damage == "no gzip" else gzip.compress(b"q Q0 d\xff 1 1.0 t\n"))
    with pytest.raises(UserError, match=r"run\.trec\.gz:\d+: not a TREC run .* delete the file and run again"):
        read_run(path)


def test_a_run_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match=r"nothing\.trec\.gz"):
        read_run(tmp_path / "nothing.trec.gz")
