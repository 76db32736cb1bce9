"""The index of a corpus: where each passage begins, memory-mapped, so that single passages can be read."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from robustdr.collections.records import Passage
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, from_json, open_binary

BATCH = 1 << 17  # rows in memory at once while a corpus is indexed
SCHEMA = pa.schema({"docid": pa.large_string(), "start": pa.int64()})


def rows_of(corpus: Path) -> Path:
    """Return the path of a corpus's index: docid and first byte of each row (Arrow)."""
    return corpus.with_suffix(".rows.arrow")


def write_rows(corpus: Path, output: Path) -> None:
    """Write the index of a corpus.

    Raises:
        UserError: a line of the corpus is not a passage.
    """
    with atomic(output) as temporary, pa.OSFile(str(temporary), "wb") as file, pa.ipc.new_file(file, SCHEMA) as writer:
        for batch in _batches(corpus):
            writer.write_batch(batch)


def _batches(corpus: Path) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a corpus, `BATCH` at a time, without blank lines."""

    def docids_and_starts() -> Iterator[tuple[str, int]]:
        with open(corpus, "rb") as file:
            start = 0
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _passage(line, f"{corpus}:{number}").docid, start
                start += len(line)

    rows = docids_and_starts()
    while batch := list(islice(rows, BATCH)):
        yield pa.RecordBatch.from_arrays([list(column) for column in zip(*batch, strict=True)], schema=SCHEMA)


def _passage(line: bytes, place: str) -> Passage:
    try:
        record = from_json(line)
        passage = Passage(record["docid"], record["title"], record["text"])
        if all(isinstance(value, str) for value in passage):
            return passage
    except (ValueError, LookupError, TypeError):
        pass
    required_fields = ", ".join(f'"{name}": "…"' for name in Passage._fields)
    raise UserError(f"{place}: {line[:80]!r} is no passage; a line of a corpus is a JSON object {{{required_fields}}}")


class Corpus:
    """The passages of a corpus, each read from the file on demand.

    A corpus from elsewhere may have no index; then one is made by reading the corpus once: 20 bytes a passage, and its
    docid.

    Attributes:
        docids: of all passages, by row, memory-mapped.

    Raises:
        UserError: there is no such file, or its index is damaged or belongs to another corpus.
    """

    def __init__(self, path: Path):
        self.path, self.index, self.file = path, rows_of(path), open_binary(path)
        try:
            if self.index.is_file():
                table = pa.ipc.open_file(pa.memory_map(str(self.index))).read_all()
            else:
                table = pa.Table.from_batches(_batches(path), SCHEMA)
            table.validate(full=True)
            if table.schema != SCHEMA:
                raise ValueError(f"its columns are {', '.join(table.column_names)}")
        except UserError:  # of the corpus, not of its index
            raise
        except (pa.ArrowException, ValueError, OSError) as error:
            raise UserError(f"{self.index}: damaged index of a corpus ({error}); delete it and run again") from error
        self.docids: pa.ChunkedArray = table["docid"]
        self.starts: list[np.ndarray] = [chunk.to_numpy() for chunk in table["start"].chunks]
        try:
            if len(self):
                self.read_passage(len(self) - 1, self.docids[-1].as_py())
        except UserError as error:
            raise self._mismatch("its last passage is not there") from error
        if self.file.readline().strip():
            raise self._mismatch(f"it has {len(self)} passages, and the corpus goes on")

    def __len__(self) -> int:
        return len(self.docids)

    def _mismatch(self, why: str) -> UserError:
        state = f"truncated, or {self.index.name} is another corpus's index"
        return UserError(f"{self.path}: {state}: {why}; make both anew")

    def read_passage(self, row: int, docid: str) -> Passage:
        """Return the passage of a row.

        Raises:
            UserError: the row does not exist or its docid is not `docid`.
        """
        self.file.seek(self.starts[row // BATCH][row % BATCH])
        passage = _passage(self.file.readline(), f"{self.path}, row {row}")
        if passage.docid != docid:
            raise self._mismatch(f"row {row} is {passage.docid!r}, not {docid!r}")
        return passage

    def span(self, first: int, last: int) -> Iterator[Passage]:
        """Yield the passages from row `first` to before row `last`, without reading earlier ones."""
        return (self.read_passage(row, docid.as_py()) for row, docid in enumerate(self.docids[first:last], first))

    def rows(self, docids: Collection[str]) -> dict[str, int]:
        """Return {docid: row}, ascending by row; memory grows with `docids`, not with the corpus.

        Raises:
            UserError: one of `docids` is not in the corpus.
        """
        wanted_docids, start = pa.array(docids, pa.large_string()), 0
        row_of: dict[str, int] = {}
        for chunk in self.docids.chunks:
            positions = np.flatnonzero(pc.is_in(chunk, wanted_docids).to_numpy(zero_copy_only=False))
            row_of |= zip(chunk.take(pa.array(positions)).to_pylist(), (start + positions).tolist(), strict=True)
            start += len(chunk)
        if missing := sorted({*docids} - row_of.keys()):
            raise UserError(f"{self.path}: no passage {missing[0]!r} ({len(missing)} of {len({*docids})} are missing)")
        return row_of

    def misplaced(self, docids: list[str], rows: list[int]) -> int | None:
        """Return the position of the first docid that is not at its row; None if all are."""
        expected, correct = pa.array(docids, pa.large_string()), np.zeros(len(rows), bool)
        valid_rows = np.array([row if 0 <= row < len(self) else -1 for row in rows], np.int64)
        for number in np.unique(valid_rows[valid_rows >= 0] // BATCH).tolist():
            positions = np.flatnonzero(valid_rows // BATCH == number)
            actual = self.docids.chunk(number).take(pa.array(valid_rows[positions] % BATCH))
            correct[positions] = pc.equal(actual, expected.take(pa.array(positions))).to_numpy(zero_copy_only=False)
        return None if correct.all() else int(correct.argmin())


@dataclass(frozen=True, slots=True)
class Reference:
    """A passage by docid and place; its text is read on demand."""

    docid: str
    row: int
    corpus: Corpus = field(repr=False, compare=False)

    def read_passage(self) -> Passage:
        """Return the passage; see `Corpus.read_passage`."""
        return self.corpus.read_passage(self.row, self.docid)
