"""Runs as TREC files, without a head: the field's readers take no comments.

Every command reads runs here, so that all have the same checks. Query ids may begin with `#`, as comments do: a line is
a comment if it begins so and is no line of a run.
"""

import gzip
import re
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from io import BufferedIOBase
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

from robustdr.core.errors import UserError
from robustdr.core.files import atomic

BLOCK = 1 << 22  # bytes of a run that are read at once
IDS = pa.dictionary(pa.int32(), pa.large_string())  # each id is stored once
COLUMNS = pa.schema({"qid": IDS, "docid": IDS, "rank": IDS, "score": pa.float64()})
RANK = re.compile(r"-?[0-9]{1,9}")
WIDTHS = (6, 5, 3)  # fields of a line: of TREC, without a tag, and MS MARCO's `qid docid rank`
SCORE = re.compile(r"[-+]?(?:[0-9.]+(?:e[-+]?[0-9]+)?|nan|inf(?:inity)?)", re.IGNORECASE)
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


class Listed(NamedTuple):
    """A run as its lines list it.

    Attributes:
        docids: of all passages, by row. scored_rows: (rows, scores) of the passages of each query, in order.
        notes: what a reader of its numbers should know, in words.
    """

    docids: pa.Array
    scored_rows: dict[str, tuple[np.ndarray, np.ndarray]]
    notes: list[str]


def read_trec(path: Path) -> Listed:
    """Read a run.

    Raises:
        UserError: the file is damaged, a line is malformed (names file and line), a score is no finite number, a query
            has a passage twice, or every query has its lowest score at the first rank, as distances have.
    """
    forms: set[str] = set()
    table = pa.concat_tables([COLUMNS.empty_table(), *_tables(path, forms)]).unify_dictionaries()
    qids, docids, ranks = (table[name].combine_chunks() for name in ("qid", "docid", "rank"))
    query_numbers, rows, scores = qids.indices.to_numpy(), docids.indices.to_numpy(), table["score"].to_numpy()
    _check_repeated(path, qids, docids)
    notes = [*sorted(forms), *_order_notes(path, query_numbers, ranks, scores)]
    order = np.argsort(query_numbers, kind="stable") if (query_numbers[1:] < query_numbers[:-1]).any() else slice(None)
    ends = np.bincount(query_numbers, minlength=len(qids.dictionary)).cumsum()[:-1]
    columns = (np.split(column[order], ends) for column in (rows, scores))
    scored_rows = dict(zip(qids.dictionary.to_pylist(), zip(*columns, strict=True), strict=False))
    return Listed(docids.dictionary, scored_rows, notes)


def lacking(qids: Collection[str], queries: Collection[str]) -> list[str]:
    """A note if a run has no passage for some queries."""
    missing = len({*queries} - {*qids})
    return [f"lacks {missing} of {len(queries)} queries, which count 0"] if missing else []


def _check_repeated(path: Path, qids: pa.Array, docids: pa.Array) -> None:
    """Refuse a run that has a passage twice for a query."""
    pairs = qids.indices.to_numpy().astype(np.int64) * len(docids.dictionary) + docids.indices.to_numpy()
    _, first = np.unique(pairs, return_index=True)
    if len(first) < len(pairs):
        line = int(np.setdiff1d(np.arange(len(pairs)), first)[0])
        raise UserError(f"{path}: query {qids[line].as_py()!r} has a passage twice: {docids[line].as_py()!r}")


def _order_notes(path: Path, query_numbers: np.ndarray, ranks: pa.Array, scores: np.ndarray) -> list[str]:
    """Notes on ties, and on ranks that the scores contradict.

    Raises:
        UserError: all do, and none agrees.
    """
    if not len(scores):
        return []
    number, notes = int(query_numbers.max()) + 1, []
    by_score = np.lexsort((scores, query_numbers))
    same_query = query_numbers[by_score][1:] == query_numbers[by_score][:-1]
    equal = scores[by_score][1:] == scores[by_score][:-1]
    pairs, ties, differing = (
        np.bincount(query_numbers[by_score][1:][chosen], minlength=number)
        for chosen in (same_query, same_query & equal, same_query & ~equal)
    )
    if all_tied := int(((pairs > 0) & (differing == 0)).sum()):
        notes.append(f"has one score for all passages in {all_tied} of {number} queries; their ids decide the order")
    if partly_tied := int(((ties > 0) & (differing > 0)).sum()):
        notes.append(f"has ties in {partly_tied} of {number} queries; of equal scores, the later id is first")
    stated = ranks.dictionary.to_pylist()
    if not all(map(RANK.fullmatch, stated)):
        return notes
    stated_ranks = np.array([int(rank) for rank in stated])[ranks.indices.to_numpy()]
    by_rank = np.lexsort((stated_ranks, query_numbers))
    later = np.diff(stated_ranks[by_rank]) > 0
    later &= query_numbers[by_rank][1:] == query_numbers[by_rank][:-1]
    rises, falls = (
        np.bincount(query_numbers[by_rank][1:][later & chosen], minlength=number) > 0
        for chosen in (np.diff(scores[by_rank]) > 0, np.diff(scores[by_rank]) < 0)
    )
    if rises.any() and not falls.any():
        raise UserError(
            f"{path}: the rank column and the scores disagree in {rises.sum()} of {number} queries: the higher score "
            "is the better one, as in trec_eval; if the scores are distances, write them with a minus"
        )
    if rises.any():
        notes.append(f"has ranks that disagree with its scores in {rises.sum()} of {number} queries; scores decide")
    return notes


