"""The simplest hypothesis for a broken relation: one small table for each."""

import pytest

from robustdr.audit.audited import audit
from robustdr.audit.causes import causes
from robustdr.audit.explain import largest_first

RUNS = [{"seed": 1}, {"seed": 2}, {"seed": 3}]
EFFECT = [{"system": "a", "measure": "RR@10", "and": "drop"}]
DROP = {"for": {"value": "drop"}, "drop_from": {"query_set": "original"}}


def only(paper):
    findings = audit(paper).findings
    assert len(findings) == 1, [finding.id for finding in findings]
    return findings[0]


def runs(summary, relation, cells):
    return {"columns": [*RUNS, {"value": summary}], "cells": cells, "relations": [relation]}


def test_a_mean_printed_as_median(paper):
    # 74.4, 74.5, 75.5: median 74.5, mean 74.8
    relation = {"for": {"value": "median"}, "median_of": {"seed": "*"}}
    finding = only(paper(t=runs("median", relation, "q | 74.4 | 74.5 | 75.5 | 74.8")))
    assert finding.hypothesis == "it is the mean of the same cells"
    assert finding.flaws[0].consistent == "74.45 to 74.60"
    assert finding.flaws[0].words == "the median of seed 1 (74.4), seed 2 (74.5), seed 3 (75.5)"


def test_a_population_deviation(paper):
    # 2.00, 4.00, 6.00: sample 2.00, population 1.63
    relation = {"for": {"value": "deviation"}, "std_of": {"seed": "*"}}
    finding = only(paper(t=runs("deviation", relation, "q | 2.00 | 4.00 | 6.00 | 1.63")))
    assert finding.hypothesis == "it is the population deviation, not the sample deviation"
    relation = {"for": {"value": "ci"}, "ci_of": {"seed": "*"}}  # 1.96 / √3 · 1.63 = 1.85
    finding = only(paper(t=runs("ci", relation, "q | 2.00 | 4.00 | 6.00 | 1.85")))
    assert finding.hypothesis == "it is computed from the population deviation"


@pytest.mark.parametrize(
    ("printed", "hypothesis"),
    [
        ("+25.0%", "its sign is reversed"),
        ("-10.0%", "it is the difference, not the relative change"),
        ("33.3%", "it is relative to the other cell"),  # 40 against 30
        ("-40.0%", "typo (50.0) stands in place of original"),  # 30 against 50
    ],
)
def test_changes(paper, printed, hypothesis):
    cells = f"original | 40.0\ntypo | 50.0/+25.0%\nvaried | 30.0/{printed}"
    finding = only(paper(t={"columns": EFFECT, "cells": cells, "relations": [DROP], "unit": "percent"}))
    assert finding.hypothesis == hypothesis
    assert finding.severity == "inconsistent"


def test_the_baseline_of_another_table_and_one_that_is_printed_nowhere(paper):
    cells = "original | 40.00\nv1 | 30.00/{}\nv2 | 20.00/{}\nv3 | 10.00/{}"
    table = {"columns": EFFECT, "relations": [DROP], "unit": "percent"}
    other_table = {**table, "cells": "original | 50.00", "relations": []}
    against_50 = cells.format("-40.00%", "-60.00%", "-80.00%")
    finding = only(paper(t={**table, "cells": against_50}, other=other_table))
    assert finding.hypothesis == "other (50.00) stands in place of t"
    assert len(finding.flaws) == 3
    finding = only(paper(t={**table, "cells": against_50}))
    # v1 gives 29.995 / 0.60005 = 49.988 to 30.01 / 0.5999 = 50.025, and the others allow more
    assert finding.hypothesis == "the baseline is 49.988 to 50.025 in place of 40.00"


def mean(cells, variations=("v1", "v2", "v3")):
    relation = {"for": {"query_set": "mean"}, "mean_of": {"query_set": list(variations)}}
    return {"columns": [{"system": "a"}, {"system": "b"}], "cells": cells, "relations": [relation]}


def test_a_mean_with_or_without_a_row(paper):
    rows = "original | 90.0 | 80.0\nv1 | 30.0 | 20.0\nv2 | 40.0 | 30.0\nv3 | 50.0 | 10.0\n"
    relations = [{"for": {"query_set": "mean", "system": "*"}, "mean_of": {"query_set": ["v1", "v2", "v3"]}}]
    with_original = {**mean(rows + "mean | 52.5 | 35.0"), "relations": relations}
    finding = only(paper(t=with_original))
    assert (finding.hypothesis, len(finding.flaws)) == ("original is included", 2)
    without_v1 = {**mean(rows + "mean | 45.0 | 20.0"), "relations": relations}
    finding = only(paper(t=without_v1))
    assert (finding.hypothesis, len(finding.flaws)) == ("v1 is left out", 1)


