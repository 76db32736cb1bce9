"""Collections: passages, query splits and judgements from any source, written as the files that every stage reads.

A source is one entry of config/collections.yaml. Its `kind` names the module that reads it; a split may have another
kind than the corpus. A new kind is one module of that name with `corpus`, `split` and `files`, and its keys in
`settings`; `questions` has splits only. `TOGETHER` names what a kind makes from all splits together.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

from robustdr.collections.cut import cut_passages, cut_split
from robustdr.collections.settings import DESCRIBING, OF_PASSAGES, OF_QUERIES, SOURCES, Source
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import atomic, read_qrels
from robustdr.core.plugins import module_named

KINDS = sorted({*SOURCES, "questions"})


def write_corpus(
    source: Source, output: Path, further_passages: int | None = None, judged: Sequence[Path] = ()
) -> dict[str, int]:
    """Write the passages of `source` as a Tevatron corpus, one `{"docid", "title", "text"}` per line, and its index.

    Args:
        output: corpus.jsonl; its index is written to corpus.rows.arrow beside it.
        further_passages: write only the passages that the qrels `judged` name, and so many others.

    Returns:
        {"passages": number of passages}

    Raises:
        UserError: an unknown kind, an input that is missing or malformed, no passage.
    """
    from robustdr.collections.rows import rows_of, write_rows  # slow to import, and needed here only

    count, corpus_passages = 0, _kind(source["kind"]).corpus(source)
    if further_passages is not None:
        judged_docids = {docid for path in judged for of_query in read_qrels(path).values() for docid in of_query}
        corpus_passages = cut_passages(corpus_passages, judged_docids, further_passages)
    with atomic(output) as temporary:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            for passage in corpus_passages:
                file.write(json.dumps(passage._asdict(), ensure_ascii=False) + "\n")
                count += 1
        if not count:
            raise UserError(f"collections.yaml: corpus of kind {source['kind']}: it has no passage")
        write_rows(temporary, rows_of(output))
    return {"passages": count}


def write_split(source: Source, split: str, outputs: Sequence[Path], query_limit: int | None = None) -> dict[str, int]:
    """Write files of a split, each named after its content.

    If the source gives `binary_from`, a judgement has grade 1 from that grade on, and 0 below it.

    Args:
        outputs: `queries.tsv` (`qid<TAB>text`), `qrels.txt` (TREC) and `answers.jsonl` (`{"qid", "answers"}` a line),
            or some of them.
        query_limit: write so many queries at most, with what judges them.

    Returns:
        {file name without suffix: number of lines}, with the number of `removed` queries if any were removed.

    Raises:
        UserError: an unknown split or kind, an input that is missing or malformed, an empty output.
    """
    split_records = _kind(kind_of(source, split)).split(source, split)
    if source.get("allow_missing"):  # judgements of queries that it does not have are left out
        queries = list(split_records.queries)
        qids = {query.qid for query in queries}
        judgements = [judged for judged in split_records.judgements if judged.qid in qids]
        split_records = split_records._replace(queries=queries, judgements=judgements)
    if query_limit is not None:
        split_records = cut_split(split_records, query_limit)
    min_grade = source.get("binary_from")
    lines = {
        "queries": (f"{query.qid}\t{query.text}\n" for query in split_records.queries),
        "qrels": (
            f"{judged.qid} 0 {judged.docid} {judged.grade if min_grade is None else int(judged.grade >= min_grade)}\n"
            for judged in split_records.judgements
        ),
        "answers": (json.dumps(answers._asdict(), ensure_ascii=False) + "\n" for answers in split_records.answers),
    }
    counts = dict.fromkeys((output.stem for output in outputs), 0)
    with ExitStack() as whole:
        for output in outputs:
            temporary = whole.enter_context(atomic(output))
            with open(temporary, "w", encoding="utf-8", newline="\n") as file:
                for line in lines[output.stem]:
                    file.write(line)
                    counts[output.stem] += 1
        if not all(counts.values()):
            raise UserError(f"collections.yaml: splits: {split}: it has {counts}; none may be 0")
    return counts | ({"removed": split_records.removed} if split_records.removed else {})


def kind_of(source: Mapping[str, Any], split: str | None) -> str:
    """Return the kind of the corpus (None) or of a split; a split without a kind has that of the corpus."""
    return source["kind"] if split is None else _split(source, split).get("kind", source["kind"])


def local_files(source: Mapping[str, Any]) -> list[Path]:
    """Return the files that a source reads, in a fixed order; empty if a package or ir_datasets has the data."""
    return list(dict.fromkeys(path for split in (None, *source["splits"]) for path in files_of(source, split)))


def deciding_keys(source: Mapping[str, Any], split: str | None) -> Mapping[str, Any]:
    """Return the keys of a source that decide the corpus (None) or a split: no other splits, and no `count`.

    Those of a split have no file of titled passages. If the kind makes the corpus, or each split, from all splits
    together, return the whole source.
    """
    if ("corpus" if split is None else "split") in getattr(_kind(kind_of(source, split)), "TOGETHER", ()):
        return source
    if split is None:
        return {**source, "splits": {}}
    source_keys = {name: value for name, value in source.items() if name not in OF_PASSAGES}
    split_keys = {name: value for name, value in _split(source, split).items() if name != "count"}
    return {**source_keys, "splits": {split: split_keys}}


def keys_of_passages(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the keys of a source that decide its passages: sources with equal ones have the same passages."""
    other_keys = DESCRIBING | OF_QUERIES | (set() if files_of(source, None) else {"sha256"})
    return {key: value for key, value in deciding_keys(source, None).items() if key not in other_keys}


def files_of(source: Mapping[str, Any], split: str | None) -> list[Path]:
    """Return the files on disk that the corpus (None) or a split is read from."""
    return _kind(kind_of(source, split)).files(source, split)


def judged_candidates(source: Mapping[str, Any], split: str) -> bool:
    """Whether each query of a split ranks the passages that its qrels judge, whatever their grade, and no others."""
    return source.get("splits", {}).get(split, {}).get("candidates") == "judged"


def ignores_identical_ids(source: Mapping[str, Any]) -> bool:
    """Whether a passage with the id of a query is no result of this query."""
    return bool(source.get("ignore_identical_ids"))


def _kind(name: str) -> ModuleType:
    """Return the module that reads a kind of source. It is imported on demand: some load heavy libraries."""
    if name not in KINDS:
        raise unknown("collections.yaml: kind", name, KINDS)
    return module_named(f"robustdr.collections.{name}")


def _split(source: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    if name not in source["splits"]:
        raise unknown("collections.yaml: splits", name, source["splits"])
    return source["splits"][name]