def read_listed(path: Path) -> tuple[dict[str, list[tuple[str, float]]], list[str]]:
    """(docid, score) pairs of each query, in the order of the lines, and the run's notes; raises as `read_trec`."""
    docids, scored_rows, notes = read_trec(path)
    names = docids.to_pylist()
    return {
        qid: [(names[row], score) for row, score in zip(rows.tolist(), scores.tolist(), strict=True)]
        for qid, (rows, scores) in scored_rows.items()
    }, notes


def trec_docids(path: Path, depth: int) -> Iterator[tuple[str, list[str]]]:
    """Yield (query id, its first `depth` docids) in the order of the lines; one block of lines is in memory at a time.

    Raises:
        UserError: as `read_trec`, or the lines of a query are not consecutive.
    """
    finished: set[str] = set()
    for qid, lines in groupby(chain.from_iterable(map(_pairs, _tables(path, set()))), itemgetter(0)):
        if qid in finished:
            raise UserError(f"{path}: the lines of query {qid!r} are not consecutive; delete the file and run again")
        finished.add(qid)
        docids = [docid for _, docid in lines]
        if len({*docids}) < len(docids):
            (docid, _), *_ = Counter(docids).most_common(1)
            raise UserError(f"{path}: query {qid!r} has a passage twice: {docid!r}")
        yield qid, docids[:depth]


def _pairs(table: pa.Table) -> Iterator[tuple[str, str]]:
    """Query id and docid of every line."""
    columns = (table[name].combine_chunks() for name in ("qid", "docid"))
    return zip(*(map(ids.dictionary.to_pylist().__getitem__, ids.indices.to_pylist()) for ids in columns), strict=True)


def _tables(path: Path, notes: set[str]) -> Iterator[pa.Table]:
    """Yield the lines of a run in blocks; add to `notes` what its lines lack. The first line has the form of all."""
    number, width = 0, 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            for number, block in _blocks(file):
                width = width or _width(block)
                notes |= {5: {"has no tags"}, 3: {"has no scores; its ranks decide"}}.get(width, set())
                try:
                    if width != WIDTHS[0] or b"\t" in block or b"  " in block:
                        raise pa.ArrowInvalid("other white space")
                    table = csv.read_csv(pa.py_buffer(_without_comments(block)), READ, PARSE, CONVERT)
                except pa.ArrowInvalid:  # other white space, or not a run
                    rows = []
                    for line in block.splitlines():
                        if not _is_comment(line):
                            rows.append(_row(line.decode().split(), width))
                        number += 1
                    table = pa.Table.from_pylist(rows, COLUMNS)
                _check_finite(path, table)
                yield table
    except UserError:
        raise
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}:{number}: not a TREC run ({error}); delete the file and run again") from error


def _check_finite(path: Path, table: pa.Table) -> None:
    scores = table["score"].to_numpy()
    if len(wrong := np.flatnonzero(~np.isfinite(scores))):
        qid, docid = (table[name][int(wrong[0])].as_py() for name in ("qid", "docid"))
        message = f"query {qid!r} gives passage {docid!r} the score {scores[wrong[0]]}"
        raise UserError(f"{path}: {message}; a score is a finite number")


def _is_comment(line: bytes) -> bool:
    """Whether a line begins with `#` and is no line of a run."""
    if not line.startswith(b"#"):
        return False
    fields = line.decode(errors="replace").split()
    if len(fields) == WIDTHS[-1]:
        return not RANK.fullmatch(fields[2])
    return len(fields) not in WIDTHS or not RANK.fullmatch(fields[3]) or not SCORE.fullmatch(fields[4])


def _width(block: bytes) -> int:
    """Return the number of fields of a block's first line that is no comment; that of TREC unless it is in `WIDTHS`.

    A line of five or three fields must have numbers where they are expected.
    """
    fields = next((line.decode(errors="replace").split() for line in block.splitlines() if not _is_comment(line)), [])
    numbers = {5: [(3, RANK), (4, SCORE)], 3: [(2, RANK)]}.get(len(fields), [])
    return len(fields) if numbers and all(form.fullmatch(fields[place]) for place, form in numbers) else WIDTHS[0]


def _row(fields: list[str], width: int) -> dict[str, object]:
    """Return the columns of a line of `width` fields; without a score, a lower rank is better.

    Raises:
        ValueError: it has more or fewer fields, or its score is no number.
    """
    if len(fields) != width:
        raise ValueError(f"{len(fields)} fields, not {width}")
    if width == WIDTHS[-1]:
        qid, docid, rank = fields
        return {"qid": qid, "docid": docid, "rank": rank, "score": -float(rank)}
    qid, _, docid, rank, score, *_ = fields
    return {"qid": qid, "docid": docid, "rank": rank, "score": float(score)}


def _without_comments(block: bytes) -> bytes:
    if not block.startswith(b"#") and b"\n#" not in block:
        return block
    return b"".join(line for line in block.splitlines(keepends=True) if not _is_comment(line))


def _blocks(file: BufferedIOBase) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines, each with the number of its first line; leading comments are skipped."""
    number, line = 1, file.readline().removeprefix(BOM_UTF8)
    while _is_comment(line):
        number, line = number + 1, file.readline()
    while block := line + file.read(BLOCK) + file.readline():
        yield number, block
        number, line = number + block.count(b"\n"), b""
