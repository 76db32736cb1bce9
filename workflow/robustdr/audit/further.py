"""Measures that papers print and no experiment here uses: nDCG without a cut, Rprec, bpref, ERR."""

import re
from collections.abc import Mapping

import pytrec_eval

from robustdr.core.errors import UserError
from robustdr.evaluation.measures import Qrels, evaluate
from robustdr.evaluation.names import Measure, parse
from robustdr.retrieval.runs import Ranking, rank

PROVIDED = {"nDCG": "ndcg", "Rprec": "Rprec", "bpref": "bpref"}  # by trec_eval, without a cut
_FURTHER = re.compile(rf"({'|'.join(PROVIDED)})|(ERR)(?:@([1-9]\d*))?")


def parse_any(measure: str) -> Measure:
    """As `parse`, and for these measures too.

    Raises:
        UserError: neither.
    """
    match = _FURTHER.fullmatch(measure)
    if match is None:
        try:
            return parse(measure)
        except UserError as error:
            raise UserError(f"{error}, {', '.join(PROVIDED)}, ERR@k") from None
    return Measure(match[1] or match[2], int(match[3]) if match[3] else None)


def evaluate_any(qrels: Qrels, run: Mapping[str, Ranking], measure: str, level: int) -> dict[str, float]:
    """As `evaluate`, for one measure, {qid: value}; a judged query that the run lacks counts 0.

    ERR: Chapelle et al. (CIKM 2009), with the probability (2^g − 1) / 2^m of grade g; m is the highest of all grades.
    """
    match = _FURTHER.fullmatch(measure)
    if match is None:
        return evaluate(qrels, run, [measure], level)[measure]
    if name := PROVIDED.get(match[1] or ""):
        scored = {qid: dict(ranking) for qid, ranking in run.items() if qid in qrels}
        found = pytrec_eval.RelevanceEvaluator(qrels, {name}, level).evaluate(scored)
        return {qid: found[qid][name] if qid in found else 0.0 for qid in qrels}
    most = 2 ** max(grade for judged in qrels.values() for grade in judged.values())
    cut = int(match[3] or 0)
    return {
        qid: _err([judged.get(docid, 0) for docid, _ in rank(run.get(qid, []), cut or len(run.get(qid, [])))], most)
        for qid, judged in qrels.items()
    }


def _err(grades: list[int], most: int) -> float:
    value, going_on = 0.0, 1.0
    for place, grade in enumerate(grades, 1):
        stops = (2 ** max(grade, 0) - 1) / most
        value += going_on * stops / place
        going_on *= 1 - stops
    return value
