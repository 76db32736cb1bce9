"""Measures: worked by hand, and equal to those of other tools, ties and gaps included."""

import math

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.errors import UserError
from robustdr.evaluation.measures import evaluate, read_measures, write_measures
from robustdr.evaluation.names import Residual, Unjudged, parse
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.retrieval.runs import rank, write_run

# q1 has a tie at the top, q2 grades and a tie, q3 is missing from the run, q4 has no relevant passage.
QRELS = {"q1": {"a": 1, "c": 1}, "q2": {"b": 2, "x": 1, "y": 0}, "q3": {"z": 1}, "q4": {"a": 0}}
RUN = {
    "q1": [("a", 2.0), ("b", 2.0), ("c", 1.0)],  # b, a, c
    "q2": [("b", 1.0), ("x", 1.0), ("y", 3.0)],  # y, x, b
    "q4": [("a", 1.0)],
    "q9": [("a", 1.0)],  # not judged at all
}
LOG3 = math.log2(3)
BY_HAND = {
    "RR": [1 / 2, 1 / 2, 0, 0],
    "RR@1": [0, 0, 0, 0],
    "RR@2": [1 / 2, 1 / 2, 0, 0],
    "AP": [(1 / 2 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2, 0, 0],
    "AP@2": [1 / 2 / 2, 1 / 2 / 2, 0, 0],
    "R@2": [1 / 2, 1 / 2, 0, 0],
    "R@1000": [1, 1, 0, 0],
    "P@2": [1 / 2, 1 / 2, 0, 0],
    "P@5": [2 / 5, 2 / 5, 0, 0],
    "Success@1": [0, 0, 0, 0],
    "Success@2": [1, 1, 0, 0],
    "Judged@1": [0, 1, 0, 1],
    "Judged@2": [1 / 2, 1, 0, 1],
    "Judged@10": [2 / 3, 1, 0, 1],
    "Unjudged@2": [1, 0, 0, 0],
    "Unjudged@10": [1, 0, 0, 0],
    "RR(rel=2)": [0, 1 / 3, 0, 0],
    "RR(rel=2)@2": [0, 0, 0, 0],
    "R(rel=2)@10": [0, 1, 0, 0],
    "AP(rel=2)": [0, 1 / 3, 0, 0],
    "RBP(rel=1)": [0.2 * (0.8 + 0.8**2), 0.2 * (0.8 + 0.8**2), 0, 0],  # ir_measures: p is 0.8
    "RBP(p=0.5,rel=1)@2": [1 / 4, 1 / 4, 0, 0],
    "RBP(rel=2,p=0.5)@10": [0, 1 / 8, 0, 0],
    "Residual(p=0.5)@10": [1 / 2, 0, 0, 0],
    "nDCG@2": [(1 / LOG3) / (1 + 1 / LOG3), (1 / LOG3) / (2 + 1 / LOG3), 0, 0],
    "nDCG@10": [(1 / LOG3 + 1 / 2) / (1 + 1 / LOG3), (1 / LOG3 + 2 / 2) / (2 + 1 / LOG3), 0, 0],
}


@pytest.mark.parametrize("measure", list(BY_HAND))
def test_measures_by_hand(measure):
    measured = evaluate(QRELS, RUN, [measure])[measure]
    assert list(measured) == ["q1", "q2", "q3", "q4"]
    assert list(measured.values()) == pytest.approx(BY_HAND[measure], abs=1e-9)


def test_the_relevance_level_is_for_binary_measures_alone():
    measured = evaluate(QRELS, RUN, ["RR@10", "R@2", "nDCG@10"], relevance_level=2)
    assert list(measured["RR@10"].values()) == pytest.approx([0, 1 / 3, 0, 0])
    assert list(measured["R@2"].values()) == pytest.approx([0, 0, 0, 0])
    assert list(measured["nDCG@10"].values()) == pytest.approx(BY_HAND["nDCG@10"])


def test_a_relevant_passage_that_ties_at_the_cut_counts_by_its_docid():
    qrels, ties = {"q": {"d0": 1}, "r": {"d9": 1}}, [(f"d{number}", 1.0) for number in range(10)]
    assert evaluate(qrels, {"q": ties, "r": ties}, ["RR@5"])["RR@5"] == {"q": 0.0, "r": 1.0}


DOCIDS = [f"d{number}" for number in range(14)]
JUDGED = st.dictionaries(st.sampled_from(DOCIDS), st.integers(0, 3), min_size=1)
SCORED = st.dictionaries(st.sampled_from(DOCIDS), st.sampled_from([0.5, 1.0, 1.5, 2.0]), min_size=1)
QIDS = st.sampled_from(["q1", "q2", "q3", "q4"])


@given(st.dictionaries(QIDS, JUDGED, min_size=1), st.dictionaries(QIDS, SCORED, min_size=1))
def test_measures_equal_those_of_ir_measures(qrels, scores):
    run = {qid: list(scored.items()) for qid, scored in scores.items()}
    measures = ["RR", "AP", "AP@5", "R@5", "P@5", "Success@5", "nDCG@5", "nDCG@100"]
    measured = evaluate(qrels, run, measures)
    parsed = [ir_measures.parse_measure(measure) for measure in measures]
    for value in ir_measures.pytrec_eval.iter_calc(parsed, qrels, scores):
        if value.query_id in qrels:
            assert measured[str(value.measure)][value.query_id] == pytest.approx(value.value, abs=1e-9)
    for qid in qrels.keys() - run.keys():
        assert all(measured[measure][qid] == 0 for measure in measures)


@given(
    st.dictionaries(QIDS, st.dictionaries(st.sampled_from(DOCIDS), st.integers(-1, 3), min_size=1), min_size=1),
    st.dictionaries(QIDS, st.permutations(DOCIDS).flatmap(lambda docids: st.sampled_from([docids, docids[:3]]))),
    st.integers(1, 16),
)
def test_the_share_that_is_judged_is_that_of_ir_measures(qrels, rankings, cut):
    """Without ties, which ir_measures breaks the other way round; rankings of 3 and of 14 passages, or none."""
    scores = {
        qid: {docid: -float(position) for position, docid in enumerate(docids)} for qid, docids in rankings.items()
    }
    measured = evaluate(qrels, {qid: list(grades.items()) for qid, grades in scores.items()}, [f"Judged@{cut}"])[
        f"Judged@{cut}"
    ]
    expected = dict.fromkeys(qrels, 0.0)
    for value in ir_measures.iter_calc([ir_measures.Judged @ cut], qrels, scores):
        expected[value.query_id] = value.value
    assert measured == {qid: expected[qid] for qid in qrels}


LEVELS = ("RR(rel=2)", "AP(rel=2)", "AP(rel=3)@5", "R(rel=2)@5", "P(rel=3)@5", "Success(rel=2)@5", "RR")


@given(st.dictionaries(QIDS, JUDGED, min_size=1), st.dictionaries(QIDS, SCORED, min_size=1), st.integers(1, 3))
def test_a_level_in_a_name_is_that_of_ir_measures(qrels, scores, level):
    """Whatever the collection's own level is, which counts where a name has none."""
    run = {qid: list(scored.items()) for qid, scored in scores.items()}
    measured = evaluate(qrels, run, list(LEVELS), relevance_level=level)
    parsed = {name: ir_measures.parse_measure(name if "(" in name else f"{name}(rel={level})") for name in LEVELS}
    for value in ir_measures.pytrec_eval.iter_calc(list(parsed.values()), qrels, scores):
        for name in (name for name, measure in parsed.items() if measure == value.measure and value.query_id in qrels):
            assert measured[name][value.query_id] == pytest.approx(value.value, abs=1e-9)


@given(
    st.dictionaries(QIDS, st.dictionaries(st.sampled_from(DOCIDS), st.integers(-1, 3), min_size=1), min_size=1),
    st.dictionaries(QIDS, SCORED),
    st.integers(1, 16),
    st.integers(1, 3),
    st.sampled_from([0.5, 0.8, 0.9]),
)
def test_rank_biased_precision_rank_by_rank(qrels, scores, cut, level, p):
    """A user who reads on with probability p finds relevant, irrelevant and unjudged passages; together every rank."""
    run = {qid: list(scored.items()) for qid, scored in scores.items()}
    names = [f"RBP(p={p},rel={level})@{cut}", f"Residual(p={p})@{cut}", f"Unjudged@{cut}"]
    measured = evaluate(qrels, run, names)
    for qid, grades in qrels.items():
        order = sorted(scores.get(qid, {}).items(), key=lambda pair: pair[::-1], reverse=True)
        looks, relevant, unjudged, missing, irrelevant = 1 - p, 0.0, 0.0, 0, 0.0
        for docid, _ in order[:cut]:
            if docid not in grades:
                unjudged, missing = unjudged + looks, missing + 1
            elif grades[docid] >= level:
                relevant += looks
            else:
                irrelevant += looks
            looks *= p
        assert [measured[name][qid] for name in names] == pytest.approx([relevant, unjudged, missing], abs=1e-12)
        ranks = min(cut, len(order))
        assert relevant + unjudged + irrelevant == pytest.approx(1 - p**ranks)


@given(st.dictionaries(QIDS, JUDGED, min_size=1), st.dictionaries(QIDS, SCORED, min_size=1), st.integers(1, 12))
def test_reciprocal_rank_with_a_cut_counts_places_under_the_tie_rule(qrels, scores, cut):
    run = {qid: list(scored.items()) for qid, scored in scores.items()}
    measured = evaluate(qrels, run, [f"RR@{cut}"])[f"RR@{cut}"]
    for qid, judged in qrels.items():
        places = [
            position for position, (docid, _) in enumerate(rank(run.get(qid, []), cut), 1) if judged.get(docid, 0) > 0
        ]
        assert measured[qid] == pytest.approx(1 / places[0] if places else 0, abs=1e-9)


def test_write_and_read(tmp_path):
    sets = {"dev.original": ["RR@10", "R@2"], "dev.misspell": ["RR@10"]}
    runs = {}
    for query_set in sets:
        write_run(tmp_path / f"{query_set}.gz", {q: rank(s, 9) for q, s in RUN.items()}, {"tag": "t"})
        (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, js in QRELS.items() for d, g in js.items()))
        runs[query_set] = (tmp_path / f"{query_set}.gz", tmp_path / "qrels")
    write_measures(EvaluateSettings(sets, relevance_level=1), runs, tmp_path / "m.parquet")
    frame = read_measures(tmp_path / "m.parquet")
    assert list(frame.columns) == ["query_set", "measure", "qid", "value"]
    groups = {place: list(rows["value"]) for place, rows in frame.groupby(["query_set", "measure"])}
    expected = {(query_set, m): BY_HAND["R@2" if m == "R@2" else "RR"] for query_set in sets for m in sets[query_set]}
    assert groups == {place: pytest.approx(values) for place, values in expected.items()}
    once = (tmp_path / "m.parquet").read_bytes()
    write_measures(EvaluateSettings(sets, relevance_level=1), runs, tmp_path / "m.parquet")
    assert (tmp_path / "m.parquet").read_bytes() == once


