"""The page of several reports: counts, signs and intervals are those of the reports, worked by hand."""

import json

import pytest

from robustdr.core.errors import UserError
from robustdr.own.leaderboard import write


def change(drop, low, high):
    return {"drop": drop, "drop_interval": [low, high]}


def against(first, second, difference, low, high):
    compared = {"difference": difference, "difference_interval": [low, high]}
    return {"labels": [first, second], "original": compared}


@pytest.fixture()
def folders(tmp_path):
    """On `first` a misspelling lowers BM25 alone, and leaving words out raises it; on `second` all is the other way."""
    for name, sign in (("first", 1), ("second", -1)):
        lower, higher = (
            change(sign * size, *sorted((sign * size - 0.1, sign * size + 0.1))) for size in (-0.25, 0.125)
        )
        kinds = {"typo": lower, "no_stopwords": higher}
        labels = {
            "own_bm25": "BM25",
            "own": "a|model",
            "own_bm25_spell_checked": "spell checker and BM25",
            "own_spell_checked": "spell checker and a|model",
        }
        unchanged = {"typo": change(0.0, -0.1, 0.1), "no_stopwords": change(0.0, -0.1, 0.1)}
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
                    "query_sets": kinds if system == "own_bm25" else unchanged,
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


def test_slips_and_rewordings_are_counted_and_have_their_intervals(folders, tmp_path):
    write(folders, tmp_path / "page.md")
    page = " ".join((tmp_path / "page.md").read_text().split())
    assert (
        "changes the measure by between -25.0 % [-35.0, -15.0] (BM25, first) and +25.0 % [+15.0, +35.0] (BM25, "
        "second); the interval lies below 0 in 1 of 4 cases, and above 0 in 1." in page
    )
    assert "and +12.5 % [+2.5, +22.5] (BM25, first); the interval lies below 0 in 1 of 4 cases" in page
    assert "| BM25 | -25.0 % [-35.0, -15.0] | +25.0 % [+15.0, +35.0] |" in page


def test_a_spell_checker_gains_what_it_has_more_whichever_of_the_two_is_better(folders, tmp_path):
    write(folders, tmp_path / "page.md")
    page = " ".join((tmp_path / "page.md").read_text().split())
    assert (
        "the checker changes the measure by between -0.010 [-0.040, +0.030] (a|model, first) and +0.050 [+0.020, "
        "+0.080] (BM25, second); the interval lies below 0 in 0 of 4 cases." in page
    )


def test_the_slip_behind_a_spell_checker_is_told_apart(folders, tmp_path):
    """Of the first report alone: BM25 loses 25 %, and 12.5 % behind the spell checker."""
    path = folders[0] / "report.json"
    report = json.loads(path.read_text())
    report["systems"]["own_bm25_spell_checked"]["query_sets"] = {
        "typo": change(-0.125, -0.25, 0.0),
        "no_stopwords": change(0.0, -0.1, 0.1),
    }
    path.write_text(json.dumps(report))
    write(folders[:1], tmp_path / "page.md")
    page = " ".join((tmp_path / "page.md").read_text().split())
    assert "the same slip changes it by between -12.5 % [-25.0, +0.0] (spell checker and BM25, first) and" in page
    assert "changes the measure by between -25.0 % [-35.0, -15.0] (BM25, first) and +0.0 %" in page


def test_the_page_has_a_command_for_the_collections_with_the_same_models(folders, tmp_path):
    path = folders[0] / "report.json"
    report = json.loads(path.read_text())
    report["systems"]["own_2"] = {**report["systems"]["own"], "label": "large"}
    report["systems"]["own_hybrid"] = {**report["systems"]["own"], "label": "hybrid"}
    path.write_text(json.dumps(report))
    write(folders, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert (
        'make leaderboard COLLECTIONS="first" MODELS="a|model large"\n'
        'make leaderboard COLLECTIONS="second" MODELS="a|model"\n' in page
    )


def test_a_table_has_the_best_system_and_misspellings_first(folders, tmp_path):
    write(folders, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "## second\n\n1,200 questions, 13,210 passages" in page
    head, _, best, *_ = (line for line in page.partition("## first")[2].splitlines() if line.startswith("|"))
    assert head == "| system | nDCG@10 [95 %] | `typo` | `no_stopwords` |"
    assert best == r"| a\|model | 0.500 [0.125, 0.750] | +0.0 % [-10.0, +10.0] | +0.0 % [-10.0, +10.0] |"


def test_a_system_that_is_not_on_every_collection_is_named(folders, tmp_path):
    path = folders[0] / "report.json"
    report = json.loads(path.read_text())
    unbounded = {"drop": None, "drop_interval": None}
    query_sets = {"typo": unbounded, "no_stopwords": unbounded}
    report["systems"]["own_2"] = {
        "label": "large",
        "original": 0.1,
        "original_interval": None,
        "query_sets": query_sets,
    }
    path.write_text(json.dumps(report))
    write(folders, tmp_path / "page.md")
    page = (tmp_path / "page.md").read_text()
    assert "- Not run: large on second." in page
    assert "| large | 0.100 [unbounded] | – [unbounded] | – [unbounded] |" in page
    assert "| large | – [unbounded] | not run |" in page


def test_a_folder_without_a_report_is_named(folders, tmp_path):
    with pytest.raises(UserError, match=r"third/report.json: no such file; `robustdr evaluate -o "):
        write([*folders, tmp_path / "third"], tmp_path / "page.md")


@pytest.mark.parametrize("content", ["{", "[]", '{"systems": [], "categories": {}}', '{"answer": "", "systems": []}'])
def test_a_file_that_is_no_report_of_one_collection_is_refused(folders, tmp_path, content):
    (folders[1] / "report.json").write_text(content)
    with pytest.raises(UserError, match=r"second/report\.json: no report of one collection by `robustdr evaluate`"):
        write(folders, tmp_path / "page.md")


def test_two_folders_of_one_name_are_refused(folders, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    folders[1].rename(tmp_path / "elsewhere/first")
    with pytest.raises(UserError, match="elsewhere/first: first is the name of several folders"):
        write([folders[0], tmp_path / "elsewhere/first"], tmp_path / "page.md")


def test_reports_of_different_misspellings_are_refused(folders, tmp_path):
    path = folders[1] / "report.json"
    path.write_text(path.read_text().replace('"typo"', '"misspell"'))
    with pytest.raises(UserError, match=r"second/report\.json: categories: no typo, which the page shows of first"):
        write(folders, tmp_path / "page.md")


@pytest.mark.parametrize(
    ("part", "key", "message"),
    [
        ("systems", "own_bm25_spell_checked", "systems: no spell checker; `robustdr evaluate --spell-checker`"),
        ("categories", "misspelling_mean", "categories: no misspelling; `robustdr evaluate --variations`"),
    ],
)
def test_a_report_without_a_spell_checker_or_a_misspelling_is_refused(folders, tmp_path, part, key, message):
    path = folders[1] / "report.json"
    report = json.loads(path.read_text())
    del report[part][key]
    path.write_text(json.dumps(report))
    with pytest.raises(UserError, match=rf"second/report\.json: {message}"):
        write(folders, tmp_path / "page.md")
