"""Bad labels: one line that names the file, the line and the column."""

from pathlib import Path

import pytest

from audit.labelled import QWERTY, P, write, write_sheets
from robustdr.core.errors import UserError
from robustdr.stages.__main__ import main
from robustdr.variations import labels

NUMBERS = Path(__file__).resolve().parents[2] / "config/papers/qvg/reported.yaml"

BROKEN = {
    "a missing column": (
        "table2",
        0,
        "Word ordering",
        "order",
        r":1: no column 'Word ordering'; the file needs id, UQV",
    ),
    "no label": ("table2", 1, "TRUE", "yes", r":3: Paraphrasing: 'yes' is not a label; allowed: TRUE, FALSE"),
    "a pair twice": ("table2", 2, "\n2,", "\n1,", r":4: id: pair '1' occurs twice"),
    "other queries": ("table2", 1, '"one, 3"', '"one, 4"', r": id: pair '3' has other queries than in .* 0\.csv"),
    "an unknown generator": (
        "table3",
        4,
        QWERTY,
        "WordSwapQWERTZ",
        r":5: method: 'WordSwapQWERTZ' is unknown \(did you",
    ),
    "an unknown collection": ("table3", 4, "antique,a1", "antiqe,a1", r":2: dataset: 'antiqe' is unknown"),
    "a blank final label": ("table3", 3, ",True,True", ",,True", r":2: valid: '' is not a label"),
    "a row cut short": ("table3", 3, ",True,True", "", r":2: valid: '' is not a label"),
}


@pytest.mark.parametrize(("table", "file", "old", "new", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_bad_labels_are_one_line_and_nothing_is_written(labelled, tmp_path, capsys, table, file, old, new, message):
    path = labels.files(labelled, table)[file]
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    output = tmp_path / "made" / "table.md"
    arguments = ["--table", table, "--labels", str(labelled), "--reported", str(NUMBERS), "--output", str(output)]
    assert main(["validate-labels", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and not output.parent.exists()
    with pytest.raises(UserError, match=message):
        raise UserError(error.removeprefix("robustdr: "))
    assert error.startswith(f"robustdr: {path}:")


# As a clone of the authors' repository has them.
CLONE = [
    "anotations/UQV_annotation - 0.csv",
    "anotations/UQV_annotation - 1.csv",
    "anotations/UQV_annotation - 2.csv",
    "anotations/automatic_query_variations_anotation - 0.csv",
    "anotations/automatic_query_variations_anotation - 1.csv",
    "anotations/automatic_query_variations_anotation - 2.csv",
    "data/variations_antique_labeled.csv",
    "data/variations_trec2019_labeled.csv",
]


@pytest.mark.parametrize("blank", [" ", "_"])
def test_the_files_of_a_clone_are_found_and_copies_without_blanks(tmp_path, blank):
    made = [tmp_path / name.replace(" ", blank) for name in CLONE]
    for path in made:
        write(path, [], [])
    assert sorted([*labels.files(tmp_path, "table2"), *labels.files(tmp_path, "table3")]) == sorted(made)
    made[1].unlink()
    with pytest.raises(UserError, match=r"anotations/UQV_annotation - 1\.csv: no such file; table2 of qvg"):
        labels.files(tmp_path, "table2")


def test_absent_empty_and_unrelated_files(labelled, tmp_path):
    with pytest.raises(
        UserError, match=r"anotations/UQV_annotation - 0\.csv: no such file; table2 of qvg is counted f"
    ):
        labels.files(tmp_path / "nowhere", "table2")
    with pytest.raises(UserError, match=r"table of qvg: 'table4' is unknown .*allowed: table2, table3"):
        labels.files(labelled, "table4")
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
    write_sheets(labelled, [{"1": [P]}, {"2": [P]}, {"3": [P]}])
    paths = labels.files(labelled, "table2")
    with pytest.raises(UserError, match="no pair is in all of"):
        labels.check_pairs(paths, [labels.read_pairs(path) for path in paths])
