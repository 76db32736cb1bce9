"""Tables of splits, Parquet or TSV with a header: a file of a hub's data set, or the user's own."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq

from robustdr.collections.reading import checked
from robustdr.collections.settings import FromFiles, TableFile
from robustdr.core import hub
from robustdr.core.errors import UserError, unknown


class Table:
    """A split's table.

    Raises:
        UserError: the file cannot be fetched, is missing, differs from the pinned SHA-256, or is not a table.
    """

    def __init__(self, source: FromFiles, part: TableFile):
        self.path = _path(source, part)
        try:
            self._table = _tsv(self.path) if self.path.suffix == ".tsv" else pq.read_table(self.path)
        except (OSError, pa.ArrowException) as error:
            form = "TSV" if self.path.suffix == ".tsv" else "Parquet"
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
            given = self._table[head].type
            raise UserError(f"{self.path}: column {name!r} of {given} gives no {kind} ({error})") from None


def own_file(part: TableFile) -> list[Path]:
    """Return the user's file; none if the file comes from the hub."""
    return [Path(part["path"])] if "path" in part else []


def _path(source: FromFiles, part: TableFile) -> Path:
    if "path" in part:
        return checked(part["path"], source.get("sha256", {}))
    from huggingface_hub import hf_hub_download

    what = f"{part['hub']}@{part['revision']}: {part['file']}"
    with hub.fetching(what):
        path = Path(hf_hub_download(part["hub"], part["file"], repo_type="dataset", revision=part["revision"]))
    if "sha256" in part:
        hub.check(path, part["sha256"], what, cached=True)
    return path


def _tsv(path: Path) -> pa.Table:
    """Read all columns as text; quotation marks belong to it, and a carriage return within a line becomes a blank."""
    data = re.sub(rb"\r(?!\n)", b" ", path.read_bytes())
    parse = csv.ParseOptions(delimiter="\t", quote_char=False)
    with csv.open_csv(pa.BufferReader(data), parse_options=parse) as head:
        texts = dict.fromkeys(head.schema.names, pa.string())
    options = csv.ConvertOptions(column_types=texts)
    return csv.read_csv(pa.BufferReader(data), parse_options=parse, convert_options=options)
