"""The card of a collection or a split: its description, its counts, and proof that its files fit together."""

import json
import os
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NotRequired, TypedDict

import numpy as np

from robustdr.collections import judged_candidates
from robustdr.collections.near import count_near_duplicates, same_words
from robustdr.collections.reading import read_records
from robustdr.collections.settings import Source
from robustdr.core.errors import UserError
from robustdr.core.files import read_answers, read_lines, read_qrels, read_queries, sha256, write_json
from robustdr.core.seeds import digest


class SplitCard(TypedDict):
    """Counts of a split; `grades`: number of judgements by grade."""

    queries: int
    mean_words: float
    judgements: NotRequired[int]
    grades: NotRequired[dict[str, int]]
    answers: NotRequired[int]


class PassagesCard(TypedDict):
    """Counts of a corpus; `missing`: judged passages that it does not have."""

    count: int
    empty: int
    mean_words: float
    missing: NotRequired[int]


class NearDuplicates(TypedDict):
    """How many questions of a split, and relevant passages of these, the training split nearly has too."""

    queries: int
    passages: NotRequired[int]


class Card(TypedDict):
    """The keys of a card that are read."""

    name: str
    passages: PassagesCard
    splits: dict[str, SplitCard]


def write_card(
    source: Source,
    corpus: Path | None,
    splits: Mapping[str, Sequence[Path]],
    output: Path,
    compared: Mapping[str, Sequence[Path]] | None = None,
) -> None:
    """Check that corpus, queries and judgements or answers fit together, and write the card: name, counts, sha256.

    The folder of the splits, or of `output`, gives the collection's name. Memory: 16 bytes a passage, and the queries.
    Judged passages that are not there are counted if the source allows it (`allow_missing`), and empty passages if the
    collection was released with them (`kind: irds`); otherwise they are an error.

    Args:
        corpus: corpus.jsonl; None for a query log, where only the queries are checked.
        splits: split -> its files: queries.tsv, and qrels.txt or answers.jsonl or both.
        compared: further splits in the same form. The card counts what of each of them is nearly in `splits` too.

    Raises:
        UserError: the first fault, with file and line: a repeated docid, an empty passage, an empty or repeated query,
            a judgement about a missing passage or query, a query without a judgement or an answer, or without
            a relevant passage if it ranks its judged ones, text that is not UTF-8.
    """
    judged: dict[str, Path] = {}
    described: dict[str, SplitCard] = {}
    for name, files in splits.items():
        path = {file.stem: file for file in files}
        texts = read_queries(path["queries"])
        described[name] = {
            "queries": len(texts),
            "mean_words": round(fmean(len(text.split()) for text in texts.values()), 2),
        }
        if "qrels" in path:
            judgements = read_qrels(path["qrels"])
            _check_queries(path["queries"], texts, path["qrels"], judgements, "judgement")
            if judged_candidates(source, name):
                _check_candidates(path["qrels"], judgements, source.get("relevance_level", 1))
            grades = Counter(grade for of_query in judgements.values() for grade in of_query.values())
            described[name]["judgements"] = grades.total()
            described[name]["grades"] = {str(grade): count for grade, count in sorted(grades.items())}
            judged |= {docid: path["qrels"] for of_query in judgements.values() for docid in of_query}
        if "answers" in path:
            answers = read_answers(path["answers"])
            _check_queries(path["queries"], texts, path["answers"], answers, "answer")
            described[name]["answers"] = sum(map(len, answers.values()))
    checked_files = [*([corpus] if corpus else []), *(file for files in splits.values() for file in files)]
    write_json(
        output,
        {
            "name": next((file.parent.parent for files in splits.values() for file in files), output.parent).name,
            **{key: source.get(key) for key in ("description", "licence", "url", "kind")},
            "passages": _check_corpus(corpus, judged, source) if corpus else None,
            "splits": described,
            **({"near_duplicates": _near_duplicates(corpus, splits, compared)} if compared else {}),
            "sha256": {os.path.relpath(path, output.parent): sha256(path) for path in checked_files},
        },
    )


