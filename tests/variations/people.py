"""Slips and rewordings of people, from the public sources, as numbers for `robustdr.variations`.

Usage: PYTHONPATH=workflow:tests python -m variations.people DATA

DATA is a folder with dl-typo/query.tsv and query.typo.tsv (github ielab/CharacterBERT-DR, `data/dl-typo`),
medquad/liveqa-med-questions.xml (abachaa/LiveQA_MedicalTask_TREC2017 at 3f5a42c) and
stackfaq/stackExchange-FAQ.json.gz (ML-Recipes/BERT-FAQ at 3c18403). `corrections.tsv` has, for each misspelled word
of the last two, the text, the numbers of its first word and of the word after it, and the corrected word.
"""

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from robustdr.core.files import read_queries
from robustdr.variations.slips import words

Pairs = list[tuple[str, str]]  # right and wrong text
CORRECTIONS = Path(__file__).parent / "corrections.tsv"


def dl_typo(folder: Path) -> Pairs:
    right, wrong = (read_queries(folder / name) for name in ("query.tsv", "query.typo.tsv"))
    return [(text, wrong[qid]) for qid, text in right.items()]


def liveqa(file: Path) -> Iterator[tuple[str, str]]:
    """The id and the text of each question: its subject and its message."""
    for question in etree.parse(str(file)).iter("NLM-QUESTION"):
        original = question.find("Original-Question")
        yield question.get("qid"), f"{original.findtext('SUBJECT') or ''} {original.findtext('MESSAGE') or ''}"


def stackfaq(file: Path) -> Iterator[tuple[str, str, str]]:
    """The id, the question and a rewording by people; `*` and null are none."""
    with gzip.open(file) as opened:
        questions = json.load(opened)["root"]["qapair"]
    for number, entry in enumerate(questions):
        for at, text in enumerate(entry["rephr"]):
            if text not in ("*", None):
                yield f"{number}.{at}", entry["question"], text


def corrected(source: str, texts: dict[str, str]) -> Pairs:
    """Texts beside themselves without their misspelled words."""
    right = {text: words(wrong) for text, wrong in texts.items()}
    with open(CORRECTIONS, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["source"] == source]
    for row in reversed(rows):  # from the end, so that the numbers of the words hold
        right[row["text"]][int(row["first"]) : int(row["after"])] = row["corrected"].split()
    return [(" ".join(right[text]), wrong) for text, wrong in texts.items()]
