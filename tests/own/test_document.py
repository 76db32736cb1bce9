"""The report for people: what stands in the numbers is said, rises as rises and losses as losses."""

import csv
import re
from html import escape

import pytest

from robustdr.own.document import headline, html, markdown, table

BETTER = {
    "differing": 50,
    "mean": 0.55,
    "difference": 0.05,
    "drop": 0.1,
    "drop_interval": [0.02, 0.18],
    "p": 0.01,
    "p_holm": 0.02,
    "detectable": 0.03,
}
WORSE = {
    "differing": 50,
    "mean": 0.4,
    "difference": -0.1,
    "drop": -0.2,
    "drop_interval": [-0.3, -0.1],
    "p": 0.0001,
    "p_holm": 0.0002,
    "detectable": 0.04,
}
UNKNOWN = {
    "differing": 50,
    "mean": 0.0,
    "difference": 0.0,
    "drop": None,
    "drop_interval": None,
    "p": 1.0,
    "p_holm": 1.0,
    "detectable": None,
}

NASTY = "a|b <script>alert(1)</script> *c* [d](e) `f` 100_000 \\"


def system(label, **query_sets):
    whole = {name: {"difference": (change["drop"] or 0) / 2, **change} for name, change in query_sets.items()}
    return {"label": label, "original": 0.5, "query_sets": whole}


NO_COSTS = dict.fromkeys(("weights", "index", "p50", "p95", "throughput"))


def entry(name, label, drop, behind=None):
    """A row of the ranking: `behind` the best, or the best itself."""
    against = {"mean": 0.5, "differing": 9, "difference": 0.0, "difference_interval": [-0.1, 0.1], **(behind or {})}
    against |= {"p_holm": 0.2} if behind else {}
    return {"system": name, "label": label, "original": against, "variations": against, "drop": drop, "others": {}}


@pytest.fixture()
def report_numbers():
    kinds = {"typo": WORSE, "stem": BETTER, "misspelling_mean": WORSE, "syntactic_mean": BETTER}
    remedy = {"label": "CAPOT", "variations": BETTER, "variations_over_control": UNKNOWN, "original": WORSE}
    return {
        "notes": [],
        "model": "mine",
        "sources": ["The model is /models/mine."],
        "encoding": ["Pooling (cls); prompts: query 'a_b*c*'"],
        "pages": "results/own/report",
        "measure": "nDCG@10",
        "split": "test",
        "queries": 100,
        "passages": 1000,
        "passage_length": 128,
        "truncated": 0.25,
        "draws": 1,
        "categories": {"misspelling_mean": ["typo"], "syntactic_mean": ["stem"]},
        "changed": {"typo": 1.0, "stem": 0.5},
        "systems": {
            "own_bm25": system("BM25", variations_mean=UNKNOWN, **kinds),
            "own": system("mine", variations_mean=WORSE, **kinds),
        },
        "remedies": {"own_capot": {**remedy, "seconds": 61.4, "reindexes": False, "folder": "out/capot"}},
        "ranking": [entry("own", "mine", WORSE), entry("own_bm25", "BM25", UNKNOWN, {"difference": -0.1})],
        "pairs": [],
        "costs": {"own": NO_COSTS, "own_bm25": NO_COSTS},
        "compressed": [],
        "worst": [
            {"qid": "1", "variation": "typo", "query": NASTY, "varied": "a|bb", "before": 1.0, "after": 0.0},
        ],
    }


def test_the_headline(report_numbers):
    """Which to take, what changed queries cost it, what repairs it."""
    assert headline(report_numbers) == (
        "Take mine: on 100 queries over 1,000 passages it has the highest nDCG@10, 0.500 (not significantly better "
        "than BM25), and also where the queries are changed, 0.500 (not significantly better than BM25). Changed "
        "queries change its nDCG@10 by -20.0 % [-30.0, -10.0], p < .001; typo costs most, -20.0 %. 1 of 2 variations "
        "lower it significantly (p < 0.05 after Holm's correction). mine trained with CAPOT repairs most of what was "
        "tried: 0.550 in place of 0.500."
    )
    nothing = headline({**report_numbers, "remedies": {}})
    assert nothing.endswith(
        "Nothing that was tried does better than mine there. --spell-checker and --fix would try more."
    )
    words = headline({**report_numbers, "ranking": report_numbers["ranking"][::-1]}).partition("correction). ")[2]
    assert words.startswith("mine trained with CAPOT repairs most")
    first, second = entry("own_bm25", "BM25", BETTER, {"mean": 0.9}), entry("own", "mine", WORSE, {"difference": -0.4})
    words = headline({**report_numbers, "ranking": [first, second]})
    assert "than BM25 there. CAPOT raises mine there from 0.500 to 0.550. --spell-checker would" in words
    better = {**report_numbers["systems"]["own"]["query_sets"], "typo": BETTER}
    systems = {**report_numbers["systems"], "own": {**report_numbers["systems"]["own"], "query_sets": better}}
    assert "p < .001; none lowers it (typo +10.0 %)" in headline({**report_numbers, "systems": systems})


