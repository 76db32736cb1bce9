"""qvg's human validation: counts and kappa worked by hand, the released labels where they are, bad input."""

import csv
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.labelled import SHEETS, A, N, P, S, W, write_sheets
from robustdr.audit.reported import load, load_paper
from robustdr.audit.validation import kappa, table2, table3
from robustdr.variations import labels

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ROOT / "config/papers/qvg/reported.yaml"
RELEASED = ROOT.parent / "shared" / "data" / "qvg"


@pytest.fixture
def printed(tmp_path):
    """qvg's reported.yaml with some of its numbers replaced."""

    def build(*replaced):
        text = NUMBERS.read_text(encoding="utf-8")
        for old, new in replaced:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "reported.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return build


def counted(entries):
    return {(e.section, e.row, e.column): e.value for e in entries}


def count_pairs(folder, reported):
    return table2([labels.read_pairs(path) for path in labels.files(folder, "table2")], reported)


def count_variations(folder, reported):
    paths = labels.files(folder, "table3")
    sheets = [v for path in paths[:3] for v in labels.read_variations(path, sheet=True)]
    return table3([v for path in paths[3:] for v in labels.read_variations(path, sheet=False)], sheets, reported)


def test_kappa_by_hand():
    """50 items: 20 yes by both, 15 no by both, 5 and 10 by one: p_o = .7, p_e = .5 * .6 + .5 * .4 = .5, κ = .2 / .5."""
    first = "y" * 25 + "n" * 25
    second = "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    assert kappa(first, second) == pytest.approx(0.4)
    # three labels: p_o = 4/6; a 3 and 2, b 2 and 2, c 1 and 2 times: p_e = (6 + 4 + 2) / 36 = 1/3; κ = (1/3) / (2/3)
    assert kappa("aaabbc", "aabbcc") == pytest.approx(0.5)
    assert kappa("yn", "ny") == -1
    assert kappa("yy", "nn") == 0
    assert kappa("nn", "nn") == 1  # 0/0: they agree in everything


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_kappa_is_symmetric_blind_to_names_and_1_only_for_equal_labels(items):
    first, second = zip(*items, strict=True)
    value = kappa(first, second)
    assert value == pytest.approx(kappa(second, first))
    assert value == pytest.approx(kappa([9 - a for a in first], [9 - b for b in second]))
    assert -1 - 1e-9 <= value <= 1 + 1e-9
    assert (value == pytest.approx(1)) == (first == second)


def test_table_2_by_hand(labelled):
    entries, notes = count_pairs(labelled, load_paper("qvg"))
    got = counted(entries)
    assert [got["", category, "count"] for category in (S, A, N, W, P)] == [3, 0, 2, 1, 7]
    assert [got["", category, "distinct pairs"] for category in (S, A, N, W, P)] == [1, 0, 2, 1, 4]
    assert (got["", "syntax", "count"], got["", "semantics", "count"]) == (10, 3)
    assert got["", "syntax", "share of all labels"] == pytest.approx(10 / 13)
    # Paraphrasing of pairs 1 to 4: ++-- +-+- ++--: κ 0, 1, 0. Naturality: -+-- ---- ----: κ 0, 0, 1. Others agree.
    agreement = [got["", category, "Cohen's κ"] for category in (S, A, N, W, P)]
    assert agreement == pytest.approx([1, 1, 1 / 3, 1, 1 / 3])
    assert got["In the text", "Cohen's κ, all categories", "number"] == pytest.approx(11 / 15)
    assert got["In the text", "pairs", "number"] == 7
    assert got["In the text", "pairs labelled by all annotators", "number"] == 4
    assert [got["In the text", f"pairs labelled by annotator {n} alone", "number"] for n in range(3)] == [1, 1, 1]
    assert got["In the text", "annotations with several categories", "number"] == 2
    assert "15 annotations of 7 pairs, because the 4 pairs that all 3 annotators labelled count 3 times" in notes[0]
    assert "13 labels in all" in notes[1] and "of 2 distinct pairs; 4 annotations have none" in notes[1]
    # 20 decisions, of which 4, 3 and 3 are yes. Annotators 0 and 1: p_o 17/20, p_e (4 * 3 + 16 * 17) / 400 = .71,
    # κ 14/29; 0 and 2: 19/20, .71, 24/29; 1 and 2: 18/20, .745, 31/51.
    assert f"pooled it would be {(14 / 29 + 24 / 29 + 31 / 51) / 3:.3f}" in notes[2]


