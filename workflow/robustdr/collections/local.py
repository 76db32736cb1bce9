"""A user's own files: TSV, CSV, JSONL or Parquet, and TREC or BEIR qrels, text plain or .gz; or ids of ir_datasets.

`read_…` report the problem of a line and go on with what is known about it, so that one problem does not cause reports
of others.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar, cast

from robustdr.collections import irds
from robustdr.collections.forms import JUDGEMENT, PAIR, PASSAGE, QUERY, Quoting, has_names, head, named_rows
from robustdr.collections.problems import Place, Problem, Report, refuse
from robustdr.collections.reading import WHOLE, checked, judgement, lines, passages, queries
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.collections.settings import Irds, Local, LocalSplit
from robustdr.core import bounds
from robustdr.core.errors import UserError
from robustdr.core.files import GRADE
from robustdr.core.words import MARKS, composed

IRDS = "irds:"
Row = TypeVar("Row")
ROWS = {3: "`qid docid grade`, as its first line", 4: "`qid 0 docid grade`"}  # of judgements, by number of fields
FORMS = {2: "docid<TAB>text", 3: "docid<TAB>title<TAB>text"}
MANY_MARKS = re.compile(rf"[{MARKS}]{{{bounds.MARKS + 1}}}")
HEAD = 1000  # a majority of these lines decides the number of columns; all decide whether quotes are around fields
THREE_COLUMNS = "judgements of three columns"
NOT_COMPOSED = "text with letters apart from their marks"


def corpus(source: Local) -> Iterator[Passage]:
    """Yield the passages; under `drop_empty` without those that have neither title nor text."""
    rows = read_passages(checked(source["corpus"], source.get("sha256", {})), refuse)
    return passages(row for row in rows if not (source.get("drop_empty") and row[1].is_empty()))


def split(source: Local, name: str) -> Split:
    """Return the queries, and the judgements, which a query log may lack.

    `drop_empty` leaves out empty queries and judgements about empty queries or passages; then `ignore_unjudged` leaves
    out queries without a judgement.
    """
    part, digests = cast(LocalSplit, source["splits"][name]), source.get("sha256", {})
    texts, *qrels = (checked(part[key], digests) for key in ("queries", "qrels") if key in part)
    all_queries = list(read_queries(texts, refuse))
    judgements = [judged for path in qrels for _, judged in read_judgements(path, refuse)]
    query_rows = all_queries
    if source.get("drop_empty"):
        empty = {passage.docid for _, passage in read_passages(Path(source["corpus"]), refuse) if passage.is_empty()}
        left_out = {query.qid for _, query in all_queries if query.is_empty()}
        query_rows = [row for row in all_queries if row[1].qid not in left_out]
        judgements = [judged for judged in judgements if judged.docid not in empty and judged.qid not in left_out]
    if source.get("ignore_unjudged"):
        having = {judged.qid for judged in judgements}
        query_rows = [row for row in query_rows if row[1].qid in having]
    return Split(queries(query_rows), judgements, removed=len(all_queries) - len(query_rows))


def files(source: Local, split: str | None) -> list[Path]:
    """Return the files of the corpus (None) or of a split; under `drop_empty` a split reads the corpus too."""
    corpus = [Path(source["corpus"])] if "corpus" in source else []
    if split is None:
        return corpus
    part = cast(LocalSplit, source["splits"][split])
    split_files = [Path(part[key]) for key in ("queries", "qrels") if key in part]
    return split_files + corpus if source.get("drop_empty") else split_files


def read_passages(path: Path, report: Report) -> Iterator[tuple[Place, Passage]]:
    """Yield the rows of a corpus: records with a docid, a text and perhaps a title, or lines of two or three fields.

    Reported: a line that is neither, or that has more or fewer fields than its head or most of the first lines.
    """
    if id := irds_id(path):
        yield from _of_irds(path, irds.corpus(Irds(kind="irds", corpus=id, splits={})))
        return
    for place, passage in _read_passages(path, report):
        title, text = (_composed(place, text, report) for text in (passage.title, passage.text))
        yield place, Passage(passage.docid, title, text)


def _read_passages(path: Path, report: Report) -> Iterator[tuple[Place, Passage]]:
    if has_names(path):
        yield from ((place, Passage(**record)) for place, record in named_rows(path, PASSAGE, report))
        return
    columns, first, rows = _table(path, PASSAGE, report)
    widths = Counter(width for _, line in first if (width := line.count("\t") + 1) in FORMS)
    width = len(columns) if columns else max(widths, key=widths.__getitem__, default=0)
    form = "as its head" if columns else FORMS.get(width, " or ".join(FORMS.values()))
    for place, _, fields in rows:
        if len(fields) != width:
            message = f"{len(fields)} fields; a line of this file is {form}"
            report(Problem("line with a wrong number of fields", place, message))
        elif columns:
            yield place, Passage(**{"title": ""} | {name: fields[column] for name, column in columns.items()})
            continue
        yield place, Passage(fields[0], fields[1] if width == 3 and len(fields) > 2 else "", fields[-1])


def read_queries(path: Path, report: Report) -> Iterator[tuple[Place, Query]]:
    """Yield the queries of records or of `qid<TAB>text` lines. Reported: a line with no tab or several."""
    if id := irds_id(path):
        yield from _of_irds(path, irds.queries(id))
        return
    for place, query in _read_queries(path, report):
        yield place, Query(query.qid, _composed(place, query.text, report))


def _read_queries(path: Path, report: Report) -> Iterator[tuple[Place, Query]]:
    if has_names(path):
        yield from ((place, Query(**record)) for place, record in named_rows(path, QUERY, report))
        return
    columns, _, rows = _table(path, QUERY, report)
    for place, line, fields in rows:
        if len(fields) != 2:
            message = f"{len(fields)} fields; a line is qid<TAB>text"
            report(Problem("line with a wrong number of fields", place, message))
            parts = line.split(maxsplit=1)
            yield place, Query(parts[0], parts[-1])
        elif columns:
            yield place, Query(**{name: fields[column] for name, column in columns.items()})
        else:
            yield place, Query(*fields)


def read_pairs(path: Path, report: Report) -> Iterator[tuple[Place, str, str]]:
    """Yield (place, id or text of a query, its rewritten text) of records or of lines with two fields.

    Reported, and left out: a line with fewer or more fields.
    """
    if has_names(path):
        for place, record in named_rows(path, PAIR, report):
            yield place, record["original"], _composed(place, record["rewritten"], report)
        return
    columns, _, rows = _table(path, PAIR, report)
    for place, line, fields in rows:
        if len(fields) != 2:
            message = f"{len(fields)} fields in {line[:80]!r}; a line is original<TAB>rewritten"
            report(Problem("line with a wrong number of fields", place, message))
            continue
        original, rewritten = (fields[columns[name]] for name in PAIR) if columns else fields
        yield place, original, _composed(place, rewritten, report)


def read_judgements(path: Path, report: Report) -> Iterator[tuple[Place, Judgement]]:
    """Yield the judgements of records, of `qid 0 docid grade` lines, or of lines under a head, as BEIR's.

    A file whose first line has three fields has `qid docid grade` lines: a warning says so. Reported, and left out: a
    line with fewer or more fields.
    """
    if id := irds_id(path):
        yield from _of_irds(path, irds.judgements(id))
        return
    if has_names(path):
        for place, record in named_rows(path, JUDGEMENT, report):
            yield place, judgement(place, **record, report=report)
        return
    width = 0
    columns, _, rows = _table(path, JUDGEMENT, report)
    for place, line, tab_fields in rows:
        fields = tab_fields if columns else line.split()
        if not columns and not width:
            width = 3 if len(fields) == 3 and GRADE.fullmatch(WHOLE.sub("", fields[2])) else 4
            if width == 3:
                message = "three columns, read as `qid docid grade`"
                report(Problem(THREE_COLUMNS, place, message, "warning"))
        if len(fields) != (len(columns) if columns else width):
            form = "qid<TAB>docid<TAB>grade, as its head" if columns else ROWS[width]
            message = f"{line[:80]!r} is not a qrels line; a line is {form}"
            report(Problem("line with a wrong number of fields", place, message))
        elif columns:
            yield place, judgement(place, **{name: fields[column] for name, column in columns.items()}, report=report)
        else:
            yield place, judgement(place, fields[0], *fields[-2:], report=report)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read judgements of any form as {qid: {docid: grade}}.

    Raises:
        UserError: a malformed line, a pair that is judged twice, or no judgement at all.
    """
    qrels: dict[str, dict[str, int]] = {}
    for place, judged in read_judgements(path, refuse):
        if judged.docid in qrels.setdefault(judged.qid, {}):
            raise UserError(f"{place}: query {judged.qid!r} judges passage {judged.docid!r} twice")
        qrels[judged.qid][judged.docid] = judged.grade
    if not qrels:
        raise UserError(f"{path}: no judgement; a line is `qid 0 docid grade`")
    return qrels


