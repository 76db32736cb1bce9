"""Errors of many kinds in small papers: most are found, and hardly anything is said of papers without one."""

import pytest

from review.kinds import KINDS, case, measure


@pytest.mark.parametrize("name", ["top-5 below top-1", "a mean off its scale", "the share of a count"])
def test_an_error_is_found_as_its_heads_are_printed(tmp_path, name):
    for number in range(3):
        found, false, _ = case(name, number, tmp_path)
        assert found and not false


@pytest.mark.slow
def test_most_errors_of_all_kinds_are_found():
    assert len(KINDS) > 40
    found, false = measure(cases=1, first=100, verbose=False, wanted="")
    assert found >= 0.8 and len(false) <= 1
