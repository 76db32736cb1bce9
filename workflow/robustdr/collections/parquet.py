"""Parquet files, read with a bound: a text that a file holds once may stand in each of its rows."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from robustdr.core import bounds
from robustdr.core.errors import UserError

ROWS = 8_192  # that are read at once


def batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in batches of at most `bounds.BATCH` bytes of text; distinct texts are in memory once.

    Raises:
        UserError: a row has more bytes, or the file is small for what its rows hold (see `bounds.check_unpacked`).
        OSError, ArrowException: it is no Parquet file.
    """
    for batch in _batches(path):
        yield from _parts(batch, path)


def read_parquet(path: Path) -> pa.Table:
    """Return a file as a table.

    Raises:
        UserError: its texts have more than `bounds.TABLE` bytes, or the file is small for what its rows hold.
        OSError, ArrowException: it is no Parquet file.
    """
    parts, size = [], 0
    for batch in _batches(path):
        size += sum(map(_size, batch.columns))
        if size > bounds.TABLE:
            raise _too_large(path, "its rows hold", bounds.TABLE)
        parts.append(batch)
    return pa.Table.from_batches(parts, None if parts else pq.read_schema(path))


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield batches of `ROWS` rows; the size of the file is checked against what it declares and what they hold."""
    metadata = pq.read_metadata(path)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    declared = sum(
        group.column(number).total_uncompressed_size for group in groups for number in range(group.num_columns)
    )
    bounds.check_unpacked(path, max(declared, metadata.num_rows * bounds.ROW))
    leaves = [metadata.schema.column(number) for number in range(metadata.num_columns)]
    fixed = max((leaf.length for leaf in leaves if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY"), default=1)
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    size = 0
    for batch in pq.ParquetFile(path, read_dictionary=texts).iter_batches(max(1, min(ROWS, bounds.BATCH // fixed))):
        size += sum(map(_size, batch.columns))
        bounds.check_unpacked(path, size)
        yield batch


def _parts(batch: pa.RecordBatch, path: Path) -> Iterator[pa.RecordBatch]:
    if sum(map(_size, batch.columns)) <= bounds.BATCH:
        yield batch
    elif (half := batch.num_rows // 2) == 0:
        raise _too_large(path, "a row holds", bounds.BATCH)
    else:
        yield from _parts(batch.slice(0, half), path)
        yield from _parts(batch.slice(half), path)


def _size(column: pa.Array) -> int:
    """Return the bytes of the values of a column, each counted where it stands."""
    if pa.types.is_dictionary(column.type):
        return pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0
    if pa.types.is_struct(column.type) or pa.types.is_list(column.type) or pa.types.is_map(column.type):
        inner = column.flatten() if pa.types.is_struct(column.type) else [column.flatten()]
        return sum(map(_size, inner))
    return column.nbytes


def _too_large(path: Path, subject: str, bound: int) -> UserError:
    return UserError(f"{path}: {subject} more than {bound // 10**6:,} MB of text at once; split the file")
