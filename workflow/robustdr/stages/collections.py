"""Collections: their passages, splits and cards."""

import argparse
from pathlib import Path

from robustdr.stages.options import CODE, MADE, MADES, PATH, READ, READS, TEXT, TEXTS, Made, stage


@stage("write a collection's passages", code_=CODE, source=TEXT, output=PATH)
def corpus(a: argparse.Namespace) -> Made:
    from robustdr.collections import write_corpus
    from robustdr.collections.rows import rows_of
    from robustdr.collections.settings import Source
    from robustdr.core.settings import read

    print(write_corpus(read(Source, a.source), a.output))
    return [(a.output, rows_of(a.output))]


@stage("write a split's queries and judgements", code_=CODE, source=TEXT, split=TEXT, output=MADES)
def split(a: argparse.Namespace) -> Made:
    from robustdr.collections import write_split
    from robustdr.collections.settings import Source
    from robustdr.core.settings import read

    print(write_split(read(Source, a.source), a.split, a.output))
    return None


@stage(
    "check a collection and describe it",
    source=TEXT,
    corpus_=READ,
    splits={**READS, "help": "all files of all splits"},
    split_of={**TEXTS, "help": "the split of each file"},
    output=MADE,
)
def card(a: argparse.Namespace) -> Made:
    from robustdr.collections.card import write_card
    from robustdr.collections.settings import Source
    from robustdr.core.settings import read

    splits: dict[str, list[Path]] = {}
    for name, path in zip(a.split_of, a.splits, strict=True):
        splits.setdefault(name, []).append(path)
    write_card(read(Source, a.source), a.corpus, splits, a.output)
    return None
