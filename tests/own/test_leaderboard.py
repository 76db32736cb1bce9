"""The page of several reports: counts, signs and intervals are those of the reports, worked by hand."""

import json

import pytest

from robustdr.core.errors import UserError
from robustdr.own.leaderboard import write


def change(drop, low, high):
    return {"drop": drop, "drop_interval": [low, high]}


def against(first, second, difference, low, high):
    compared = {"difference": difference, "difference_interval": [low, high]}
    return {"labels": [first, second], "original": compared, "variations": compared}


@pytest.fixture()
def folders(tmp_path):
    """On `first` a misspelling lowers BM25 alone, and leaving words out raises it; on `second` all is the other way."""
    for name, sign in (("first", 1), ("second", -1)):
        lower, higher = (change(sign * of, *sorted((sign * of - 0.1, sign * of + 0.1))) for of in (-0.25, 0.125))
        kinds = {"typo": lower, "no_stopwords": higher}
        labels = {
            "own_bm25": "BM25",
            "own": "a|model",
            "own_bm25_spell_checked": "spell checker and BM25",
            "own_spell_checked": "spell checker and a|model",
        }
        same = {"typo": change(0.0, -0.1, 0.1), "no_stopwords": change(0.0, -0.1, 0.1)}
        report = {
            "measure": "nDCG@10",
            "queries": 1200,
            "passages": 13210,
            "passage_length": 128,
            "encoding": ["a|model: Pooling (mean)"],
            "categories": {"naturality_mean": ["no_stopwords"], "misspelling_mean": ["typo"]},
            "systems": {
                system: {
                    "label": label,
                    "original": 0.25 if "BM25" in label else 0.5,
                    "original_interval": [0.125, 0.75],
                    "query_sets": kinds if system == "own_bm25" else same,
                }
                for system, label in labels.items()
            },
            "pairs": [
                against("spell checker and BM25", "BM25", 0.05, 0.02, 0.08),
                against("a|model", "spell checker and a|model", 0.01, -0.03, 0.04),
            ],
        }
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(json.dumps(report))
    return [tmp_path / "first", tmp_path / "second"]


def test_findings_are_counted_and_have_their_intervals(folders, tmp_path):
    write(folders, tmp_path / "page.md")
    said = " ".join((tmp_path / "page.md").read_text().split())
    assert (
        "**Misspellings**: in 1 of 4 cells of the tables below, the interval lies below 0; in 1 it lies above." in said
    )
    assert "from -25.0 % [-35.0, -15.0] (BM25, `typo`, first) to +25.0 % [+15.0, +35.0] (BM25, `typo`, second)" in said
    assert "**Rewordings**: in 1 of 4 cells, the interval lies below 0; in 1 it lies above." in said
    assert "to +12.5 % [+2.5, +22.5] (BM25, `no_stopwords`, first)" in said
    assert "| BM25 | -25.0 % [-35.0, -15.0] | +25.0 % [+15.0, +35.0] |" in said


def test_a_spell_checker_gains_what_it_has_more_whichever_of_the_two_is_better(folders, tmp_path):
    write(folders, tmp_path / "page.md")
    said = " ".join((tmp_path / "page.md").read_text().split())
    assert "it raises the measure in 2 of 4 pairs, and lowers it in 0" in said
    assert "from -0.010 [-0.040, +0.030] (a|model, first) to +0.050 [+0.020, +0.080] (BM25, second)" in said


def test_a_table_has_the_best_system_and_misspellings_first(folders, tmp_path):
    write(folders, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "## second\n\n1,200 questions, 13,210 passages" in page
    head, _, best, *_ = (line for line in page.partition("## first")[2].splitlines() if line.startswith("|"))
    assert head == "| system | nDCG@10 [95 %] | `typo` | `no_stopwords` |"
    assert best == r"| a\|model | 0.500 [0.125, 0.750] | +0.0 % [-10.0, +10.0] | +0.0 % [-10.0, +10.0] |"


def test_a_system_that_is_not_on_every_collection_is_named(folders, tmp_path):
    path = folders[0] / "report.json"
    path.write_text(path.read_text().replace('"own_bm25":', '"own_2": {"label": "large", "original": 0.1, '
        '"original_interval": null, "query_sets": {"typo": {"drop": null, "drop_interval": null}, '
        '"no_stopwords": {"drop": null, "drop_interval": null}}}, "own_bm25":'))  # fmt: skip
    write(folders, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "- large: on first alone." in page
    assert "| large | 0.100 [unbounded] | – [unbounded] | – [unbounded] |" in page
    assert "| large | – [unbounded] |  |" in page


def test_a_folder_without_a_report_is_named(folders, tmp_path):
    with pytest.raises(UserError, match=r"third/report.json: no such file; `robustdr evaluate -o "):
        write([*folders, tmp_path / "third"], tmp_path / "page.md")
