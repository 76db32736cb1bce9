"""A run evaluated under every convention in use: which of them give a printed number.

Papers print measures that no experiment here uses: nDCG without a cut, Rprec, bpref, ERR.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import product
from statistics import fmean

from ir_measures import ERR, Bpref, Rprec, nDCG
from ir_measures import pytrec_eval as trec_eval
from ir_measures.measures import Measure

from robustdr.audit.recomputed import Found
from robustdr.claims.intervals import Interval
from robustdr.core.errors import UserError
from robustdr.evaluation.measures import Qrels, evaluate
from robustdr.evaluation.names import WITHOUT_CUT, cut_of, parse
from robustdr.retrieval.runs import Ranking, rank

PROVIDED = {"nDCG": nDCG, "Rprec": Rprec, "bpref": Bpref}  # by trec_eval, without a cut
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
    if provided := PROVIDED.get(match[1]):
        return provided
    return ERR @ int(match[3]) if match[3] else ERR


def evaluate_any(qrels: Qrels, run: Mapping[str, Ranking], measure: str, level: int) -> dict[str, float]:
    """As `evaluate`, for one measure, {qid: value}; a judged query that the run lacks counts 0.

    ERR: Chapelle et al. (CIKM 2009), with the probability (2^g − 1) / 2^m of grade g; m is the highest of all grades.
    """
    parsed = parse_any(measure)
    if parsed in PROVIDED.values():
        leveled = parsed(rel=level) if "rel" in parsed.SUPPORTED_PARAMS else parsed
        scored = {qid: dict(ranking) for qid, ranking in run.items() if qid in qrels}
        return {metric.query_id: metric.value for metric in trec_eval.iter_calc([leveled], qrels, scored)}
    if parsed.NAME != "ERR":
        return evaluate(qrels, run, [measure], level)[measure]
    denominator = 2 ** max(grade for judged in qrels.values() for grade in judged.values())
    cut = cut_of(parsed)
    return {
        qid: _err(
            [judged.get(docid, 0) for docid, _ in rank(run.get(qid, []), cut or len(run.get(qid, [])))], denominator
        )
        for qid, judged in qrels.items()
    }


def _err(grades: list[int], denominator: int) -> float:
    value, going_on = 0.0, 1.0
    for place, grade in enumerate(grades, 1):
        stops = (2 ** max(grade, 0) - 1) / denominator
        value += going_on * stops / place
        going_on *= 1 - stops
    return value


CUTS = (1, 3, 5, 10, 20, 50, 100, 200, 1000)
ALL = 0  # no cut
USUAL = 1  # departures from the project's conventions that are usual; a cut other than the printed one never is
TIES = {
    "trec_eval": "ties by docid descending",
    "listed": "ranks as listed",
    "ascending": "ties by docid ascending",
}
Runs = Mapping[str, Mapping[str, Ranking]]  # by tie rule


@dataclass(frozen=True)
class Convention:
    """How a run is turned into one number.

    Attributes:
        cut: ranks that count; 0: all. ties: one of `TIES`. missing: whether a judged query without results counts 0.
        level: the lowest relevant grade. exponential: whether a grade's gain is 2^grade − 1 instead of the grade.
    """

    cut: int
    ties: str = "trec_eval"
    missing: bool = True
    level: int = 1
    exponential: bool = False

    def departures(self, usual: "Convention") -> int:
        """Return the number of attributes that differ from another convention's."""
        return sum(getattr(self, part.name) != getattr(usual, part.name) for part in fields(self))

    def words(self, usual: "Convention") -> str:
        """Return how it differs from the project's own convention, in words."""
        parts = {
            "cut": f"cut at {self.cut}" if self.cut else "no cut",
            "ties": TIES[self.ties],
            "missing": "queries without results left out",
            "level": f"relevant from grade {self.level}",
            "exponential": "exponential gains",
        }
        differ = [words for name, words in parts.items() if getattr(self, name) != getattr(usual, name)]
        return ", ".join(differ) or "the project's conventions"