def test_a_row_for_every_query_set_and_remedy(report_numbers):
    lines = markdown(report_numbers).splitlines()
    typo = "[typo](results/own/report/queries.html#own/own/test/typo/nDCG%4010/own_table1)"
    stem = typo.replace("typo", "stem")
    assert f"| {typo} | 100.0 % | 0.400 | -20.0 % [-30.0, -10.0] | < .001 | < .001 | 0.040 | 0.400 | -20.0 % |" in lines
    assert f"| {stem} | 50.0 % | 0.550 | +10.0 % [+2.0, +18.0] | .010 | .020 | 0.030 | 0.550 | +10.0 % |" in lines
    assert any(line.startswith(f"| {stem.replace('stem', '**syntactic**', 1)} |  | 0.550") for line in lines)
    gains = "| CAPOT | 0.550 | +10.0 % [+2.0, +18.0] | .010 | – [unbounded] | 1.000 | 0.400 |"
    (remedy,) = (line for line in lines if line.startswith(gains))
    assert remedy.endswith("| 61 | stays | `out/capot` |")
    assert any("25.0 % of the passages are longer" in line for line in lines)


def test_a_row_for_every_size_of_vectors(report_numbers):
    size = {"label": "mine", "dimensions": 1024, "precision": "int8", "bytes": 1024, "original": 0.5}
    assert "Smaller vectors" not in markdown(report_numbers)
    lines = markdown({**report_numbers, "compressed": [{**size, "variations": WORSE}]}).splitlines()
    assert "| mine | 1,024 | int8 | 1,024 | 0.500 | 0.400 | -20.0 % [-30.0, -10.0] |" in lines


def test_queries_are_texts_whatever_they_look_like(report_numbers):
    page = html(report_numbers)
    assert f">{escape(NASTY, quote=False)}</td>" in page and ">a|bb</td>" in page
    assert "<script" not in page and "<em>" not in page


def test_names_are_texts_whatever_they_look_like(report_numbers):
    nasty = f"![x](http://h/x.png) {NASTY}\r\u2028y"
    report_numbers["systems"]["own_bm25"]["label"] = report_numbers["remedies"]["own_capot"]["label"] = nasty
    page = html({**report_numbers, "model": nasty, "sources": [f"The model is {nasty}."]})
    escaped = escape(nasty.replace("\r\u2028", " "), quote=False)
    assert page.count(escaped) >= 6 and "<script" not in page and "<em>" not in page and "<img" not in page


def test_a_line_break_in_a_query_is_a_blank(report_numbers):
    report_numbers["worst"][0]["query"] = "one\rtwo\x85three"
    assert "| one two three | a\\|bb |" in markdown(report_numbers)


def test_the_page_has_what_the_document_has(report_numbers):
    page, text = html(report_numbers), headline(report_numbers)
    assert f"<p>{escape(text, quote=False)}</p>" in page
    assert "CAPOT" in page and "The model is /models/mine." in page and page.count("<table>") == 5
    assert 'href="results/own/report/site.css"' in page
    assert 'href="results/own/report/queries.html#own/own/test/typo%2Cstem/nDCG%4010/own_table1"' in page


def test_of_a_model_of_a_server_nothing_is_said_of_lengths(report_numbers):
    assert "tokens of a passage" not in markdown({**report_numbers, "passage_length": None, "truncated": None})


def test_without_remedies_nothing_is_said_of_training(report_numbers):
    assert "What training would change" not in markdown({**report_numbers, "remedies": {}})


def test_several_models_are_ranked_with_what_is_not_behind_the_best(report_numbers):
    def against(mean, difference, **fields):
        return {
            "differing": 9,
            "mean": mean,
            "difference": difference,
            "difference_interval": [difference - 0.1, difference],
            **fields,
        }

    def ranked(label, *parts):
        return {
            "system": label,
            "label": label,
            "original": parts[0],
            "variations": parts[1],
            "drop": WORSE,
            "others": {},
        }

    first = ranked("A|", against(0.5, 0.0), against(0.3, -0.1, p_holm=0.2))
    second = ranked("B", against(0.4, -0.1, p_holm=0.01), against(0.4, 0.0))
    costs = {"A|": {**NO_COSTS, "index": 1_536_000, "p50": 12.34, "p95": 20.0, "throughput": 1234.5}}
    costs["B"] = {**NO_COSTS, "weights": 90_000_000}
    pair = {
        "labels": ("A|", "B"),
        "original": against(0.5, 0.1, p_holm=0.01),
        "variations": against(0.3, -0.1, p_holm=0.2),
        "change": against(-0.2, -0.2, p_holm=0.0),
    }
    report = {**report_numbers, "ranking": [first, second], "pairs": [pair], "costs": costs}
    report["systems"] = {name: report_numbers["systems"]["own"] for name in ("A|", "B", "own", "own_hybrid")}
    report["remedies"] = {}
    assert headline(report).startswith(
        "Take A|: on 100 queries over 1,000 passages it has the highest nDCG@10, 0.500, and B the highest where the "
        "queries are changed, 0.400 (not significantly better than A|). Changed queries change"
    )
    assert headline(report).endswith("B repairs most of what was tried: 0.400 in place of 0.300.")
    lines = markdown(report).splitlines()
    compared = "+0.100 [+0.000, +0.100] | .010 | -0.100 [-0.200, -0.100] | .200 | -0.200 [-0.300, -0.200] | < .001"
    assert rf"| A\| | B | {compared} |" in lines
    hybrid = ranked("H", against(0.6, 0.0), against(0.5, 0.0)) | {"system": "own_hybrid"}
    assert " Of the models alone, A| has the highest, 0.500. " in headline(
        {**report, "ranking": [hybrid, first, second]}
    )
    assert lines[0] == "# Which retriever is best, and how robust?"
    drop = "-20.0 % [-30.0, -10.0]"
    costly = f"{drop} |  | 1.5 MB | 12.3 ms | 20.0 ms | 1,234 |"
    assert rf"| A\| | 0.500 | best |  | 0.300 | -0.100 [-0.200, -0.100] | .200 | {costly}" in lines
    assert f"| B | 0.400 | -0.100 [-0.200, -0.100] | .010 | 0.400 | best |  | {drop} | 90.0 MB |  |  |  |  |" in lines


