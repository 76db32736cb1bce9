"""Rankings as arrays, in memory and on disk, under one tie rule."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import yaml

from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.retrieval.best import NO_PASSAGE, QUERIES, best, docids_by_row
from robustdr.retrieval.trec import IDS, Order, read_trec, trec_docids, write_trec

Ranking = list[tuple[str, float]]  # (docid, score), best first

ARRAYS = ".arrow"  # suffix of a run in arrays; every other run is a TREC file


@dataclass(frozen=True, eq=False)
class Run(Mapping[str, Ranking]):
    """The rankings of queries, in eight bytes per ranked passage; each docid is stored once.

    Attributes:
        lines: the line of each query in the arrays; queries may share a line.
        docids: of all passages, by row.
        rows: [lines, depth], int32: the passages of each line, best first, then `NO_PASSAGE`.
        scores: [lines, depth], float32, or float64 if single precision would make ties.
    """

    lines: Mapping[str, int]
    docids: pa.Array
    rows: np.ndarray
    scores: np.ndarray

    def __getitem__(self, qid: str) -> Ranking:
        line = self.lines[qid]
        rows, scores = self.rows[line], self.scores[line]
        filled = rows != NO_PASSAGE
        return list(zip(self.docids.take(pa.array(rows[filled])).to_pylist(), scores[filled].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    @classmethod
    def scored(cls, docids: pa.Array, scored_rows: Mapping[str, tuple[np.ndarray, np.ndarray]], depth: int) -> "Run":
        """A run of the `depth` best passages of each query; `scored_rows`: (rows, scores) in any order."""
        width = min(depth, max((len(rows) for rows, _ in scored_rows.values()), default=0))
        rows, scores = (
            np.full((len(scored_rows), width), NO_PASSAGE, np.int32),
            np.full((len(scored_rows), width), -np.inf),
        )
        all_pairs = list(scored_rows.values())
        for start in range(0, len(all_pairs), QUERIES):
            pairs = all_pairs[start : start + QUERIES]
            shape = len(pairs), max(len(its_rows) for its_rows, _ in pairs)
            all_rows, all_scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf)
            for line, (its_rows, its_scores) in enumerate(pairs):
                all_rows[line, : len(its_rows)], all_scores[line, : len(its_rows)] = its_rows, its_scores
            target = slice(start, start + len(pairs)), slice(min(depth, shape[1]))
            rows[target], scores[target] = best(all_rows, all_scores, docids, depth)
        return cls({qid: line for line, qid in enumerate(scored_rows)}, docids, rows, scores)


def rank(scored: Iterable[tuple[str, float]], depth: int) -> Ranking:
    """The `depth` best passages of one query under the tie rule."""
    return sorted(scored, key=lambda pair: (pair[1], pair[0]), reverse=True)[:depth]


def metadata(tag: str, collection: str, query_set: Path, settings: Mapping[str, object]) -> dict[str, object]:
    """The ir_metadata header of a run."""
    return {
        "tag": tag,
        "actor": {"team": "robustdr"},
        "implementation": {"source": {"command": "python -m robustdr.stages rank"}},
        "data": {"test_data": {"name": collection, "topics": query_set.name}},
        "method": {"automatic": True, "settings": settings},
    }


def write_run(path: Path, run: Mapping[str, Ranking], metadata: Mapping[str, object]) -> None:
    """Write a run: in arrays, with its ir_metadata, if the name ends in .arrow, else as a TREC file (`write_trec`).

    The Arrow file has the columns `qid`, `docid` and `score`, one line per query. A docid takes four bytes and is
    spelled out once; a score takes four bytes in single precision.
    """
    if path.suffix == ARRAYS:
        header = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True)
        _write_arrays(path, run if isinstance(run, Run) else _as_arrays(run), header)
    else:
        write_trec(path, run, str(metadata["tag"]))


def _as_arrays(rankings: Mapping[str, Ranking]) -> Run:
    """Rankings as arrays, with scores rounded to nine digits as in a TREC file."""
    row = {
        docid: row for row, docid in enumerate(dict.fromkeys(d for ranking in rankings.values() for d, _ in ranking))
    }
    scored_rows = {
        qid: (
            np.array([row[docid] for docid, _ in ranking], int),
            np.array([float(f"{score:.9g}") for _, score in ranking]),
        )
        for qid, ranking in rankings.items()
    }
    return _single(Run.scored(docids_by_row(row), scored_rows, max(map(len, rankings.values()), default=0)))


def _single(run: Run) -> Run:
    """The run with scores in single precision, unless that would make ties."""
    single = run.scores.astype(np.float32)
    ties = [scores[:, 1:] == scores[:, :-1] for scores in (single, run.scores)]
    return replace(run, scores=single) if np.array_equal(*ties) else run


def _write_arrays(path: Path, run: Run, header: str) -> None:
    """Write the Arrow file; queries without a passage are left out, as in a TREC file."""
    ranked = (run.rows != NO_PASSAGE).any(axis=1)
    lines = {qid: line for qid, line in run.lines.items() if ranked[line]}
    line_numbers = np.fromiter(lines.values(), np.int64, len(lines))
    blocks = [slice(start, start + QUERIES) for start in range(0, len(line_numbers), QUERIES)]
    used = np.zeros(len(run.docids), bool)
    for block in blocks:
        rows = run.rows[line_numbers[block]]
        used[rows[rows != NO_PASSAGE]] = True
    number, docids = np.cumsum(used, dtype=np.int32) - 1, run.docids.filter(pa.array(used))
    score = pa.list_(pa.from_numpy_dtype(run.scores.dtype))
    schema = pa.schema({"qid": pa.large_string(), "docid": pa.list_(IDS), "score": score}, {"ir_metadata": header})
    qids = pa.array(lines, pa.large_string())
    with atomic(path) as temporary, pa.OSFile(str(temporary), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        for block in blocks:
            rows, scores = run.rows[line_numbers[block]], run.scores[line_numbers[block]]
            filled = rows != NO_PASSAGE
            ends = pa.array(np.concatenate([[0], np.cumsum(filled.sum(axis=1))]), pa.int32())
            ids = pa.DictionaryArray.from_arrays(pa.array(number[rows[filled]]), docids)
            lists = [pa.ListArray.from_arrays(ends, values) for values in (ids, pa.array(scores[filled]))]
            writer.write_batch(pa.record_batch([qids[block], *lists], schema))


def read_run(path: Path, depth: int | None = None, order: Order | None = None, place: str = "") -> Run:
    """Read the `depth` best passages of every query, or all, of a run in either form, ordered by the tie rule.

    Args:
        order, place: of a TREC file; see `read_trec`.

    Raises:
        UserError: the file is damaged, or is a TREC file that `read_trec` refuses.
    """
    if path.suffix == ARRAYS:
        return _single(_read_arrays(path, depth))
    docids, scored_rows, _ = read_trec(path, order, place)
    return _single(
        Run.scored(docids, scored_rows, depth or max((len(rows) for rows, _ in scored_rows.values()), default=1))
    )


def _read_arrays(path: Path, depth: int | None) -> Run:
    schema, batches = _mapped(path)
    lengths = [batch["docid"].value_lengths().to_numpy() for batch in batches]
    width = max((int(line_lengths.max()) for line_lengths in lengths), default=0)
    shape, precision = (sum(map(len, lengths)), min(width, depth or width)), schema.field("score").type.value_type
    rows, scores = np.full(shape, NO_PASSAGE, np.int32), np.full(shape, -np.inf, precision.to_pandas_dtype())
    end, place = 0, np.arange(shape[1])
    for batch, line_lengths in zip(batches, lengths, strict=True):
        start, end = end, end + len(line_lengths)
        filled = place < line_lengths[:, None]
        sources = (batch["docid"].offsets.to_numpy()[:-1, None] + place)[filled]
        rows[start:end][filled] = batch["docid"].values.indices.to_numpy()[sources]
        scores[start:end][filled] = batch["score"].values.to_numpy()[sources]
    docids = batches[0]["docid"].values.dictionary if batches else docids_by_row([])
    qids = (qid for batch in batches for qid in batch["qid"].to_pylist())
    return Run({qid: line for line, qid in enumerate(qids)}, docids, rows, scores)


def _mapped(path: Path) -> tuple[pa.Schema, list[pa.RecordBatch]]:
    """The schema and the batches of an Arrow file, memory-mapped.

    Raises:
        UserError: the file is missing or damaged.
    """
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
        batches = [reader.get_batch(number) for number in range(reader.num_record_batches)]
        for batch in batches:
            batch.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path}: run missing or damaged ({error}); delete the file and run again") from error
    return reader.schema, batches


def read_docids(path: Path, depth: int) -> Iterator[tuple[str, list[str]]]:
    """Yield (query id, its first `depth` docids) in the order of the file; only a part is in memory at a time.

    Raises:
        UserError: as `read_run`, or the lines of a query are not consecutive.
    """
    if path.suffix != ARRAYS:
        yield from trec_docids(path, depth)
        return
    for batch in _mapped(path)[1]:
        ids, ends = batch["docid"].values, batch["docid"].offsets.to_numpy()
        for qid, start, end in zip(batch["qid"].to_pylist(), ends[:-1], ends[1:], strict=True):
            yield qid, ids.dictionary.take(ids.indices[start : min(end, start + depth)]).to_pylist()


def read_metadata(path: Path) -> dict[str, object]:
    """The ir_metadata of a run in arrays."""
    header: dict[str, object] = yaml.safe_load(_mapped(path)[0].metadata[b"ir_metadata"])
    return header
