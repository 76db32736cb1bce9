"""Tables of changes, and marks against the original queries of the same system, by hand."""

import json
import re

import numpy as np
import pytest
import scipy.stats

from robustdr.evaluation.names import MEAN

SETS = {"dev.original": [1, 2] * 20, "dev.misspell": [1, 4] * 20, "dev.swap_words": [1, 2] * 20}
SPEC = {
    "title": "Drops",
    "rows": "changes",
    "collections": ["passages", "verbs"],
    "systems": ["dr_oq", ["rodr", "rodr_verbs"]],
    "query_sets": [MEAN],
    "measures": ["RR@10"],
    "reported": ["study"],
    "averages": {"pipelines": ["dr_oq", ["rodr", "rodr_verbs"]]},
}
PRINTED = """\
  study:
    caption: Drops over valid queries
    where: {query_set: variations_mean, measure: RR@10, system: pipelines}
    row: collection
    columns: [{value: drop}]
    cells: |
      passages | 16.70%
      verbs    | -90%
"""


@pytest.fixture()
def study(paper, measured, tmp_path):
    """The toy paper with both systems on both collections, and a printed study."""
    for system in ("dr_oq", "rodr_verbs"):
        paper.measures[measured(system, SETS, collection="toy-verbs")] = "key"
    (tmp_path / "reported.yaml").write_text((tmp_path / "reported.yaml").read_text() + PRINTED)
    return paper


