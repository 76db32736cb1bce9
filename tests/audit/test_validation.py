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

from robustdr.audit import labels
from robustdr.audit.reported import load, load_paper
from robustdr.audit.validation import kappa, table2, table3
from robustdr.cli import main
from robustdr.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ROOT / "config/papers/qvg/reported.yaml"
RELEASED = ROOT.parent / "shared" / "data" / "qvg"
S, A, N, W, P = "specialisation", "aspect_change", "naturality", "ordering", "paraphrasing"

# Pairs 1 to 4 are labelled by all three annotators, 5 to 7 by one each.
SHEETS = [
    {"1": [P], "2": [P, N], "3": [], "4": [S], "5": [N]},
    {"1": [P], "2": [], "3": [P], "4": [S], "6": [W, P]},
    {"1": [P], "2": [P], "3": [], "4": [S], "7": []},
]
RANDOM, QWERTY, WORDNET = "WordSwapRandomCharacterSubstitution", "WordSwapQWERTY", "WordSwapWordNet"
# dataset, query, method, text ("" is the query itself), valid, follow_category
ANTIQUE = [
    ["antique", "a1", RANDOM, "x", "True", "True"],
    ["antique", "a2", RANDOM, "x", "True", "True"],
    ["antique", "a3", RANDOM, "x", "True", "True"],
    ["antique", "a1", QWERTY, "x", "True", "True"],
    ["antique", "a2", QWERTY, "", "False", "False"],
    ["antique", "a3", QWERTY, "x", "True", "True"],
    ["antique", "a1", WORDNET, "x", "True", "False"],
    ["antique", "a1", WORDNET, "y", "False", "False"],
    ["antique", "a2", WORDNET, "z", "False", "True"],
]
TREC = [["msmarco", "t1", WORDNET, "x", "True", "True"], ["msmarco", "t2", WORDNET, "y", "False", "True"]]
LABELLED_BY_HAND = [
    [["antique", "a1", WORDNET, "x", "TRUE", "FALSE"], ["antique", "a1", WORDNET, "y", "", "FALSE"]],
    [["antique", "a2", WORDNET, "z", "TRUE", "TRUE"], ["antique", "a2", "t5_uqv_paraphraser", "w", "TRUE", "TRUE"]],
    [["trec-dl-2019", "t1", WORDNET, "x", "TRUE", "TRUE"], ["trec-dl-2019", "t2", WORDNET, "y", "FALSE", "TRUE"]],
]


