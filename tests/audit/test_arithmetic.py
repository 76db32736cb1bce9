"""Relations are found by arithmetic, whatever the labels say, and are believed if chance hardly makes them."""

import pytest

from robustdr.audit.arithmetic import relations
from robustdr.audit.audited import audit
from robustdr.audit.chance import chance_bound, odds


def findings(paper, columns, cells, **more):
    table = {"columns": columns, "cells": cells, "row": "system", **more}
    return [
        (finding.kind, finding.severity, [flaw.cell.printed for flaw in finding.flaws])
        for finding in audit(paper(t=table)).findings
    ]


def cells_of(rows):
    return "".join(f"s{number} | {row}\n" for number, row in enumerate(rows))


def quantities(*names):
    return [{"quantity": name, **({"unit": "count"} if name in ("k", "n", "total") else {})} for name in names]


F1 = "a | 80.0 | 60.0 | 68.6\nb | 50.0 | 70.0 | 58.3\nc | 90.0 | 30.0 | 45.0\nd | 75.2 | 41.3 | 53.3\n"
GAIN = "a | 31.2 | 35.7 | 4.5\nb | 22.8 | 30.1 | 7.3\nc | 44.6 | 41.2 | -3.4\nd | 18.3 | 29.9 | 11.6\n"
RATE = "a | 31.2 | 35.7 | 14.4\nb | 22.8 | 30.1 | 32.0\nc | 44.6 | 41.2 | -7.6\nd | 18.3 | 29.9 | 63.4\n"
SHARE = "a | 31 | 50 | 62.0\nb | 17 | 43 | 39.5\nc | 8 | 91 | 8.8\nd | 55 | 61 | 90.2\n"
TOTAL = "a | 31 | 50 | 81\nb | 17 | 43 | 60\nc | 8 | 91 | 99\nd | 55 | 61 | 116\n"


@pytest.mark.parametrize(
    ("names", "cells", "right", "wrong", "kind"),
    [
        (("P", "Rec", "F1"), F1, "53.3", "55.3", "harmonic_mean_of"),
        (("old", "new", "Δ"), GAIN, "11.6", "16.1", "points_from"),
        (("old", "new", "gain %"), RATE, "63.4", "46.3", "drop_from"),
        (("k", "n", "%"), SHARE, "90.2", "92.0", "counts_match"),
        (("k", "n", "total"), TOTAL, "116", "161", "sum_is"),
    ],
)
def test_the_cell_that_breaks_a_relation_is_found(paper, names, cells, right, wrong, kind):
    assert findings(paper, quantities(*names), cells) == []
    assert findings(paper, quantities(*names), cells.replace(right, wrong)) == [(kind, "suspicious", [wrong])]


def test_a_number_that_is_printed_again_is_no_further_evidence(paper):
    means = (2.39, 2.12, 3.07, 1.92, 2.58, 1.96, 2.30, 2.16, 3.52)
    cells = cells_of([f"{mean} | 1.0" for mean in means]) + "x | 100.72 | 0.1\ny | 35.28 | 18.0\n"
    assert findings(paper, quantities("mean", "min"), cells) == []  # 1 − 2.39 / 100.72 is 1.0, as others are


def test_a_mean_and_its_parts_are_of_one_scale_and_none_of_a_test(paper):
    rows = [f"0.{n % 7}{n % 3} | 0.00 | {1 + n * 7 % 19}.{n % 10}3" for n in range(30)]
    units = zip(("fraction", "fraction", "percent"), "uvw", strict=True)
    columns = [{"unit": unit, "quantity": name} for unit, name in units]
    assert findings(paper, columns, cells_of([*rows, "0.02 | 0.00 | 85.10"])) == []
    groups = [(0.41 + n * 0.05, n * 0.013, n * 0.083 % 0.9) for n in range(9)]
    sums = cells_of([f"{a + b + p:.3f} | {a:.3f} | {b:.3f} | {p:.3f}" for a, b, p in groups])
    cells = sums + "x | 35.380 | 35.020 | 0.360 | 0.470\n"
    assert findings(paper, quantities("all", "u", "v", "p-value"), cells) == []


