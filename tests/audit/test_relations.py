"""Every kind of relation on small tables whose intervals are worked by hand."""

import pytest

from robustdr.audit.audited import audit
from robustdr.audit.relations import KINDS, interval_text
from robustdr.audit.resolve import resolve
from robustdr.core.errors import UserError

RUNS = [{"seed": 1}, {"seed": 2}, {"seed": 3}, {"value": "summary"}]
VALUE = {"value": "value"}
PAIR = [{"measure": "RR@10"}, {"measure": "R@1000"}]


def table(columns, cells, *relations, **more):
    return {"columns": columns, "cells": cells, "relations": list(relations), **more}


# relation, columns, cells with a gap for the target, printed values that some rounding explains, others that none does
KNOWN = {
    # parts 1.0 to 1.1 (rounded 0.95, truncated 1.1), 2.0, 4.5: their mean is (0.95 + 1.95 + 4.45) / 3 = 2.45 to 2.6;
    # a printed 2.4 stands for 2.35 to 2.5, 2.6 for 2.55 to 2.7, 2.3 for 2.25 to 2.4, 2.7 for 2.65 to 2.8
    "mean_of": (
        {"for": {"value": "summary"}, "mean_of": {"seed": "*", "value": "value"}},
        RUNS,
        "q | 1.0 | 2.0 | 4.5 | {}",
        "2.4 2.5 2.6 2",
        "2.3 2.7 1 -2.5",
    ),
    # the middle part is 2.0: 1.95 to 2.1
    "median_of": (
        {"for": {"value": "summary"}, "median_of": {"seed": "*"}},
        RUNS,
        "q | 1.0 | 2.0 | 4.5 | {}",
        "1.9 2.0 2.1 2",
        "1.8 2.2 2.5",
    ),
    # centres 2.025, 4.025, 6.025: deviation 2; half-widths 0.075: reach √(3 · 0.005625 / 2) = 0.0919: 1.908 to 2.092
    "std_of": (
        {"for": {"value": "summary"}, "std_of": {"seed": "*"}},
        RUNS,
        "q | 2.0 | 4.0 | 6.0 | {}",
        "1.90 2.00 2.09 1.9",
        "1.63 1.89 2.10",
    ),
    # 1.96 / √3 = 1.13161 of the deviation: 2.159 to 2.367
    "ci_of": (
        {"for": {"value": "summary"}, "ci_of": {"seed": "*"}},
        RUNS,
        "q | 2.0 | 4.0 | 6.0 | {}",
        "2.16 2.26 2.36",
        "2.00 2.14 2.38",
    ),
    # 26.05 / 32.5 - 1 = -19.846 % to 26.2 / 32.35 - 1 = -19.011 %
    "drop_from": (
        {"for": {"value": "summary"}, "drop_from": {"seed": 1}, "of": {"seed": 2}},
        RUNS,
        "q | 32.4 | 26.1 | 0 | {}",
        "-19.0% -19.4% -19.8% -19.85% -19%",
        "-18.8% -20.0% 19.4% -24.1%",
    ),
    # 26.05 - 32.5 = -6.45 to 26.2 - 32.35 = -6.15
    "points_from": (
        {"for": {"value": "summary"}, "points_from": {"seed": 1}, "of": {"seed": 2}},
        RUNS,
        "q | 32.4 | 26.1 | 0 | {}",
        "-6.1 -6.3 -6.4 -6",
        "-5.9 -6.6 6.3",
    ),
    # 1.0 + 2.0 + x = 4.5 with every number from half a unit below to a unit above: x is 1.25 to 1.7
    "sum_is": (
        {"for": {"value": "summary"}, "plus": {"seed": [1, 2], "value": "value"}, "sum_is": {"seed": 3} | VALUE},
        RUNS,
        "q | 1.0 | 2.0 | 4.5 | {}",
        "1.2 1.5 1.7",
        "1.1 1.8",
    ),
    # 2 · 40 · 60 / 100 = 48: 2 · 39.95 · 59.95 / 99.9 = 47.947 to 2 · 40.1 · 60.1 / 100.2 = 48.104
    "harmonic_mean_of": (
        {"for": {"value": "summary"}, "harmonic_mean_of": {"seed": [1, 2]}},
        RUNS,
        "q | 40.0 | 60.0 | 0 | {}",
        "48.0 47.9 48.1",
        "47.8 48.2 50.0",
    ),
    # of 7: 2/7 = 28.571 %, 3/7 = 42.857 %
    "share_of": (
        {"for": {"value": "summary"}, "share_of": 7},
        RUNS,
        "q | 0 | 0 | 0 | {}",
        "28.6% 28.5% 28.57% 42.8% 0.0% 100%",
        "28.4% 28.8% 30.0% 42.7%",
    ),
    # two of 1, 1/2, 1/3 and 0 add up to 0, 2, 3, 4, 5, 6, 8, 9 or 12 sixths, of which the mean takes the half
    "mean_over": (
        {"for": {"value": "summary"}, "mean_over": 2},
        [*RUNS[:-1], {"value": "summary", "measure": "RR@3"}],
        "q | 0 | 0 | 0 | {}",
        "0.0% 16.7% 25.0% 41.6% 50.0% 66.7% 75% 100%",
        "8.3% 58.3% 83.3% 91.7% 98.0% 101%",
    ),
    # two whole numbers with the mean 2.5 are 2 and 3, 1 and 4, 0 and 5, …: 1/√2, 3/√2, 5/√2
    "deviation_over": (
        {"for": {"value": "summary"}, "deviation_over": 2, "of": {"seed": 1}},
        RUNS,
        "q | 2.5 | 0 | 0 | {}",
        "0.71 2.12 3.5",
        "1.41 0.0 0.69 2.8",
    ),
    # 2 of 7 exactly, the count without rounding
    "counts_match": (
        {"for": {"value": "summary"}, "counts_match": {"seed": 1}, "out_of": 7},
        [{"seed": 1, "unit": "count"}, *RUNS[1:]],
        "q | 2 | 0 | 0 | {}",
        "28.6% 28.5% 29%",
        "28.4% 42.9% 14.3%",
    ),
    # 15.65 to 15.8 at one decimal, and what other decimals leave of it
    "same_as": (
        {"for": {"value": "summary"}, "same_as": {"seed": 1, "value": "value"}},
        RUNS,
        "q | 15.7 | 0 | 0 | {}",
        "15.7 15.69 16 15",
        "15.5 15.63 -15.7 17",
    ),
    # no more than the least upper end: 2.0 stands for up to 2.1
    "at_most": (
        {"for": {"value": "summary"}, "at_most": {"seed": [1, 2], "value": "value"}},
        RUNS,
        "q | 2.0 | 3.0 | 0 | {}",
        "2.0 2.1 -5 2.10",
        "2.2 2.11 3.0",
    ),
    # no less than the greatest lower end: 3.0 stands for as little as 2.95
    "at_least": (
        {"for": {"value": "summary"}, "at_least": {"seed": [1, 2], "value": "value"}},
        RUNS,
        "q | 2.0 | 3.0 | 0 | {}",
        "3.0 2.9 2.94 7",
        "2.8 2.93",
    ),
}