def test_two_exchanged_rows(paper):
    relation = {"for": {"value": "median"}, "median_of": {"seed": "*"}}
    cells = "q | 10.1 | 10.2 | 10.3 | 55.2\nr | 55.1 | 55.2 | 55.3 | 10.2\ns | 33.1 | 33.2 | 33.3 | 33.2"
    finding = only(paper(t=runs("median", relation, cells)))
    assert (finding.hypothesis, len(finding.flaws)) == ("q and r are exchanged", 2)


def test_values_that_slipped_by_a_row(paper):
    relation = {"for": {"value": "median"}, "median_of": {"seed": "*"}}
    cells = "q | 10.1 | 10.2 | 10.3 | 55.2\nr | 55.1 | 55.2 | 55.3 | 33.2\ns | 33.1 | 33.2 | 33.3 | 33.2"
    findings = audit(paper(t=runs("median", relation, cells))).findings
    assert {finding.hypothesis for finding in findings} == {"it is the value of r", "it is the value of s"}


def test_swapped_digits_are_sought_first_where_nothing_else_confirms_the_number(paper):
    columns = [{"quantity": "unchanged", "unit": "count"}, {"quantity": "changed", "unit": "count"}]
    relation = {"for": {"quantity": "unchanged", "query_set": ["v1", "v2"]}, "plus": {"quantity": "changed"}}
    cells = "original | 6,980 | 0\nv1 | 486 | 6,494\nv2 | 434 | 6,456"
    finding = only(
        paper(t={"columns": columns, "cells": cells, "relations": [{**relation, "sum_is": {"query_set": "original"}}]})
    )
    # 6,890 in place of 6,980 would do for v2 as well, but v1 confirms 6,980
    assert finding.hypothesis == "two digits of 6,456 (changed) are swapped: 6,546"
    assert (finding.severity, finding.flaws[0].consistent) == ("impossible", "524")


def test_a_thousand_has_digits_to_swap_too(paper):
    columns = [{"quantity": "unchanged", "unit": "count"}, {"quantity": "changed", "unit": "count"}]
    relation = {"for": {"quantity": "unchanged"}, "plus": {"quantity": "changed"}, "sum_is": 1500}
    built = paper(t={"columns": columns, "cells": "v | 1,000 | 1,400", "relations": [relation]})
    assert only(built).hypothesis == "two digits of 1,000 are swapped: 0,100"


def test_a_leading_zero_may_be_one_of_two_swapped_digits(paper):
    cells = "original | 50.0\ntypo | 39.8/-02.4%"  # 39.8 / 50.0 - 1 = -20.4 %
    finding = only(paper(t={"columns": EFFECT, "cells": cells, "relations": [DROP], "unit": "percent"}))
    assert finding.hypothesis == "two digits of -02.4% are swapped: -20.4%"


@pytest.mark.parametrize(
    ("right", "deviation", "mean", "printed", "hypothesis"),
    [
        # Twice the mean less v1: 2 · [38.995, 39.01] - [33.995, 34.01]
        (
            "44.00",
            "2.00",
            "39.00",
            "34.00",
            "34.00 (v2 · seed 3) was copied from v1, where the same number stands: 43.980 to 44.025 would do",
        ),
        ("44.00", "2.00", "39.00", "58.12", "58.12 (v2 · seed 3) is wrong: 43.980 to 44.025 would do"),
        # 40, 42, 47: mean 43, (9 + 1 + 16) / 2 = 13
        ("47.00", "3.61", "40.50", "74.00", "two digits of 74.00 (v2 · seed 3) are swapped: 47.00"),
    ],
)
def test_one_wrong_number_in_a_mean_and_a_deviation(paper, right, deviation, mean, printed, hypothesis):
    relations = [
        {"for": {"value": "deviation"}, "std_of": {"seed": "*"}},
        {"for": {"query_set": "mean", "seed": "*"}, "mean_of": {"query_set": ["v1", "v2"]}},
    ]
    rows = ["v1 | 30.00 | 32.00 | 34.00 | 2.00", f"v2 | 40.00 | 42.00 | {right} | {deviation}"]
    cells = "\n".join([*rows, f"mean | 35.00 | 37.00 | {mean} | -"])
    table = {"columns": [*RUNS, {"value": "deviation"}], "relations": relations}
    assert not audit(paper(t={**table, "cells": cells})).findings
    done = audit(paper(t={**table, "cells": cells.replace(right, printed)}))
    assert {finding.id for finding in done.findings} == {"t/std_of/v2 · deviation", "t/mean_of/mean · seed 3"}
    assert {finding.hypothesis for finding in done.findings} == {hypothesis}
    assert len(causes(done)) == 1


