"""Collections by their ids in ir_datasets (MacAvaney et al., 2021), which fetches the files and checks their hashes.

Released collections are taken as they are, empty passages included: nobody here can mend them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import ir_datasets

from robustdr.collections.records import Judgement, Passage, Query
from robustdr.errors import UserError


def corpus(source: dict[str, Any]) -> Iterator[Passage]:
    """The passages of the data set `corpus`, with titles where it has them."""
    dataset = _load(source["corpus"], "docs")
    with _reading(source["corpus"], "passages"):
        for document in dataset.docs_iter():
            named = document._asdict()
            text = named.get("text", named.get("body"))
            if text is None:
                yield Passage(document.doc_id, "", document.default_text())
            else:
                yield Passage(document.doc_id, named.get("title") or "", text)


def split(source: dict[str, Any], name: str) -> tuple[Iterator[Query], Iterator[Judgement]]:
    """The judged queries of the split's data set `id`, and all its judgements."""
    id = source["splits"][name]["id"]
    dataset = _load(id, "queries", "qrels")
    return _queries(dataset, id), _judgements(dataset, id)


def files(source: dict[str, Any], split: str | None) -> list[Path]:
    """None: ir_datasets keeps the files."""
    return []


def _queries(dataset: Any, id: str) -> Iterator[Query]:
    with _reading(id, "queries"):
        judged = {qrel.query_id for qrel in dataset.qrels_iter()}
        for query in dataset.queries_iter():
            if query.query_id in judged:
                yield Query(query.query_id, " ".join(query.default_text().split()))


def _judgements(dataset: Any, id: str) -> Iterator[Judgement]:
    with _reading(id, "judgements"):  # some releases repeat lines
        yield from dict.fromkeys(Judgement(qrel.query_id, qrel.doc_id, qrel.relevance) for qrel in dataset.qrels_iter())


def _load(id: str, *parts: str) -> Any:
    """The data set, once it is known to have `parts`; nothing is fetched yet."""
    try:
        dataset = ir_datasets.load(id)
    except KeyError:
        near = get_close_matches(id, list(ir_datasets.registry), n=3)
        hint = f"; did you mean {', '.join(near)}?" if near else ";"
        raise UserError(
            f"collections.yaml: ir_datasets has no {id!r}{hint} `ir_datasets list` prints all ids"
        ) from None
    for part in parts:
        if not getattr(dataset, f"has_{part}")():
            raise UserError(
                f"collections.yaml: {id!r} of ir_datasets has no {part}; name one that has {' and '.join(parts)}"
            )
    return dataset


@contextmanager
def _reading(id: str, what: str) -> Iterator[None]:
    """Turn a download that fails, a file that is not the expected one, or a full disk into one message."""
    try:
        yield
    except (OSError, RuntimeError) as error:  # the latter: every one of several mirrors failed
        raise UserError(
            f"{id}: ir_datasets could not bring its {what} into {ir_datasets.util.home_path()}: {error}. "
            "Files that arrived whole are kept there: the same command goes on from them. "
            "A machine without a network can be given that folder (IR_DATASETS_HOME)"
        ) from None
