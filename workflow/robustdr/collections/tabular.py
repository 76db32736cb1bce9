"""Tables of splits, Parquet or TSV."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from robustdr.collections.located import bring
from robustdr.collections.parquet import read_parquet
from robustdr.collections.settings import FromFiles, SourceFile
from robustdr.core import bounds
from robustdr.core.errors import UserError, unknown
from robustdr.core.unpacked import DAMAGES, open_unpacked


class Table:
    """A split's table.

    Raises:
        UserError: the file cannot be fetched, is missing, differs from the pinned SHA-256, or is not a table.
    """

    def __init__(self, source: FromFiles, part: SourceFile, header: bool = True):
        self.path = bring(part, source.get("sha256", {}))
        parquet = self.path.suffix == ".parquet"
        try:
            self._table = read_parquet(self.path) if parquet else _tsv(self.path, header)
        except (OSError, *DAMAGES, pa.ArrowException) as error:
            form = "Parquet" if parquet else "TSV"
            raise UserError(f"{self.path}: no {form} file ({error})") from None

    def column(self, name: str, kind: pa.DataType) -> list[Any]:
        """Return the values of a column after a check of their type; `a.b` is the field b of the column a."""
        head, *fields = name.split(".")
        if head not in self._table.column_names:
            raise unknown(f"{self.path}: column", name, self._table.column_names)
        column = self._table[head]
        try:
            for field in fields:
                column = pc.struct_field(column, field)
            return column.cast(kind).to_pylist()
        except (pa.ArrowException, NotImplementedError, TypeError) as error:
            column_type = self._table[head].type
            if pa.types.is_dictionary(column_type):  # how texts are held in memory
                column_type = column_type.value_type
            raise UserError(f"{self.path}: column {name!r} of {column_type} gives no {kind} ({error})") from None


def _tsv(path: Path, header: bool) -> pa.Table:
    """Read all columns as text; quotation marks belong to it, and a carriage return within a line becomes a blank."""
    with open_unpacked(path) as file:
        data = re.sub(rb"\r(?!\n)", b" ", bounds.whole(file, path))
    parse = csv.ParseOptions(delimiter="\t", quote_char=False)
    read_options = csv.ReadOptions(autogenerate_column_names=not header)
    with csv.open_csv(pa.BufferReader(data), parse_options=parse, read_options=read_options) as head:
        texts = dict.fromkeys(head.schema.names, pa.string())
    options = csv.ConvertOptions(column_types=texts)
    return csv.read_csv(pa.BufferReader(data), parse_options=parse, read_options=read_options, convert_options=options)