def test_a_number_with_a_zero_behind_it_may_have_been_rounded_before(paper):
    rows = [(38.51, 43.70), (35.42, 38.11), (41.30, 40.91), (44.62, 47.05), (30.17, 36.66), (29.90, 31.13)]
    cells = cells_of([f"{a:.2f} | {b:.2f} | {(a + b) / 2:.2f}" for a, b in rows]) + "x | 40.11 | 42.34 | {}\n"
    heads = quantities("u", "v", "Avg.")
    assert findings(paper, heads, cells.format("41.20")) == []  # 41.225
    assert findings(paper, heads, cells.format("41.29")) == [("mean_of", "suspicious", ["41.29"])]


def test_several_f1_that_are_only_near_are_averages_of_runs(paper):
    rows = F1 + "e | 61.0 | 44.0 | 51.1\nf | 70.0 | 52.0 | 59.7\ng | 33.0 | 48.0 | 39.1\nh | 47.0 | 71.0 | {}\n"
    names = quantities("first", "then", "F1")
    assert findings(paper, names, rows.format("56.3")) == [("harmonic_mean_of", "suspicious", ["56.3"])]
    assert findings(paper, names, rows.format("56.3").replace("59.7", "59.4")) == []


def test_a_harmonic_mean_by_its_other_names(paper):
    cells = F1.replace("53.3", "54.3")
    assert findings(paper, quantities("base", "new", "HM"), cells) == [("harmonic_mean_of", "suspicious", ["54.3"])]


def test_extremes_have_no_mean_and_negative_numbers_are_no_shares(paper):
    ends = [(0.6572 + n * 0.0001, 0.6574 + n * 0.0003) for n in range(9)]
    cells = cells_of([f"{(a + b) / 2:.5f} | {a:.4f} | {b:.4f}" for a, b in ends]) + "x | 0.65744 | 0.6573 | 0.6578\n"
    assert findings(paper, quantities("mean", "min", "max"), cells) == []
    pairs = [(-487.5 + 61 * n, 26.8 + 3.1 * n) for n in range(7)]
    cells = cells_of([f"{a:.1f} | {b:.1f} | {a / b:.1f}" for a, b in pairs]) + "x | -52.0 | 48.0 | -1.8\n"
    assert findings(paper, quantities("u", "v", "w"), cells) == []


def test_numbers_of_different_scales_are_not_averaged(paper):
    rows = [f"{n * 7 % 41} | {n * 11 % 43} | 0 | {n * 3 % 37}" for n in range(40)]
    units = zip(("percent", "percent", "fraction", "percent"), "tuvw", strict=True)
    columns = [{"unit": unit, "quantity": name} for unit, name in units]
    assert findings(paper, columns, cells_of([*rows, "80 | 3 | 0 | 5"])) == []


def test_a_change_of_three_rows_by_its_label(paper):
    cells = "a | 41.2 | 33.1 | -8.1\nb | 52.7 | 40.6 | -12.1\nc | 47.3 | 44.0 | {}\n"
    assert findings(paper, quantities("clean", "typos", "Δ"), cells.format("-3.3")) == []
    assert findings(paper, quantities("clean", "typos", "Δ"), cells.format("-33")) == [
        ("points_from", "suspicious", ["-33"])
    ]
    assert findings(paper, quantities("clean", "typos", "other"), cells.format("-33")) == []


def test_gains_over_the_best_and_numbers_of_diffusion_are_no_averages_and_changes(paper):
    cells = "a | 31.2 | 45.1 | 60.3 | 45.5\nb | 22.8 | 40.7 | 51.9 | 38.5\nc | 44.6 | 58.2 | 71.4 | 58.1\nd | {}\n"
    heads = quantities("u", "v", "w", "Avg.")
    assert findings(paper, heads, cells.format("+0.0 | +4.3 | +6.3 | +4.5")) == []
    assert len(findings(paper, heads, cells.format("10.0 | 14.3 | 16.3 | 14.5"))) == 1
    assert findings(paper, quantities("old", "new", "Diffusion"), GAIN.replace("11.6", "16.1")) == []


