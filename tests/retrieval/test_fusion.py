"""Reciprocal rank fusion: the equation on ranks counted by hand."""

import pytest

from robustdr.retrieval.fusion import fuse, rankings
from robustdr.retrieval.runs import read_run, write_run
from robustdr.retrieval.settings import FusionSettings

ONE, TWO = [("a", 9.0), ("b", 8.0)], [("b", 0.7), ("c", 0.6)]


def test_ranks_counted_by_hand():
    """With k = 1: a is first of one, 1/2; b second and first, 1/3 + 1/2; c second of the other, 1/3."""
    assert fuse([ONE, TWO], k=1, depth=10) == [("b", pytest.approx(5 / 6)), ("a", 0.5), ("c", pytest.approx(1 / 3))]
    assert [docid for docid, _ in fuse([ONE, TWO], k=1, depth=2)] == ["b", "a"]
    assert fuse([ONE, []], k=60, depth=10) == [("a", pytest.approx(1 / 61)), ("b", pytest.approx(1 / 62))]
    assert [docid for docid, _ in fuse([[("a", 1.0)], [("b", 1.0)]], k=60, depth=10)] == ["b", "a"]  # the tie rule


def test_every_query_set_takes_its_own_runs(tmp_path):
    """Runs come system by system; a query that one system has no passages for takes the other's."""
    paths = []
    for system, of in (("x", [{"q": ONE}, {"q": TWO}]), ("y", [{"q": ONE, "r": TWO}, {"q": ONE}])):
        for number, run in enumerate(of):
            paths.append(tmp_path / f"{system}{number}.trec.gz")
            write_run(paths[-1], run, {"tag": system})
    settings = FusionSettings(k=60, depth=2)
    first, second = rankings(settings, tmp_path, {"candidates": paths}, [{"q": "?", "r": "?"}, {"q": "?"}])
    assert first == {"q": fuse([ONE, ONE], 60, 2), "r": fuse([TWO], 60, 2)}
    assert second == {"q": fuse([TWO, ONE], 60, 2)}
    assert read_run(paths[0]) == {"q": ONE}