def test_every_kind_but_the_bounds_has_a_known_answer():
    assert set(KNOWN) == set(KINDS) - {"bound_of"}


@pytest.mark.parametrize("kind", KNOWN)
def test_a_relation_holds_for_some_rounding_or_for_none(paper, kind):
    relation, columns, cells, right, wrong = KNOWN[kind]
    for printed in f"{right} {wrong}".split():
        checks = resolve(paper(t=table(columns, cells.format(printed), relation)))
        assert [check.holds for check in checks] == [printed in right.split()], printed


@pytest.mark.parametrize(
    ("upper", "lower", "holds"),
    # 73.1 ± 1.2: 73.05 + 1.15 = 74.2 to 73.2 + 1.3 = 74.5, and 73.05 - 1.3 = 71.75 to 73.2 - 1.15 = 72.05
    [("74.3", "71.9", [True, True]), ("74.5", "72.1", [True, True]), ("74.6", "72.2", [False, False])],
)
def test_bounds_are_the_centre_plus_and_minus_the_half_width(paper, upper, lower, holds):
    columns = [{"value": name} for name in ("mean", "ci", "upper", "lower")]
    relations = (
        {"for": {"value": "upper"}, "bound_of": {"value": "mean"}, "plus": {"value": "ci"}},
        {"for": {"value": "lower"}, "bound_of": {"value": "mean"}, "minus": {"value": "ci"}},
    )
    checks = resolve(paper(t=table(columns, f"q | 73.1 | 1.2 | {upper} | {lower}", *relations)))
    assert [check.holds for check in checks] == holds


def test_units_are_reconciled(paper):
    """Deviations printed as fractions beside percentages: 73 %, 74 % and 75 % deviate by 0.01."""
    runs = table(
        RUNS, "q | 73.00% | 74.00% | 75.00% | 1.00E-02", {"for": {"value": "summary"}, "std_of": {"seed": "*"}}
    )
    assert resolve(paper(t=runs))[0].holds


