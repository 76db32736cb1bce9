"""The options that say where a collection is: three files, a folder in BEIR's layout, or an id of ir_datasets."""

import argparse
from pathlib import Path
from typing import NamedTuple

from robustdr.collections.forms import ENDINGS
from robustdr.collections.local import irds_id
from robustdr.core.errors import UserError
from robustdr.core.paths import named_path

PARTS = ("corpus", "queries", "qrels")


class Data(NamedTuple):
    """Where the passages, the queries and the judgements are; each may be `irds:<id>`.

    Attributes:
        published: a whole collection, which may have empty passages and queries without a judgement: they are left out.
    """

    corpus: Path
    queries: Path
    qrels: Path
    published: bool = False


def add_arguments(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """`--data`, or `--corpus`, `--queries` and `--qrels`; and `--split`; `several`: `--data` may name several."""
    text = "folder in BEIR's layout, or irds:ID of ir_datasets; in place of --corpus, --queries and --qrels"
    text += "; several give a mean over collections" if several else ""
    parser.add_argument("--data", type=named_path, metavar="FOLDER|irds:ID", nargs="+" if several else None, help=text)
    text = "TSV (docid, perhaps title, text), CSV with a head, JSONL or Parquet; or .gz, or irds:ID"
    parser.add_argument("--corpus", type=named_path, metavar="F", help=text)
    text = "TSV (qid<TAB>text), CSV with a head, JSONL or Parquet; or .gz, or irds:ID"
    parser.add_argument("--queries", type=named_path, metavar="F", help=text)
    text = "TREC (qid 0 docid grade), three columns (qid docid grade), or with a head; or .gz, or irds:ID"
    parser.add_argument("--qrels", type=named_path, metavar="F", help=text)
    text = "name for these queries; with --data FOLDER, the name of their qrels; default: test"
    parser.add_argument("--split", default="test", help=text)
    text = "accept missing judged passages, which count as not found, and missing judged queries, which are left out; "
    text += "--data always does so"
    parser.add_argument("--allow-missing", action="store_true", help=text)
    text = "leave the passage with the id of a query out of its results, as BEIR does; default: only if ids and texts "
    text += "show that queries are passages, as in ArguAna and Quora"
    parser.add_argument("--ignore-identical-ids", action=argparse.BooleanOptionalAction, help=text)


def parse_locations(a: argparse.Namespace) -> Data:
    """The data of the options.

    Raises:
        UserError: there are too few or too many options, or the corpus has an ending that is not read.
    """
    path_of = {name: path for name in PARTS if (path := getattr(a, name))}
    if a.data and path_of:
        raise UserError(f"--data: not allowed beside --{min(path_of)}")
    if not a.data and (missing := [f"--{name}" for name in PARTS if name not in path_of]):
        raise UserError(f"{missing[0]}: missing; allowed: --data, or {', '.join(f'--{name}' for name in PARTS)}")
    if a.data:
        return Data(a.data, a.data, a.data, True) if irds_id(a.data) else _folder(a.data, a.split)
    corpus = path_of["corpus"]
    if not irds_id(corpus) and not corpus.name.endswith(ENDINGS):
        raise UserError(f"--corpus: {corpus}: allowed are names that end in {', '.join(ENDINGS)}")
    return Data(**path_of)


def _folder(folder: Path, split: str) -> Data:
    """The files of a folder in BEIR's layout: corpus.jsonl, queries.jsonl, qrels/<split>.tsv, or with other endings."""

    def file(name: str, endings: tuple[str, ...]) -> Path:
        for ending in endings:
            if (path := folder / f"{name}{ending}").is_file():
                return path
        qrels_names = sorted({path.name.partition(".")[0] for path in (folder / name).parent.glob("*.*")})
        raise UserError(
            f"--data: {folder}: no {name}{endings[0]}; a folder has corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv"
            + (f"; its qrels: {', '.join(qrels_names)}" if name.startswith("qrels/") and qrels_names else "")
        )

    first = (".jsonl", ".jsonl.gz", *ENDINGS)
    qrels = (".tsv", ".tsv.gz", ".parquet", ".txt", ".txt.gz")
    return Data(file("corpus", first), file("queries", first), file(f"qrels/{split}", qrels), True)
