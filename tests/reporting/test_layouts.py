"""Layouts: what stands in which row and column, by hand."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from reporting.conftest import evaluation, settings_of
from robustdr.audit.reported import load_paper
from robustdr.evaluation.names import MEAN
from robustdr.reporting.layouts.seeds import summary
from robustdr.reporting.settings import TableSettings
from robustdr.reporting.tables import write_table


def rows(files):
    """The fields of the lines of a Markdown table, half intervals left out."""
    lines = [line for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    split = [[re.sub(r" ±[\d.]+", "", field.strip()) for field in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [split[0], *split[2:]]


def cells(files, *names):
    """The cells of a table's JSON by these of their fields."""
    records = json.loads(files["json"].read_text(encoding="utf-8"))["cells"]
    return {tuple(cell[name] for name in names): cell for cell in records}


def notes(files):
    return [line[2:] for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith("- ")]


@pytest.fixture()
def other_clean(paper, measured):
    """`rodr` with means 1 on the original queries, .625 on `misspell`, .75 on `swap_words`; `dr_oq` has .75 clean."""
    measured("rodr", {"dev.original": [1] * 40, "dev.misspell": [1, 4] * 20, "dev.swap_words": [1, 2] * 20})
    return paper


def test_drops_from_another_system_are_on_its_original_queries_too(other_clean):
    lines = rows(
        other_clean.table(
            "table5",
            evaluation=other_clean.evaluation(typos_mean=["misspell"]),
            paper_queries={"passages": 10**6, "verbs": 10**6},
            miniature="",
        )
    )[1:]
    assert [(line[0], line[4], line[5]) for line in lines if line[1] == "reported"] == [
        ("original", "80.0% / 0.00%", "79.0% / -1.25%"),
        ("variations_mean", "–", "–"),
        ("typos_mean", "–", "–"),
        ("misspell", "40.0% / -50.00%", "60.0% / -25.00%"),
        ("swap_words", "–", "–"),
    ]
    assert [(line[4], line[5]) for line in lines if line[1] == "reproduced"] == [
        ("75.0 / +0.0% as printed", "100.0 / +33.3% opposite"),  # .75 / .75, 1 / .75
        ("56.2 / -25.0%", "68.8 / -8.3%"),  # (.375 + .75) / 2 and (.625 + .75) / 2, over .75
        ("37.5 / -50.0%", "62.5 / -16.7%"),
        ("37.5 / -50.0% as printed", "62.5 / -16.7% drops less"),
        ("75.0 / +0.0%", "75.0 / +0.0%"),
    ]


def test_the_legend_says_whose_original_queries_drops_are_from(other_clean):
    legend = notes(other_clean.table("table5", miniature=""))[0]
    assert legend.startswith("Each cell: the measure ×100, then its drop against the original queries of DR_OQ. ")
    assert notes(other_clean.table("table1", miniature=""))[0].startswith(
        "Each cell: the measure ×100, then its drop against the original queries. "
    )


def test_lost_questions_are_counted(paper):
    note = "Queries that lost all their uncommon words, and so no longer ask the same: misspell 7.5 %."
    assert note in notes(paper.table("table1"))


def test_a_heading_names_the_measure_that_was_taken(paper, measured):
    for system in ("dr_oq", "rodr"):
        measured(system, {f"dev.{kind}": [1] for kind in ("original", "misspell", "swap_words")}, measures=("RR@5",))
    assert rows(paper.table("table2", measured={"RR@10": "RR@5"}))[0][2] == "passages original RR@5 [RR@10]"


def test_means_say_what_they_average(paper):
    table_notes = notes(paper.table("table5", evaluation=paper.evaluation(typos_mean=["misspell"])))
    assert "typos_mean: mean of misspell." in table_notes