def test_what_agrees_is_marked_and_what_another_row_explains_is_named(labelled, printed):
    path = printed(
        ("paraphrasing   | 215", "paraphrasing   | 7"),
        ("naturality | 33%", "naturality | 54%"),
        ("kappa | 0.42", "kappa | 0.73"),
    )
    entries, notes = count_pairs(labelled, load(path))
    agrees = {(e.row, e.column): e.agrees for e in entries}
    assert agrees[P, "count"] is True and agrees[S, "count"] is False and agrees["syntax", "count"] is None
    assert agrees["Cohen's κ, all categories", "number"] is True
    assert agrees[N, "share of all labels"] is False
    assert f"{N} · share of all labels: the printed 54% is what is counted for {P}." in notes  # 7/13 = 53.8 %
    assert "The sheets have no column for misspelling." in notes


def test_table_3_by_hand(labelled, printed):
    path = printed(
        ("random_char_substitution | 97.67%  | 91.00%", "random_char_substitution | 97.67%  | 66.67%"),
        ("qwerty_char_substitution | 97.67%  | 98.50%", "qwerty_char_substitution | 97.67%  | 100.00%"),
        ("antique      | 1,706", "antique      | 9"),
        ("wordnet_synonym_swap     | 37.21%  | 35.50%", "wordnet_synonym_swap     | 50.00%  | 33.33%"),
    )
    entries, notes = count_variations(labelled, load(path))
    got = counted(entries)
    columns = ("valid", "variations", "#Q", "both properties", "unchanged")
    rows = {row: [got["antique", row, c] for c in columns] for row in labels.GENERATORS.values()}
    assert rows["random_char_substitution"] == [1, 3, 3, 3, 0]
    assert rows["qwerty_char_substitution"] == [pytest.approx(2 / 3), 3, 2, 2, 1]
    assert rows["wordnet_synonym_swap"] == [pytest.approx(1 / 3), 3, 1, 0, 0]
    assert [got["antique", "all", c] for c in columns[1:]] == [9, 6, 5, 1]
    assert [got["both collections", "all", c] for c in columns[1:]] == [11, 7, 6, 1]
    agrees = {(e.section, e.row): e.agrees for e in entries if e.column == "valid"}
    assert agrees["antique", "wordnet_synonym_swap"] and agrees["trec-dl-2019", "wordnet_synonym_swap"]
    first, second = "random_char_substitution", "qwerty_char_substitution"
    assert not agrees["antique", first] and not agrees["antique", second]
    assert {
        f"antique · {first} · valid: the printed 66.67% is what is counted for {second}.",
        f"antique · {second} · valid: the printed 100.00% is what is counted for {first}.",
        "antique · #Q: the printed 9 is the counted 6 and the 3 original queries of antique.",
        "antique · wordnet_synonym_swap: queries without a variation: 1, with several: 1.",
        "antique · wordnet_synonym_swap · query a1: the sheet has `valid` blank and `follow_category` False, "
        "the labelled file `valid` False and `follow_category` False.",
        "antique · wordnet_synonym_swap · query a2: the sheet has `valid` True and `follow_category` True, "
        "the labelled file `valid` False and `follow_category` True.",
        "People labelled 6 variations, 5 of them among these 11; the others are of generators that the paper does not "
        "use: t5_uqv_paraphraser.",
    } <= set(notes)
    assert any(note.startswith("6 variations are in no sheet, 6 of these are valid exactly if") for note in notes)