PARTS = [
    *("31.2 | 45.1 | 60.3", "22.8 | 40.7 | 51.9", "44.6 | 58.2 | 71.4", "27.5 | 44.0 | 57.4"),
    *("38.3 | 50.9 | 64.1", "41.7 | 55.4 | 68.2", "25.1 | 42.6 | 54.7", "33.4 | 47.3 | 61.6"),
]


def test_a_whole_that_is_printed_nowhere_is_no_whole(paper):
    rows = ["791 | 9.24%", "1345 | 15.71%", "2966 | 34.64%", "440 | 5.14%", "1055 | 12.32%", "482 | 9.71%"]
    assert findings(paper, quantities("k", "Share"), cells_of(rows)) == []
    [(kind, *_)] = findings(paper, quantities("k", "Share"), cells_of(rows), caption="Of 8,563 questions.")
    assert kind == "counts_match"


def test_averages_of_which_half_do_not_fit_have_other_parts(paper):
    fitting = [f"{row} | {mean}" for row, mean in zip(PARTS, (45.5, 38.5, 58.1, 43.0), strict=False)]
    others = [f"{row} | {mean}" for row, mean in zip(PARTS[4:], (48.8, 53.0, 37.9, 44.7), strict=True)]
    heads = quantities("u", "v", "w", "Avg.")
    assert findings(paper, heads, cells_of(fitting + others)) == []
    assert [kind for kind, *_ in findings(paper, heads, cells_of(fitting + others[:1]))] == ["mean_of"]


def test_averages_in_a_row_of_totals_are_no_sums(paper):
    cells = "a | 211 | 13 | 24.1\nb | 284 | 19 | 23.5\nc | 306 | 11 | 24.4\nTotal | {} | 43 | 72.0\n"
    heads = quantities("words", "texts", "hours")
    assert findings(paper, heads, cells.format("801")) == findings(paper, heads, cells.format("271")) == []
    assert findings(paper, heads, cells.format("810")) == [("sum_is", "suspicious", ["810"])]


def test_an_average_that_several_rows_do_not_have_is_another_one(paper):
    rows = "a | 31.2 | 22.8 | 27.0\nb | 44.6 | 18.3 | 31.5\nc | 35.7 | 30.1 | 32.9"
    cells = rows + "\nd | 40.1 | 29.9 | {}\ne | 41.7 | 30.5 | {}"
    heads = quantities("x", "y", "mean")
    assert findings(paper, heads, cells.format("35.0", "31.6")) == [("mean_of", "suspicious", ["31.6"])]
    assert findings(paper, heads, cells.format("36.2", "34.6")) == []


def test_a_name_alone_makes_no_relation(paper):
    cells = "AVG W2V | 31.2 | 35.7\nBM25 | 22.8 | 30.1\nDPR | 44.6 | 41.2\n"
    assert findings(paper, quantities("AVG", "Δ"), cells) == []
    assert relations(paper(t={"columns": quantities("AVG", "Δ"), "cells": cells}).tables["t"]) == []


def test_numbers_of_like_size_are_no_relation(paper):
    # (y - 1) / 1 is anything from y / 2 - 1 to 2 y - 1 if 1 may be 0.5 or 2: every x near y fits
    rows = [
        (49.9, 61.0),
        (1230.0, 1570.0),
        (55.8, 71.0),
        (8.1, 9.9),
        (290.0, 410.0),
        (3.2, 4.4),
        (19.8, 27.0),
        (730.0, 610.0),
    ]
    cells = "".join(f"s{n} | 1 | {y} | {x}\n" for n, (y, x) in enumerate(rows))
    assert relations(paper(t={"columns": quantities("H", "y", "x"), "cells": cells}).tables["t"]) == []


