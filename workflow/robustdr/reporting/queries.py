"""The data of the report's queries, as scripts.

Of every query behind a system's cells: its measures, the rank of its first relevant passage, and the top passages. Of a
collection: the texts of its original queries, of its varied ones, and of the passages that are shown.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from robustdr.collections.rows import Corpus
from robustdr.core.benchmarks import costs
from robustdr.core.files import atomic, from_json, read_answers, read_qrels, read_queries
from robustdr.evaluation.answers import judge
from robustdr.evaluation.measures import read_measures
from robustdr.evaluation.names import ORIGINAL, cut_of, parse
from robustdr.keys.integrity import record_of
from robustdr.reporting.settings import MOST, QueriesSettings
from robustdr.retrieval.best import NO_PASSAGE
from robustdr.retrieval.runs import Run, read_run

SHOWN = 5  # passages shown per ranking
GZIP = 31  # zlib's number for the format gzip
DIGITS = 1000  # a measure is written as an integer number of thousandths, as the page shows it


def write_data(path: Path, name: str, value: Any) -> None:
    """Write data as a script: a page opened from disk can load scripts, but not JSON.

    The script calls `robustdr.take(name, text)`; the text is the value as JSON, by gzip and base64. So the data take a
    quarter of the space, and nothing in a text is markup.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    packed = zlib.compress(text.encode(), 9, wbits=GZIP)  # without a time stamp: the same data give the same bytes
    with atomic(path) as temporary:
        script = f'robustdr.take({json.dumps(name)},"{b64encode(packed).decode()}");\n'
        temporary.write_text(script, encoding="utf-8", newline="\n")


def read_data(path: Path) -> Any:
    """The data that `write_data` wrote.

    Raises:
        ValueError: the script is cut off, damaged, or of another version.
    """
    text = path.read_text(encoding="utf-8")
    try:
        return from_json(zlib.decompress(b64decode(text[text.index(",") + 2 : text.rindex('"')]), wbits=GZIP).decode())
    except zlib.error as error:
        raise ValueError(f"{path}: {error}") from error


class QuerySetMeasures(TypedDict):
    """A query set, by measure: each query's value in 1 / `DIGITS`, None if it has none, and the exact mean."""

    measures: dict[str, list[int | None]]
    means: dict[str, float]


def _measured(
    measures: list[Path], seeds: int, query_sets: Mapping[str, list[str]], qids: dict[str, list[str]]
) -> dict[str, QuerySetMeasures]:
    """The data of each query set; values are means over seeds."""
    rows = pd.concat(map(read_measures, measures))
    sums = rows.groupby(["query_set", "measure", "qid"], sort=False)["value"].sum()
    values = {key: group.droplevel([0, 1]) / seeds for key, group in sums.groupby(level=[0, 1], sort=False)}

    def whole(query_set: str, measure: str) -> list[int | None]:
        value_by_qid = values[query_set, measure].to_dict()
        return [
            round(value_by_qid[q] * DIGITS) if q in value_by_qid else None for q in qids[query_set.partition(".")[0]]
        ]

    return {
        query_set: {
            "measures": {measure: whole(query_set, measure) for measure in names},
            "means": {measure: float(values[query_set, measure].mean()) for measure in names},
        }
        for query_set, names in query_sets.items()
    }


def _relevant(
    settings: QueriesSettings, judgements: list[Path], runs: list[Path], corpus: Path | None
) -> dict[Path, Any]:
    """The relevant docids, by file of judgements and qid."""
    relevant: dict[Path, Any] = {}
    for path in dict.fromkeys(judgements):
        if path.suffix == ".jsonl" and corpus:
            judged = (
                read_run(run) for run, judgement_file in zip(runs, judgements, strict=True) if judgement_file == path
            )
            cuts = (cut_of(parse(measure)) or 0 for measures in settings.measures.values() for measure in measures)
            grades, level = judge(read_answers(path), judged, max(cuts), corpus), 1
        else:
            grades, level = read_qrels(path), settings.relevance_level
        relevant[path] = {
            qid: {d for d, grade in grade_by_docid.items() if grade >= level} for qid, grade_by_docid in grades.items()
        }
    return relevant


def _first(run: Run, relevant: Mapping[str, set[str]]) -> dict[str, int]:
    """The rank, from 1, of each query's first relevant passage, if it has one. Computed on arrays, for speed."""
    judged = [(line, docid) for qid, line in run.lines.items() for docid in relevant.get(qid, ())]
    rows = pc.index_in(pa.array([docid for _, docid in judged], run.docids.type), run.docids).to_pylist()
    cells = [len(run.docids) * line + row for (line, _), row in zip(judged, rows, strict=True) if row is not None]
    ranked = len(run.docids) * np.arange(len(run.rows))[:, None] + run.rows
    lines, places = np.nonzero(np.isin(ranked, cells) & (run.rows != NO_PASSAGE))
    first = dict(zip(lines[::-1].tolist(), places[::-1].tolist(), strict=True))  # reversed: the first place stays
    return {qid: first[line] + 1 for qid, line in run.lines.items() if line in first}