def _near_duplicates(
    corpus: Path | None, splits: Mapping[str, Sequence[Path]], compared: Mapping[str, Sequence[Path]]
) -> dict[str, NearDuplicates]:
    """Count the questions of each compared split that `splits` nearly have too, and so its relevant passages.

    Memory: the texts of all these.
    """
    own_queries, own_docids = _texts_and_relevant(file for files in splits.values() for file in files)
    compared_texts = {name: _texts_and_relevant(files) for name, files in compared.items()}
    docids_to_read = own_docids.union(*(docids for _, docids in compared_texts.values()))
    records = read_records(corpus) if corpus and own_docids else ()
    text_of = {passage.docid: passage.joined() for _, passage in records if passage.docid in docids_to_read}
    passages = {
        name: [text_of[docid] for docid in sorted(docids & text_of.keys())]
        for name, (_, docids) in compared_texts.items()
    }
    alike_passages = count_near_duplicates(passages, (text_of[docid] for docid in own_docids & text_of.keys()))
    counts: dict[str, NearDuplicates] = {}
    for name, (queries, docids) in compared_texts.items():
        counts[name] = {"queries": same_words(queries, own_queries)}
        if own_docids and docids:
            counts[name]["passages"] = alike_passages[name]
    return counts


def _texts_and_relevant(files: Iterable[Path]) -> tuple[list[str], set[str]]:
    """Return the queries among the files of splits, and the docids that their judgements call relevant."""
    queries: list[str] = []
    docids: set[str] = set()
    for file in files:
        if file.stem == "queries":
            queries += read_queries(file).values()
        elif file.stem == "qrels":
            graded = (item for of_query in read_qrels(file).values() for item in of_query.items())
            docids |= {docid for docid, grade in graded if grade > 0}
    return queries, docids


def _check_queries(queries: Path, texts: Collection[str], judging: Path, judged: Collection[str], kind: str) -> None:
    """Check that the queries are those with a judgement, or an answer, in the file `judging`."""
    for qid in judged:
        if qid not in texts:
            raise UserError(f"{_line(judging, 0, qid)}: {kind} for query {qid!r}, which is not in {queries}")
    for qid in texts:
        if qid not in judged:
            raise UserError(
                f"{_line(queries, 0, qid)}: query {qid!r} has no {kind} in {judging}; leave it out or add one"
            )


def _check_candidates(qrels: Path, judgements: Mapping[str, Mapping[str, int]], level: int) -> None:
    """Check that each query has a relevant candidate: without one, all rankings of its candidates score the same."""
    for qid, grades in judgements.items():
        if max(grades.values()) < level:
            raise UserError(
                f"{_line(qrels, 0, qid)}: none of the {len(grades)} candidates of query {qid!r} is relevant (grade "
                f"{level} or more); leave the query out, or judge one that is"
            )


def _check_corpus(corpus: Path, judged: Mapping[str, Path], source: Source) -> PassagesCard:
    missing, released = dict(judged), source["kind"] == "irds"
    hashes, words, empty = array("Q"), 0, 0
    for number, passage in read_records(corpus):
        length = len(passage.title.split()) + len(passage.text.split())
        if length == 0 and not released:
            raise UserError(f"{corpus}:{number}: passage {passage.docid!r} is empty; a passage has a title or a text")
        if passage.docid.split() != [passage.docid]:
            raise UserError(f"{corpus}:{number}: docid {passage.docid!r} is empty or has white space")
        hashes.append(digest(passage.docid))
        words += length
        empty += length == 0
        missing.pop(passage.docid, None)
    if not hashes:
        raise UserError(f"{corpus}: no passages")
    if len(np.unique(np.frombuffer(hashes, dtype=np.uint64))) < len(hashes):  # a docid is repeated, or a hash
        first: dict[str, int] = {}
        for number, passage in read_records(corpus):
            if first.setdefault(passage.docid, number) != number:
                raise UserError(
                    f"{corpus}:{number}: docid {passage.docid!r} is also on line {first[passage.docid]}; ids are unique"
                )
    counts: PassagesCard = {"count": len(hashes), "empty": empty, "mean_words": round(words / len(hashes), 2)}
    if missing and source.get("allow_missing"):
        return {**counts, "missing": len(missing)}
    for docid, qrels in missing.items():
        raise UserError(f"{_line(qrels, 2, docid)}: judges passage {docid!r}, which is not in {corpus}")
    return counts


def _line(path: Path, field: int, value: str) -> str:
    """`path:number` of the first line whose white-space separated `field`, or in JSONL whose qid, is `value`."""

    def id_of(line: str) -> str:
        return json.loads(line)["qid"] if path.suffix == ".jsonl" else line.split()[field]

    return next(f"{path}:{number}" for number, line in read_lines(path) if id_of(line) == value)