def test_means_say_what_they_leave_out(paper):
    evaluation = paper.evaluation()
    evaluation["passages"]["means"] = {MEAN: ["swap_words"]}
    files = paper.table("table1", evaluation=evaluation, reasons={"misspell": "its list is private"})
    assert "The means leave out misspell: its list is private." in notes(files)
    assert cells(files, "system", "query_set")["dr_oq", MEAN]["reproduced"] == 0.75  # that of swap_words alone


def test_the_mean_of_a_paper_leaves_out_the_query_sets_of_other_papers(paper, measured):
    measured("rodr", {"dev.original": [1], "dev.misspell": [2], "dev.swap_words": [2], "dev.of_another_paper": [0]})
    assert cells(paper.table("table1"), "system", "query_set")["rodr", MEAN]["reproduced"] == 0.5


def test_a_row_per_collection_each_with_its_own_systems(other_clean, measured):
    for system, clean in (("dr_oq_verbs", [1, 1]), ("rodr_verbs", [2, 2])):
        sets = {"dev.original": clean * 20, "dev.misspell": [2, 2] * 20, "dev.swap_words": [1, 1] * 20}
        other_clean.measures[measured(system, sets, collection="toy-verbs")] = "key"
    files = other_clean.table("table3", miniature="")
    assert rows(files) == [
        ["Collection", "", "DR_OQ RR@10", r"RoDR w/o L_p\|q RR@10"],
        ["passages", "reported", "-24.0%", "-8.00%"],
        ["", "reproduced", "56.2 / -25.0% drops more", "68.8 / -8.3% as printed"],
        ["verbs", "reported", "-10.0%", "-9.00%"],
        ["", "reproduced", "75.0 / -25.0% drops more", "75.0 / -25.0% drops more"],  # both against dr_oq_verbs, 1.0
    ]
    assert cells(files, "system").keys() == {(name,) for name in ("dr_oq", "rodr", "dr_oq_verbs", "rodr_verbs")}
    assert "All columns: variations_mean." in notes(files)


def test_a_column_per_query_set_of_a_collection(paper):
    spec = {"title": "T", "rows": "collections", "collections": ["passages"], "systems": [["dr_oq"]]}
    spec |= {"measures": ["RR@10"], "query_sets": ["original", "misspell"]}
    lines = rows(paper.table("table3", spec=spec))
    assert lines[0][2:] == ["DR_OQ RR@10 original", "DR_OQ RR@10 misspell"]
    assert lines[2][2:] == ["75.0", "37.5 / -50.0%"]


SEEDS = {"paper": [1, 2, 3], "scale": [1, 2]}


def test_a_column_per_seed(paper, measured):
    sets = {"dev.original": [1, 1] * 20, "dev.misspell": [2, 4] * 20, "dev.swap_words": [1, 2] * 20}
    paper.measures[measured("dr_oq", sets, seed=2)] = "key"
    files = paper.table("table4", seeds=SEEDS)
    head, reported, reproduced = rows(files)[:3]
    assert head[2:] == ["Seed 1", "Seed 2", "Seed 3", "Mean", "Deviation", "CI", "Upper bound", "Lower bound"]
    assert reported == [
        "original", "reported", "70.0%", "71.0%", "72.0%", "71.0%", "1.00E-02", "1.13E-02", "72.1%", "69.9%"
    ]  # fmt: skip
    # Means .75 and 1: deviation .25 / √2 = .1768, CI 1.96 · .1768 / √2 = .2450.
    assert reproduced[2:] == ["75.0", "100.0", "not run", "87.5", "17.68", "24.50", "112.0", "63.0"]
    cell_by_key = cells(files, "query_set", "seed", "value")
    assert cell_by_key["original", 3, "value"]["not_run"] == "this scale has 2 seeds of this system: 1, 2"
    assert (cell_by_key["original", 2, "value"]["seeds"], cell_by_key["original", 0, "median"]["seeds"]) == (1, 2)
    assert len(cell_by_key) == 4 * 8


