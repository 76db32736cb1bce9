"""A user's own files: a TSV or JSONL corpus, TSV queries and TREC qrels, each plain or .gz.

`read_…` report the problem of a line and go on with what is known about it, so that one problem does not cause reports
of others.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import cast

from robustdr.collections.problems import Place, Problem, Report, refuse
from robustdr.collections.reading import checked, judgement, lines, passages, queries, records
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.collections.settings import Local, LocalSplit

FORMS = {2: "docid<TAB>text", 3: "docid<TAB>title<TAB>text"}
HEAD = 1000  # a majority of these lines decides the number of columns


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
    asked = list(read_queries(texts, refuse))
    judgements = [judged for path in qrels for _, judged in read_judgements(path, refuse)]
    kept = asked
    if source.get("drop_empty"):
        empty = {passage.docid for _, passage in read_passages(Path(source["corpus"]), refuse) if passage.is_empty()}
        left_out = {query.qid for _, query in asked if query.is_empty()}
        kept = [row for row in asked if row[1].qid not in left_out]
        judgements = [judged for judged in judgements if judged.docid not in empty and judged.qid not in left_out]
    if source.get("ignore_unjudged"):
        having = {judged.qid for judged in judgements}
        kept = [row for row in kept if row[1].qid in having]
    return Split(queries(kept), judgements, removed=len(asked) - len(kept))


def files(source: Local, split: str | None) -> list[Path]:
    """Return the files of the corpus (None) or of a split; under `drop_empty` a split reads the corpus too."""
    corpus = [Path(source["corpus"])] if "corpus" in source else []
    if split is None:
        return corpus
    part = cast(LocalSplit, source["splits"][split])
    own = [Path(part[key]) for key in ("queries", "qrels") if key in part]
    return own + corpus if source.get("drop_empty") else own


def read_passages(path: Path, report: Report) -> Iterator[tuple[Place, Passage]]:
    """Yield the rows of a corpus: JSON objects with docid, text and perhaps a title, or lines of two or three fields.

    Reported: a line that is neither, or that has more or fewer fields than most of the first lines.
    """
    if ".jsonl" in path.suffixes:
        for number, record in records(path, ("docid", "text"), report):
            yield Place(path, number), Passage(record["docid"], str(record.get("title") or ""), record["text"])
        return
    rows = lines(path, report)
    head = list(islice(rows, HEAD))
    widths = Counter(width for _, line in head if (width := line.count("\t") + 1) in FORMS)
    width = max(widths, key=widths.__getitem__, default=0)
    for number, line in chain(head, rows):
        fields = line.split("\t")
        if len(fields) != width:
            what = f"{len(fields)} fields; a line of this file is {FORMS.get(width, ' or '.join(FORMS.values()))}"
            report(Problem("line with a wrong number of fields", Place(path, number), what))
        yield Place(path, number), Passage(fields[0], fields[1] if width == 3 and len(fields) > 2 else "", fields[-1])


def read_queries(path: Path, report: Report) -> Iterator[tuple[Place, Query]]:
    """Yield the queries of `qid<TAB>text` lines. Reported: a line with no tab or several."""
    for number, line in lines(path, report):
        fields = line.split("\t")
        if len(fields) != 2:
            what = f"{len(fields)} fields; a line is qid<TAB>text"
            report(Problem("line with a wrong number of fields", Place(path, number), what))
            fields = line.split(maxsplit=1)
        yield Place(path, number), Query(fields[0], fields[-1])


def read_judgements(path: Path, report: Report) -> Iterator[tuple[Place, Judgement]]:
    """Yield the judgements of `qid 0 docid grade` lines. Reported, and left out: a line with fewer or more fields."""
    for number, line in lines(path, report):
        fields, place = line.split(), Place(path, number)
        if len(fields) == 4:
            yield place, judgement(place, fields[0], fields[2], fields[3], report=report)
        else:
            what = f"{line[:80]!r} is not a qrels line; a line is `qid 0 docid grade`"
            report(Problem("line with a wrong number of fields", place, what))
