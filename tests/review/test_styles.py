"""Tables as ACL, SIGIR, NeurIPS and Springer papers lay them out: every number read, none invented."""

from pathlib import Path

import pytest

from robustdr_review.draft import draft
from robustdr_review.latex import read_latex

STYLES = Path(__file__).with_name("styles.tex")
EXPECTED = {  # ^ is bold
    1: ["18.7 85.7 12.4 9.1", "31.4† 95.1 33.0 21.8", "34.9^†‡ 96.4^† 40.1 30.2^"],
    2: ["79.73 67.83/-14.9%", "78.10 74.02/-5.2%", "79.40 72.71/-8.4%", "77.05 74.44/-3.4%"],
    3: ["0.412±0.003 .473±.012", "0.431^±0.002 .502^±.010", "0.4±0.1 –"],
    4: ["0.238 0.530 0.196", "0.255ᵃ 0.549ᵃ 0.201", "0.363^ᵃᵇ 0.711^ᵃᵇ 0.300^ᵃᵇ"],
    5: ["18.7 17.9", "15.7 15.2", "33.0 32.4", "29.9(-3.1) 29.0(-3.4)"],
    6: ["3,610 200", "21,015,324 403666", "9.2 10.5"],
    7: ["32.4 15.5", "32.5(+0.1) 22.0(+6.5)", "33.0(+0.6) 22.5(+7.0)"],
    8: ["66 12.5ᵃ", "110 24.0", "340 78.1ᵇ"],
    9: [
        "79.86% 79.78% 79.47% 79.64% 79.89% 79.78% 1.72E-03",
        "68.50% 68.23% 68.39% 68.84% 68.37% 68.39% 2.30E-03",
    ],
    10: ["23.6 66.5 32.5 40.9", "32.9 67.7 32.8 44.5", "34.1^ 69.0^ – –"],
    11: ["+1.2 0.031 +0.8 0.12", "-0.4 0.45 -1.1 0.047*"],
    12: ["32.4 19.4 71.6", "34.9^* 13.0^ 74.0^*"],
    13: [
        "18.70 85.7 9.10 60.3±0.2",
        "31.42 95.1±0.3 14.20 72.0±0.4",
        "33.01 95.9±0.2 15.0 73.1±0.3",
        "33.50^ 96.0 22.30^ 83.0^±0.1",
        "34.12^† 96.4^† – –",
        "30.15 93.8 15.15 72.1",
    ],
}
COLUMNS = {
    1: [{"collection": "msmarco-passage", "measure": "RR@10"}, {"collection": "msmarco-passage", "measure": "R@1000"}],
    2: [{"query_set": "original"}, {"query_set": "Typos", "and": "drop"}],
    3: [{"measure": "nDCG@10", "and": "deviation"}, {"measure": "R@100", "and": "deviation"}],
    4: [{"measure": "P@10"}, {"measure": "RR"}, {"measure": "AP"}],
    9: [{"seed": str(seed)} for seed in range(1, 6)] + [{"value": "median"}],
    10: [{"collection": "FiQA"}, {"collection": "SciFact"}, {"collection": "NFCorpus"}, {"collection": "Avg."}],
    12: [{"measure": "RR@10"}, {"value": "drop"}, {"measure": "Success@20"}],
    13: [{"query_set": "original", "measure": "RR@10"}],
}
ROWS = {
    1: (["system"], [["bm25"], ["DPR"], ["Steady"]]),
    2: (["collection", "system"], [["natural-questions", "base"], ["natural-questions", "capot"]]),
    10: (["system"], [["bm25"]]),
    5: (["category", "system"], [["Sparse", "bm25"], ["Sparse", "rm3"], ["Dense", "ance"]]),
    13: (["category", "system"], [["Standard", "bm25"], ["Standard", "DPR"], ["Standard", "ance"]]),
}


@pytest.fixture(scope="module")
def drafts():
    grids = read_latex(STYLES.read_text(encoding="utf-8"))
    return {int(grid.number): draft(grid, f"table{grid.number}") for grid in grids}


def test_numbers_right_read_and_invented(drafts):
    assert drafts.keys() == EXPECTED.keys()
    right = printed = read = 0
    for number, lines in EXPECTED.items():
        wanted = [[text.replace("–", "-") for text in line.split()] for line in lines]
        got = [["".join(text.split()).replace("−", "-") for text in fields] for _, fields in drafts[number].rows]
        assert [len(line) for line in got] == [len(line) for line in wanted], number
        pairs = [pair for ours, theirs in zip(got, wanted, strict=True) for pair in zip(ours, theirs, strict=True)]
        wrong = [pair for pair in pairs if pair[0] != pair[1]]
        right += sum(ours == theirs != "-" for ours, theirs in pairs)
        printed += sum(theirs != "-" for _, theirs in pairs)
        read += sum(ours not in ("-", "?") for ours, _ in pairs)
        assert not wrong, (number, wrong, drafts[number].problems)
    print(f"\n{right} of {printed} numbers right, {read - right} invented")
    assert right == printed == read


@pytest.mark.parametrize("number", COLUMNS)
def test_heads_become_coordinates(drafts, number):
    columns = [{name: label for name, label in c.items() if name != "unit"} for c in drafts[number].columns]
    assert columns[: len(COLUMNS[number])] == COLUMNS[number]


@pytest.mark.parametrize("number", ROWS)
def test_labels_become_coordinates(drafts, number):
    names, labels = ROWS[number]
    assert drafts[number].row == names
    assert [places for places, _ in drafts[number].rows][: len(labels)] == labels
