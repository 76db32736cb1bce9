"""A folder in BEIR's layout: corpus.jsonl, queries.jsonl and qrels/<split>.tsv (Thakur et al., 2021)."""

from collections.abc import Iterator
from pathlib import Path

from robustdr.collections.local import read_judgements, read_passages, read_queries
from robustdr.collections.problems import refuse
from robustdr.collections.reading import checked, passages, queries
from robustdr.collections.records import Passage, Split
from robustdr.collections.settings import Beir


def corpus(source: Beir) -> Iterator[Passage]:
    """JSON objects with _id, text and perhaps a title."""
    return passages(read_passages(checked(_path(source, "corpus.jsonl"), source.get("sha256", {})), refuse))


def split(source: Beir, name: str) -> Split:
    """Return the queries that qrels/<name>.tsv judges; queries.jsonl has those of all splits."""
    texts, qrels = (
        checked(_path(source, file), source.get("sha256", {})) for file in ("queries.jsonl", f"qrels/{name}.tsv")
    )
    judgements = [judged for _, judged in read_judgements(qrels, refuse)]
    having = {judged.qid for judged in judgements}
    return Split((query for query in queries(read_queries(texts, refuse)) if query.qid in having), judgements)


def files(source: Beir, split: str | None) -> list[Path]:
    """Return the files of the corpus (None) or of a split."""
    names = ["corpus.jsonl"] if split is None else ["queries.jsonl", f"qrels/{split}.tsv"]
    return [Path(_path(source, name)) for name in names]


def _path(source: Beir, name: str) -> str:
    return f"{source['folder'].rstrip('/')}/{name}"
