"""Collections by their ids in ir_datasets (MacAvaney et al., 2021), which fetches the files and checks their hashes.

Released collections are used unchanged, with their empty passages and the white space of their queries: released
variations have it too, and whether a query is counted as changed depends on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from robustdr.collections import located
from robustdr.collections.archives import bring
from robustdr.collections.forms import PASSAGE, named_rows
from robustdr.collections.problems import refuse
from robustdr.collections.records import Answers, Judgement, Passage, Query, Split
from robustdr.collections.settings import Irds, IrdsSplit
from robustdr.core.errors import UserError


def download_passages(source: Irds) -> None:
    """Bring the files of the data set `corpus`, unless `titled` takes its place; `corpus` then needs no network."""
    if "titled" not in source:
        with _reading(source["corpus"], "passages"):
            bring(source["corpus"], load(source["corpus"], "docs"), ["docs"])


def corpus(source: Irds) -> Iterator[Passage]:
    """Yield the passages of `titled`, or of the data set `corpus`, with titles if it has them.

    `quoted`: CSV quotes are removed.
    """
    if "titled" in source:
        path = located.bring(source["titled"], {})
        yield from (Passage(**record) for _, record in named_rows(path, PASSAGE, refuse))
        return
    dataset = load(source["corpus"], "docs")
    plain = _unquoted if source.get("quoted") else str
    with _reading(source["corpus"], "passages"):
        bring(source["corpus"], dataset, ["docs"])
        for document in dataset.docs_iter():
            fields = document._asdict()
            text = fields.get("text", fields.get("body"))
            if text is None:
                yield Passage(document.doc_id, "", document.default_text())
            else:
                yield Passage(document.doc_id, plain(fields.get("title") or ""), plain(text))


def split(source: Irds, name: str) -> Split:
    """Return the judged queries of the split's data set `id`, all its judgements, and on request the answers."""
    part = cast(IrdsSplit, source["splits"][name])
    id = part["id"]
    dataset = load(id, "queries", "qrels")
    if part.get("answers") and "answers" not in dataset.queries_cls()._fields:
        raise UserError(f"{id!r} of ir_datasets has no answers; leave out `answers`")
    with _reading(id, "queries and judgements"):
        bring(id, dataset, ["qrels", "queries"])
    queries = (Query(query.query_id, query.default_text().replace("\t", " ")) for query in _judged(dataset, id))
    answers = (Answers(query.query_id, query.answers) for query in _judged(dataset, id)) if part.get("answers") else ()
    return Split(queries, _judgements(dataset, id), answers)


def queries(id: str) -> Iterator[Query]:
    """Yield all queries of a data set, also those without a judgement."""
    dataset = load(id, "queries")
    with _reading(id, "queries"):
        bring(id, dataset, ["queries"])
        yield from (Query(query.query_id, query.default_text()) for query in dataset.queries_iter())


def judgements(id: str) -> Iterator[Judgement]:
    """Yield the judgements of a data set."""
    dataset = load(id, "qrels")
    with _reading(id, "judgements"):
        bring(id, dataset, ["qrels"])
    return _judgements(dataset, id)


def files(source: Irds, split: str | None) -> list[Path]:
    """Return the user's file of titled passages; no others: ir_datasets keeps them."""
    return located.own_file(source["titled"]) if split is None and "titled" in source else []


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text


def _judged(dataset: Any, id: str) -> Iterator[Any]:
    """Yield the queries that have a judgement, as ir_datasets gives them."""
    with _reading(id, "queries"):
        judged = {qrel.query_id for qrel in dataset.qrels_iter()}
        yield from (query for query in dataset.queries_iter() if query.query_id in judged)


def _judgements(dataset: Any, id: str) -> Iterator[Judgement]:
    with _reading(id, "judgements"):  # some releases repeat lines
        yield from dict.fromkeys(Judgement(qrel.query_id, qrel.doc_id, qrel.relevance) for qrel in dataset.qrels_iter())


def load(id: str, *parts: str) -> Any:
    """Return the data set after a check that it has `parts`; nothing is downloaded yet.

    Raises:
        UserError: ir_datasets has no such data set, or the data set lacks a part.
    """
    import ijson  # noqa: F401  (ir_datasets loads it by name, to read DPR's release)
    import ir_datasets  # slow, and reading the configuration asks this module for its files

    try:
        dataset = ir_datasets.load(id)
    except KeyError:
        suggestions = get_close_matches(id, list(ir_datasets.registry), n=3)
        hint = f"; did you mean {', '.join(suggestions)}?" if suggestions else ";"
        raise UserError(f"ir_datasets has no {id!r}{hint} `ir_datasets list` prints all ids") from None
    for part in parts:
        if not getattr(dataset, f"has_{part}")():
            raise UserError(f"{id!r} of ir_datasets has no {part}; name one that has {' and '.join(parts)}")
    return dataset


@contextmanager
def _reading(id: str, subject: str) -> Iterator[None]:
    """Turn a failed download, an unexpected file or a full disk into one message."""
    import ir_datasets

    try:
        yield
    except UserError:
        raise
    except ImportError as error:
        raise UserError(f"{id}: ir_datasets needs a package to read its {subject}: {error}; `make setup`") from None
    except Exception as error:  # a broken archive or file raises whatever its reader does
        reason = str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        raise UserError(
            f"{id}: ir_datasets could not bring its {subject} into {ir_datasets.util.home_path()}: {reason}. "
            "Files that arrived whole are kept there: the same command goes on from them (remove one that is damaged). "
            "A machine without a network can be given that folder (IR_DATASETS_HOME)"
        ) from None
