"""Printed numbers beside their runs: which convention gives them, and which marks a paired test gives."""

import math

import pytest

from robustdr.audit.conventions import evaluate_any, evaluate_run, explain_column, under_tie_rules
from robustdr.claims.intervals import Interval
from robustdr.cli import main as robustdr

# q1: d2 is relevant and tied with d3; q2: x has grade 1, y grade 2; q3 has no results.
QRELS = {"q1": {"d2": 1}, "q2": {"x": 1, "y": 2}, "q3": {"z": 1}}
LISTED = {"q1": [("d2", 1.0), ("d3", 1.0)], "q2": [("x", 2.0), ("y", 1.0)]}
LOG3 = math.log2(3)


def search(printed, measure):
    """What a column of one number says."""
    return explain_column([printed], [evaluate_run(measure, QRELS, under_tie_rules(LISTED))])[0]


@pytest.mark.parametrize(
    ("measure", "printed", "usual", "giving"),
    [
        ("RR@10", (1 / 2 + 1) / 3, (1 / 2 + 1) / 3, ["the project's conventions"]),
        ("RR@10", 2 / 3, 1 / 2, ["ranks as listed"]),  # the listed order is that by docid ascending
        ("RR@10", 3 / 4, 1 / 2, ["queries without results left out"]),
        ("RR@10", 1 / 3, 1 / 2, ["cut at 1"]),
        ("RR@10", 1 / 6, 1 / 2, ["relevant from grade 2"]),
        ("RR@10", 1.0, 1 / 2, ["ranks as listed, queries without results left out"]),
        ("nDCG@10", (1 / LOG3 + (1 + 2 / LOG3) / (2 + 1 / LOG3)) / 3, None, ["the project's conventions"]),
        ("nDCG@10", (1 / LOG3 + (1 + 3 / LOG3) / (3 + 1 / LOG3)) / 3, None, ["exponential gains"]),
    ],
)
def test_the_convention_behind_a_number(measure, printed, usual, giving):
    outcome = search(Interval(printed - 1e-9, printed + 1e-9), measure)
    assert outcome.agrees == (giving != ["cut at 1"]) and outcome.giving == giving
    assert usual is None or outcome.usual == pytest.approx(usual)


def test_no_convention_is_named_where_none_gives_the_number():
    outcome = search(Interval(0.9, 0.91), "RR@10")
    assert (outcome.agrees, outcome.giving, outcome.usual) == (False, [], pytest.approx(1 / 2))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # q1: the relevant document is second; q2: grades 1, 2; q3 has no results
        ("Rprec", (0 + 1 + 0) / 3),
        ("bpref", (1 + 1 + 0) / 3),  # no judged document that is not relevant stands above
        ("nDCG", (1 / LOG3 + (1 + 2 / LOG3) / (2 + 1 / LOG3)) / 3),
        ("ERR@1", (0 + 1 / 4) / 3),  # (2^1 − 1) / 2^2
        ("ERR", (1 / 8 + 1 / 4 + 3 / 4 * 3 / 4 / 2) / 3),
    ],
)
def test_measures_that_no_experiment_here_uses(measure, expected):
    values = evaluate_any(QRELS, under_tie_rules(LISTED)["trec_eval"], measure, 1)
    assert sum(values.values()) / 3 == pytest.approx(expected) and set(values) == set(QRELS)
    assert search(Interval(expected, expected), measure).giving == ["the project's conventions"]


def test_a_rare_combination_has_its_number_and_its_chance():
    usual, without_missing, rare, cut = (
        search(Interval(value, value + 0.01), "RR@10") for value in (1 / 2, 3 / 4, 1.0, 1 / 3)
    )
    assert usual.chance == without_missing.chance == 0
    # what is tried gives 1/6, 1/3, 1/2, 2/3, 3/4 and others, up to 1: each 0.01 wide in a range of 5/6 or more
    assert rare.agrees and rare.tried > 5 and 0.05 < rare.chance < 0.25
    assert cut.giving == ["cut at 1"] and cut.chance > 0


def rules(listed):
    return set(evaluate_run("RR@10", {"q": {"a": 1}}, under_tie_rules({"q": listed})).representatives.values())