def test_a_proposed_relation_counts_as_not_declared(paper):
    relation = {"for": {"system": "mean"}, "mean_of": {"system": ["a", "b"]}, "proposed": "1 of 2 cells fit"}
    cells = "a | 10.0 | 20.0\nb | 30.0 | 40.0\nmean | 25.0 | 30.0\n"
    assert findings(paper, quantities("x", "y"), cells, relations=[relation]) == []
    del relation["proposed"]
    assert findings(paper, quantities("x", "y"), cells, relations=[relation]) == [("mean_of", "inconsistent", ["25.0"])]


def test_chance_by_hand():
    # two cells of three at a tenth each: three ways of choosing them, five relations tried: 3 · 5 / 100
    assert chance_bound([0.1, 0.1], 3, 5) == pytest.approx(0.15)
    assert chance_bound([], 3, 5) == 1.0 and chance_bound([1.0], 1, 5) == 1.0
    assert [odds(0.15), odds(1 / 41234), odds(0.0)] == ["1 in 7", "1 in 40,000", "under 1 in 1,000,000,000"]


def test_two_columns_of_like_numbers_are_no_change(paper):
    # x / 1.0 % - 1 is x, as wide as 1.0 % is
    rows = ["29.2 | 27.8", "41.0 | 41.9", "12.4 | 12.1", "63.3 | 65.0", "8.8 | 9.0", "51.7 | 50.2", "4.9 | 5.3"]
    cells = cells_of(["1.0% | 1.1%", *rows])
    assert relations(paper(t={"columns": quantities("old", "new"), "cells": cells}).tables["t"]) == []


def test_one_number_far_from_the_others_makes_no_relation_sure(paper):
    rows = ["1.0000 | 0.0065", "1.0000 | 0.0149", "0.9998 | 0.0040", "0.9995 | 6.8042"]
    table = {"columns": quantities("new", "loss"), "cells": cells_of(rows), "row": "system"}
    assert relations(paper(t=table).tables["t"]) == []


def test_an_average_among_averages_is_not_named(paper):
    rows = [
        "42.8 | 40.0 | 41.5",
        "43.4 | 47.4 | 45.5",
        "66.6 | 66.3 | 66.5",
        "68.6 | 69.7 | 69.2",
        "70.2 | 70.1 | 70.1",
    ]
    rows += [
        "75.3 | 73.6 | 74.5",
        "73.2 | 71.8 | 72.6",
        "77.1 | 74.1 | 76.3",
        "81.9 | 79.6 | 80.7",
        "81.1 | 82.3 | 82.1",
    ]
    assert findings(paper, quantities("mean few", "mean many", "mean all"), cells_of(rows)) == []
    result = findings(paper, quantities("few", "many", "mean"), cells_of(rows))
    assert sorted(wrong for _, _, [wrong] in result) == ["76.3", "82.1"]


def test_an_average_of_f1_may_be_the_f1_of_averages(paper):
    rows = [
        "80.0 | 60.0 | 68.6",
        "50.0 | 70.0 | 58.3",
        "90.0 | 30.0 | 45.0",
        "75.2 | 41.3 | 53.3",
        "66.0 | 44.0 | 52.8",
    ]
    cells = cells_of(rows) + "Avg. | 72.2 | 49.1 | {}\n"
    assert findings(paper, quantities("P", "Rec", "F1"), cells.format("58.5")) == []  # the F1 of 72.2 and 49.1
    assert findings(paper, quantities("P", "Rec", "F1"), cells.format("55.6")) == []  # the mean of the column
    result = findings(paper, quantities("P", "Rec", "F1"), cells.format("65.5"))
    assert result == [(kind, "suspicious", ["65.5"]) for kind in ("harmonic_mean_of", "mean_of")]


