"""The queries behind a cell: values, ranks and passages by hand, and what the report's scripts hold."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reporting.conftest import RANKS
from tests.reporting.small_site import NASTY, build, collection, explore, texts

from robustdr.core.files import read_queries
from robustdr.evaluation.measures import read_measures
from robustdr.reporting import queries
from robustdr.reporting.queries import changed_most, part_of, read_data, write_data, write_texts
from robustdr.retrieval.runs import read_run, write_run


@pytest.fixture()
def explored(measured, tmp_path):
    """What is written of three queries, whose relevant passage is at these ranks."""
    collection(tmp_path, 3)
    ranks = {"dev.original": [1, 2, 1], "dev.misspell": [4, 2, 30]}
    return read_data(explore(tmp_path, "dr_oq", measured("dr_oq", ranks), ranks))


def test_measures_and_ranks_are_those_of_the_rankings(explored):
    original, varied = explored["sets"]["dev.original"], explored["sets"]["dev.misspell"]
    assert original["measures"] == {"RR@10": [1000, 500, 1000]} and original["ranks"] == [1, 2, 1]
    assert varied["measures"] == {"RR@10": [250, 500, 0]} and varied["ranks"] == [4, 2, None]
    assert original["means"]["RR@10"] == pytest.approx(2.5 / 3) and varied["means"]["RR@10"] == pytest.approx(0.25)


def test_the_first_of_several_relevant_passages_counts(tmp_path):
    rankings = {"q1": [("d1", 3.0), ("d2", 2.0), ("d3", 1.0)], "q2": [("d3", 2.0)], "q3": [("d1", 1.0)]}
    write_run(tmp_path / "run.trec", rankings, {"tag": "s"})
    relevant = {"q1": {"d3", "d2", "not retrieved"}, "q2": {"d1"}, "q4": {"d1"}}
    assert queries._first(read_run(tmp_path / "run.trec"), relevant) == {"q1": 2}


def test_the_first_passages_say_which_are_relevant(explored):
    assert explored["sets"]["dev.original"]["top"]["1"] == [["d1", "relevant", "d3", "d4", "d5"], [1]]
    assert explored["sets"]["dev.misspell"]["top"]["2"] == [["d1", "d2", "d3", "d4", "d5"], []]


def test_passages_are_kept_of_the_queries_that_change_most(monkeypatch):
    monkeypatch.setattr(queries, "MOST", 2)
    before, after = {"RR@10": [5, 5, 5, None]}, {"RR@10": [5, 9, 0, None]}
    assert changed_most(before, after) == [1, 2]


def test_a_query_that_was_not_measured_has_no_value(measured, tmp_path):
    collection(tmp_path, 4)
    ranks = {"dev.original": [1, 2, 1]}
    set_data = read_data(explore(tmp_path, "dr_oq", measured("dr_oq", ranks), ranks))["sets"]["dev.original"]
    assert set_data["measures"]["RR@10"] == [1000, 500, 1000, None] and set_data["ranks"][3] is None


@given(
    st.recursive(
        st.none() | st.floats(allow_nan=False) | st.text(),
        lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    )
)
def test_data_is_a_script_that_holds_no_markup(tmp_path_factory, value):
    path, value = tmp_path_factory.mktemp("data") / "data.js", [value, f"{NASTY}\u2028"]
    write_data(path, "a/b", value)
    assert re.fullmatch(r'robustdr\.take\("a/b","[A-Za-z0-9+/=]+"\);\n', path.read_text(encoding="utf-8"))
    assert read_data(path) == value


@pytest.mark.parametrize("text", ['robustdr.take("a",{"sets":', 'robustdr.take("a",{});', 'robustdr.take("a","H4sI");'])
def test_data_cut_off_or_of_another_version_are_not_read(tmp_path, text):
    path = tmp_path / "data.js"
    path.write_text(text)
    with pytest.raises(ValueError):
        read_data(path)


def test_texts_share_what_the_rankings_show(measured, tmp_path):
    (original, misspell, unchanged), corpus = collection(tmp_path, 3)
    ranks = {"dev.original": [1, 2, 1], "dev.misspell": [4, 2, 30]}
    explored = explore(tmp_path, "dr_oq", measured("dr_oq", ranks), ranks)
    parts = [tmp_path / f"passages{n}.js" for n in range(4)]
    write_texts([explored], [original, misspell, unchanged], corpus, tmp_path / "queries.js", parts)
    split_texts = read_data(tmp_path / "queries.js")["dev"]
    assert split_texts["qids"] == ["q0000", "q0001", "q0002"] and split_texts["original"] == list(texts(3).values())
    assert split_texts["misspell"][1] == "what is thing 1 mispelt" and split_texts["swap_words"] == [0, 0, 0]
    passages = [read_data(path) for path in parts]
    assert sorted(docid for part in passages for docid in part) == ["d1", "d2", "d3", "d4", "d5", "relevant"]
    assert all(part_of(docid, 4) == number for number, part in enumerate(passages) for docid in part)


def test_every_number_of_the_queries_is_its_artifact_s(paper, tmp_path):
    site = build(tmp_path, paper)
    qids = sorted(read_queries(tmp_path / "collections/toy/dev/queries.tsv"))
    for path in paper.measures:
        frame = read_measures(path)
        data = read_data(site.folder / f"data/toy/systems/{path.parents[1].name}.js")
        assert set(data["sets"]) == {f"dev.{kind}" for kind in RANKS["dr_oq"]}
        for (query_set, measure), group in frame.groupby(["query_set", "measure"]):
            of_set, values = data["sets"][query_set], group.set_index("qid")["value"]
            assert of_set["means"][measure] == values.mean()
            assert of_set["measures"][measure] == [round(1000 * values[qid]) for qid in qids]
    assert json.dumps(data["steps"][0]["digests"]).count("all.parquet") == 1
    assert data["steps"][0]["cost"] == {"s": 1.25, "max_rss": 137.5} and data["installed"] == ["numpy 1"]
