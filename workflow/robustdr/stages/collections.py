"""Collections: their passages, splits and cards."""

import argparse
from pathlib import Path

from robustdr.stages.options import INT, MADE, MADES, PATH, READ, READS, TEXT, TEXTS, stage


@stage("bring the files that a collection's passages are read from", source=TEXT, output=MADE)
def download_passages(a: argparse.Namespace) -> None:
    from robustdr.collections.downloads import download_passages
    from robustdr.collections.settings import Source
    from robustdr.core.files import write_json
    from robustdr.core.settings import read_settings

    write_json(a.output, {"files": download_passages(read_settings(Source, a.source))})


@stage(
    "write a collection's passages",
    makes=lambda a: [(a.output, a.output.with_suffix(".rows.arrow"))],
    source=TEXT,
    more_={**INT, "help": "passages beside the judged ones; all if not given"},
    judged_={**READS, "help": "the qrels of the judged ones"},
    output=PATH,
)
def corpus(a: argparse.Namespace) -> None:
    from robustdr.collections import write_corpus
    from robustdr.collections.settings import Source
    from robustdr.core.settings import read_settings

    print(write_corpus(read_settings(Source, a.source), a.output, a.more, a.judged))


@stage(
    "write a split's queries and what judges them",
    source=TEXT,
    split=TEXT,
    most_={**INT, "help": "queries; all if not given"},
    output=MADES,
)
def split(a: argparse.Namespace) -> None:
    from robustdr.collections import write_split
    from robustdr.collections.settings import Source
    from robustdr.core.settings import read_settings

    print(write_split(read_settings(Source, a.source), a.split, a.output, a.most))


@stage(
    "check a collection's passages, or a split of it, and describe them",
    source=TEXT,
    corpus_=READ,
    splits_={**READS, "help": "all files of the splits"},
    split_of_={**TEXTS, "default": [], "help": "the split of each file"},
    compared_={**READS, "help": "all files of splits of which near-duplicates are counted"},
    compared_of_={**TEXTS, "default": [], "help": "the split of each of these files"},
    output=MADE,
)
def card(a: argparse.Namespace) -> None:
    from robustdr.collections.card import write_card
    from robustdr.collections.settings import Source
    from robustdr.core.settings import read_settings

    splits: dict[str, list[Path]] = {}
    compared: dict[str, list[Path]] = {}
    for name, path in zip(a.split_of, a.splits, strict=True):
        splits.setdefault(name, []).append(path)
    for name, path in zip(a.compared_of, a.compared, strict=True):
        compared.setdefault(name, []).append(path)
    write_card(read_settings(Source, a.source), a.corpus, splits, a.output, compared)
