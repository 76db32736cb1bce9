"""What deviations change: kept from a folder's tables, and told on the page and under tables."""

import json

import pytest

from robustdr.core.errors import UserError
from robustdr.graph import footnotes
from robustdr.graph.deviations import page
from robustdr.graph.effects import keep, read_effects, sentence, studied

CELL = {
    "table": "capot_study_deviations", "label": "", "collection": "wordnet-nature", "role": "natural-questions",
    "split": "test", "measure": "Success@20", "measured": "Success@5", "seed": 0, "value": "value", "reported_drop": "",
    "reproduced": 0.5, "drop": None, "drop_agreement": "", "mark": "", "printed_at": "", "seeds": 3,
}  # fmt: skip
ALONE = {"against": "", "difference": None, "difference_low": None, "difference_high": None}
LESS = {"against": "capot_nq", "difference": -0.0125, "difference_low": -0.03, "difference_high": 0.0049}


@pytest.fixture()
def results(tmp_path):
    """A folder whose table has mined negatives 1.25 points below CAPOT, on the original queries."""
    cells = [
        {**CELL, "system": "capot_nq", "query_set": "original", **ALONE},
        {**CELL, "system": "capot_nq_mined", "query_set": "original", **LESS},
    ]
    layout = {"corner": "System", "rows": [], "columns": [], "marks": {}, "fields": [], "unit": "percent"}
    table = {"title": "T", "compared": True, "layout": layout, "means": {}, "footnotes": [], "cells": cells}
    (folder := tmp_path / "mini/tables").mkdir(parents=True)
    (folder / "capot_study_deviations.json").write_text(json.dumps(table))
    return tmp_path / "mini"


WORDS = (
    "capot_nq_mined against capot_nq on wordnet-nature, 3 seeds: Success@5 -1.2 [-3.0, 0.5] on original "
    "(table capot_study_deviations, scale mini)"
)


def test_effects_of_a_folder_are_kept_beside_those_of_others(config, results, tmp_path):
    path = tmp_path / "effects.json"
    path.write_text(json.dumps({"dr_oq_unclipped": [], "capot_nq_mined": [{"of": "another run"}]}))
    assert keep(config, results, path) == ["capot_nq_mined"]
    found = read_effects(path)
    assert [*found] == ["capot_nq_mined", "dr_oq_unclipped"]
    assert sentence("capot_nq_mined", found["capot_nq_mined"]) == WORDS
    assert sentence("dr_oq_unclipped", found["dr_oq_unclipped"]) == ""


def test_each_effect_names_its_collection_where_there_are_several(config, results, tmp_path):
    keep(config, results, tmp_path / "effects.json")
    (effect,) = read_effects(tmp_path / "effects.json")["capot_nq_mined"]
    words = sentence("capot_nq_mined", [effect, {**effect, "collection": "wordnet-mini"}, {**effect, "measure": "RR"}])
    assert words.startswith("capot_nq_mined against capot_nq on wordnet-nature and wordnet-mini, 3 seeds: ")
    assert ": Success@5 -1.2 [-3.0, 0.5], RR -1.2 [-3.0, 0.5] on original of wordnet-nature; " in words
    assert "; Success@5 -1.2 [-3.0, 0.5] on original of wordnet-mini (table " in words


def test_other_tables_of_the_same_system_are_no_effect(config, results, tmp_path):
    """RoDR's Table 6 compares the studied system with another one."""
    path = results / "tables/capot_study_deviations.json"
    path.with_name("rodr_table6.json").write_text(path.read_text().replace("capot_nq_mined", "rodr_without_alignment"))
    assert keep(config, results, tmp_path / "effects.json") == ["capot_nq_mined"]


def test_the_page_and_tables_tell_them(config, mini, results, tmp_path, monkeypatch):
    keep(config, results, tmp_path / "effects.json")
    effects = read_effects(tmp_path / "effects.json")
    assert f"<br>Measured: {WORDS}" in page(config, effects).replace("\\", "")
    assert WORDS not in page(config, {})
    monkeypatch.setattr(footnotes, "read_effects", lambda: effects)
    assert f"Negative queries. Measured: {WORDS}." in footnotes.deviations(mini, ["capot_nq"])
    assert not [note for note in footnotes.deviations(mini, ["regular_nq"]) if "Measured" in note]


def test_a_folder_without_them_is_an_error(config, tmp_path):
    with pytest.raises(UserError, match=r"no table has the effect of a deviation; make .*rodr_study_deviations"):
        keep(config, tmp_path / "mini", tmp_path / "effects.json")


def test_what_is_studied_is_a_system(config):
    assert studied(config) and {*studied(config)} <= config.systems.keys()


def test_measured_deviations_come_first_and_long_lists_of_systems_are_cut(config):
    made = page(config, {"capot_nq_mined": [], "bm25_tuned": read_effects()["bm25_tuned"]})
    toroder = made[made.index("## Typos-aware") :].split("\n| ")
    assert "Measured" in toroder[3] and "Measured" in toroder[4] and "Measured" not in "".join(toroder[5:])
    assert "`pretrained_typos_20` and 9 more | Paper: “we make sure" in made.replace("`, and", "` and")