def test_the_command_writes_the_same_numbers_three_times_whatever_the_order_of_the_pairs(labelled, tmp_path):
    """Markdown, CSV and JSON; rows in another order and another hash seed change no byte."""
    files_by_run = []
    for seed in ("1", "2"):
        output = tmp_path / seed / "qvg_table2.md"
        arguments = ["--table", "table2", "--labels", labelled, "--reported", NUMBERS, "--output", output]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "PYTHONHASHSEED": seed}
        subprocess.run(
            [sys.executable, "-m", "robustdr.stages", "validate-labels", *arguments], env=environment, check=True
        )
        files_by_run.append({path.name: path.read_bytes() for path in output.parent.iterdir()})
        recorded = files_by_run[-1].pop("qvg_table2.json.sha256").decode()
        assert all(f"  {name}\n" in recorded for name in files_by_run[-1])
        write_sheets(labelled, [dict(random.Random(7).sample(list(sheet.items()), len(sheet))) for sheet in SHEETS])
    assert files_by_run[0] == files_by_run[1] and set(files_by_run[0]) == {
        "qvg_table2.md",
        "qvg_table2.csv",
        "qvg_table2.json",
    }
    rows = list(csv.DictReader(files_by_run[0]["qvg_table2.csv"].decode().splitlines()))
    document = json.loads(files_by_run[0]["qvg_table2.json"])
    text = files_by_run[0]["qvg_table2.md"].decode()
    assert [str(cell["counted"]) for cell in document["cells"]] == [row["counted"] for row in rows]
    [row] = [row for row in rows if (row["row"], row["column"]) == (P, "count")]
    assert (row["table"], row["reported"], row["counted"], row["agrees"]) == ("qvg_table2", "215", "7", "False")
    assert f"| {P} | 215 | 7 ≠ | – | 53.85% | 4 | 0.333 |" in text
    assert all(f"- {note}\n" in text for note in document["footnotes"])


def test_the_workflow_counts_the_tables_where_the_key_is_set_and_names_it_where_it_is_not(labelled, tmp_path):
    clone = tmp_path / "clone"
    for part in ("rules", "config", "workflow", "report", "envs"):
        shutil.copytree(ROOT / part, clone / part)
    for part in ("Snakefile", "requirements.lock"):
        shutil.copy2(ROOT / part, clone / part)
    targets = ["results/tables/qvg_table2.md", "results/tables/qvg_table3.md"]

    def snakemake(*options):
        command = [sys.executable, "-m", "snakemake", "--cores", "1", *targets, *options]
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        return subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True)

    unset = snakemake("-n")
    assert unset.returncode == 1 and "config/config.yaml: qvg_labels: not set" in unset.stdout + unset.stderr
    done = snakemake("--config", f"qvg_labels={labelled}")
    assert done.returncode == 0, done.stderr
    assert all((clone / target).is_file() for target in targets)
    assert (clone / "results/tables/qvg_table3.json").is_file() and (clone / "results/tables/qvg_table2.csv").is_file()


@pytest.fixture
def released():
    if not RELEASED.is_dir():
        pytest.skip(f"{RELEASED} is not on this machine; it has the labels that the authors of qvg released")
    return RELEASED


def test_the_released_labels_give_table_2_and_its_kappa(released):
    entries, notes = count_pairs(released, load_paper("qvg"))
    got = counted(entries)
    assert [got["", category, "count"] for category in (S, A, N, W, P)] == [172, 111, 118, 37, 215]
    assert round(got["In the text", "Cohen's κ, all categories", "number"], 3) == 0.421
    assert got["In the text", "annotations with several categories", "number"] == 56
    assert got["In the text", "pairs", "number"] == 550
    assert [(e.row, e.column) for e in entries if e.agrees is False] == [(N, "share of all labels")]
    assert "600 annotations of 550 pairs, because the 25 pairs that all 3 annotators labelled count 3 times" in notes[0]


def test_the_released_labels_give_table_3_but_for_two_rows_and_the_totals(released):
    entries, notes = count_variations(released, load_paper("qvg"))
    got = counted(entries)
    totals = {place: got[place, "all", "#Q"] for place in ("trec-dl-2019", "antique", "both collections")}
    assert totals == {"trec-dl-2019": 334, "antique": 1506, "both collections": 1840}
    assert [got[place, "all", "both properties"] for place in ("trec-dl-2019", "antique")] == [326, 1426]
    assert got["antique", "qwerty_char_substitution", "#Q"] == 182
    assert got["antique", "random_char_substitution", "#Q"] == 197
    wrong = {(e.section, e.row) for e in entries if e.agrees is False}
    assert wrong == {
        ("antique", "random_char_substitution"),
        ("antique", "qwerty_char_substitution"),
        ("antique", "all"),
        ("both collections", "all"),
    }
    assert sum(e.agrees is True for e in entries) == 38  # of 20 percentages and 20 #Q, four not; 334 and 2,430 do
    blank = "antique · wordnet_synonym_swap · query 3470651: the sheet has `valid` blank"
    assert sum(note.startswith(blank) for note in notes) == 1