def changed_most(before: dict[str, list[int | None]], after: dict[str, list[int | None]]) -> list[int]:
    """Positions of the queries that change most, summed over measures: half largest losses, half largest gains."""
    pairs = [zip(before[measure], after[measure], strict=True) for measure in after]
    change = [sum((b or 0) - (a or 0) for a, b in changes) for changes in zip(*pairs, strict=True)]
    order = sorted(range(len(change)), key=lambda number: (change[number], number))
    return sorted({*order[: MOST // 2], *order[-MOST // 2 :]})


def provenance(settings: QueriesSettings) -> dict[str, list[object]]:
    """The steps with their costs and digests, and the distinct lists of installed packages, named by number."""
    installed: dict[str, int] = {}
    steps: list[object] = []
    for step in settings.steps:
        record_path = record_of(Path(step.path))
        lines = record_path.read_text(encoding="utf-8").splitlines() if record_path.is_file() else []
        header = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# "))
        packages = header.get("installed:", "")
        steps.append(
            {
                **asdict(step),
                "cost": None if "kept:" in header else costs(Path(step.benchmark)),
                "hardware": header.get("computed", "").removeprefix("on "),
                "installed": installed.setdefault(packages, len(installed)) if packages else None,
                "digests": [line.split("  ", 1)[::-1] for line in lines if not line.startswith("#")],
            }
        )
    return {"steps": steps, "installed": list(installed)}


def write_queries(
    settings: QueriesSettings,
    measures: list[Path],
    runs: list[Path],
    judgements: list[Path],
    queries: list[Path],
    corpus: Path | None,
    output: Path,
) -> None:
    """Write the queries behind a system's cells on one collection.

    Args:
        measures: files of all seeds. runs, judgements: by query set, in the order of the settings. queries: original
            queries of each split. corpus: needed if answers judge a split. output: the script to write.
    """
    qids = {path.parent.name: sorted(read_queries(path)) for path in queries}
    sets = _measured(measures, len(settings.seeds), settings.measures, qids)
    relevant = _relevant(settings, judgements, runs, corpus)
    ranks: dict[str, list[int | None]] = {}
    top: dict[str, dict[int, Any]] = {}
    for query_set, run, judging in zip(settings.measures, runs, judgements, strict=True):
        split, _, kind = query_set.partition(".")
        ranking, of_split = read_run(run), qids[split]
        first = _first(ranking, relevant[judging])
        original = f"{split}.{ORIGINAL}"
        positions = (
            range(len(of_split))
            if kind == ORIGINAL
            else changed_most(*(sets[set_name]["measures"] for set_name in (original, query_set)))
        )
        ranks[query_set] = [first.get(qid) for qid in of_split]
        top[query_set] = {}
        for number, qid in ((number, of_split[number]) for number in positions):
            docids, of_query = [docid for docid, _ in ranking.get(qid, [])[:SHOWN]], relevant[judging].get(qid, ())
            top[query_set][number] = [docids, [place for place, docid in enumerate(docids) if docid in of_query]]
    for query_set, of_set in top.items():
        if query_set.endswith(f".{ORIGINAL}"):
            needed = {n for varied_set, numbers in top.items() if varied_set != query_set for n in numbers}
            top[query_set] = {number: passages for number, passages in of_set.items() if number in needed}
    full_sets = {
        query_set: {**set_data, "ranks": ranks[query_set], "top": top[query_set]}
        for query_set, set_data in sets.items()
    }
    subject = {"system": settings.system, "label": settings.label, "collection": settings.collection}
    data = {"seeds": settings.seeds, "digits": DIGITS, "sets": full_sets, **provenance(settings)}
    write_data(output, f"{settings.collection}/{settings.system}", {**subject, **data})


def part_of(docid: str, parts: int) -> int:
    """The number, from 0, of the script with this passage; `parts`: number of scripts."""
    return zlib.crc32(docid.encode()) % parts


def write_texts(explored: list[Path], queries: list[Path], corpus: Path, output: Path, passages: list[Path]) -> None:
    """Write the texts of a collection.

    Args:
        explored: scripts that `write_queries` wrote, one per system. queries: files of original and varied queries; a
            varied query that equals its original is written as 0. output: the script of queries. passages: scripts,
            each for a part of the passages that any system's rankings show.
    """
    originals = {path.parent.name: read_queries(path) for path in queries if path.name == "queries.tsv"}
    texts: dict[str, dict[str, object]] = {
        split: {"qids": sorted(text_by_qid), ORIGINAL: [text_by_qid[qid] for qid in sorted(text_by_qid)]}
        for split, text_by_qid in originals.items()
    }
    for path in (path for path in queries if path.name != "queries.tsv"):
        split, varied = path.parent.name, read_queries(path)
        original = originals[split]
        texts[split][path.stem] = [0 if varied[qid] == original[qid] else varied[qid] for qid in sorted(original)]
    write_data(output, f"{corpus.parent.name}/queries", texts)
    sets = [of_set for path in explored for of_set in read_data(path)["sets"].values()]
    shown_docids = {docid for of_set in sets for docids, _ in of_set["top"].values() for docid in docids}
    parts: list[dict[str, list[str]]] = [{} for _ in passages]
    reader = Corpus(corpus)
    for docid, row in reader.rows(shown_docids).items():
        passage = reader.read_passage(row, docid)
        parts[part_of(docid, len(parts))][docid] = [passage.title, passage.text]
    for number, (path, part) in enumerate(zip(passages, parts, strict=True)):
        write_data(path, f"{corpus.parent.name}/passages{number}", part)