def rows(files):
    lines = [line for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    split = [[field.strip() for field in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [split[0], *split[2:]]


def cells(files):
    records = json.loads(files["json"].read_text(encoding="utf-8"))["cells"]
    return {(cell["system"], cell["role"], cell["query_set"]): cell for cell in records}


def notes(files):
    return [line[2:] for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith("- ")]


def test_the_average_change_by_hand(study):
    """dr_oq: (−50 % + 0) / 2 on passages, (−1/6 + 0) / 2 on verbs; rodr: (−1/6 + 0) / 2 on both."""
    files = study.table("table1", spec=SPEC, miniature="")
    cell_by_key = cells(files)
    for system, role, expected in (
        ("dr_oq", "passages", -1 / 4),
        ("rodr", "passages", -1 / 12),
        ("pipelines", "passages", -1 / 6),
        ("dr_oq", "verbs", -1 / 12),
        ("rodr_verbs", "verbs", -1 / 12),
        ("pipelines", "verbs", -1 / 12),
    ):
        cell = cell_by_key[system, role, MEAN]
        assert cell["drop"] == cell["reproduced"] == pytest.approx(expected, abs=1e-12), (system, role)
        assert cell["value"] == "drop" and cell["drop_low"] <= cell["drop"] <= cell["drop_high"]
    head, *lines = rows(files)
    assert head == ["System", "", "passages variations_mean RR@10", "verbs variations_mean RR@10"]
    assert lines[-2] == ["pipelines", "reported", "16.70%", "-90%"]
    assert re.fullmatch(r"-16\.7% \[-\d+\.\d, -\d+\.\d\] as printed", lines[-1][2])
    assert re.fullmatch(r"-8\.3% \[-\d+\.\d, [-+]\d+\.\d\] drops less", lines[-1][3])
    assert notes(files)[0].startswith("Each cell: a drop against the original queries, in brackets its 95 % interval")
    assert "pipelines: the mean of DR_OQ, RoDR w/o L_p|q." in notes(files)
    assert any("each over all queries." in note for note in notes(files))


def test_only_changed_queries_count(study, tmp_path):
    """Queries with even numbers keep their rank. Where the others alone change: dr_oq 1/2 → 1/4, rodr 1/2 → 1/4."""
    even, odd = [f"q{number:04}" for number in range(0, 40, 2)], [f"q{number:04}" for number in range(1, 40, 2)]
    texts = {qid: f"what is {qid}" for qid in (*even, *odd)}
    misspelled = {**texts, **{qid: f"waht is {qid}" for qid in odd}, **{qid: f"What is {qid}?" for qid in even}}
    swapped = {qid: f"{qid} is what" for qid in texts}
    for collection in ("toy", "toy-verbs"):
        for place, name, set_texts in (
            ("collections", "queries.tsv", texts),
            ("variations", "misspell.tsv", misspelled),
            ("variations", "swap_words.tsv", swapped),
        ):
            path = tmp_path / place / collection / "dev" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{qid}\t{text}\n" for qid, text in set_texts.items()))
            study.queries.append(path)
    files = study.table("table1", spec={**SPEC, "queries": "changed"})
    set_texts = cells(files)
    assert set_texts["rodr", "passages", MEAN]["drop"] == pytest.approx(-1 / 4)  # (−50 % + 0) / 2
    assert set_texts["dr_oq", "passages", MEAN]["drop"] == pytest.approx(-1 / 4)  # odd: 1/2 → 1/4 under misspell
    assert any("each over the queries whose words the variation changes." in note for note in notes(files))
    unchanged = tmp_path / "variations" / "toy" / "dev" / "misspell.tsv"
    unchanged.write_text("".join(f"{qid}\t{text.upper()}\n" for qid, text in texts.items()))
    cell = cells(study.table("table1", spec={**SPEC, "queries": "changed"}))["rodr", "passages", MEAN]
    assert cell["drop"] is None and cell["not_run"] == "no query that counts has a value above 0"


def test_an_average_needs_every_system(study):
    del study.measures[next(path for path in study.measures if path.parents[1].name == "rodr")]
    cell_by_key = cells(study.table("table1", spec=SPEC, reasons={"rodr": "its checkpoint is private"}))
    assert cell_by_key["pipelines", "passages", MEAN]["not_run"] == "its checkpoint is private"
    assert cell_by_key["dr_oq", "passages", MEAN]["drop"] == pytest.approx(-1 / 4)
    assert cell_by_key["pipelines", "verbs", MEAN]["drop"] == pytest.approx(-1 / 12)


TWO = {
    "title": "Query sets of two collections",
    "rows": "query_sets",
    "collections": ["passages", "verbs"],
    "systems": ["dr_oq", ["rodr", "rodr_verbs"]],
    "measures": ["RR@10"],
    "counts": ["valid"],
    "significance": {"against": "original", "level": 0.05, "correction": "bonferroni", "mark": "↓", "gain": "↑"},
}


def test_a_row_per_query_set_of_each_collection(study):
    head, *lines = rows(study.table("table1", spec=TWO))
    assert head == ["Query set", "", "valid", "DR_OQ RR@10", r"RoDR w/o L_p\|q RR@10"]
    ours = {line[0]: lines[position + 1] for position, line in enumerate(lines) if line[0]}
    assert list(ours) == [
        f"{role}, {query_set}" for role in ("passages", "verbs") for query_set in ("original", MEAN, *KINDS)
    ]
    assert [fields[2] for fields in ours.values()] == ["–", "–", "39", "5,677"] * 2
    assert ours["passages, misspell"][3].startswith("37.5↓ ") and ours["verbs, misspell"][3].startswith("62.5↓ ")


KINDS = ("misspell", "swap_words")


def test_marks_against_the_original_queries_are_corrected(study, measured):
    """Of 40 queries 4 fall from 1 to 1/2: p is 0.0437 alone and twice that as one of two tests of the system."""
    with_losses, without_losses = [2] * 4 + [1] * 36, [1] * 40
    sets = {"dev.original": without_losses, "dev.misspell": with_losses, "dev.swap_words": without_losses}
    measured("dr_oq", sets)
    measured(
        "rodr", {**sets, "dev.original": [2] * 40, "dev.misspell": [1] * 20 + [2] * 20, "dev.swap_words": [2] * 40}
    )
    files = study.table("table1", spec=TWO)
    cell_by_key = cells(files)
    uncorrected_p = scipy.stats.ttest_rel(1 / np.array(with_losses), np.ones(40)).pvalue
    cell = cell_by_key["dr_oq", "passages", "misspell"]
    assert uncorrected_p < 0.05 and cell["p"] == pytest.approx(2 * uncorrected_p) and cell["p"] > 0.05
    assert (cell["mark"], cell["against"], cell["difference"]) == ("", "dr_oq", pytest.approx(-0.05))
    assert cell_by_key["rodr", "passages", "misspell"]["mark"] == "↑"
    assert cell_by_key["dr_oq", "verbs", "misspell"]["mark"] == "↓"
    for unmarked in ("original", MEAN):
        assert (
            cell_by_key["rodr", "passages", unmarked]["p"] is None
            and not cell_by_key["rodr", "passages", unmarked]["mark"]
        )
    assert cell_by_key["rodr", "passages", "swap_words"]["p"] == 1.0
    table_notes = notes(files)
    assert (
        "↓ ↑: paired two-tailed t-test over queries (of each, the mean over seeds) at p < 0.05, Bonferroni's "
        "correction for all variations of the collection: worse or better than the same system on the original "
        "queries; means are not tested."
    ) in table_notes
    assert "passages: 0 ↓, 1 ↑ of 4 comparisons, 2 a system." in table_notes
    assert "verbs: 2 ↓, 0 ↑ of 4 comparisons, 2 a system." in table_notes


ATTACKED = {
    "title": "Robustness",
    "rows": "robustness",
    "collections": ["passages"],
    "systems": ["dr_oq", "rodr"],
    "measures": ["RR@10"],
    "reported": ["attacks"],
}
ATTACKS = """\
  attacks:
    caption: Effectiveness (average drop / worst drop)
    where: {collection: passages, query_set: original, measure: RR@10}
    unit: fraction
    row: system
    columns: [{and: [average_drop, worst_drop]}]
    cells: |
      dr_oq | 0.750(25.0%/50.0%)
      align | 0.750(40.0%/16.7%)
"""


def test_mean_and_worst_drop_by_hand(study, tmp_path):
    """dr_oq: −50 % and 0, so −25 % and −50 %; rodr: −1/6 and 0, so −1/12 and −1/6."""
    (tmp_path / "reported.yaml").write_text((tmp_path / "reported.yaml").read_text() + ATTACKS)
    files = study.table("table1", spec=ATTACKED, miniature="")
    records = json.loads(files["json"].read_text(encoding="utf-8"))["cells"]
    drops = {(cell["system"], cell["value"]): cell["reproduced"] for cell in records}
    assert drops["dr_oq", "value"] == 0.75
    expected = {"dr_oq": (-1 / 4, -1 / 2), "rodr": (-1 / 12, -1 / 6)}
    for system, (average, worst) in expected.items():
        assert drops[system, "average_drop"] == pytest.approx(average)
        assert drops[system, "worst_drop"] == pytest.approx(worst)
    head, *lines = rows(files)
    assert head[2:] == ["passages RR@10", "passages RR@10 average drop", "passages RR@10 worst drop"]
    assert lines[0][1:] == ["reported", "0.750", "25.0%", "50.0%"]
    assert re.fullmatch(r"-25\.0% \[.*\] as printed", lines[1][3])
    assert re.fullmatch(r"-16\.7% \[.*\] as printed", lines[3][4])
    assert re.fullmatch(r"-8\.3% \[.*\] drops less", lines[3][3])
    assert notes(files)[0].startswith("Each cell: the measure ×100, or its drop against the original queries, in ")
    study.measures.pop(next(path for path in study.measures if path.parents[1].name == "rodr"))
    missing = study.table("table1", spec=ATTACKED, reasons={"rodr": "its checkpoint is private"})
    assert rows(missing)[-1][2:] == ["not run"] * 3
