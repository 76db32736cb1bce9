"""Runs as TREC files, without a head: the field's readers take no comments.

Every command reads runs here, so that all have the same checks. The columns of a line are those of TREC, with or
without a tag; query, passage, rank and score; or, as MS MARCO has them, query, passage and rank, or score. Query ids
may begin with `#`, as comments do: a line is a comment if it begins so and is no line of a run.
"""

import lzma
import re
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import csv

from robustdr.core.bounds import LINE
from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.core.unpacked import open_unpacked

BLOCK = 1 << 22  # bytes of a run that are read at once
IDS = pa.dictionary(pa.int32(), pa.large_string())  # each id is stored once
COLUMNS = pa.schema({"qid": IDS, "docid": IDS, "rank": IDS, "score": pa.float64()})
RANK = re.compile(r"-?[0-9]{1,9}")
SCORE = re.compile(r"[-+]?(?:[0-9.]+(?:e[-+]?[0-9]+)?|nan|inf(?:inity)?)", re.IGNORECASE)
NUMBERS = {"rank": RANK, "score": SCORE}
TREC = "qid Q0 docid rank score tag"
WITHOUT_RANKS = "qid docid score"
# The columns of a line, by their number, and what a reader should know of such a run.
FORMS = {
    6: {TREC: ""},
    5: {"qid Q0 docid rank score": "has no tags"},
    4: {"qid docid rank score": "has no tags"},
    3: {"qid docid rank": "has no scores; its ranks decide", WITHOUT_RANKS: "has no ranks"},
}
Order = Literal["rank", "score"]
READ = csv.ReadOptions(use_threads=False, column_names=TREC.split())
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
            lines = (f"{qid} Q0 {docid} {i} {score:.9g} {tag}\n" for i, (docid, score) in enumerate(ranking, 1))
            text = "".join(lines).encode()
            file.write(packed.compress(text) if packed else text)
        if packed:
            file.write(packed.flush())


class Listed(NamedTuple):
    """A run as its lines list it.

    Attributes:
        docids: of all passages, by row. scored_rows: (rows, scores) of the passages of each query, in order.
        notes: what a reader of its numbers should know, in words.
    """

    docids: pa.Array
    scored_rows: dict[str, tuple[np.ndarray, np.ndarray]]
    notes: list[str]


def read_trec(path: Path, order: Order | None = None, place: str = "") -> Listed:
    """Read a run.

    Args:
        order: what decides in a run with both; by default the scores, if the ranks do not contradict them all. If ranks
            decide, each passage gets its rank, negated, for a score.
        place: what messages name in place of the path.

    Raises:
        UserError: the file is damaged, a line is malformed (names file and line), a score is no finite number, a query
            has a passage twice, or every query has its lowest score at the first rank, as distances have.
    """
    forms: set[str] = set()
    place = place or str(path)
    table = pa.concat_tables([COLUMNS.empty_table(), *_tables(path, forms, order, place)]).unify_dictionaries()
    qids, docids, ranks = (table[name].combine_chunks() for name in ("qid", "docid", "rank"))
    query_numbers, rows, scores = qids.indices.to_numpy(), docids.indices.to_numpy(), table["score"].to_numpy()
    _check_repeated(place, qids, docids)
    notes = [*sorted(forms), *([] if order else _order_notes(place, query_numbers, ranks, scores))]
    is_sorted = bool((query_numbers[1:] >= query_numbers[:-1]).all())
    by_query = slice(None) if is_sorted else np.argsort(query_numbers, kind="stable")
    ends = np.bincount(query_numbers, minlength=len(qids.dictionary)).cumsum()[:-1]
    columns = (np.split(column[by_query], ends) for column in (rows, scores))
    scored_rows = dict(zip(qids.dictionary.to_pylist(), zip(*columns, strict=True), strict=False))
    return Listed(docids.dictionary, scored_rows, notes)


def lacking(qids: Collection[str], queries: Collection[str]) -> list[str]:
    """A note if a run has no passage for some queries."""
    missing = len({*queries} - {*qids})
    return [f"lacks {missing} of {len(queries)} queries, which count 0"] if missing else []


def _check_repeated(place: str, qids: pa.Array, docids: pa.Array) -> None:
    """Refuse a run that has a passage twice for a query."""
    pairs = qids.indices.to_numpy().astype(np.int64) * len(docids.dictionary) + docids.indices.to_numpy()
    _, first = np.unique(pairs, return_index=True)
    if len(first) < len(pairs):
        line = int(np.setdiff1d(np.arange(len(pairs)), first)[0])
        raise UserError(f"{place}: query {qids[line].as_py()!r} has a passage twice: {docids[line].as_py()!r}")