def test_options(paper):
    loss = {"for": {"value": "summary"}, "same_as": {"seed": 1, "value": "value"}}
    assert not resolve(paper(t=table(RUNS, "q | -19.4% | 0 | 0 | 19.4%", loss)))[0].holds
    assert resolve(paper(t=table(RUNS, "q | -19.4% | 0 | 0 | 19.4%", {**loss, "magnitude": True})))[0].holds
    at_least = {"for": {"value": "summary"}, "points_from": {"seed": 1}, "of": {"seed": 2}, "or_more": True}
    assert [
        resolve(paper(t=table(RUNS, f"q | 1.0 | 3.0 | 0 | {x}", at_least)))[0].holds for x in ("1.7", "1.8", "9")
    ] == [
        False,  # 2.95 - 1.1 = 1.85 at least; 1.7 stands for up to 1.8
        True,
        True,
    ]
    # 2.0, 4.0, 6.0 with the t quantile 4.303: 4.303 / √3 · 2 = 4.97
    wide = {"for": {"value": "summary"}, "ci_of": {"seed": "*"}, "z": 4.303}
    assert resolve(paper(t=table(RUNS, "q | 2.0 | 4.0 | 6.0 | 4.97", wide)))[0].holds
    # RBP 0.5 and residual 0.2 are more than a total of 0.65
    residual = {"for": {"seed": 1}, "plus": {"seed": 2}, "at_most": "0.65"}
    assert [
        resolve(paper(t=table(RUNS, f"q | 0.50 | {x} | 0 | 0", residual)))[0].holds for x in ("0.15", "0.2", "0.20")
    ] == [
        True,
        True,
        False,
    ]


def test_a_hedged_number_has_one_open_side(paper):
    def holds(cells, relation):
        return resolve(paper(t=table(RUNS, cells, {"for": {"value": "summary"}, **relation})))[0].holds

    restated = {"same_as": {"seed": 1, "value": "value"}}
    assert holds("q | 52.0% | 0 | 0 | over 50%", restated)
    assert not holds("q | 52.0% | 0 | 0 | over 60%", restated)
    assert not holds("q | 52.0% | 0 | 0 | under 50%", restated)
    # nothing can be said of a change, a deviation or a share that is open
    assert holds("q | over 50% | 20% | 30% | 9%", {"drop_from": {"seed": 2}, "of": {"seed": 1}})
    assert holds("q | over 50% | 20% | 30% | 9%", {"std_of": {"seed": "*"}})
    assert holds("q | 0 | 0 | 0 | over 50%", {"share_of": 7})


def test_several_cells_stand_for_their_mean_in_a_change(paper):
    # the mean of 10.0 and 30.0 against the mean of 40.0 and 40.0 is a half
    relation = {"for": {"value": "summary"}, "drop_from": {"seed": 3}, "of": {"seed": [1, 2]}}
    assert resolve(paper(t=table(RUNS, "q | 10.0 | 30.0 | 40.0 | -50%", relation)))[0].holds


def test_a_relation_reads_another_table_and_drops_a_coordinate(paper):
    first = table([{"system": "a", "measure": "RR@10"}], "q | 15.7")
    relation = {
        "for": {"quantity": "again"},
        "same_as": {"table": "first", "quantity": None, "system": "a", "measure": "RR@10"},
    }
    second = table([{"quantity": "again"}], "q | 15.2", relation)
    check = resolve(paper(first=first, second=second))[0]
    assert not check.holds
    assert check.words == "the same as first [q · a · RR@10] (15.7)"
    assert interval_text(check.expected()[0], check.target) == "15.65 to 15.80"


def test_two_columns_of_one_label_are_told_apart_by_their_position(paper):
    columns = [{"seed": 3}, {"seed": 3}]
    first = table(columns, "q | 1.0 | 2.0", {"for": {"seed": "*"}, "at_most": {"table": "second"}})
    checks = resolve(paper(first=first, second=table(columns, "q | 1.5 | 1.8")))
    assert [(check.operands["main"][0].printed, check.holds) for check in checks] == [("1.5", True), ("1.8", False)]


def test_an_average_over_columns_of_different_measures(paper):
    columns = [{"measure": "EM", "collection": "a"}, {"measure": "nDCG@10", "collection": "b"}, {"quantity": "average"}]
    relation = {"for": {"quantity": "average"}, "mean_of": {"quantity": None, "measure": "*", "collection": "*"}}
    checks = resolve(paper(t=table(columns, "q | 10.0 | 20.0 | 15.0\nr | 30.0 | 40.0 | 36.0", relation)))
    assert [(check.holds, len(check.operands["main"])) for check in checks] == [(True, 2), (False, 2)]


def test_what_the_paper_does_not_print_or_the_text_has_lost_is_not_checked(paper):
    relation = {"for": {"measure": "RR@10"}, "at_most": {"measure": "R@1000"}}
    checks = resolve(paper(t=table(PAIR, "a | 0.5 | -\nb | 0.5 | ?\nc | 0.5 | 0.6", relation)))
    assert [check.target.coordinates["query_set"] for check in checks] == ["c"]