def irds_id(path: str | Path) -> str | None:
    """Return the id in `irds:<id>`, which stands in place of a file; None for a file."""
    return str(path).removeprefix(IRDS) if str(path).startswith(IRDS) else None


def corpus_of(path: Path) -> Local | Irds:
    """Return the entry of collections.yaml, without splits, of a corpus file or of `irds:<id>`."""
    if id := irds_id(path):
        return {"kind": "irds", "corpus": id, "splits": {}}
    return {"kind": "local", "corpus": str(path), "splits": {}}


def _of_irds(path: Path, rows: Iterable[Row]) -> Iterator[tuple[Place, Row]]:
    return ((Place(path, number, "row"), row) for number, row in enumerate(rows))


def _composed(place: Place, text: str, report: Report) -> str:
    """Return a text in Unicode's composed form (NFC), in which equal letters are equal characters.

    Reported: a text that was not in this form (a warning), or has more than `bounds.MARKS` marks on a letter.
    """
    if not text.isascii() and MANY_MARKS.search(text):
        report(Problem("too many marks", place, f"has more than {bounds.MARKS:,} marks on one letter; is it a text?"))
        return ""  # no other step is tried on it
    whole = composed(text)
    if whole != text:
        message = "letters and their marks are apart (not NFC); they are read as one"
        report(Problem(NOT_COMPOSED, place, message, "warning"))
    return whole


def _table(
    path: Path, names: Mapping[str, tuple[str, ...]], report: Report
) -> tuple[dict[str, int] | None, list[tuple[int, str]], Iterator[tuple[Place, str, list[str]]]]:
    """Return the columns that a head names, if there is one; the first lines below it; all lines with their fields."""
    rows = lines(path, report)
    first = list(islice(rows, HEAD))
    columns = head(first[0][1], names) if first else None
    first = first[1:] if columns else first
    quoting = Quoting(path, [line for _, line in first], report)
    return columns, first, ((Place(path, number), line, quoting.fields(line)) for number, line in chain(first, rows))
