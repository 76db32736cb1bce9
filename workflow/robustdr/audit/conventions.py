"""A run evaluated under every convention in use: which of them give the printed numbers of a column.

Papers print measures that no experiment here uses: nDCG without a cut, Rprec, bpref, ERR.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from math import prod
from statistics import fmean
from typing import NamedTuple

from ir_measures import ERR, Bpref, Rprec, nDCG
from ir_measures import pytrec_eval as trec_eval
from ir_measures.measures import Measure

from robustdr.audit.recomputed import Outcome
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
FEWEST = 2  # numbers of a column that a convention must give before it is named beside numbers that it does not give
Runs = Mapping[str, Mapping[str, Ranking]]  # by tie rule; rules under which the ranks are the same share an object


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


def under_tie_rules(listed: Mapping[str, Ranking]) -> Runs:
    """Return a run under each tie rule, with descending scores without ties."""
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
        runs[rule] = next((ranking for ranking in runs.values() if ranking == untied), untied)
    return runs


class RunValues(NamedTuple):
    """What a run gives under the conventions that can differ for it.

    Attributes:
        values: the usual convention comes first. representatives: by tie rule, the first one with the same ranks.
        is_whole: whether the run has all judged queries.
    """

    values: Mapping[Convention, float]
    representatives: Mapping[str, str]
    is_whole: bool

    @property
    def usual(self) -> Convention:
        return next(iter(self.values))

    def value_under(self, convention: Convention) -> float:
        """Return the value under a convention of any run of the column."""
        return self.values[
            replace(convention, ties=self.representatives[convention.ties], missing=convention.missing or self.is_whole)
        ]


def evaluate_run(measure: str, qrels: Qrels, runs: Runs, only_usual: bool = False) -> RunValues:
    """Evaluate a run under the project's conventions, or under all that can differ for it.

    Raises:
        UserError: a measure that is not provided.
    """
    representatives = {rule: next(equal for equal in runs if runs[equal] is runs[rule]) for rule in runs}
    is_whole = set(qrels) <= set(runs["trec_eval"])
    missing = [True] if is_whole else [True, False]
    all_conventions = _conventions(measure, qrels, [*dict.fromkeys(representatives.values())], missing)
    measured = all_conventions[:1] if only_usual else all_conventions
    means = {convention: fmean(values(measure, convention, qrels, runs).values()) for convention in measured}
    return RunValues(means, representatives, is_whole)


def _conventions(measure: str, qrels: Qrels, rules: Sequence[str], missing: Sequence[bool]) -> list[Convention]:
    """The conventions under which a measure can differ: the usual one first, then by departures."""
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
    conventions = [
        Convention(*parts) for parts in product(cuts, rules, missing, levels or [1], [False, True][: 1 + graded])
    ]
    return sorted(conventions, key=lambda convention: convention.departures(usual))


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


def explain_column(printed: Sequence[Interval], tried: Sequence[RunValues]) -> list[Outcome]:
    """Return, for each number of a column, what its run gives and the conventions that give the whole column.

    A convention is named if it gives all numbers of the column; among these, those with the fewest departures. If none
    does, a number may still be that of the project's conventions.
    """
    usual = tried[0].usual
    conventions = dict.fromkeys(convention for run in tried for convention in run.values)
    all_conventions = sorted(conventions, key=lambda convention: convention.departures(usual))
    fits = {
        convention: [
            interval.meets(Interval(value, value))
            for interval, value in zip(printed, (run.value_under(convention) for run in tried), strict=True)
        ]
        for convention in all_conventions
    }
    giving = [convention for convention in all_conventions if all(fits[convention])]
    giving = [convention for convention in giving if convention.departures(usual) == giving[0].departures(usual)]
    words = [convention.words(usual) for convention in giving]
    is_other_cut = bool(giving) and all(convention.cut != usual.cut for convention in giving)
    is_rare = is_other_cut or any(convention.departures(usual) > USUAL for convention in giving)
    chance = _chance(printed, tried, all_conventions) if is_rare else 0.0
    better = "" if giving else _better(fits, usual)
    return [
        Outcome(
            run.value_under(usual),
            words if giving else [usual.words(usual)] if fits[usual][place] else [],
            agrees=(bool(giving) and not is_other_cut) or fits[usual][place],
            column=len(printed),
            tried=len(all_conventions),
            chance=chance,
            better=better,
        )
        for place, run in enumerate(tried)
    ]


def _better(fits: Mapping[Convention, Sequence[bool]], usual: Convention) -> str:
    """The convention that gives most numbers of a column, but not all, if it gives more than the usual one; or ''."""
    best = max(fits, key=lambda convention: sum(fits[convention]))
    count, usual_count, size = sum(fits[best]), sum(fits[usual]), len(fits[best])
    if count < FEWEST or 2 * count <= size or count <= usual_count:
        return ""
    return f"{best.words(usual)} gives {count} of the {size} numbers of its column, these conventions {usual_count}"


def _chance(printed: Sequence[Interval], tried: Sequence[RunValues], all_conventions: Sequence[Convention]) -> float:
    """The chance that one of the conventions gives all these numbers, if each lay anywhere among its run's values."""
    shares = []
    for interval, run in zip(printed, tried, strict=True):
        reach = max(run.values.values()) - min(run.values.values())
        width = interval.high - interval.low
        shares.append(width / (reach + width) if reach + width > 0 else 1.0)
    distinct = {tuple(round(run.value_under(convention), 9) for run in tried) for convention in all_conventions}
    return min(1.0, len(distinct) * prod(shares))