def test_one_seed_has_a_mean_and_nothing_else(paper):
    files = paper.table("table4", seeds={**SEEDS, "scale": [1]})
    assert rows(files)[2][2:] == ["75.0", "not run", "not run", "75.0", *["not run"] * 4]
    assert "Not run: this scale has 1 seed of this system: 1" in notes(files)


@pytest.mark.parametrize("query_set", ["original", "random_char", "keyboard_char", "reorder_words"])
def test_the_summary_of_seeds_is_the_one_that_capot_prints(query_set):
    """Table 8; its seeds are rounded to 1e-4. (Other rows of it disagree with themselves.)"""
    table = load_paper("capot").tables["table8"]
    seeds = np.array([cell.value for cell in table.select({"query_set": query_set, "seed": "*"})])
    for value, number in summary(seeds).items():
        (printed,) = table.select({"query_set": query_set, "value": value})
        assert number == pytest.approx(printed.value, abs=1e-4), value


def test_a_measure_of_another_depth_is_named(paper):
    evaluation = paper.evaluation()
    evaluation["passages"]["measures"] = ["RR@100"]
    measured = {"RR@100": "RR@10", "R@1000": "R@100"}
    files = paper.table("table1", evaluation=evaluation, measured=measured)
    assert [note for note in notes(files) if "is measured as" in note] == ["RR@100 is measured as RR@10 here."]


def test_losses_are_in_the_footnotes(paper):
    losses = {"rodr": {"name": "capot", "margin": 1.0, "variant": "text"}, "dr_oq": {"name": "self_teaching"}}
    table_notes = notes(paper.table("table1", losses=losses))
    assert "Loss of RoDR w/o L_p|q: capot with margin 1.0, variant text." in table_notes
    assert "Loss of DR_OQ (dr_oq): self_teaching." in table_notes  # another system bears this label


def test_the_only_variation_of_a_role_stands_in_place_of_the_mean(paper):
    evaluation = paper.evaluation()
    evaluation["passages"] |= {"variations": ["misspell"], "means": {MEAN: ["misspell"]}}
    lines = rows(paper.table("table2", evaluation=evaluation))
    assert lines[0][2:] == ["passages original RR@10", "passages misspell RR@10"]
    assert [line[2:] for line in lines[1:3]] == [["70.0", "–"], ["75.0", "37.5 / -50.0%"]]


def test_a_role_has_those_of_the_measures_that_are_its_own(paper, measured):
    ranks = {"dev.original": [1, 2] * 20, "dev.misspell": [2, 4] * 20, "dev.swap_words": [1, 2] * 20}
    paper.measures[measured("dr_oq", ranks, collection="toy-verbs", measures=("RR",))] = "key"
    evaluation = paper.evaluation()
    evaluation["verbs"] = {**evaluation["verbs"], "measures": ["RR"]}
    spec = {"title": "T", "rows": "systems", "collections": ["passages", "verbs"], "systems": ["dr_oq"]}
    files = paper.table(
        "table2",
        spec=spec | {"measures": ["RR@10", "RR"]},
        evaluation=evaluation,
        measured={"RR@10": "RR@10", "RR": "RR"},
    )
    kinds = ("original", MEAN)
    assert rows(files)[0][2:] == [*(f"passages {k} RR@10" for k in kinds), *(f"verbs {k} RR" for k in kinds)]


def test_measures_as_they_are(paper):
    spec = {"title": "T", "rows": "systems", "collections": ["passages"], "systems": ["dr_oq"], "unit": "number"}
    files = paper.table("table2", spec=spec)
    assert rows(files)[2][2:] == ["0.750", "0.562"]
    assert notes(files)[0] == "Each cell: the measure."