def test_tie_rules_that_agree_are_one():
    assert rules([("b", 2.0), ("a", 1.0)]) == {"trec_eval"}
    assert rules([("a", 1.0), ("b", 1.0)]) == {"trec_eval", "listed"}
    assert rules([("b", 1.0), ("c", 1.0), ("a", 1.0)]) == {"trec_eval", "listed", "ascending"}


MINE = """\
paper: mine
title: Mine
tables:
  table1:
    caption: Runs
    unit: percent
    where: {{measure: RR@10}}
    marks: {{"†": "better than a, p < 0.05"}}
    row: system
    columns: [{{query_set: typo}}]
    runs:
      - {{for: {{system: "*"}}, run: "{name}"}}
    tests:
      - {{for: {{system: [b, c]}}, mark: "†", against: {{system: a}}, level: 0.05}}
    cells: |
      a | 50.0
      b | {b}
      c | 50.0
"""


@pytest.fixture
def folder(tmp_path):
    """Ten queries whose relevant passage `a` has at rank 2, `b` at 1 but for two of them, `c` where `a` has it."""
    (tmp_path / "qrels").write_text("".join(f"q{i} 0 r 1\n" for i in range(10)), encoding="utf-8")
    for system, firsts in {"a": 0, "b": 8, "c": 0}.items():
        lines = []
        for i in range(10):
            first, second = ("r", "n") if i < firsts else ("n", "r")
            lines += [f"q{i} Q0 {first} 1 2 t\n", f"q{i} Q0 {second} 2 1 t\n"]
        (tmp_path / f"{system}.typo.trec").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def audited(folder, b="90.0†", name="{system}.{query_set}.trec", arguments=()):
    path = folder / "mine.yaml"
    path.write_text(MINE.format(b=b, name=name), encoding="utf-8")
    return robustdr(["audit", str(path), "--runs", str(folder), "--qrels", str(folder / "qrels"), *arguments])


def test_numbers_and_marks_of_runs_that_the_test_wrote(folder, capsys):
    assert audited(folder, arguments=["--fail-on", "suspicious"]) == 0
    text = capsys.readouterr().out
    assert "| table1 [typo · b · RR@10] | `90.0†` | b.typo.trec | 0.9000 | the project's conventions |" in text
    # eight differences of 1/2, two of 0: mean 0.4, deviation 0.2108, t = 0.4 / (0.2108 / √10) = 6, 9 degrees
    assert "| table1 [typo · b · RR@10] | † | a | 0.0002 | with and without correction (level 0.05, 2 compar" in text
    assert "| table1 [typo · c · RR@10] | no † | a | 1 | with and without correction" in text


def test_a_number_and_a_mark_that_the_runs_do_not_give_are_findings(folder, capsys):
    assert audited(folder, b="93.0", arguments=["--fail-on", "inconsistent"]) == 1
    text = capsys.readouterr().out
    assert "2 inconsistent" in text
    assert "| b.typo.trec | 0.9000 | **no convention** |" in text
    assert "p = 0.0002 against a, at 0.05 with and without Bonferroni's correction for 2" in text


def test_another_measure_than_the_label_is_a_finding(folder, capsys):
    # b's relevant passages are at rank 1 in eight of ten queries, and at 2; those of a and c are at 2
    at_rank_1 = {"a | 50.0": "a | 0.0", "c | 50.0": "c | 0.0", "{b}": "80.0†"}
    text = MINE
    for old, new in at_rank_1.items():
        text = text.replace(old, new)
    path = folder / "mine.yaml"
    path.write_text(text.format(name="{system}.{query_set}.trec"), encoding="utf-8")
    arguments = ["audit", str(path), "--runs", str(folder), "--qrels", str(folder / "qrels")]
    assert robustdr([*arguments, "--fail-on", "inconsistent"]) == 1
    output = capsys.readouterr().out
    assert "3 inconsistent" in output and "| **cut at 1, which is another measure** |" in output
    assert "only with cut at 1, one of" in output and "the runs give all 3 numbers of the column" in output
    path.write_text(text.replace("c | 0.0", "c | 20.0").format(name="{system}.{query_set}.trec"), encoding="utf-8")
    assert robustdr(arguments) == 0
    output = capsys.readouterr().out
    assert "cut at 1 gives 2 of the 3 numbers of its column, these conventions 0" in output
    assert output.count("**no convention**") == 3


