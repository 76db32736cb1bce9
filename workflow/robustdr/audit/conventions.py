"""A run evaluated under every convention in use: which of them give a printed number."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import product
from statistics import fmean

from robustdr.audit.further import evaluate_any, parse_any
from robustdr.audit.recomputed import Found
from robustdr.claims.intervals import Interval
from robustdr.evaluation.measures import Qrels
from robustdr.evaluation.names import PARAMETERS, WITHOUT_CUT
from robustdr.retrieval.runs import Ranking, rank

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
        untied = {qid: [(docid, -float(at)) for at, (docid, _) in enumerate(top)] for qid, top in run.items()}
        if untied not in runs.values():
            runs[rule] = untied
    return runs


def conventions(measure: str, qrels: Qrels, runs: Runs) -> Iterator[list[Convention]]:
    """Yield the conventions under which the measure of these runs can differ: the usual one, then others by departures.

    Raises:
        UserError: a measure that is not provided.
    """
    of = parse_any(measure)
    usual = Convention(of.cut or ALL)
    grades = {grade for judged in qrels.values() for grade in judged.values()}
    graded = of.name == "nDCG" and max(grades) > 1
    levels = [1] if of.rel or "rel" not in PARAMETERS.get(of.name, ()) else [n for n in (1, 2, 3) if n <= max(grades)]
    cuts = dict.fromkeys([usual.cut, *CUTS, *([ALL] if of.name in {*WITHOUT_CUT, "nDCG", "ERR"} else [])])
    if of.name in ("Rprec", "bpref"):
        cuts = {ALL: None}
    missing = [True, False] if set(qrels) - set(next(iter(runs.values()))) else [True]
    every = [Convention(*parts) for parts in product(cuts, runs, missing, levels or [1], [False, True][: 1 + graded])]
    for number in range(len(fields(Convention)) + 1):
        if alike := [one for one in every if one.departures(usual) == number]:
            yield alike


def values(measure: str, convention: Convention, qrels: Qrels, runs: Runs) -> dict[str, float]:
    """Return the measure of every query that counts under the convention."""
    name = re.sub(r"@\d+$", "", measure) + (f"@{convention.cut}" if convention.cut else "")
    if convention.exponential:
        qrels = {
            qid: {docid: 2 ** max(grade, 0) - 1 for docid, grade in judged.items()} for qid, judged in qrels.items()
        }
    run = runs[convention.ties]
    found = evaluate_any(qrels, dict(run), name, convention.level)
    return found if convention.missing else {qid: value for qid, value in found.items() if qid in run}


def search(printed: Interval, measure: str, qrels: Qrels, runs: Runs) -> Found:
    """Return those conventions that give the printed number with the fewest departures from the project's own."""
    levels = list(conventions(measure, qrels, runs))
    usual = levels[0][0]
    tried: dict[Convention, float] = {}
    for alike in levels:
        tried |= {one: fmean(values(measure, one, qrels, runs).values()) for one in alike}
        if giving := [one for one in alike if printed.meets(Interval(tried[one], tried[one]))]:
            rare = giving[0].departures(usual) > USUAL or all(one.cut != usual.cut for one in giving)
            words = [one.words(usual) for one in giving]
            return Found(
                tried[usual], words, tried[giving[0]], True, len(tried), _chance(printed, tried) if rare else 0.0
            )
    nearest = min(tried, key=lambda one: max(printed.low - tried[one], tried[one] - printed.high))
    return Found(tried[usual], [nearest.words(usual)], tried[nearest], False, len(tried))


def _chance(printed: Interval, tried: Mapping[Convention, float]) -> float:
    """The chance that one of these values is printed like this, if a wrong number lay anywhere among them."""
    distinct = {round(value, 9) for value in tried.values()}
    reach = max(distinct) - min(distinct)
    width = printed.high - printed.low
    return min(1.0, len(distinct) * width / (reach + width)) if reach + width > 0 else 1.0
