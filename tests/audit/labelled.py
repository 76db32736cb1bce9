"""Hand-made labels of query variations, written as the authors of qvg released theirs."""

import csv
from pathlib import Path

from robustdr.variations import labels

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
            [id, "s", f"one, {id}", f'"two" {id}', *(str(c in categories).upper() for c in labels.CATEGORIES), ""]
            for id, categories in sheet.items()
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


def write_released(folder: Path) -> None:
    """Lay all of them out as the released ones."""
    write_sheets(folder, SHEETS)
    for name, rows in zip(labels.VARIATION_SHEETS, LABELLED_BY_HAND, strict=True):
        write_variations(folder / name, rows)
    for name, rows in zip(labels.LABELLED, (TREC, ANTIQUE), strict=True):
        write_variations(folder / name, rows)