def ordered(listed: Mapping[str, Ranking]) -> Runs:
    """Return a run under each tie rule, with descending scores without ties; rules with equal runs are listed once."""
    orders = {
        "trec_eval": {qid: rank(ranking, len(ranking)) for qid, ranking in listed.items()},
        "listed": listed,
        "ascending": {qid: sorted(ranking, key=lambda pair: (-pair[1], pair[0])) for qid, ranking in listed.items()},
    }
    runs: dict[str, Mapping[str, Ranking]] = {}
    for rule, run in orders.items():
        untied = {
            qid: [(docid, -float(position)) for position, (docid, _) in enumerate(top)] for qid, top in run.items()
        }
        if untied not in runs.values():
            runs[rule] = untied
    return runs


def conventions(measure: str, qrels: Qrels, runs: Runs) -> Iterator[list[Convention]]:
    """Yield the conventions under which the measure of these runs can differ: the usual one, then others by departures.

    Raises:
        UserError: a measure that is not provided.
    """
    parsed = parse_any(measure)
    usual = Convention(cut_of(parsed) or ALL)
    grades = {grade for judged in qrels.values() for grade in judged.values()}
    graded = parsed.NAME == "nDCG" and max(grades) > 1
    levels = (
        [1]
        if "rel" in parsed.params or "rel" not in parsed.SUPPORTED_PARAMS
        else [n for n in (1, 2, 3) if n <= max(grades)]
    )
    cuts = dict.fromkeys([usual.cut, *CUTS, *([ALL] if parsed.NAME in {*WITHOUT_CUT, "nDCG", "ERR"} else [])])
    if parsed in (Rprec, Bpref):
        cuts = {ALL: None}
    missing = [True, False] if set(qrels) - set(next(iter(runs.values()))) else [True]
    all_conventions = [
        Convention(*parts) for parts in product(cuts, runs, missing, levels or [1], [False, True][: 1 + graded])
    ]
    for number in range(len(fields(Convention)) + 1):
        if equally_far := [convention for convention in all_conventions if convention.departures(usual) == number]:
            yield equally_far


def values(measure: str, convention: Convention, qrels: Qrels, runs: Runs) -> dict[str, float]:
    """Return the measure of every query that counts under the convention."""
    name = re.sub(r"@\d+$", "", measure) + (f"@{convention.cut}" if convention.cut else "")
    if convention.exponential:
        qrels = {
            qid: {docid: 2 ** max(grade, 0) - 1 for docid, grade in judged.items()} for qid, judged in qrels.items()
        }
    run = runs[convention.ties]
    by_query = evaluate_any(qrels, dict(run), name, convention.level)
    return by_query if convention.missing else {qid: value for qid, value in by_query.items() if qid in run}


def search(printed: Interval, measure: str, qrels: Qrels, runs: Runs) -> Found:
    """Return those conventions that give the printed number with the fewest departures from the project's own."""
    levels = list(conventions(measure, qrels, runs))
    usual = levels[0][0]
    tried: dict[Convention, float] = {}
    for equally_far in levels:
        tried |= {convention: fmean(values(measure, convention, qrels, runs).values()) for convention in equally_far}
        if giving := [
            convention for convention in equally_far if printed.meets(Interval(tried[convention], tried[convention]))
        ]:
            rare = giving[0].departures(usual) > USUAL or all(convention.cut != usual.cut for convention in giving)
            words = [convention.words(usual) for convention in giving]
            return Found(
                tried[usual], words, tried[giving[0]], True, len(tried), _chance(printed, tried) if rare else 0.0
            )
    nearest = min(tried, key=lambda convention: max(printed.low - tried[convention], tried[convention] - printed.high))
    return Found(tried[usual], [nearest.words(usual)], tried[nearest], False, len(tried))


def _chance(printed: Interval, tried: Mapping[Convention, float]) -> float:
    """The chance that one of these values is printed like this, if a wrong number lay anywhere among them."""
    distinct = {round(value, 9) for value in tried.values()}
    reach = max(distinct) - min(distinct)
    width = printed.high - printed.low
    return min(1.0, len(distinct) * width / (reach + width)) if reach + width > 0 else 1.0
