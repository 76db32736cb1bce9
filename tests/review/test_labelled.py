"""Sentences over tables, each number labelled by hand before the program read it: how often a verdict is right.

`sentences.md` has tables of our own, and sentences in the forms of papers: `[31.8 agrees]` is a number that a cell
prints, `[38.1 look]` one that contradicts its cell, all others are tied to none. A paragraph begins with a line
`# `, which names its table. `pytest -s` prints the figures.
"""

import re
from pathlib import Path

from robustdr_review.prose import AGREES, LOOK, UNTIED, Prose
from robustdr_review.transcribe import transcribe

FILE = Path(__file__).with_name("sentences.md")
LABEL = re.compile(rf"\[([^][]+) ({AGREES}|{LOOK})\]")


def counts():
    """By verdict: how many it has, how many are right, how many labels there are, and the wrong ones in words."""
    prose = Prose(transcribe(FILE).reported)
    lines = FILE.read_text(encoding="utf-8").split("## Sentences\n")[1].split("\n")
    given, right, labels = (dict.fromkeys((AGREES, LOOK), 0) for _ in range(3))
    number, wrong, opening = 0, [], ""
    for line in filter(None, lines):
        if line.startswith("# "):
            opening = line.removeprefix("# ")
            continue
        number += 1
        expected = dict(LABEL.findall(line))
        for label in expected.values():
            labels[label] += 1
        for tie in prose.check([(1, f"{opening} " + LABEL.sub(r"\1", line))]).ties:
            if tie.verdict != UNTIED:
                given[tie.verdict] += 1
                right[tie.verdict] += expected.get(tie.number) == tie.verdict
                if expected.get(tie.number) != tie.verdict:
                    wrong.append((tie.number, tie.verdict, line))
    return number, given, right, labels, wrong


def test_verdicts_on_labelled_sentences_are_right():
    number, given, right, labels, wrong = counts()
    assert number >= 200
    for verdict in (AGREES, LOOK):
        print(f"{verdict}: {right[verdict]} of {given[verdict]} right, {labels[verdict]} labelled")
    for one in wrong:
        print(one)
    assert all(right[verdict] >= 0.98 * given[verdict] for verdict in given), wrong
