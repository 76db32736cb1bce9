"""A folder in BEIR's layout: corpus.jsonl, queries.jsonl and qrels/<split>.tsv (Thakur et al., 2021)."""

from collections.abc import Iterator
from pathlib import Path

from robustdr.collections.problems import Place
from robustdr.collections.reading import checked, judgement, lines, passages, queries, records
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.collections.settings import Beir
from robustdr.core.errors import UserError

_HEADER = "query-id\tcorpus-id\tscore"


def corpus(source: Beir) -> Iterator[Passage]:
    """JSON objects with _id, text and perhaps a title."""
    return passages(_passages(checked(_path(source, "corpus.jsonl"), source.get("sha256", {}))))


def split(source: Beir, name: str) -> Split:
    """Return the queries that qrels/<name>.tsv judges; queries.jsonl has those of all splits."""
    texts, qrels = (
        checked(_path(source, file), source.get("sha256", {})) for file in ("queries.jsonl", f"qrels/{name}.tsv")
    )
    judgements = list(_judgements(qrels))
    judged = {judgement.qid for judgement in judgements}
    return Split((query for query in queries(_queries(texts)) if query.qid in judged), judgements)


def files(source: Beir, split: str | None) -> list[Path]:
    """Return the files of the corpus (None) or of a split."""
    names = ["corpus.jsonl"] if split is None else ["queries.jsonl", f"qrels/{split}.tsv"]
    return [Path(_path(source, name)) for name in names]


def _path(source: Beir, name: str) -> str:
    return f"{source['folder'].rstrip('/')}/{name}"


def _passages(path: Path) -> Iterator[tuple[Place, Passage]]:
    for number, record in records(path, ("_id", "text")):
        yield Place(path, number), Passage(record["_id"], str(record.get("title") or ""), record["text"])


def _queries(path: Path) -> Iterator[tuple[Place, Query]]:
    for number, record in records(path, ("_id", "text")):
        yield Place(path, number), Query(record["_id"], record["text"])


def _judgements(path: Path) -> Iterator[Judgement]:
    for number, line in lines(path):
        if number == 1:
            if line != _HEADER:
                raise UserError(
                    f"{path}:1: {line!r} is not the header of BEIR's qrels: query-id, corpus-id, score with tabs"
                )
            continue
        fields = line.split("\t")
        if len(fields) != 3:
            raise UserError(
                f"{path}:{number}: {line!r} is not a line of BEIR's qrels; a line is qid<TAB>docid<TAB>grade"
            )
        yield judgement(Place(path, number), *fields)
