"""Runs as TREC files, without a head: the field's readers take no comments."""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedIOBase
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from robustdr.core.errors import UserError
from robustdr.core.files import atomic

BLOCK = 1 << 22  # bytes of a run that are read at once
IDS = pa.dictionary(pa.int32(), pa.large_string())  # each id is stored once
COLUMNS = pa.schema({"qid": IDS, "docid": IDS, "score": pa.float64()})
READ = csv.ReadOptions(use_threads=False, column_names=["qid", "Q0", "docid", "rank", "score", "tag"])
PARSE = csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False)
CONVERT = csv.ConvertOptions(column_types=COLUMNS, include_columns=COLUMNS.names, null_values=[])


def write_trec(path: Path, run: Mapping[str, Iterable[tuple[str, float]]], tag: str) -> None:
    """Write rankings as a TREC file, gzipped if the name ends in .gz: lines of `qid Q0 docid rank score tag`.

    One query's lines are in memory at a time. Scores have nine digits, enough to tell any two single-precision scores
    apart: no new ties.
    """
    # zlib writes no time stamp, so the same run gives the same bytes.
    packed = zlib.compressobj(1, wbits=31) if path.suffix == ".gz" else None
    with atomic(path) as temporary, open(temporary, "wb") as file:
        for qid, ranking in run.items():
            text = "".join(_lines(qid, ranking, tag)).encode()
            file.write(packed.compress(text) if packed else text)
        if packed:
            file.write(packed.flush())


def _lines(qid: str, ranking: Iterable[tuple[str, float]], tag: str) -> Iterator[str]:
    return (f"{qid} Q0 {docid} {i} {score:.9g} {tag}\n" for i, (docid, score) in enumerate(ranking, 1))


def read_trec(path: Path) -> tuple[pa.Array, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """The docids of a run by row, and (rows, scores) of the passages of each query, in the order of the lines.

    Raises:
        UserError: the file is damaged, or a line is malformed (names file and line).
    """
    table = pa.concat_tables([COLUMNS.empty_table(), *_tables(path)]).unify_dictionaries()
    qids, docids = (table[name].combine_chunks() for name in ("qid", "docid"))
    query_numbers = qids.indices.to_numpy()
    order = np.argsort(query_numbers, kind="stable") if (query_numbers[1:] < query_numbers[:-1]).any() else slice(None)
    ends = np.bincount(query_numbers, minlength=len(qids.dictionary)).cumsum()[:-1]
    columns = (np.split(column.to_numpy()[order], ends) for column in (docids.indices, table["score"]))
    scored_rows = dict(zip(qids.dictionary.to_pylist(), zip(*columns, strict=True), strict=False))
    return docids.dictionary, scored_rows


def read_listed(path: Path) -> dict[str, list[tuple[str, float]]]:
    """(docid, score) pairs of each query, in the order of the lines; raises as `read_trec`."""
    docids, scored_rows = read_trec(path)
    names = docids.to_pylist()
    return {
        qid: [(names[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]
        for qid, (rows, scores) in scored_rows.items()
    }


def trec_docids(path: Path, depth: int) -> Iterator[tuple[str, list[str]]]:
    """Yield (query id, its first `depth` docids) in the order of the lines; one block of lines is in memory at a time.

    Raises:
        UserError: as `read_trec`, or the lines of a query are not consecutive.
    """
    finished: set[str] = set()
    for qid, lines in groupby(chain.from_iterable(map(_pairs, _tables(path))), itemgetter(0)):
        if qid in finished:
            raise UserError(f"{path}: the lines of query {qid!r} are not consecutive; delete the file and run again")
        finished.add(qid)
        yield qid, [docid for _, docid in islice(lines, depth)]


def _pairs(table: pa.Table) -> Iterator[tuple[str, str]]:
    """Query id and docid of every line."""
    columns = (table[name].combine_chunks() for name in ("qid", "docid"))
    return zip(*(map(ids.dictionary.to_pylist().__getitem__, ids.indices.to_pylist()) for ids in columns), strict=True)


def _tables(path: Path) -> Iterator[pa.Table]:
    """Yield the lines of a run in blocks."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            for number, block in _blocks(file):
                try:
                    if b"\t" in block or b"  " in block:
                        raise pa.ArrowInvalid("other white space")
                    yield csv.read_csv(pa.py_buffer(block), READ, PARSE, CONVERT)
                except pa.ArrowInvalid:  # other white space, comments between the lines, or not a run
                    rows = []
                    for line in block.splitlines():
                        if not line.startswith(b"#"):
                            qid, _, docid, _, score, _ = line.decode().split()
                            rows.append({"qid": qid, "docid": docid, "score": float(score)})
                        number += 1
                    yield pa.Table.from_pylist(rows, COLUMNS)
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}:{number}: not a TREC run ({error}); delete the file and run again") from error


def _blocks(file: BufferedIOBase) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines, each with the number of its first line; leading comments are skipped."""
    number, line = 1, file.readline()
    while line.startswith(b"#"):
        number, line = number + 1, file.readline()
    while block := line + file.read(BLOCK) + file.readline():
        yield number, block
        number, line = number + block.count(b"\n"), b""
