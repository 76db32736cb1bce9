"""Runs compared by ranx: our measures, our tie rule, SciPy's tests."""

import json

import numpy as np
import pytest
import scipy.stats

from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.evaluation.measures import evaluate
from robustdr.own.run_comparison import compare_runs
from robustdr.retrieval.runs import read_run
from robustdr.retrieval.trec import write_trec

MEASURES = ["nDCG@10", "RR@5", "R@5", "AP", "P@5", "Success@1", "AP(rel=2)@10"]
DOCIDS = [f"d{number}" for number in range(30)]


@pytest.fixture()
def files(tmp_path):
    """Judgements of 40 queries, and three runs with many ties, of which the last lacks five queries."""
    draw = generator("runs to compare")
    grades = {f"q{n}": {d: draw.choice([0, 1, 1, 2]) for d in draw.sample(DOCIDS, 8)} | {"d0": 1} for n in range(40)}
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, judged in grades.items() for d, g in judged.items()))
    paths = []
    for name, better in (("a", 0.0), ("b", 0.4), ("c", 0.1)):
        run = {
            qid: [(d, draw.choice([0.5, 1.0, 1.5]) + better * judged.get(d, 0)) for d in draw.sample(DOCIDS, 15)]
            for qid, judged in list(grades.items())[5 * (name == "c") :]
        }
        paths.append(tmp_path / f"{name}.trec")
        write_trec(paths[-1], run, name)
    return grades, qrels, paths


def test_measures_are_ours_and_p_is_scipy_s(files, capsys):
    grades, qrels, paths = files
    report = compare_runs(paths, qrels, MEASURES, "student", 0.05).to_dict()
    ours = [evaluate(grades, read_run(path), MEASURES) for path in paths]
    for measure, name in zip(MEASURES, report["metrics"], strict=True):
        values = [np.array([by_query[measure][qid] for qid in sorted(grades)]) for by_query in ours]
        for path, by_query in zip(paths, values, strict=True):
            assert report[path.name]["scores"][name] == pytest.approx(by_query.mean(), abs=1e-9), measure
        p = scipy.stats.ttest_rel(values[0], values[1]).pvalue
        assert report["a.trec"]["comparisons"]["b.trec"][name] == pytest.approx(p, rel=1e-6), measure
    assert capsys.readouterr().err == "c.trec lacks 5 of 40 queries, which count 0\n"


@pytest.mark.parametrize("test", ["student", "fisher", "tukey"])
def test_a_table_marks_the_better_run(files, capsys, test):
    _, qrels, paths = files
    runs = list(map(str, paths))
    main(["compare", *runs, "--qrels", str(qrels), "--measures", "nDCG@10", "--test", test])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["#", "Model", "NDCG@10"]
    assert "ᵃ" in lines[3] and "ᵇ" not in lines[2]
    main(["compare", *runs, "--qrels", str(qrels), "--test", test, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["stat_test"] == test
    main(["compare", *runs, "--qrels", str(qrels), "--test", test, "--format", "latex"])
    assert "\\begin{table*}" in capsys.readouterr().out


def test_names_of_runs_are_tex(files, capsys):
    _, qrels, paths = files
    for path, name in zip(paths[:2], ("50%_a&b#", "50%_a&b#2"), strict=True):
        path.rename(path.with_name(name))
    runs = [str(path.with_name(name)) for name in ("50%_a&b#", "50%_a&b#2")]
    assert main(["compare", *runs, "--qrels", str(qrels), "--format", "latex"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert r"50\%\_a\&b\# &" in lines and r"50\%\_a\&b\#2 &" in lines


@pytest.mark.parametrize("level", [-0.1, 2.0, float("nan")])
def test_a_level_is_a_probability(files, level):
    _, qrels, paths = files
    with pytest.raises(UserError, match=rf"--level: {level}; allowed: 0 to 1"):
        compare_runs(paths, qrels, ["AP"], "student", level)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda paths, qrels: ([paths[0], qrels.with_name("no")], qrels, ["AP"]), "/no: no such file"),
        (lambda paths, qrels: ([paths[0], paths[0]], qrels, ["AP"]), "a run is given twice"),
        (lambda paths, qrels: (paths, qrels, ["Unjudged@10"]), "measure: 'Unjudged@10' is unknown"),
        (lambda paths, qrels: (paths, paths[0], ["AP"]), "a.trec:1"),
    ],
)
def test_what_cannot_be_compared_is_refused(files, change, message):
    _, qrels, paths = files
    with pytest.raises(UserError, match=message):
        compare_runs(*change(paths, qrels), "student", 0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a"], "1 path; name two or more"),
        (["a", "b"], "two results folders need --output; runs need --qrels"),
        (["a", "b", "-o", "c", "--qrels", "q"], "not allowed with --qrels"),
    ],
)
def test_options_that_do_not_go_together(arguments, message, capsys):
    assert main(["compare", *arguments])
    assert message in capsys.readouterr().err