def test_where_no_query_changes_words_stand_for_numbers(report_numbers):
    """No interval, no p and no detectable difference of what was not tested; the best is named once."""
    same = {"mean": 0.5, "differing": 0, "difference": 0.0, "difference_interval": None, "drop": 0.0}
    same |= {"drop_interval": None, "p": 1.0, "p_holm": 1.0, "detectable": None}
    report_numbers["systems"]["own"]["query_sets"] |= {"typo": same, "stem": same, "variations_mean": same}
    report = {**report_numbers, "changed": {"typo": 1.0, "stem": 0.0}}
    rows = [line for line in markdown(report).splitlines() if line.startswith("| [")]
    assert any("[typo]" in row and "| 0.500 | no query changed its result |  |  | – |" in row for row in rows)
    assert any("[stem]" in row and "| 0.500 | no query changed |  |  | – |" in row for row in rows)
    assert "Changed queries cost mine nothing: no query changed its result." in headline(report)
    entries = [
        {"system": name, "label": name, "original": value, "variations": value, "drop": same, "others": {}}
        for name, value in (("A", {key: same[key] for key in same if key != "p_holm"}), ("B", same))
    ]
    pair = {"labels": ("A", "B"), "original": same, "variations": same, "change": same}
    report |= {"ranking": entries, "pairs": [pair], "costs": dict.fromkeys("AB", NO_COSTS)}
    report["systems"] |= dict.fromkeys("AB", report["systems"]["own"])
    assert "it has the highest nDCG@10, 0.500 (as B has), and also where" in headline(report)
    lines = markdown(report).splitlines()
    assert "| A | 0.500 | best |  | 0.500 | best |  | no query changed its result |  |  |  |  |  |" in lines
    assert sum("best |" in line for line in lines) == 1
    assert "| A | B | equal in every query |  | equal in every query |  | equal in every query |  |" in lines


def test_the_table_for_programs_has_every_system_and_query_set(report_numbers):
    for system in report_numbers["systems"].values():
        for change in system["query_sets"].values():
            change["difference_interval"] = [-0.2, 0.0]
    rows = list(csv.DictReader(table(report_numbers).splitlines()))
    assert len(rows) == 2 * 6
    (row,) = (row for row in rows if row["system"] == "own" and row["query_set"] == "typo")
    assert (row["label"], row["measure"], row["queries"], row["mean"]) == ("mine", "nDCG@10", "100", "0.4")
    assert (row["drop"], row["drop_low"], row["drop_high"], row["p_holm"]) == ("-0.2", "-0.3", "-0.1", "0.0002")
    (missing,) = (row for row in rows if row["system"] == "own_bm25" and row["query_set"] == "variations_mean")
    assert missing["drop"] == missing["drop_low"] == ""


def test_the_picture_has_a_line_for_each_variation_after_the_answer(report_numbers):
    page = html(report_numbers)
    assert page.index("Take mine") < page.index("<svg") < page.index("<table>")
    (picture,) = re.findall(r"<svg.*?</svg>", page)
    assert picture.count("<circle") == 5 and picture.count("-20.0 %") >= 3
    places = [float(x) for x in re.findall(r'(?:x[12]|x|cx)="([-0-9.]+)"', picture)]
    assert min(places) >= 0 and max(places) <= 340  # its width: it is as wide as the screen


def test_on_a_narrow_screen_a_row_is_a_list_and_each_cell_says_its_column(report_numbers):
    page = html(report_numbers)
    assert 'data-label="drop [95 %]"' in page and page.count('<div class="scroll"><table>') == page.count("<table>")
    narrow = page[page.index("@media (max-width: 40rem)") : page.index("</style>")]
    assert "main td { display: block; }" in narrow and "thead { display: none; }" in narrow
    for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL):
        assert row.count("<td") == row.count("<td data-label=")
