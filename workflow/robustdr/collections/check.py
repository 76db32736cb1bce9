"""`robustdr check`: finds all problems of a data set in the user's own files and lines, before any work starts."""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import Stemmer

from robustdr.collections.forms import PASSAGE
from robustdr.collections.local import irds_id, read_judgements, read_passages, read_queries
from robustdr.collections.problems import Place, Problem, Report
from robustdr.collections.reading import EMPTY_PASSAGE, EMPTY_QUERY, check_passage, check_query
from robustdr.core.words import CHARACTERS

IDENTICAL = "passage with the id of a query"
UNKNOWN_QUERY, UNKNOWN_PASSAGE = "judgement of an unknown query", "judgement of an unknown passage"
HEAD = "line that may be a head"
UNREADABLE = "\ufffd"  # in place of what is not UTF-8, which is reported already
HEADS = re.compile(r"[a-z_ -]*(id|key|no)", re.IGNORECASE)  # what a docid is called, in place of one


class _Lines:
    """Hashes of values with their lines: 16 bytes each. They are Python's, and so of this process alone."""

    def __init__(self) -> None:
        self.hashes, self.lines = array("q"), array("Q")

    def add(self, value: str, line: int) -> None:
        self.hashes.append(hash(value))
        self.lines.append(line)

    def shared(self, other_lines: "_Lines") -> Iterator[tuple[int, int]]:
        """Yield (line here, first line there) of the values that both have, in the order of the lines here."""
        if not self.lines or not other_lines.lines:
            return
        values, first = np.unique(np.frombuffer(other_lines.hashes, dtype=np.int64), return_index=True)
        hashes = np.frombuffer(self.hashes, dtype=np.int64)
        places = np.searchsorted(values, hashes).clip(max=len(values) - 1)
        for position in np.flatnonzero(values[places] == hashes):
            yield self.lines[position], other_lines.lines[first[places[position]]]

    def repeated(self) -> Iterator[tuple[int, int]]:
        """Yield (line, first line of the same value) of each repeated value."""
        return ((line, first) for line, first in self.shared(self) if line != first)


class Checked(NamedTuple):
    """The problems of a data set in the order of the files, the number of its passages, and the queries by split.

    Lines that the options leave out are `dropped` problems. Queries without a text are not among the queries.
    """

    problems: list[Problem]
    passages: int = 0
    queries: Mapping[str, list[str]] = {}


class _Queries(NamedTuple):
    """The queries of a file: place by qid, qids without a text, texts, and the lines of ids, texts and words.

    Attributes:
        ids, words: only of several splits, which should share none.
        left_out: the lines of queries that are left out because they have no judgement.
    """

    path: Path
    places: dict[str, Place]
    empty: set[str]
    question_texts: list[str]
    ids: _Lines
    texts: _Lines
    words: _Lines
    left_out: set[int]


def check(
    corpus: Path,
    splits: Mapping[str, tuple[Path, Path]],
    drop_empty: bool = False,
    ignore_unjudged: bool = False,
    allow_missing: bool = False,
    ignore_identical_ids: bool | None = None,
) -> Checked:
    """Find all problems of a data set in the formats of local collections.

    Memory: 32 bytes a passage, and some 400 and its text a query; it does not grow with the length of passages.

    Args:
        splits: name -> its files of queries and of judgements. Splits should share no query.
        drop_empty: leave out empty passages and queries, and judgements about them.
        ignore_unjudged: leave out queries without a judgement.
        allow_missing: go on where a judged passage is not there, which counts as not found, or a judged query is not,
            whose judgements are left out.
        ignore_identical_ids: the passage with the id of a query is no result of it; None: `_finds_itself` decides, and
            a problem of the kind `IDENTICAL` that is `dropped` says so.
    """
    files = [path for path in (corpus, *(file for pair in splits.values() for file in pair)) if not irds_id(path)]
    if missing := [Problem("missing file", path, "no such file") for path in files if not path.is_file()]:
        return Checked(missing)
    problems: list[Problem] = []
    of_queries: list[Problem] = []

    def report(problem: Problem, reported: list[Problem] = problems) -> None:
        dropped = drop_empty and problem.kind in (EMPTY_PASSAGE, EMPTY_QUERY)
        reported.append(problem._replace(severity="dropped") if dropped else problem)

    query_files = [
        _check_queries(queries, len(splits) > 1, lambda problem: report(problem, of_queries))
        for queries, _ in splits.values()
    ]
    judged, own_grades = set[str](), dict[str, int]()
    for _, qrels in splits.values():
        for _, row in read_judgements(qrels, lambda problem: None):
            judged.add(row.docid)
            if row.qid == row.docid:
                own_grades[row.qid] = row.grade
    passages, known_docids, empty, texts = _check_corpus(
        corpus, judged, [query_file.places for query_file in query_files], report
    )
    if texts:
        identical: dict[str, bool] = {}  # by id: whether one of the two texts holds the other
        for queries, _ in splits.values():
            for _, query in read_queries(queries, lambda problem: None):
                if query.qid in texts:
                    question, text = (" ".join(words.casefold().split()) for words in (query.text, texts[query.qid]))
                    identical[query.qid] = bool(question and text) and (question in text or text in question)
        ids_are_relevant = any(own_grades.get(id, 0) > 0 for id in identical)
        ignored = ignore_identical_ids
        if ignored is None:
            ignored = _finds_itself(identical, ids_are_relevant)
        _report_identical(corpus, identical, ignored, report)
    problems += of_queries
    for of_split, (_, qrels) in zip(query_files, splits.values(), strict=True):
        checked = _check_judgements(qrels, of_split, corpus, known_docids, empty, drop_empty, allow_missing, report)
        _check_judged(of_split, qrels, *checked, ignore_unjudged, report)
    for first, second in combinations(query_files, 2):
        _check_overlap(first, second, report)
    return Checked(
        problems,
        passages,
        {split: query_file.question_texts for split, query_file in zip(splits, query_files, strict=True)},
    )