def test_the_whole_and_a_change_may_fail_a_relation(paper):
    counts = "all | 690 | 44.1\na | 339 | 49.1\nb | 351 | 50.9\nc | 101 | 14.6\nd | 365 | 52.9\ne | 224 | {}\n"
    names = quantities("k", "%")
    assert findings(paper, names, counts.format("32.5")) == []
    assert findings(paper, names, counts.format("35.2")) == [("counts_match", "suspicious", ["35.2"])]
    means = "a | 31.2 | 45.1 | 38.2\nb | 22.8 | 40.7 | 31.8\nc | 44.6 | 58.2 | 51.4\nd | 18.3 | 29.9 | 24.1\n"
    assert findings(paper, quantities("x", "y", "Avg"), means + "Δ | 13.4 | 1.1 | 9.9\n") == []
    assert len(findings(paper, quantities("x", "y", "Avg"), means + "e | 13.4 | 1.1 | 9.9\n")) == 1


def test_a_number_many_times_as_large_is_a_quotient_and_no_change(paper):
    rows = [(10500, 750, 14.0), (25600, 1815, 14.1), (6000, 450, 13.3), (28700, 1911, 15.0), (9300, 620, 15.0)]
    rows += [(18200, 1213, 15.0), (4100, 290, 14.1), (31900, 2200, 14.5)]
    cells = "".join(f"s{n} | {total} | {k} | {each}\n" for n, (total, k, each) in enumerate(rows))
    names = quantities("total", "k", "each")
    [relation] = relations(paper(t={"columns": names, "cells": cells, "row": "system"}).tables["t"])
    assert (relation.checks[0].kind, relation.fit) == ("counts_match", 8)
    assert [kind for kind, _, _ in findings(paper, names, cells.replace("1815 | 14.1", "1815 | 15.6"))] == [
        "counts_match"
    ]


def test_an_improvement_over_the_best_of_others(paper):
    columns = [{"category": name} for name in ("A", "B", "Ours", "Improve")]
    rows = [
        "41.2 | 43.5 | 46.1",
        "39.1 | 42.2 | 44.9",
        "50.3 | 51.7 | 55.0",
        "33.3 | 36.8 | 40.1",
        "61.0 | 57.4 | 63.6",
        "72.4 | 74.1 | 77.2",
        "55.5 | 58.8 | 60.9",
        "20.1 | 24.6 | 29.3",
    ]
    gains = ["2.6", "2.7", "3.3", "3.3", "2.6", "3.1", "2.1", "4.7"]  # over B, but for one row, where A is better

    def wrong(gains):
        cells = "".join(f"s{i} | {row} | {gain}\n" for i, (row, gain) in enumerate(zip(rows, gains, strict=True)))
        table = {"columns": columns, "row": "collection", "cells": cells}
        return [flaw.cell.printed for finding in audit(paper(t=table)).findings for flaw in finding.flaws]

    assert wrong(gains) == [] and wrong(["2.6", "7.2", *gains[2:]]) == ["7.2"]


def test_a_gap_between_the_first_values_of_fields(paper):
    columns = [{"category": name, "and": ["second", "value_3"]} for name in ("A", "B")]
    cells = """\
a | 100.0 (270/270) | 10.4 (28/270)  | 89.6
b | 100.0 (150/150) | 0.0 (0/150)    | 100.0
c | 100.0 (150/150) | 64.0 (96/150)  | 36.0
e | 91.3 (137/150)  | 74.0 (111/150) | 17.3
f | 88.0 (132/150)  | 41.3 (62/150)  | 46.7
d | 36.0 (54/150)   | 2.7 (4/150)    | {}
"""

    def wrong(printed):
        table = {"columns": [*columns, {"category": "Gap"}], "row": "system", "cells": cells.format(printed)}
        return [flaw.cell.printed for finding in audit(paper(t=table)).findings for flaw in finding.flaws]

    assert wrong("33.3") == [] and wrong("38.3") == ["38.3"]
