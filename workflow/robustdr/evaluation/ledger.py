"""The ledger of evidence: measures of every query from finished runs, in Parquet files that are only ever added.

A row is one run on one query set under one measure. Its values stand in the order of its query ids.

| column | what it holds |
|---|---|
| scale, system, collection, seed | whose run it is |
| query_set, measure | `<split>.<variation>`, and a name of ir_measures |
| key, code | of the measures file: its key, and a digest of all code behind it |
| settings | a digest of all settings and data behind the ranking, without code, seed and number type |
| hardware, commit, date | where it was computed, the commit that makes this key, and the day (UTC) |
| qids, values | query ids, sorted and separated by spaces; the value of each query, float32 |

A file is named after the SHA-256 of its bytes, so that files of several people never conflict, and damage is seen.
"""

import hashlib
import io
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from robustdr.core.errors import UserError
from robustdr.core.files import atomic

RUN = ("scale", "system", "collection", "seed", "key", "code", "hardware", "commit", "date")
SAME = ["scale", "key", "hardware", "query_set", "measure"]  # two rows that agree in these are one
TEXT = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [(name, pa.int16() if name == "seed" else TEXT) for name in RUN]
    + [(name, TEXT) for name in ("query_set", "measure", "settings", "qids")]
    + [("values", pa.list_(pa.float32()))]
)


def rows_of(measured: pd.DataFrame, settings: dict[str, str], **run: object) -> list[dict[str, object]]:
    """Return the rows of one measures file.

    Args:
        measured: query_set, measure, qid, value; see `measures.write_measures`.
        settings: by query set, the digest of the settings behind its ranking. run: the columns of `RUN`.
    """
    groups = measured.sort_values("qid").groupby(["query_set", "measure"])
    return [
        {**run, "query_set": name, "measure": measure, "settings": settings[name]}
        | {"qids": " ".join(group["qid"]), "values": group["value"].to_numpy(np.float32)}
        for (name, measure), group in groups
    ]


def write_rows(folder: Path, rows: list[dict[str, object]]) -> Path:
    """Write rows of one scale to a new file of the ledger, and return its path."""
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), buffer, compression="zstd", compression_level=19)
    content = buffer.getvalue()
    path = folder / str(rows[0]["scale"]) / f"{_digest(content)}.parquet"
    with atomic(path) as temporary:
        temporary.write_bytes(content)
    return path


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def read_ledger(folder: Path) -> pd.DataFrame:
    """Return all rows of a ledger, each once, sorted; `values` are float64 [queries] in the order of sorted ids.

    Raises:
        UserError: a file is damaged, or is no file of a ledger.
    """
    frames = [_read_file(path) for path in sorted(folder.glob("*/*.parquet"))]
    if not frames:
        return SCHEMA.empty_table().to_pandas()
    rows = pd.concat(frames).drop_duplicates(SAME)
    return rows.sort_values([*RUN, "query_set", "measure"]).reset_index(drop=True)


def _read_file(path: Path) -> pd.DataFrame:
    content = path.read_bytes()
    if _digest(content) != path.stem:
        raise UserError(f"{path}: damaged: its bytes are not those that it was named after; restore it with git")
    table = pq.read_table(io.BytesIO(content))
    if table.schema.names != SCHEMA.names:
        raise UserError(f"{path}: its columns are {', '.join(table.schema.names)}; allowed: {', '.join(SCHEMA.names)}")
    frame = table.to_pandas()
    frame = frame.astype({name: object for name in SCHEMA.names if name not in ("seed", "values")})
    orders = [_order(qids) for qids in frame["qids"]]
    values = [np.asarray(numbers, np.float64) for numbers in frame["values"]]
    frame["values"] = [numbers[order] for numbers, (_, order) in zip(values, orders, strict=True)]
    frame["qids"] = [qids for qids, _ in orders]
    return frame


@cache
def _order(qids: str) -> tuple[str, np.ndarray]:
    """Return the sorted ids, and the positions that sort them."""
    names = qids.split(" ")
    order = sorted(range(len(names)), key=names.__getitem__)
    return " ".join(names[position] for position in order), np.array(order)
