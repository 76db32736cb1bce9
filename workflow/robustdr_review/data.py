"""What the files of collections count: passages, queries of each split, and queries that two splits share.

A folder has BEIR's layout: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv. Its name is that of the collection.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.audit.reported import Reported, Table, build
from robustdr.audit.transcript import Transcript
from robustdr.collections.forms import ENDINGS
from robustdr.collections.local import read_passages, read_qrels
from robustdr.collections.problems import refuse
from robustdr.core.errors import UserError

TABLE = "data"
_NOUNS = {"passages": re.compile(r"passage|document", re.I), "queries": re.compile(r"quer|question", re.I)}


class Counts(NamedTuple):
    """The counts of a folder, and the queries of each split."""

    collection: str
    passages: int
    queries: dict[str, frozenset[str]]


def counts(folder: Path) -> Counts:
    """Count a folder.

    Raises:
        UserError: it has no judgements, or a file is malformed.
    """
    splits = {
        path.name.partition(".")[0]: frozenset(read_qrels(path)) for path in sorted((folder / "qrels").glob("*.*"))
    }
    if not splits:
        raise UserError(f"--data: {folder}: no qrels/SPLIT.tsv; a folder has corpus.jsonl, queries.jsonl and qrels/")
    corpus = next((path for ending in ENDINGS if (path := folder / f"corpus{ending}").is_file()), None)
    return Counts(folder.name, sum(1 for _ in read_passages(corpus, refuse)) if corpus else 0, splits)


def as_reported(folders: Sequence[Counts]) -> Reported:
    """The counts as a table: a row for each collection."""
    splits = [*dict.fromkeys(split for folder in folders for split in folder.queries)]
    rows = [
        [
            folder.collection,
            str(folder.passages or "-"),
            *(str(len(folder.queries[split])) if split in folder.queries else "-" for split in splits),
        ]
        for folder in folders
    ]
    table: dict[str, Any] = {
        "caption": "Counts of the data's files",
        "unit": "count",
        "row": ["collection"],
        "columns": [{"quantity": "passages"}, *({"quantity": "queries", "split": split} for split in splits)],
        "cells": "\n".join(" | ".join(row) for row in rows),
    }
    content = {"paper": "data", "title": "Data", "tables": {TABLE: table}}
    return build(Path(TABLE), Transcript.model_validate(content), defaultdict(int))


def printed_counts(tables: Mapping[str, Table]) -> Iterator[str]:
    """Yield each count of a table as a sentence, if its labels or its caption say that it is of passages or queries."""
    for table in tables.values():
        for cell in (cell for cell in table.cells if cell.unit == "count"):
            for text in (str(cell), table.caption):
                if noun := next((noun for noun, words in _NOUNS.items() if words.search(text)), ""):
                    yield f"{cell}: {cell.printed} {noun}"
                    break


def shared(folder: Counts) -> Iterator[str]:
    """Yield, in words, how many queries two splits share."""
    for first, second in combinations(folder.queries, 2):
        if in_both := folder.queries[first] & folder.queries[second]:
            sizes = " and ".join(f"{len(folder.queries[split]):,} of {split}" for split in (first, second))
            name = folder.collection
            yield f"{name}: {len(in_both):,} queries are among the {sizes}: no test on either is independent"
