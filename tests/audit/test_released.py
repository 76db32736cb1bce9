"""Released queries counted beside what papers print: by hand, and on the released files where they are."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.audit.released import (
    CASE,
    DELETED,
    INSERTED,
    MORE,
    NEIGHBOUR,
    OTHER,
    SWAPPED,
    QuerySets,
    count,
    slip,
)
from robustdr.cli import main

RELEASED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.parametrize(
    ("typed", "kind"),
    [
        ("what is a kry", NEIGHBOUR),
        ("what is a kWy", NEIGHBOUR),
        ("what is a kEy", CASE),
        ("what is a kzy", OTHER),
        ("what is a keyy", INSERTED),
        ("what is a ky", DELETED),
        ("what is a kye", SWAPPED),
        ("what ia a kry", MORE),
        ("what is ak ry", NEIGHBOUR),  # blanks aside
    ],
)
def test_the_kinds_of_one_slip(typed, kind):
    assert slip("what is a key", typed) == kind


@given(st.text("abc ", min_size=2).filter(lambda text: len(text.split()) > 1), st.data())
def test_one_inserted_or_deleted_letter_is_seen_anywhere(text, data):
    position = data.draw(st.integers(0, len(text)))
    assert (
        slip(text, text[:position] + "x" + text[position:]),
        slip(text[:position] + "x" + text[position:], text),
    ) == (INSERTED, DELETED)


def test_counts_stand_beside_the_printed_ones(paper, tmp_path):
    columns = [{"quantity": quantity} for quantity in ("unchanged", "changed")]
    printed = paper(table1={"columns": columns, "unit": "count", "cells": "typo | 1 | 4"})
    (tmp_path / "all.tsv").write_text("1\ta b\n2\tkey\n3\tC d\n4\te\n", encoding="utf-8")
    (tmp_path / "typo.tsv").write_text("1\ta  b\n2\tkry\n3\tc d\n4\te\n", encoding="utf-8")
    declared = {"title": "Dev", "original": "all.tsv", "variations": {"typo": "typo.tsv"}, "slips": True}
    declared |= {"table": "table1", "where": {}, "quantities": {"unchanged": "unchanged", "changed": "changed"}}
    counts = {(e.row, e.column): (e.value, e.agrees) for e in count(QuerySets(**declared), tmp_path, printed)}
    assert counts["original", "queries"] == (4, None)
    assert counts["typo", "unchanged"] == (1, True) and counts["typo", "changed"] == (3, False)
    assert counts["typo", "changed in blanks alone"] == (1, None) and counts["typo", "changed in case alone"] == (
        1,
        None,
    )
    assert counts[NEIGHBOUR, "typo"] == (1, None) and counts[CASE, "typo"] == (1, None)


def test_bad_input_is_one_line(tmp_path, capsys):
    output = ["-o", str(tmp_path / "a.md")]
    assert main(["released", "capot", str(tmp_path), *output]) == 2
    assert "allowed: rodr, toroder" in capsys.readouterr().err
    assert main(["released", "rodr", str(tmp_path), *output]) == 2
    assert "queries.dev.small.tsv" in capsys.readouterr().err


@pytest.mark.skipif(not RELEASED.is_dir(), reason="needs the released files in ../shared/data")
def test_the_released_files_against_the_papers(tmp_path):
    counts = {}
    for name, folder in (("rodr", "rodr"), ("toroder", "dl-typo")):
        assert main(["released", name, str(RELEASED / folder), "-o", str(tmp_path / f"{name}.md")]) == 0
        for cell in json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))["cells"]:
            counts[cell["section"], cell["row"], cell["column"]] = (cell["counted"], cell["agrees"])
    dev = "MS MARCO passage dev"
    assert counts[dev, "swap_synonym_wordnet", "unchanged"] == (434, True)
    assert counts[dev, "swap_synonym_wordnet", "changed"] == (6546, False)
    case_alone = [
        counts[dev, name, "changed in case alone"][0] for name in ("back_translation", "swap_synonym_wordnet")
    ]
    assert [*case_alone, counts[f"{dev}, misspelled", "misspell", "changed in case alone"][0]] == [848, 644, 57]
    assert counts[f"{dev}, misspelled, slips", NEIGHBOUR, "misspell"] == (6892, None)
    assert counts["ANTIQUE", "wordnet_synonym_swap", "changed"] == (72, False)
    assert counts["DL-Typo", "original", "judged per query"][1] is True
    slips = [counts["DL-Typo, slips", kind, "human_misspelling"][0] for kind in (INSERTED, DELETED, SWAPPED, OTHER)]
    assert slips == [15, 15, 15, 12] and counts["DL-Typo, slips", NEIGHBOUR, "human_misspelling"][0] == 3
    assert sum(agrees is False for _, agrees in counts.values()) == 6