def test_the_relevance_level_of_the_settings_is_that_of_the_file(tmp_path):
    write_run(tmp_path / "run.gz", {"q": [("fair", 2.0), ("good", 1.0)]}, {"tag": "t"})
    (tmp_path / "qrels").write_text("q 0 fair 1\nq 0 good 2\n")
    runs = {"dev.original": (tmp_path / "run.gz", tmp_path / "qrels")}
    for level, expected in ((1, 1.0), (2, 0.5), (3, 0.0)):
        settings = EvaluateSettings({"dev.original": ["RR@10"]}, level)
        write_measures(settings, runs, tmp_path / "m.parquet")
        assert list(read_measures(tmp_path / "m.parquet")["value"]) == [expected]


@pytest.mark.parametrize("content", [b"", b"PAR1 not really", None], ids=["empty", "damaged", "missing"])
def test_damaged_measures(tmp_path, content):
    if content is not None:
        (tmp_path / "m.parquet").write_bytes(content)
    with pytest.raises(UserError, match=r"m\.parquet: damaged measures .* delete the file and run again"):
        read_measures(tmp_path / "m.parquet")


@pytest.mark.parametrize(
    ("name", "parsed"),
    [
        ("RR@10", ir_measures.RR @ 10),
        ("AP", ir_measures.AP),
        ("RR(rel=2)@10", ir_measures.RR(rel=2) @ 10),
        ("RBP(rel=2,p=0.9)@10", ir_measures.RBP(p=0.9, rel=2) @ 10),
        ("Residual(p=0.9)@10", Residual(p=0.9) @ 10),
        ("Unjudged@5", Unjudged() @ 5),
    ],
)
def test_names(name, parsed):
    assert (parse(name).NAME, parse(name).params) == (parsed.NAME, parsed.params)


