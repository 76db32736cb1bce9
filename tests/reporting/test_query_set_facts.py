"""Tables about query sets alone, by hand."""

import json
from dataclasses import replace

import pytest

from reporting.conftest import evaluation, settings_of
from reporting.test_layouts import cells, notes, rows
from robustdr.reporting.settings import TableSettings
from robustdr.reporting.tables import write_table

REPORTED = """\
paper: toy
title: A toy paper
tables:
  table2:
    caption: Similarity
    where: {quantity: cosine_similarity, collection: passages}
    row: system
    columns: [{query_set: misspell}, {query_set: variations_mean}]
    cells: |
      large | 96.04% | 94.48%
      small | 93.75% | 94.24%
  table3:
    caption: Diversity
    where: {collection: passages}
    row: query_set
    columns: [{quantity: sentence_length}, {quantity: jaccard_similarity}, {quantity: levenshtein_distance}]
    cells: |
      original | 36.89 | -      | -
      misspell | 36.44 | 71.80% | 1.85
"""
COUNTS = {
    "misspell": {"characters": 10.0, "word_jaccard": 0.5, "characters_edited": 1.25},
    "swap_words": {"characters": 12.0, "word_jaccard": 1.0, "characters_edited": 4.0},
}


@pytest.fixture()
def write(tmp_path):
    """`write("table2", spec, statistics)` writes a table and gives its files."""
    (tmp_path / "reported.yaml").write_text(REPORTED, encoding="utf-8")
    queries = tmp_path / "collections" / "toy" / "dev" / "queries.tsv"
    queries.parent.mkdir(parents=True)
    queries.write_text("1\tred river\n2\ta tree\n", encoding="utf-8")

    def table(name, spec, statistics, **changes):
        empty = {"losses": {}, "stand_ins": [], "notes": [], "environment": {}}
        spec = {"title": "T", "collections": ["passages"], **spec}
        settings = settings_of(TableSettings, table=name, spec=spec, evaluation=evaluation(), **empty)
        output = tmp_path / f"toy_{name}.md"
        settings = replace(settings, **changes)
        write_table(settings, [], statistics, [queries], tmp_path / "reported.yaml", [], None, output)
        return {suffix: output.with_suffix(f".{suffix}") for suffix in ("md", "json")}

    return table


def test_diversity_is_read_from_the_counts_and_means_are_over_variations(write, tmp_path):
    statistics = []
    for kind, counts in COUNTS.items():
        statistics.append(tmp_path / "variations" / "toy" / "dev" / f"{kind}.json")
        statistics[-1].parent.mkdir(parents=True, exist_ok=True)
        statistics[-1].write_text(json.dumps(counts))
    spec = {"rows": "diversity", "query_sets": ["original", "misspell", "variations_mean"]}
    files = write("table3", spec, statistics)
    head = ["characters", "Jaccard similarity of words", "Levenshtein distance"]
    assert rows(files)[0][2:] == [f"passages {name}" for name in head]
    lines = [line[2:] for line in rows(files)[1:]]
    assert lines == [
        ["36.89", "–", "–"],
        ["7.50", "–", "–"],  # 9 and 6 characters
        ["36.44", "71.80%", "1.85"],
        ["10", "50.00%", "1.25"],
        ["–", "–", "–"],
        ["11", "75.00%", "2.62"],
    ]
    assert cells(files, "query_set", "value")["variations_mean", "levenshtein_distance"]["reproduced"] == 2.625


def test_similarity_has_a_row_for_each_encoder_and_says_which_are_not_to_be_had(write, tmp_path):
    path = tmp_path / "similarity" / "toy" / "dev" / "small.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"misspell": 0.9, "swap_words": 0.96}))
    spec = {"rows": "similarity", "query_sets": ["misspell", "variations_mean"]}
    spec["encoders"] = {"large": "Large", "small": "Small"}
    files = write("table2", spec, [path], reasons={"large": "no network"})
    assert [line[0] for line in rows(files)[1:]] == ["Large", "", "Small", ""]
    assert [line[2:] for line in rows(files)[1:]] == [
        ["96.04%", "94.48%"],
        ["not run", "not run"],
        ["93.75%", "94.24%"],
        ["90.00%", "93.00%"],
    ]
    assert "Not run: no network" in notes(files)