def test_systems_that_are_compared_in_a_column_are_a_family(paper, measured):
    ranks = {"dev.original": [1, 2] * 20, "dev.misspell": [2, 4] * 20, "dev.swap_words": [1, 2] * 20}
    paper.measures[measured("third", ranks)] = "key"
    against = {"dr_oq": "rodr", "third": "rodr", "gone": "rodr"}
    test = {"against": against, "level": 0.01, "mark": "↓"}
    spec = {"title": "T", "rows": "systems", "collections": ["passages"], "systems": ["dr_oq", "rodr", "third", "gone"]}
    labels = {"dr_oq": "A", "rodr": "B", "third": "C", "gone": "D"}
    cells_by_test = {}
    for name, correction in (("alone", {}), ("family", {"correction": "bonferroni"})):
        files = paper.table(
            "table2", spec=spec | {"significance": test | correction}, labels=labels, names={s: s for s in labels}
        )
        cells_by_test[name] = cells(files, "system", "query_set")
    alone, corrected = (cells_by_test[name]["dr_oq", MEAN] for name in ("alone", "family"))
    assert corrected["p"] == pytest.approx(2 * alone["p"]) and corrected["mark"] == "↓"  # `gone` was not run
    assert cells_by_test["family"]["gone", MEAN]["p"] is None and cells_by_test["family"]["rodr", MEAN]["p"] is None
    assert any("Bonferroni's correction for those in a column that were run: A against B" in n for n in notes(files))


def test_statistics_of_a_collection_are_counted_from_its_card_and_queries(tmp_path):
    """Of two queries one has two misspellings, the other one twice; three judgements of grade 1 or more."""
    folder = tmp_path / "collections" / "toy"
    (folder / "dev").mkdir(parents=True)
    grades = {"0": 5, "1": 2, "2": 1}
    card = {"name": "toy", "passages": {"count": 6000}, "splits": {"train": {"queries": 9}}}
    card["splits"]["dev"] = {"queries": 2, "grades": grades}
    (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
    sets = {
        "queries": ["red river", "a tree"],
        "misspell": ["red rivr", "a tre"],
        "misspell.draw2": ["rd river", "a tre"],
    }
    paths = []
    for name, texts in sets.items():
        place = folder if name == "queries" else tmp_path / "variations" / "toy"
        paths.append(place / "dev" / f"{name}.tsv")
        paths[-1].parent.mkdir(parents=True, exist_ok=True)
        paths[-1].write_text("".join(f"{number}\t{text}\n" for number, text in enumerate(texts)), encoding="utf-8")
    reported = tmp_path / "reported.yaml"
    reported.write_text(STATISTICS, encoding="utf-8")
    spec = {"title": "Statistics", "rows": "statistics", "collections": ["passages"]}
    settings = settings_of(
        TableSettings,
        table="table1",
        spec=spec,
        evaluation=evaluation(),
        losses={},
        stand_ins=[],
        notes=[],
        environment={},
    )
    write_table(settings, [], [folder / "card.json"], paths, reported, [], None, tmp_path / "toy_table1.md")
    files = {suffix: tmp_path / f"toy_table1.{suffix}" for suffix in ("md", "json")}
    reproduced = [line[2] for line in rows(files)[1:] if line[1] == "reproduced"]
    assert reproduced == ["6,000", "9", "2", "1.50", "1.50", "2", "2"]
    assert [line[2] for line in rows(files)[1:] if line[1] == "reported"] == ["9,167,352", *"–" * 6]
    assert cells(files, "value")[("relevant_per_query",)]["reproduced"] == 1.5
    absent = replace(settings, reasons={"toy": "private"})
    write_table(absent, [], [], [], reported, [], None, tmp_path / "toy_table1.md")
    assert [line[2] for line in rows(files)[1:] if line[1] == "reproduced"] == ["not run"] * 7
    assert "Not run: private" in notes(files)


STATISTICS = """\
paper: toy
title: A toy paper
tables:
  table1:
    caption: Statistics
    where: {collection: passages}
    row: quantity
    columns: [{}]
    cells: |
      passages | 9,167,352
"""