def write(path, head, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def write_sheets(folder, sheets):
    head = ["id", *labels.PAIR, *labels.CATEGORIES.values(), "how to\nlabel"]
    for name, sheet in zip(labels.PAIR_SHEETS, sheets, strict=True):
        rows = [
            [id, "s", f"one, {id}", f'"two" {id}', *(str(c in given).upper() for c in labels.CATEGORIES), ""]
            for id, given in sheet.items()
        ]
        write(folder / name, head, rows)


def write_variations(path, rows):
    head = [
        "dataset",
        "q_id",
        "method",
        "transformation_type",
        "original_query",
        "variation",
        "valid",
        "follow_category",
    ]
    filled = [
        [dataset, query, method, "kind", f"query {query}", text or f"query {query}", valid, fits]
        for dataset, query, method, text, valid, fits in rows
    ]
    write(path, head, filled)


@pytest.fixture
def folder(tmp_path):
    """The hand-made labels, laid out as the released ones."""
    folder = tmp_path / "labels"
    write_sheets(folder, SHEETS)
    for name, rows in zip(labels.VARIATION_SHEETS, LABELLED_BY_HAND, strict=True):
        write_variations(folder / name, rows)
    for name, rows in zip(labels.LABELLED, (TREC, ANTIQUE), strict=True):
        write_variations(folder / name, rows)
    return folder


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


def test_table_2_by_hand(folder):
    entries, notes = count_pairs(folder, load_paper("qvg"))
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


def test_what_agrees_is_marked_and_what_another_row_explains_is_named(folder, printed):
    path = printed(
        ("paraphrasing   | 215", "paraphrasing   | 7"),
        ("naturality | 33%", "naturality | 54%"),
        ("kappa | 0.42", "kappa | 0.73"),
    )
    entries, notes = count_pairs(folder, load(path))
    agrees = {(e.row, e.column): e.agrees for e in entries}
    assert agrees[P, "count"] is True and agrees[S, "count"] is False and agrees["syntax", "count"] is None
    assert agrees["Cohen's κ, all categories", "number"] is True
    assert agrees[N, "share of all labels"] is False
    assert f"{N} · share of all labels: the printed 54% is what is counted for {P}." in notes  # 7/13 = 53.8 %
    assert "The sheets have no column for misspelling." in notes


def test_table_3_by_hand(folder, printed):
    path = printed(
        ("random_char_substitution | 97.67%  | 91.00%", "random_char_substitution | 97.67%  | 66.67%"),
        ("qwerty_char_substitution | 97.67%  | 98.50%", "qwerty_char_substitution | 97.67%  | 100.00%"),
        ("antique      | 1,706", "antique      | 9"),
        ("wordnet_synonym_swap     | 37.21%  | 35.50%", "wordnet_synonym_swap     | 50.00%  | 33.33%"),
    )
    entries, notes = count_variations(folder, load(path))
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


BROKEN = {
    "a missing column": (
        "table2",
        0,
        "Word ordering",
        "order",
        r":1: no column 'Word ordering'; the file needs id, UQV",
    ),
    "no label": ("table2", 1, "TRUE", "yes", r":3: Paraphrasing: 'yes' is no label; allowed: TRUE, FALSE"),
    "a pair twice": ("table2", 2, "\n2,", "\n1,", r":4: id: pair '1' occurs twice"),
    "other queries": ("table2", 1, '"one, 3"', '"one, 4"', r": id: pair '3' has other queries than in .*_0\.csv"),
    "an unknown generator": (
        "table3",
        4,
        QWERTY,
        "WordSwapQWERTZ",
        r":5: method: 'WordSwapQWERTZ' is unknown \(did you",
    ),
    "an unknown collection": ("table3", 4, "antique,a1", "antiqe,a1", r":2: dataset: 'antiqe' is unknown"),
    "a blank final label": ("table3", 3, ",True,True", ",,True", r":2: valid: '' is no label"),
    "a row cut short": ("table3", 3, ",True,True", "", r":2: valid: '' is no label"),
}


@pytest.mark.parametrize(("table", "file", "old", "new", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_bad_labels_are_one_line_and_nothing_is_written(folder, tmp_path, capsys, table, file, old, new, message):
    path = labels.files(folder, table)[file]
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    output = tmp_path / "made" / "table.md"
    arguments = ["--table", table, "--labels", str(folder), "--reported", str(NUMBERS), "--output", str(output)]
    assert main(["validate-labels", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and not output.parent.exists()
    with pytest.raises(UserError, match=message):
        raise UserError(error.removeprefix("robustdr: "))
    assert error.startswith(f"robustdr: {path}:")


def test_absent_empty_and_unrelated_files(folder, tmp_path):
    with pytest.raises(
        UserError, match=r"anotations/UQV_annotation_-_0\.csv: no such file; table2 of qvg is counted from"
    ):
        labels.files(tmp_path / "nowhere", "table2")
    with pytest.raises(UserError, match=r"table of qvg: 'table4' is unknown .*allowed: table2, table3"):
        labels.files(folder, "table4")
    path = tmp_path / "sheet.csv"
    path.write_text("")
    with pytest.raises(UserError, match=r":1: no column 'id'"):
        labels.read_pairs(path)
    write(path, ["id", *labels.PAIR, *labels.CATEGORIES.values()], [])
    with pytest.raises(UserError, match="no rows below the head"):
        labels.read_pairs(path)
    path.write_bytes(path.read_bytes() + b"1,s,\xff\n")
    with pytest.raises(UserError, match=r":2: not UTF-8"):
        labels.read_pairs(path)
    write_sheets(folder, [{"1": [P]}, {"2": [P]}, {"3": [P]}])
    paths = labels.files(folder, "table2")
    with pytest.raises(UserError, match="no pair is in all of"):
        labels.check_pairs(paths, [labels.read_pairs(path) for path in paths])


def test_the_command_writes_the_same_numbers_three_times_whatever_the_order_of_the_pairs(folder, tmp_path):
    """Markdown, CSV and JSON; rows in another order and another hash seed change no byte."""
    made = []
    for seed in ("1", "2"):
        output = tmp_path / seed / "qvg_table2.md"
        arguments = ["--table", "table2", "--labels", str(folder), "--reported", str(NUMBERS), "--output", str(output)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow"), "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-m", "robustdr", "validate-labels", *arguments], env=environment, check=True)
        made.append({path.name: path.read_bytes() for path in output.parent.iterdir()})
        write_sheets(folder, [dict(random.Random(7).sample(list(sheet.items()), len(sheet))) for sheet in SHEETS])
    assert made[0] == made[1] and set(made[0]) == {"qvg_table2.md", "qvg_table2.csv", "qvg_table2.json"}
    rows = list(csv.DictReader(made[0]["qvg_table2.csv"].decode().splitlines()))
    about = json.loads(made[0]["qvg_table2.json"])
    text = made[0]["qvg_table2.md"].decode()
    assert [str(cell["counted"]) for cell in about["cells"]] == [row["counted"] for row in rows]
    [row] = [row for row in rows if (row["row"], row["column"]) == (P, "count")]
    assert (row["table"], row["reported"], row["counted"], row["agrees"]) == ("qvg_table2", "215", "7", "False")
    assert f"| {P} | 215 | 7 ≠ | – | 53.85% | 4 | 0.333 |" in text
    assert all(f"- {note}\n" in text for note in about["footnotes"])


def test_the_workflow_counts_the_tables_where_the_key_is_set_and_names_it_where_it_is_not(folder, tmp_path):
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
    done = snakemake("--config", f"qvg_labels={folder}")
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