@pytest.mark.parametrize(
    "name, message",
    [
        (
            "MRR@10",
            r"measure: 'MRR@10' is unknown.*; allowed: AP, Judged@k, P@k, R@k, RBP, RR, Residual@k, Success@k, Un",
        ),
        ("MRR@10", r"did you mean RR@10\?"),
        ("ndcg@5", r"did you mean nDCG@5\?"),
        ("MAP", r"did you mean AP\?"),
        ("Recall@100", r"did you mean R@100\?"),
        ("Precision@10", r"did you mean P@10\?"),
        ("Hit@20", r"did you mean Success@20\?"),
        ("RR@0", "measure 'RR@0': cutoff is 0; allowed: a rank from 1 on"),
        ("R@10@5", "measure 'R@10@5': write it as R@10 or"),
        ("R@ten", "measure 'R@ten': write it as R@10 or"),
        ("nDCG", "measure 'nDCG' needs a cut, e.g. nDCG@10"),
        ("Residual(p=0.9)", r"measure 'Residual\(p=0.9\)' needs a cut"),
        ("nDCG(rel=2)@10", r"measure 'nDCG\(rel=2\)@10': parameter: 'rel' is unknown"),
        ("AP(p=0.9)", "parameter: 'p' is unknown.*; allowed: cutoff, rel"),
        ("AP(2)", r"measure 'AP\(2\)': write it as"),
        ("AP(rel=0)", "rel is 0; allowed: a grade from 1 on"),
        ("AP(rel=1.5)", "rel is 1.5; allowed: a grade from 1 on"),
        ("AP(rel='1')", "rel is '1'; allowed: a grade from 1 on"),
        ("RBP(p=1,rel=2)@10", "p is 1; allowed: a number between 0 and 1"),
        ("RBP(p=0.0,rel=2)@10", "p is 0.0; allowed: a number between 0 and 1"),
        ("RBP(p=0.9)@10", "gains are binary here; add rel"),
    ],
)
def test_names_that_are_none(name, message):
    with pytest.raises(UserError, match=message):
        parse(name)


