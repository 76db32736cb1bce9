"""Parquet files, read with a bound: a text that a file holds once may stand in each of its rows."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from robustdr.core import bounds
from robustdr.core.errors import UserError


def batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in batches; distinct texts are in memory once.

    Raises:
        UserError: the texts of a batch have more than `bounds.BATCH` bytes, or there are too many rows for its size.
        OSError, ArrowException: it is no Parquet file.
    """
    file = _opened(path)
    for batch in file.iter_batches(_rows(file)):
        if _size(batch) > bounds.BATCH:
            raise _too_large(path, bounds.BATCH)
        yield batch


def read_parquet(path: Path) -> pa.Table:
    """Return a file as a table.

    Raises:
        UserError: its texts have more than `bounds.TABLE` bytes, or there are too many rows for its size.
        OSError, ArrowException: it is no Parquet file.
    """
    file = _opened(path)
    parts, size = [], 0
    for batch in file.iter_batches(_rows(file)):
        size += _size(batch)
        if size > bounds.TABLE:
            raise _too_large(path, bounds.TABLE)
        parts.append(batch)
    return pa.Table.from_batches(parts, None if parts else file.schema_arrow)


def _opened(path: Path) -> pq.ParquetFile:
    schema = pq.read_schema(path)
    texts = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)]
    file = pq.ParquetFile(path, read_dictionary=texts)
    bounds.check_unpacked(path, file.metadata.num_rows * bounds.ROW)
    return file


def _rows(file: pq.ParquetFile) -> int:
    """Return the rows of a batch: fewer, if lists and structures of texts may repeat a large text in each."""
    nested = [
        group.column(number).total_uncompressed_size
        for group in map(file.metadata.row_group, range(file.metadata.num_row_groups))
        for number in range(group.num_columns)
        if "." in group.column(number).path_in_schema and group.num_rows < 65_536
    ]
    return max(1, min(65_536, bounds.BATCH // max(nested, default=1)))


def _size(batch: pa.RecordBatch) -> int:
    """Return the bytes of the texts of a batch, each counted where it stands."""
    sizes = (pc.binary_length(column.dictionary).take(column.indices) for column in batch if _is_dictionary(column))
    return sum(pc.sum(size).as_py() or 0 for size in sizes) + sum(
        column.nbytes for column in batch if not _is_dictionary(column)
    )


def _is_dictionary(column: pa.Array) -> bool:
    return pa.types.is_dictionary(column.type)


def _too_large(path: Path, bound: int) -> UserError:
    return UserError(f"{path}: its rows hold more than {bound // 10**6:,} MB of text at once; split the file")
