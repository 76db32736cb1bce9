"""Rankings as arrays, and TREC runs with an ir_metadata header, under one tie rule."""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BufferedIOBase
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import yaml
from pyarrow import csv

from robustdr.errors import UserError
from robustdr.files import atomic
from robustdr.retrieval.best import NO_PASSAGE, QUERIES, best

Ranking = list[tuple[str, float]]  # (docid, score), best first

BLOCK = 1 << 22  # bytes of a run that are read at once
TEXT = pa.dictionary(pa.int32(), pa.large_string())  # each id once
COLUMNS = pa.schema({"qid": TEXT, "docid": TEXT, "score": pa.float64()})
READ = csv.ReadOptions(use_threads=False, column_names=["qid", "Q0", "docid", "rank", "score", "tag"])
PARSE = csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False)
CONVERT = csv.ConvertOptions(column_types=COLUMNS, include_columns=COLUMNS.names, null_values=[])


@dataclass(frozen=True, eq=False)
class Run(Mapping[str, Ranking]):
    """The rankings of queries: eight bytes a ranked passage, each docid once. A ranking is a list when it is asked for.

    Attributes:
        lines: the line of each query in the arrays; several queries may have one.
        docids: of all passages, by row.
        rows: [lines, depth], int32: the passages of each line, best first, then `NO_PASSAGE`.
        scores: [lines, depth], float32, or float64 where single precision would make ties.
    """

    lines: Mapping[str, int]
    docids: pa.Array
    rows: np.ndarray
    scores: np.ndarray

    def __getitem__(self, qid: str) -> Ranking:
        line = self.lines[qid]
        rows, scores = self.rows[line], self.scores[line]
        kept = rows != NO_PASSAGE
        return list(zip(self.docids.take(pa.array(rows[kept])).to_pylist(), scores[kept].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    @classmethod
    def scored(cls, docids: pa.Array, found: Mapping[str, tuple[np.ndarray, np.ndarray]], depth: int) -> "Run":
        """The `depth` best of the passages found for each query, (rows, scores) in any order."""
        width = min(depth, max((len(rows) for rows, _ in found.values()), default=0))
        rows, scores = np.full((len(found), width), NO_PASSAGE, np.int32), np.full((len(found), width), -np.inf)
        every = list(found.values())
        for start in range(0, len(every), QUERIES):
            some = every[start : start + QUERIES]
            shape = len(some), max(len(its_rows) for its_rows, _ in some)
            all_rows, all_scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf)
            for line, (its_rows, its_scores) in enumerate(some):
                all_rows[line, : len(its_rows)], all_scores[line, : len(its_rows)] = its_rows, its_scores
            at = slice(start, start + len(some)), slice(min(depth, shape[1]))
            rows[at], scores[at] = best(all_rows, all_scores, docids, depth)
        return cls({qid: line for line, qid in enumerate(found)}, docids, rows, scores)


def rank(scored: Iterable[tuple[str, float]], depth: int) -> Ranking:
    """The `depth` best under the same rule, of a query alone."""
    return sorted(scored, key=lambda pair: (pair[1], pair[0]), reverse=True)[:depth]


def metadata(tag: str, key: str, collection: str, query_set: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """The ir_metadata header of a run; `key` says what made it."""
    return {
        "tag": tag,
        "actor": {"team": "robustdr"},
        "implementation": {"source": {"command": "robustdr stage rank"}, "key": key},
        "data": {"test_data": {"name": collection, "topics": query_set.name}},
        "method": {"automatic": True, "settings": settings},
    }


def write_run(path: Path, run: Mapping[str, Ranking], metadata: dict[str, Any]) -> None:
    """Write a TREC run, gzipped if its name ends in .gz: the ir_metadata header as comments, then a line per passage,
    `qid Q0 docid rank score tag`. One query's lines are in memory at a time.

    Nine digits tell any two single-precision scores apart, so ties stay ties and nothing else becomes one.
    """
    header = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True)
    lines = ["# ir_metadata.start", *(f"# {line}" for line in header.splitlines()), "# ir_metadata.end"]
    # Without a time stamp, so that the same run is the same bytes.
    packed = zlib.compressobj(1, wbits=31) if path.suffix == ".gz" else None
    with atomic(path) as temporary, open(temporary, "wb") as file:
        for part in chain([lines], (_lines(qid, ranking, metadata["tag"]) for qid, ranking in run.items())):
            text = "".join(f"{line}\n" for line in part).encode()
            file.write(packed.compress(text) if packed else text)
        if packed:
            file.write(packed.flush())


def _lines(qid: str, ranking: Ranking, tag: str) -> Iterator[str]:
    return (f"{qid} Q0 {docid} {i} {score:.9g} {tag}" for i, (docid, score) in enumerate(ranking, 1))


def read_run(path: Path, depth: int | None = None) -> Run:
    """Read a run (gzipped or not), ordered by the tie rule; the `depth` best passages of every query, or all.

    Raises:
        UserError: the file is damaged or a line is no run line (names file and line).
    """
    docids, found = _read(path)
    run = Run.scored(docids, found, depth or max((len(rows) for rows, _ in found.values()), default=1))
    single = run.scores.astype(np.float32)
    same = [scores[:, 1:] == scores[:, :-1] for scores in (single, run.scores)]
    return replace(run, scores=single) if np.array_equal(*same) else run


def read_listed(path: Path) -> dict[str, Ranking]:
    """Read a run in the order of its lines, otherwise as `read_run`."""
    docids, found = _read(path)
    names = docids.to_pylist()
    return {
        qid: [(names[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]
        for qid, (rows, scores) in found.items()
    }


def read_docids(path: Path, depth: int) -> Iterator[tuple[str, list[str]]]:
    """The `depth` first docids of one query after the other, in the order of the lines; a block of these is in memory.

    Raises:
        UserError: as `read_run`, or the lines of a query are not together.
    """
    seen: set[str] = set()
    for qid, lines in groupby(chain.from_iterable(map(_pairs, _tables(path))), itemgetter(0)):
        if qid in seen:
            raise UserError(f"{path}: the lines of query {qid!r} are not together; delete the file and run again")
        seen.add(qid)
        yield qid, [docid for _, docid in islice(lines, depth)]


def _pairs(table: pa.Table) -> Iterator[tuple[str, str]]:
    """Query id and docid of every line."""
    columns = (table[name].combine_chunks() for name in ("qid", "docid"))
    return zip(*(map(ids.dictionary.to_pylist().__getitem__, ids.indices.to_pylist()) for ids in columns), strict=True)


def _read(path: Path) -> tuple[pa.Array, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """The docids of a run, and by query the rows of its passages among them and their scores, line by line."""
    table = pa.concat_tables([COLUMNS.empty_table(), *_tables(path)]).unify_dictionaries()
    qids, docids = (table[name].combine_chunks() for name in ("qid", "docid"))
    of = qids.indices.to_numpy()
    order = np.argsort(of, kind="stable") if (of[1:] < of[:-1]).any() else slice(None)
    ends = np.bincount(of, minlength=len(qids.dictionary)).cumsum()[:-1]
    columns = (np.split(column.to_numpy()[order], ends) for column in (docids.indices, table["score"]))
    found = dict(zip(qids.dictionary.to_pylist(), zip(*columns, strict=True), strict=False))
    return docids.dictionary, found


def _tables(path: Path) -> Iterator[pa.Table]:
    """The lines of a run, a block of them at a time."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            for number, block in _blocks(file):
                try:
                    if b"\t" in block or b"  " in block:
                        raise pa.ArrowInvalid("other white space")
                    yield csv.read_csv(pa.py_buffer(block), READ, PARSE, CONVERT)
                except pa.ArrowInvalid:  # also comments between the lines, or no run
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
    """Whole lines of a file, some at a time, and the number of the first; without the comments at its beginning."""
    number, line = 1, file.readline()
    while line.startswith(b"#"):
        number, line = number + 1, file.readline()
    while block := line + file.read(BLOCK) + file.readline():
        yield number, block
        number, line = number + block.count(b"\n"), b""


def read_metadata(path: Path) -> dict[str, Any]:
    """The ir_metadata header of a gzipped run; empty without one."""
    lines = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                break
            if not line.startswith("# ir_metadata."):
                lines.append(line[2:])
    return yaml.safe_load("".join(lines)) or {}