def test_one_measure_that_is_not_provided_stops_one_cell(folder, capsys):
    path = folder / "mine.yaml"
    text = MINE.format(b="90.0†", name="{system}.typo.trec").replace(
        "columns: [{query_set: typo}]", "columns: [{query_set: typo}, {query_set: typo, measure: Gain@10}]"
    )
    path.write_text(text.replace("50.0\n", "50.0 | 1.0\n").replace("90.0†\n", "90.0† | 2.0\n"), encoding="utf-8")
    assert robustdr(["audit", str(path), "--runs", str(folder), "--qrels", str(folder / "qrels")]) == 0
    output = capsys.readouterr().out
    assert "| b.typo.trec | 0.9000 |" in output and "measure: 'Gain@10' is unknown" in output


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{system}.{split}.trec", "tables.table1.runs: run: coordinate: 'split' is unknown"),
        ("{system}.gone", "a.gone: no such run"),
        ("{system", "is no name of a file; allowed: {query_set}, {system}, {measure}, {value}"),
    ],
)
def test_bad_declarations_are_one_line(folder, capsys, name, message):
    assert audited(folder, name=name) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_runs_and_judgements_are_given_together(folder, capsys):
    assert robustdr(["audit", "rodr", "--runs", str(folder)]) == 2
    assert "--runs and --qrels go together" in capsys.readouterr().err


def test_ids_that_begin_as_comments_do_and_grades_with_a_point(folder, capsys):
    for path in folder.iterdir():
        path.write_text(path.read_text().replace("q", "#").replace(" r 1\n", " r 1.0\n"), encoding="utf-8")
    assert audited(folder, arguments=["--fail-on", "suspicious"]) == 0
    assert "| `90.0†` | b.typo.trec | 0.9000 | the project's conventions |" in capsys.readouterr().out


def test_a_run_has_the_checks_of_evaluate_and_its_notes_are_on_the_page(folder, capsys):
    run = folder / "a.typo.trec"
    whole = run.read_text()
    run.write_text(f"{whole}q0 Q0 n 99 0 t\n")
    assert audited(folder) == 2 and "a.typo.trec: query 'q0' has a passage twice: 'n'" in capsys.readouterr().err
    run.write_text(whole.replace("q3 Q0 r 2 1 t", "q3 Q0 r 2 2 t"))
    audited(folder)
    assert "a.typo.trec has one score for all passages in 1 of 10 queries; their ids" in capsys.readouterr().out


def test_a_convention_is_asked_of_the_whole_column(folder, capsys):
    assert audited(folder, b="80.0†", arguments=["--fail-on", "inconsistent"]) == 1
    text = capsys.readouterr().out
    assert "| `80.0†` | 90.00 |" in text and "cut at 1" not in text  # the other runs of the column are not cut at 1
    assert "| b.typo.trec | 0.9000 | **no convention** |" in text


def test_a_cell_whose_run_gives_its_number_is_not_blamed(folder, capsys):
    path = folder / "mine.yaml"
    text = MINE.format(b="90.0†", name="{system}.typo.trec").replace('{system: "*"}', "{system: [b, c]}", 1)
    relation = "    relations:\n      - {for: {system: mean}, mean_of: {system: [b, c]}}\n    cells:"
    text = text.replace("    cells:", relation).replace("{system: [b, c]}, mark", "{system: b}, mark")
    text = text.replace("against: {system: a}", "against: {system: c}")

    def report(c, mean, *runs):
        path.write_text(text.replace("c | 50.0", f"c | {c}") + f"      mean | {mean}\n", encoding="utf-8")
        assert robustdr(["audit", str(path), *runs]) == 0
        return capsys.readouterr().out

    runs = "--runs", str(folder), "--qrels", str(folder / "qrels")
    blamed = "two digits of 90.0 (b) are swapped"  # the mean of 9 and 50 is 29.5
    assert blamed in report("50.0", "29.5") and blamed not in report("50.0", "29.5", *runs)
    wrong = "is wrong: its run gives 50.00"
    assert wrong in report("5.0", "70.0", *runs) and wrong not in report("50.0", "71.0", *runs)
