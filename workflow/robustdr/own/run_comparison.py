"""`robustdr compare RUN RUN … --qrels`: measures of runs and tests between them, by ranx."""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from robustdr.collections.local import read_qrels
from robustdr.core.errors import UserError, unknown
from robustdr.core.markup import tex
from robustdr.evaluation.names import parse
from robustdr.retrieval.fusion import ranx
from robustdr.retrieval.runs import read_run
from robustdr.retrieval.trec import lacking

NAMES = {"RR": "mrr", "AP": "map", "nDCG": "ndcg", "R": "recall", "P": "precision", "Success": "hit_rate"}  # in ranx
SEED = 1  # of the permutations of Fisher's test


def compare_runs(paths: Sequence[Path], qrels: Path, measures: Sequence[str], test: str, level: float) -> Any:
    """Return ranx's report of runs: means, and which differ.

    ranx orders ties in another way than trec_eval, so that it is given places under our rule instead of scores. A
    judged query that a run lacks counts 0; a line on stderr says how many.

    Args:
        measures: by their ir_measures names. test: paired Student's t, Fisher's randomisation of 1,000 permutations, or
            Tukey's HSD; only the last corrects p for the number of runs. level: p at and below which runs differ.

    Raises:
        UserError: a file is missing, damaged or malformed, runs have one name, ranx lacks a measure, or `level` is no
            probability.
    """
    if not 0 <= level <= 1:
        raise UserError(f"--level: {level}; allowed: 0 to 1")
    if missing := [path for path in paths if not path.exists()]:
        raise UserError(f"{missing[0]}: no such file; the paths are runs, because --qrels is given")
    names = {measure: _name_in_ranx(measure) for measure in measures}
    grades = read_qrels(qrels)
    labels = Counter(path.name for path in paths)
    runs = []
    for path in paths:
        ranked = read_run(path)
        places = {
            qid: {docid: -float(place) for place, (docid, _) in enumerate(ranked[qid])} if qid in ranked else {}
            for qid in grades
        }
        if not any(places.values()):
            raise UserError(f"{path}: ranks no passage for any of the {len(grades)} queries of {qrels}")
        label = path.name if labels[path.name] == 1 else str(path)
        for note in lacking(ranked, grades):
            print(f"{label} {note}", file=sys.stderr)
        runs.append(ranx().Run(places, name=label))
    if len({run.name for run in runs}) < len(runs):
        raise UserError(f"{', '.join(map(str, paths))}: a run is given twice")
    return ranx().compare(
        ranx().Qrels(grades),
        runs,
        list(names.values()),
        stat_test=test,
        max_p=level,
        random_seed=SEED,
        rounding_digits=4,
    )


def latex(report: Any) -> str:
    """Return ranx's table in LaTeX, with the names of runs as TeX that prints them: ranx escapes `_` alone."""
    text: str = report.to_latex()
    for name in report.model_names:
        half_escaped = name.replace("_", r"\_")
        text = text.replace(f"\n{half_escaped} &\n", f"\n{tex(name)} &\n")
    return text


def _name_in_ranx(measure: str) -> str:
    parsed = parse(measure)
    if parsed.NAME not in NAMES:
        raise unknown("measure", measure, [f"{name}@k" for name in NAMES])
    parts = [f"{sign}{parsed.params[key]}" for key, sign in (("cutoff", "@"), ("rel", "-l")) if key in parsed.params]
    return "".join([NAMES[parsed.NAME], *parts])