@pytest.mark.slow
def test_measures_equal_those_of_ranx_on_runs_under_the_tie_rule():
    """ranx has its own order of ties, so that it is given places instead of scores."""
    ranx = pytest.importorskip("ranx")
    from robustdr.core.seeds import generator

    rng = generator("ranx")
    qids = [f"q{number}" for number in range(60)]
    qrels = {qid: {d: rng.choice([0, 1, 1, 2, 3]) for d in rng.sample(DOCIDS, 6)} | {"d0": 1} for qid in qids}
    run = {qid: [(d, rng.choice([0.5, 1.0, 1.5])) for d in rng.sample(DOCIDS, 12)] for qid in qids[5:]}
    places = {q: {d: -float(position) for position, (d, _) in enumerate(rank(ranked, 99))} for q, ranked in run.items()}
    names = {"RR@10": "mrr@10", "nDCG@10": "ndcg@10", "R@5": "recall@5", "AP": "map", "P@5": "precision@5"}
    measured = evaluate(qrels, run, list(names))
    theirs = ranx.evaluate(
        ranx.Qrels(qrels), ranx.Run(places), list(names.values()), return_mean=False, make_comparable=True
    )
    order = sorted(qids)
    for ours, name in names.items():
        assert [measured[ours][qid] for qid in order] == pytest.approx(list(theirs[name]), abs=1e-6), ours
