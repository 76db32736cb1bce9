"""Fusion by ranx: equations on ranks and scores counted by hand, under our tie rule."""

import inspect
from pathlib import Path
from typing import get_args

import pytest

from robustdr.core.errors import UserError
from robustdr.core.yaml_files import checked
from robustdr.retrieval.fusion import fuse, rankings, ranx
from robustdr.retrieval.runs import read_run, write_run
from robustdr.retrieval.settings import FusionSettings
from robustdr.systems.fusion import PARAMETERS, RankMethod, ScoreMethod, Settings

ONE, TWO = [("a", 9.0), ("b", 8.0)], [("b", 0.7), ("c", 0.6)]


def rrf(k, depth=10):
    return FusionSettings("rrf", None, {"k": k}, depth)


def fused(settings, *rankings):
    return fuse(settings, [{"q": ranking, "other": [("x", 1.0)]} for ranking in rankings])["q"]


def test_reciprocal_ranks_counted_by_hand():
    """With k = 1: a is first of one, 1/2; b second and first, 1/3 + 1/2; c second of the other, 1/3."""
    assert fused(rrf(1), ONE, TWO) == [("b", pytest.approx(5 / 6)), ("a", 0.5), ("c", pytest.approx(1 / 3))]
    assert [docid for docid, _ in fused(rrf(1, depth=2), ONE, TWO)] == ["b", "a"]
    assert fused(rrf(60), ONE, []) == [("a", pytest.approx(1 / 61)), ("b", pytest.approx(1 / 62))]


def test_ties_before_and_after_fusion_follow_our_rule():
    """Of equal scores the later docid is first; ranx would take another order of the many ties of one run."""
    assert [docid for docid, _ in fused(rrf(60), [("a", 1.0)], [("b", 1.0)])] == ["b", "a"]
    tied = [(f"d{number:02}", 1.0) for number in reversed(range(40))]
    assert [docid for docid, _ in fused(rrf(1, depth=40), tied, tied)] == [docid for docid, _ in tied]


def test_a_system_that_ranks_nothing_is_refused():
    with pytest.raises(UserError, match="system 2 of 2 ranks no passage for any of the 1 queries"):
        fuse(rrf(60), [{"q": ONE}, {"q": []}])


def test_a_weighted_sum_of_normalised_scores():
    """min-max makes 1 and 0 of each: a is 0.25 · 1, b 0.25 · 0 + 0.75 · 1, c 0."""
    settings = FusionSettings("wsum", "min-max", {"weights": [0.25, 0.75]}, 10)
    assert fused(settings, ONE, TWO) == [("b", 0.75), ("a", 0.25), ("c", 0.0)]


@pytest.mark.parametrize("method", [*get_args(RankMethod), *get_args(ScoreMethod)])
def test_every_method_fuses_and_has_the_parameters_of_ranx(method):
    values = {"k": 60.0, "phi": 0.8, "sigma": 0.01, "gamma": 1.0, "weights": [0.5, 0.5]}
    needed = {PARAMETERS[method]} if method in PARAMETERS else set()
    parameters = {name: values[name] for name in needed}
    recipe = Settings(
        label="x",
        systems=["s", "t"],
        method=method,
        normalization="min-max" if method in get_args(ScoreMethod) else None,
        parameters=parameters,
    )
    ranking = fused(FusionSettings(method, recipe.normalization, recipe.parameters, 2), ONE, TWO)
    assert len(ranking) == 2 and {docid for docid, _ in ranking} <= {"a", "b", "c"}
    signature = inspect.signature(ranx().fusion.fusion_switch(method))
    assert set(signature.parameters) - {"runs", "name"} == needed


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "sum", "parameters": {}}, "normalization: needed by the method 'sum'"),
        ({"normalization": "max"}, "normalization: not allowed with the method 'rrf'"),
        ({"parameters": {}}, "parameters: none; the method 'rrf' has k"),
        ({"parameters": {"k": [1.0, 2.0]}}, "parameters.k: .*; allowed: a number"),
        (
            {"method": "wsum", "normalization": "max", "parameters": {"weights": [1.0]}},
            "parameters.weights: 1 for 2 systems",
        ),
        ({"method": "posfuse"}, "method: 'posfuse'"),
    ],
)
def test_a_recipe_that_cannot_be_fused_is_refused(changes, message):
    recipe = {"label": "x", "systems": ["s", "t"], "method": "rrf", "parameters": {"k": 60.0}} | changes
    with pytest.raises(UserError, match=message):
        checked(Settings, recipe, Path("experiment.yaml"))


def test_every_query_set_takes_its_own_runs(tmp_path):
    """Runs come system by system; a query that one system has no passages for takes the other's."""
    paths = []
    for system, of in (("x", [{"q": ONE}, {"q": TWO}]), ("y", [{"q": ONE, "r": TWO}, {"q": ONE}])):
        for number, run in enumerate(of):
            paths.append(tmp_path / f"{system}{number}.trec.gz")
            write_run(paths[-1], run, {"tag": system})
    first, second = rankings(rrf(60, depth=2), tmp_path, {"candidates": paths}, [{"q": "?", "r": "?"}, {"q": "?"}])
    assert first == {"q": fused(rrf(60, 2), ONE, ONE), "r": fused(rrf(60, 2), [], TWO)}
    assert second == {"q": fused(rrf(60, 2), TWO, ONE)}
    assert read_run(paths[0]) == {"q": ONE}