def test_a_mean_outside_its_parts_is_impossible(paper):
    relation = KNOWN["mean_of"][0]
    assert audit(paper(t=table(RUNS, "q | 1.0 | 2.0 | 4.5 | 3.0", relation))).findings[0].severity == "inconsistent"
    assert audit(paper(t=table(RUNS, "q | 1.0 | 2.0 | 4.5 | 5.0", relation))).findings[0].severity == "impossible"


def test_a_share_of_a_rounded_total_may_be_of_any_total_that_is_printed_so(paper):
    # 31.7k is 31,650 to 31,800: 6,340 of it are 19.94 to 20.03 %
    columns = [{"quantity": "part", "unit": "count"}, {"quantity": "all"}, {"value": "share"}]
    relation = {"for": {"value": "share"}, "counts_match": {"quantity": "part"}, "out_of": {"quantity": "all"}}
    for share, findings in (("19.95%", 0), ("20.02%", 0), ("19.9%", 0), ("19.92%", 1), ("20.05%", 1)):
        built = paper(t=table(columns, f"q | 6,340 | 31.7k | {share}", relation))
        assert len(audit(built).findings) == findings, share


REFUSED = {
    "unknown kind": ({"for": {}, "mean_off": {"seed": "*"}}, r"'mean_off' is unknown \(did you mean mean_of"),
    "no kind": ({"for": {}}, r"no kind given; give one of mean_of, median_of"),
    "two kinds": ({"for": {}, "mean_of": {}, "same_as": {}}, r"mean_of and same_as given; give one of"),
    "missing for": ({"mean_of": {}}, r"'for' is missing"),
    "option of another kind": ({"for": {}, "mean_of": {}, "z": 2}, r"'z' given; mean_of takes for, note and nothing"),
    "missing option": ({"for": {}, "counts_match": {}}, r"'out_of' missing; counts_match takes for, note and"),
    "for selects nothing": (
        {"for": {"query_set": "z"}, "mean_of": {}},
        r"`for` selects no cell of t; its labels",
    ),
    "missing cell": (
        {"for": {"seed": 1}, "same_as": {"seed": 9}},
        r"t has no cell at q · seed 9; its labels of seed are 1",
    ),
    "missing table": ({"for": {"seed": 1}, "same_as": {"table": "u"}}, r"table: 'u' is unknown"),
    "several cells": (
        {"for": {"seed": 1}, "same_as": {"seed": None}},
        r"3 cells of t stand at q; name more",
    ),
    "no number": ({"for": {"seed": 1}, "share_of": "many"}, r"'many' is not a printed number"),
    "share of nothing": ({"for": {"seed": 1}, "share_of": 0}, r"share_of of a total of 0; a share needs"),
    "share of a rounded number": (
        {"for": {"seed": 1}, "share_of": {"seed": 3}},
        r"share_of of 3 at t \[q · seed 3\], which may be rounded \(unit number\); give its column `unit: count`",
    ),
    "one run": ({"for": {"value": "summary"}, "std_of": {"seed": 1}}, r"std_of selects one cell; a deviation needs"),
    "own cycle": ({"for": {"seed": 1}, "mean_of": {"seed": [1, 2]}}, r"a cycle: mean_of computes t \[q · seed 1\]"),
}


@pytest.mark.parametrize(("relation", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_relation_that_cannot_be_resolved_is_refused_with_its_line(paper, relation, message):
    with pytest.raises(UserError, match=message) as error:
        resolve(paper(t=table(RUNS, "q | 1 | 2 | 3 | 4", relation)))
    assert ".yaml:" in str(error.value) and "\n" not in str(error.value)


def test_a_cycle_over_two_tables_is_refused(paper):
    columns = [{"seed": 1}, {"seed": 2}]
    first = table(columns, "q | 1.0 | 2.0", {"for": {"seed": 1}, "mean_of": {"table": "second", "seed": "*"}})
    second = table(columns, "q | 1.0 | 2.0", {"for": {"seed": 2}, "mean_of": {"table": "first", "seed": "*"}})
    with pytest.raises(UserError, match=r"a cycle: mean_of computes (first|second) \[q · seed \d\] from itself"):
        resolve(paper(first=first, second=second))


def test_a_share_at_the_upper_end_of_what_is_printed_is_none(paper):
    # 62.3 % of 500 is 311.25 to below 312: no whole number; 62.4 % is 312
    shares = {"for": {"value": "summary"}, "share_of": 500}
    held = [resolve(paper(t=table(RUNS, f"q | 0 | 0 | 0 | {share}", shares)))[0].holds for share in ("62.3%", "62.4%")]
    assert held == [False, True]
