"""Measures by trec_eval (pytrec_eval) under their ir_measures names; those that it lacks are counted here."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from ir_measures import RR
from ir_measures import pytrec_eval as trec_eval
from ir_measures.measures import Measure

from robustdr.core.errors import UserError
from robustdr.core.files import atomic, read_answers, read_qrels
from robustdr.evaluation.answers import judge
from robustdr.evaluation.names import COUNTED, cut_of, parse
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.retrieval.runs import Ranking, rank, read_run

Qrels = dict[str, dict[str, int]]


def evaluate(
    qrels: dict[str, dict[str, int]], run: Mapping[str, Ranking], measures: list[str], relevance_level: int = 1
) -> dict[str, dict[str, float]]:
    """Return the values of each measure, {measure: {qid: value}}; a judged query that the run lacks counts 0.

    Ties are broken as in trec_eval, by docid descending. `RR@k` and `AP@k` are RR and AP of the run cut at k. Measures
    that trec_eval lacks are counted; see `_count`.

    Args:
        qrels: {qid: {docid: grade}}. run: {qid: ranking}.
        relevance_level: the lowest relevant grade of binary measures without `rel` in their names.
    """
    by_cut: dict[int | None, dict[str, Measure]] = {}
    values: dict[str, dict[str, float]] = {}
    for name in measures:
        measure = parse(name)
        cut = cut_of(measure)
        if measure.NAME in COUNTED:
            tops = {qid: rank(ranking, cut or len(ranking)) for qid, ranking in run.items() if qid in qrels}
            values[name] = {qid: _count(measure, tops.get(qid, []), grades) for qid, grades in qrels.items()}
            continue
        if "rel" in measure.SUPPORTED_PARAMS:
            measure = measure(rel=measure.params.get("rel", relevance_level))
        if measure.NAME == "RR":  # trec_eval has no cut for it, so the run is cut
            measure = RR(rel=measure["rel"])
        else:
            cut = None
        by_cut.setdefault(cut, {})[name] = measure
    for cut, provided in by_cut.items():
        scored = {
            qid: dict(ranking if cut is None else rank(ranking, cut)) for qid, ranking in run.items() if qid in qrels
        }
        calculated: dict[Measure, dict[str, float]] = {measure: {} for measure in provided.values()}
        for metric in trec_eval.iter_calc(list(calculated), qrels, scored):
            calculated[metric.measure][metric.query_id] = metric.value
        values |= {name: {qid: calculated[measure][qid] for qid in qrels} for name, measure in provided.items()}
    return values


def _count(measure: Measure, top: Ranking, grades: Mapping[str, int]) -> float:
    """Return a measure of one query that trec_eval lacks.

    `RBP(p,rel)@k` is (1 − p) Σ p^(i−1) over the ranks i ≤ k of relevant passages (Moffat and Zobel 2008), and
    `Residual(p)@k` the same sum over those of passages without a judgement: what they would add if all were relevant
    (ibid.; ToRoDer §6.1, where nothing below rank k counts). `Unjudged@k` is the number of such passages. `Judged@k` is
    the share of the top k passages that have a judgement, whatever its grade; if fewer were retrieved, the share of
    those, as in ir_measures.
    """
    judged = [docid in grades for docid, _ in top]
    if measure.NAME == "Judged":
        return sum(judged) / len(top) if top else 0.0
    if measure.NAME == "Unjudged":
        return float(len(top) - sum(judged))
    if measure.NAME == "RBP":
        counted = [grades.get(docid, 0) >= measure["rel"] for docid, _ in top]
    else:
        counted = [not has_grade for has_grade in judged]
    return (1 - measure["p"]) * sum(measure["p"] ** position for position, counts in enumerate(counted) if counts)


def write_measures(
    settings: EvaluateSettings,
    runs: Mapping[str, tuple[Path, Path]],
    output: Path,
    corpus: Path | None = None,
) -> None:
    """Evaluate all query sets of one model.

    Args:
        runs: (run, qrels.txt or answers.jsonl) by query set, `<split>.<variation>`.
        output: parquet, one row per query set, measure and query: query_set, measure, qid, value.
        corpus: corpus.jsonl, needed if answers judge a split: its passages are searched for them.
    """
    qrels = {judging: _qrels(settings, runs, judging, corpus) for judging in {judging for _, judging in runs.values()}}
    frames = []
    for query_set, (run, judging) in runs.items():
        level = 1 if _by_answers(judging) else settings.relevance_level
        values = evaluate(qrels[judging], read_run(run), settings.measures[query_set], level)
        for measure, by_query in values.items():
            frame = pd.DataFrame({"qid": list(by_query), "value": list(by_query.values())})
            frames.append(frame.assign(query_set=query_set, measure=measure)[["query_set", "measure", "qid", "value"]])
    write_values(pd.concat(frames), output)


def write_values(values: pd.DataFrame, output: Path) -> None:
    """Write a measures file from its rows."""
    table = pa.Table.from_pandas(values, preserve_index=False)
    with atomic(output) as temporary:
        pq.write_table(table.replace_schema_metadata(), temporary)


def _by_answers(judging: Path) -> bool:
    return judging.suffix == ".jsonl"


def _qrels(
    settings: EvaluateSettings, runs: Mapping[str, tuple[Path, Path]], judging: Path, corpus: Path | None
) -> Qrels:
    """Return the qrels in a file, or those made from its answers and the runs that they judge."""
    if not _by_answers(judging):
        return read_qrels(judging)
    judged = {query_set: run for query_set, (run, judging_file) in runs.items() if judging_file == judging}
    cuts = {cut_of(measure) for query_set in judged for measure in map(parse, settings.measures[query_set])}
    if corpus is None or None in cuts:
        raise UserError(f"{judging}: answers are looked for in a corpus, down to the cut of every measure")
    return judge(read_answers(judging), map(read_run, judged.values()), max(filter(None, cuts)), corpus)


def read_measures(path: Path) -> pd.DataFrame:
    """Return the measures of one model.

    Raises:
        UserError: the file is missing or damaged.
    """
    try:
        return pq.read_table(path).to_pandas()
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: damaged measures ({error}); delete the file and run again") from error
