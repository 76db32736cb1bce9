"""Measures by one pinned provider, trec_eval (pytrec_eval), under their ir_measures names; `Judged@k` is counted."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytrec_eval

from robustdr.errors import UserError
from robustdr.evaluation.answers import judge
from robustdr.evaluation.names import JUDGED, PROVIDED, WITHOUT_CUT, parse
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.files import atomic, read_answers, read_qrels
from robustdr.retrieval.runs import Ranking, rank, read_run

Qrels = dict[str, dict[str, int]]


def evaluate(
    qrels: dict[str, dict[str, int]], run: dict[str, Ranking], measures: list[str], relevance_level: int = 1
) -> dict[str, dict[str, float]]:
    """Per-query values of each measure, {measure: {qid: value}}; a judged query that the run lacks counts 0.

    Ties are broken as trec_eval does, by docid descending. `RR@k` and `AP@k` are RR and AP of the run cut at k.
    `Judged@k` is the share of the passages in the top k that have a judgement, whatever its grade: of those that there
    are where fewer were retrieved, as ir_measures counts it.

    Args:
        qrels: {qid: {docid: grade}}. run: {qid: ranking}.
        relevance_level: the lowest grade that the binary measures count as relevant.
    """
    # trec_eval has no cut for RR and AP: theirs is the run's. Measures of the same cut are evaluated together.
    asked: dict[int | None, dict[str, str]] = {}
    values: dict[str, dict[str, float]] = {}
    for measure in measures:
        name, cut = parse(measure)
        if name == JUDGED and cut:
            values[measure] = {qid: _judged(rank(run.get(qid, []), cut), grades) for qid, grades in qrels.items()}
        elif name in WITHOUT_CUT:
            asked.setdefault(cut, {})[measure] = PROVIDED[name]
        else:
            asked.setdefault(None, {})[measure] = f"{PROVIDED[name]}.{cut}"
    for cut, provided in asked.items():
        scored = {
            qid: dict(ranking if cut is None else rank(ranking, cut)) for qid, ranking in run.items() if qid in qrels
        }
        found = pytrec_eval.RelevanceEvaluator(qrels, set(provided.values()), relevance_level).evaluate(scored)
        for measure, name in provided.items():
            name = name.replace(".", "_")
            values[measure] = {qid: found[qid][name] if qid in found else 0.0 for qid in qrels}
    return values


def _judged(top: Ranking, grades: Mapping[str, int]) -> float:
    return sum(docid in grades for docid, _ in top) / len(top) if top else 0.0


def write_measures(
    settings: EvaluateSettings,
    key: str,
    runs: Mapping[str, tuple[Path, Path]],
    output: Path,
    corpus: Path | None = None,
) -> None:
    """Evaluate all query sets of one model.

    Args:
        key: provenance, kept in the file's metadata.
        runs: (run, qrels.txt or answers.jsonl) by query set, `<split>.<variation>`.
        output: parquet, one row per query set, measure and query: query_set, measure, qid, value.
        corpus: corpus.jsonl, where answers judge a split: its passages are searched for them.
    """
    qrels = {judging: _qrels(settings, runs, judging, corpus) for judging in {judging for _, judging in runs.values()}}
    frames = []
    for query_set, (run, judging) in runs.items():
        level = 1 if _by_answers(judging) else settings.relevance_level
        values = evaluate(qrels[judging], read_run(run), settings.measures[query_set], level)
        for measure, by_query in values.items():
            frame = pd.DataFrame({"qid": list(by_query), "value": list(by_query.values())})
            frames.append(frame.assign(query_set=query_set, measure=measure)[["query_set", "measure", "qid", "value"]])
    table = pa.Table.from_pandas(pd.concat(frames), preserve_index=False)
    with atomic(output) as temporary:
        pq.write_table(table.replace_schema_metadata({"key": key}), temporary)


def _by_answers(judging: Path) -> bool:
    return judging.suffix == ".jsonl"


def _qrels(
    settings: EvaluateSettings, runs: Mapping[str, tuple[Path, Path]], judging: Path, corpus: Path | None
) -> Qrels:
    """The qrels in a file, or those that its answers make of the runs which it judges."""
    if not _by_answers(judging):
        return read_qrels(judging)
    judged = {query_set: run for query_set, (run, by) in runs.items() if by == judging}
    cuts = {cut for query_set in judged for _, cut in map(parse, settings.measures[query_set])}
    if corpus is None or None in cuts:
        raise UserError(f"{judging}: answers are looked for in a corpus, down to the cut of every measure")
    return judge(read_answers(judging), map(read_run, judged.values()), max(filter(None, cuts)), corpus)


def read_measures(path: Path) -> tuple[pd.DataFrame, str]:
    """The measures of one model and the key of what made them (empty if the file carries none).

    Raises:
        UserError: the file is missing or damaged.
    """
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise UserError(f"{path}: damaged measures ({error}); delete the file and run again") from error
    return table.to_pandas(), (table.schema.metadata or {}).get(b"key", b"").decode()