def _order_notes(place: str, query_numbers: np.ndarray, ranks: pa.Array, scores: np.ndarray) -> list[str]:
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
            f"{place}: the rank column and the scores disagree in {rises.sum()} of {number} queries: the higher score "
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
    tables = _tables(path, set(), None, str(path))
    for qid, lines in groupby(chain.from_iterable(map(_pairs, tables)), itemgetter(0)):
        if qid in finished:
            why = f"the lines of query {qid!r} are not consecutive"
            raise UserError(f"{path}: {why}; put them together, or make the file anew")
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


def _tables(path: Path, notes: set[str], order: Order | None, place: str) -> Iterator[pa.Table]:
    """Yield the lines of a run in blocks; add to `notes` what its lines lack. The first line has the form of all."""
    number, form = 0, ""
    try:
        with open_unpacked(path) as file:
            for number, block in _blocks(file):
                form = form or next((_form(line) for line in block.splitlines() if not _is_comment(line)), "") or TREC
                notes |= {*filter(None, [FORMS[len(form.split())][form]])}
                try:
                    if form != TREC or b"\t" in block or b"  " in block:
                        raise pa.ArrowInvalid("other white space")
                    table = csv.read_csv(pa.py_buffer(_without_comments(block)), READ, PARSE, CONVERT)
                except pa.ArrowInvalid:  # other white space, or not a run
                    rows = []
                    for line in block.splitlines():
                        if not _is_comment(line):
                            rows.append(_row(line.decode().split(), form.split()))
                        number += 1
                    table = pa.Table.from_pylist(rows, COLUMNS)
                if order == "rank" and form != WITHOUT_RANKS:
                    ranks = table["rank"].cast(pa.large_string()).cast(pa.float64())
                    table = table.set_column(COLUMNS.get_field_index("score"), "score", pc.negate(ranks))
                _check_finite(place, table)
                yield table
    except UserError:
        raise
    except (ValueError, OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise UserError(f"{place}:{number}: not a TREC run ({error}); correct it, or make it anew") from error


def _check_finite(place: str, table: pa.Table) -> None:
    scores = table["score"].to_numpy()
    if len(wrong := np.flatnonzero(~np.isfinite(scores))):
        qid, docid = (table[name][int(wrong[0])].as_py() for name in ("qid", "docid"))
        message = f"query {qid!r} gives passage {docid!r} the score {scores[wrong[0]]}"
        raise UserError(f"{place}: {message}; a score is a finite number")


def _is_comment(line: bytes) -> bool:
    """Whether a line begins with `#` and is no line of a run."""
    return line.startswith(b"#") and _form(line) in ("", WITHOUT_RANKS)


def _form(line: bytes) -> str:
    """Return the columns of a line whose numbers are where `FORMS` has them, or ''. Judgements have a 0 for a docid."""
    fields = line.decode(errors="replace").split()
    for form in FORMS.get(len(fields), ()):
        columns = dict(zip(form.split(), fields, strict=True))
        if all(number.fullmatch(columns[name]) for name, number in NUMBERS.items() if name in columns):
            return form if len(fields) != 4 or columns["docid"] != "0" else ""
    return ""


def _row(fields: list[str], names: list[str]) -> dict[str, object]:
    """Return the columns of a line; without a score, a lower rank is better.

    Raises:
        ValueError: it has more or fewer fields, or its score is no number.
    """
    if len(fields) != len(names):
        raise ValueError(f"{len(fields)} fields, not {len(names)}")
    columns = dict(zip(names, fields, strict=True))
    rank = columns.get("rank", "")
    score = float(columns["score"]) if "score" in columns else -int(rank)
    return {"qid": columns["qid"], "docid": columns["docid"], "rank": rank, "score": score}


def _without_comments(block: bytes) -> bytes:
    if not block.startswith(b"#") and b"\n#" not in block:
        return block
    return b"".join(line for line in block.splitlines(keepends=True) if not _is_comment(line))


def _blocks(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines, each with the number of its first line; leading comments are skipped."""
    number, line = 1, file.readline(LINE).removeprefix(BOM_UTF8)
    while _is_comment(line):
        number, line = number + 1, file.readline(LINE)
    while block := line + file.read(BLOCK) + file.readline(LINE):
        yield number, block
        number, line = number + block.count(b"\n"), b""