def _check_corpus(
    path: Path, judged: set[str], queries: Sequence[Mapping[str, Place]], report: Report
) -> tuple[int, set[str], set[str], dict[str, str]]:
    """Check the passages.

    Returns:
        Their number, the docids of `judged` that exist, the docids of empty passages, and the texts of those that have
        the id of one of the queries.
    """
    known_docids, empty, ids, texts = set(), set(), _Lines(), _Lines()
    identical: dict[str, str] = {}
    for place, passage in read_passages(path, report):
        for places in queries:
            if passage.docid in places:
                identical[passage.docid] = passage.text
        check_passage(place, passage, report)
        ids.add(passage.docid, place.number)
        if passage.docid in judged:
            known_docids.add(passage.docid)
        if passage.is_empty():
            empty.add(passage.docid)
        else:
            _check_words(place, f"{passage.title} {passage.text}", report)
            if HEADS.fullmatch(passage.docid) and not texts.lines:
                message = (
                    f"docid {passage.docid!r}: is this line a head? Names that are read: {', '.join(PASSAGE['docid'])}"
                )
                report(Problem(HEAD, place, message, "warning"))
            texts.add(f"{passage.title}\t{passage.text}", place.number)
    for line, first in ids.repeated():
        report(Problem("repeated docid", Place(path, line), f"the docid of line {first} again; ids are unique"))
    for line, first in texts.repeated():
        message = f"the text of line {first} again; judge both alike or leave one out"
        report(Problem("repeated passage", Place(path, line), message, "warning"))
    if not texts.lines:
        report(Problem("file without content", path, "no passage with a text"))
    return len(ids.lines), known_docids, empty, identical


def _finds_itself(identical: Mapping[str, bool], ids_are_relevant: bool) -> bool:
    """Whether equal ids of queries and passages say that a query is a passage too, as in ArguAna and Quora.

    They do not if such a passage is relevant. Plain numbers may be equal by chance: then half of the texts must be too.
    """
    if ids_are_relevant:
        return False
    half = len(identical) / 2
    return sum(identical.values()) >= half or sum(not id.isdecimal() for id in identical) >= half


def _report_identical(corpus: Path, identical: Mapping[str, bool], ignored: bool, report: Report) -> None:
    effect = (
        "they are no results of this query, as in BEIR's evaluation (--no-ignore-identical-ids counts them)"
        if ignored
        else "they count as results of this query (--ignore-identical-ids leaves them out, as BEIR's evaluation does)"
    )
    message = f"{len(identical):,} passages have the id of a query; {effect}"
    report(Problem(IDENTICAL, corpus, message, "dropped" if ignored else "warning"))


def _check_words(place: Place, text: str, report: Report) -> None:
    if not any(map(str.isalnum, text)) and UNREADABLE not in text:
        report(Problem("text without a word", place, f"{text.strip()[:80]!r} has no letter and no digit", "warning"))


