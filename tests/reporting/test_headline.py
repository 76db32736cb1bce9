"""The headline measures of a scale, and their drops."""

import pytest

from robustdr.reporting.cells import Cell
from robustdr.reporting.headline import drops, headline

MEASURES = {"rodr": {"msmarco-passage": "RR@10"}}


def cell(system, query_set, reproduced, **fields):
    place = {"collection": "wordnet-mini", "role": "msmarco-passage", "split": "dev"}
    measured = {"measure": "RR@10", "measured": "RR@10", "reproduced": reproduced}
    return Cell("rodr_table2", system, "", query_set=query_set, **{**place, **measured, **fields})


def test_the_original_and_the_mean_of_the_first_measure_are_the_headline():
    cells = [
        cell("dr_oq", "original", 0.4),
        cell("dr_oq", "misspell", 0.1),
        cell("dr_oq", "variations_mean", 0.3),
        cell("dr_oq", "original", 0.9, measure="R@1000"),
        cell("dr_oq", "original", 0.5, seed=1),
        cell("dr_oq", "original", 0.01, value="deviation"),
    ]
    means = {"dr_oq": {"original": 0.4, "variations_mean": 0.3}}
    assert headline(MEASURES, cells) == {"rodr": {"msmarco-passage": {"RR@10": means}}}


def test_a_system_that_was_not_run_is_left_out():
    assert headline(MEASURES, [cell("dr_oq", "original", None)]) == {}


def test_a_drop_is_relative_to_the_original_and_needs_both():
    systems = {"dr_oq": {"original": 0.4, "variations_mean": 0.3}, "dr_qv": {"original": 0.4}}
    (system_drop,) = drops({"rodr": {"msmarco-passage": {"RR@10": systems}}})
    assert system_drop == ("rodr msmarco-passage dr_oq", pytest.approx(-0.25))


def test_an_original_of_zero_has_no_drop():
    assert drops({"rodr": {"antique": {"nDCG@10": {"dr_oq": {"original": 0.0, "variations_mean": 0.0}}}}}) == []
