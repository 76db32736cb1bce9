"""The check of a released checkpoint's published score."""

import json

import pandas as pd
import pytest

from robustdr.core.errors import UserError
from robustdr.evaluation.measures import write_values
from robustdr.evaluation.published import check
from robustdr.evaluation.settings import PublishedSettings


def settings(score: str, **changes) -> PublishedSettings:
    about = {"checkpoint": "ance", "role": "ms", "query_set": "dev.original", "measure": "RR@10", "source": "its card"}
    return PublishedSettings(**{**about, "score": score, "margin": 0.0, **changes})


@pytest.fixture
def measures(tmp_path):
    """RR@10 of 400 queries, 30 in the mean; other measures and query sets are beside it."""
    rows = [
        (query_set, measure, str(qid), value)
        for query_set, measure, found in (
            ("dev.original", "RR@10", 120),
            ("dev.original", "R@1000", 400),
            ("dev.typo", "RR@10", 0),
        )
        for qid in range(400)
        for value in [float(qid < found)]
    ]
    write_values(pd.DataFrame(rows, columns=["query_set", "measure", "qid", "value"]), tmp_path / "m.parquet")
    return tmp_path / "m.parquet"


@pytest.mark.parametrize(("score", "unit"), [("30.0", 0.1), ("33.01", 0.01), ("26.0", 0.1), ("0.31", 1), (".3", 10)])
def test_a_score_inside_the_interval_passes(measures, tmp_path, score, unit):
    check(settings(score), measures, tmp_path / "told.json")
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["measured"] == 30 and told["published"] == score and told["queries"] == 400
    assert told["allowed"] == pytest.approx(4.51 + unit, abs=0.005)  # 1.97 standard errors of 2.29, and a unit


@pytest.mark.parametrize("score", ["34.7", "25.3", "0.36"])
def test_a_score_outside_of_it_is_refused_with_both_numbers_and_what_to_do(measures, tmp_path, score):
    with pytest.raises(UserError) as caught:
        check(settings(score, remedy="fetch it"), measures, tmp_path / "told.json")
    text = str(caught.value)
    assert f"checkpoint ance: RR@10 on ms is 30.00 here, and {score} was published (its card)" in text
    assert "for the sample of 400 queries" in text and text.endswith("then fetch and convert it again: fetch it")
    assert not (tmp_path / "told.json").exists()


def test_a_margin_is_for_what_the_source_reads(measures, tmp_path):
    check(settings("36.0", margin=2.0), measures, tmp_path / "told.json")
    assert "2 for what the source reads" in json.loads((tmp_path / "told.json").read_text())["parts"]


def test_measures_without_the_query_set_are_refused(measures, tmp_path):
    with pytest.raises(UserError, match=r"no RR@10 for test\.original"):
        check(settings("30", query_set="test.original"), measures, tmp_path / "told.json")