def _check_queries(path: Path, has_others: bool, report: Report) -> _Queries:
    query_file = _Queries(path, {}, set(), [], _Lines(), _Lines(), _Lines(), set())
    stem = Stemmer.Stemmer("english").stemWords
    for place, query in read_queries(path, report):
        check_query(place, query, query_file.places, report)
        if query.is_empty():
            query_file.empty.add(query.qid)
            continue
        _check_words(place, query.text, report)
        query_file.question_texts.append(query.text)
        words = re.findall(CHARACTERS, query.text.casefold())
        query_file.texts.add(" ".join(words) or query.text, place.number)
        if has_others:
            query_file.ids.add(query.qid, place.number)
            query_file.words.add(" ".join(sorted(set(stem(words)))) or query.text, place.number)
    for line, first in query_file.texts.repeated():
        message = f"the text of line {first} again, but for case and punctuation; it counts twice"
        report(Problem("repeated query", Place(path, line), message, "warning"))
    if not query_file.texts.lines:
        report(Problem("file without content", path, "no query with a text"))
    return query_file


def _check_judgements(
    path: Path,
    query_file: _Queries,
    corpus: Path,
    known_docids: set[str],
    empty: set[str],
    drop_empty: bool,
    allow_missing: bool,
    report: Report,
) -> tuple[set[str], set[str]]:
    """Check judgements; return the queries that have one that counts, and those with a relevant passage."""
    judged, relevant, pairs = set(), set(), _Lines()
    missing: list[Problem] = []
    for place, row in read_judgements(path, report):
        pairs.add(f"{row.qid} {row.docid}", place.number)
        if row.qid in query_file.empty or row.docid in empty:
            if drop_empty:
                message = f"judges query {row.qid!r} and passage {row.docid!r}, one of which is empty"
                report(Problem("judgement of something empty", place, message, "dropped"))
                continue
        elif row.qid not in query_file.places:
            message = f"judges query {row.qid!r}, which is not in {query_file.path}"
            missing.append(Problem(UNKNOWN_QUERY, place, message, "dropped" if allow_missing else "error"))
            if allow_missing:
                continue
        elif row.docid not in known_docids:
            message = f"judges passage {row.docid!r}, which is not in {corpus}"
            message += "; it counts as relevant, and is not found" if allow_missing and row.grade > 0 else ""
            missing.append(Problem(UNKNOWN_PASSAGE, place, message, "warning" if allow_missing else "error"))
        judged.add(row.qid)
        if row.grade > 0:
            relevant.add(row.qid)
    wrong_files = len(missing) > len(pairs.lines) / 2  # nothing is missing there: the files do not belong together
    for problem in missing:
        report(problem._replace(severity="error") if wrong_files else problem)
    for line, first in pairs.repeated():
        message = f"the query and the passage of line {first} again; a pair is judged once"
        report(Problem("repeated judgement", Place(path, line), message))
    if not pairs.lines:
        report(Problem("file without content", path, "no judgement; a line is `qid 0 docid grade`"))
    return judged, relevant


def _check_judged(
    query_file: _Queries, qrels: Path, judged: set[str], relevant: set[str], ignore_unjudged: bool, report: Report
) -> None:
    """Check that each query has a judgement, and a relevant passage."""
    for qid, place in query_file.places.items():
        if qid in query_file.empty:
            continue
        if qid not in judged:
            message = f"query {qid!r} has no judgement in {qrels}; leave it out or add one"
            report(Problem("query without a judgement", place, message, "dropped" if ignore_unjudged else "error"))
            if ignore_unjudged:
                query_file.left_out.add(place.number)
        elif qid not in relevant:
            message = (
                f"query {qid!r} has no relevant passage in {qrels} (grade 1 or more); it counts 0 for every system"
            )
            report(Problem("query without a relevant passage", place, message, "warning"))


def _check_overlap(left_queries: _Queries, right_queries: _Queries, report: Report) -> None:
    """Check that no two splits share a query, exactly or nearly. Both may be in one file: its judgements divide it."""

    def shared(mine: _Lines, theirs: _Lines) -> Iterator[tuple[int, int]]:
        pairs = mine.shared(theirs)
        return (
            (line, first_line)
            for line, first_line in pairs
            if line not in right_queries.left_out and first_line not in left_queries.left_out
        )

    shared_texts = dict(shared(right_queries.texts, left_queries.texts))
    for line, first in shared_texts.items():
        message = (
            f"the text of {left_queries.path}:{first}, but for case and punctuation; a query is in one split alone"
        )
        report(Problem("query of two splits", Place(right_queries.path, line), message))
    for line, first in shared(right_queries.words, left_queries.words):
        if line not in shared_texts:
            message = f"the words of {left_queries.path}:{first} in another order or form; these may be one query"
            report(Problem("near-duplicate query of two splits", Place(right_queries.path, line), message, "warning"))
    for line, first in shared(right_queries.ids, left_queries.ids):
        if line not in shared_texts:
            message = (
                f"the query id of {left_queries.path}:{first}, another query; fine if files of both are never joined"
            )
            report(Problem("query id of two splits", Place(right_queries.path, line), message, "warning"))