def test_a_mean_for_a_median_is_simpler_than_its_swapped_digits(paper):
    # Runs 60.00, 65.12, 70.51: median 65.12, mean 65.21; from 80.00, 65.12 is a drop of 18.6 %.
    columns = [*RUNS, {"value": "median"}, {"value": "drop"}]
    drop = {"for": {"value": "drop"}, "drop_from": {"query_set": "o", "value": "median"}, "of": {"value": "median"}}
    relations = [{"for": {"value": "median"}, "median_of": {"seed": "*"}}, drop]
    cells = "o | 79.00 | 80.00 | 81.00 | 80.00 | -\nv | 60.00 | 65.12 | 70.51 | 65.21 | -18.600"
    findings = audit(paper(t={"columns": columns, "cells": cells, "relations": relations, "unit": "percent"})).findings
    assert findings[0].id == "t/median_of/v · median" and len(findings) == 2
    assert findings[0].hypothesis == "it is the mean of the same cells"


def test_a_cell_copied_from_a_sibling_table(paper):
    at_20 = {"columns": [{"measure": "Success@20"}], "cells": "original | 71.63\ntypos | 41.77"}
    at_100 = {"columns": [{"measure": "Success@100"}], "cells": "original | 88.79\ntypos | 58.68"}
    relations = [{"for": {"measure": f"Success@{k}"}, "same_as": {"table": f"at_{k}"}} for k in (20, 100)]
    columns = [{"measure": "Success@20"}, {"measure": "Success@100"}]
    summary = {"columns": columns, "cells": "original | 71.63 | 88.79\ntypos | 41.77 | 41.77", "relations": relations}
    finding = only(paper(at_20=at_20, at_100=at_100, summary=summary))
    assert finding.hypothesis == "at_20 · Success@20 stands in place of at_100 · Success@100"


def test_a_derived_cell_of_an_average_row_may_be_the_mean_of_its_column(paper):
    # deviations 1.00 and 3.00; the mean row deviates by 2.00 · something else: seeds 3.0, 3.0, 6.0 deviate by 1.73
    cells = "v1 | 2.00 | 3.00 | 4.00 | 1.00\nv2 | 4.00 | 3.00 | 8.00 | 2.65\nmean | 3.00 | 3.00 | 6.00 | 1.82"
    relations = [
        {"for": {"query_set": "mean", "seed": "*"}, "mean_of": {"query_set": ["v1", "v2"]}},
        {"for": {"value": "deviation"}, "std_of": {"seed": "*"}},
    ]
    finding = only(paper(t={"columns": [*RUNS, {"value": "deviation"}], "cells": cells, "relations": relations}))
    assert finding.hypothesis == "it is the mean of its column over v1, v2"


def test_where_nothing_explains_it_no_hypothesis_is_named(paper):
    relation = {"for": {"value": "median"}, "median_of": {"seed": "*"}}
    finding = only(paper(t=runs("median", relation, "q | 10.1 | 10.2 | 10.3 | 77.7")))
    assert finding.hypothesis == ""


def test_the_largest_group_comes_first_as_large_as_it_is_by_then():
    """The second shrinks to one below the third, the fourth to none; of two equal ones the cheaper comes first."""
    groups = [{1, 2, 3, 4}, {3, 4, 5}, {6, 7}, {1, 2}, {8, 9}]
    remaining, order = set(range(1, 10)), []
    for place in largest_first([0, 0, 2, 0, 1], lambda place: len(remaining & groups[place])):
        remaining.difference_update(groups[place])
        order.append(place)
    assert order == [0, 4, 2, 1]


def test_a_shifted_point_and_exchanged_cells(paper):
    relation = {"for": {"query_set": "mean"}, "mean_of": {"query_set": ["v1", "v2", "v3"]}}
    table = {"columns": [{"system": "a"}, {"system": "b"}], "relations": [relation]}
    # a: 30, 41, 50; b: 10, 24, 37
    finding = only(
        paper(t={**table, "cells": "v1 | 30.0 | 10.0\nv2 | 41.0 | 24.0\nv3 | 5.00 | 37.0\nmean | 40.3 | 23.7"})
    )
    assert finding.hypothesis == "the point of 5.00 (v3) is shifted: 50.0"
    finding = only(
        paper(t={**table, "cells": "v1 | 30.0 | 10.0\nv2 | 24.0 | 41.0\nv3 | 50.0 | 37.0\nmean | 40.3 | 23.7"})
    )
    assert finding.hypothesis == "24.0 (v2 · a) and 41.0 (v2 · b) are exchanged"
    assert len(finding.flaws) == 2


def test_of_counts_and_shares_either_pair_may_be_exchanged(paper):
    columns = [{"quantity": "queries", "unit": "count"}, {"quantity": "share", "unit": "percent"}]
    counts = {"a": 474, "b": 433, "c": 512, "d": 287, "e": 361, "f": 159, "g": 640, "h": 72}
    shares = {name: f"{100 * count / 2938:.1f}" for name, count in counts.items()}
    shares |= {"d": shares["e"], "e": shares["d"]}
    cells = "".join(f"{name} | {count} | {shares[name]}\n" for name, count in counts.items())
    [finding] = audit(paper(t={"columns": columns, "cells": cells})).findings
    assert finding.hypothesis == (
        "287 (d · queries) and 361 (e · queries) are exchanged, or 12.3 (d · share) and 9.8 (e · share)"
    )
