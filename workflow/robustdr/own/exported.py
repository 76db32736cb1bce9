"""The numbers of `robustdr evaluate` in the forms of others: a table for a paper in LaTeX, and MTEB's results."""

import re
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path
from statistics import mean

from robustdr.core.files import write_json
from robustdr.core.markup import tex
from robustdr.evaluation.store import MEAN
from robustdr.own.results import Report

MTEB_NAMES = {"nDCG": "ndcg", "R": "recall", "RR": "mrr", "AP": "map", "P": "precision"}


def latex(reports: Mapping[str, Report]) -> str:
    """A table with a row for each system: its measure on the original queries, and the change by the variations in
    points, for each collection, and their plain means. The best of a column is bold. It needs the package booktabs.

    Args:
        reports: by collection; all have the same systems and the same measure.
    """
    first = next(iter(reports.values()))
    systems = list(first["systems"])
    numbers: list[dict[str, float]] = []
    for report in reports.values():
        numbers.append({name: 100 * report["systems"][name]["original"] for name in systems})
        numbers.append({name: 100 * report["systems"][name]["query_sets"][MEAN]["difference"] for name in systems})
    names = list(reports)
    if len(reports) > 1:
        names.append("Mean")
        numbers += [{name: mean(part[name] for part in numbers[start::2]) for name in systems} for start in (0, 1)]
    columns = []
    for values, sign in zip(numbers, cycle(("", "+")), strict=False):
        texts = {name: f"{value:{sign}.1f}".replace("-", "$-$") for name, value in values.items()}
        best = max(values.values())
        columns.append({name: rf"\textbf{{{texts[name]}}}" if values[name] == best else texts[name] for name in values})
    labels = [first["systems"][name]["label"] for name in systems]
    heads = " & ".join(rf"\multicolumn{{2}}{{c}}{{{tex(name)}}}" for name in names)
    rules = "".join(rf"\cmidrule(lr){{{2 * n + 2}-{2 * n + 3}}}" for n in range(len(names)))
    lines = [rf"\begin{{tabular}}{{l{'rr' * len(names)}}}", r"\toprule", rf" & {heads} \\", rules]
    lines.append(" & " + " & ".join([tex(first["measure"]), "changed"] * len(names)) + r" \\")
    lines.append(r"\midrule")
    lines += [
        " & ".join([tex(label), *(column[name] for column in columns)]) + r" \\"
        for name, label in zip(systems, labels, strict=True)
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def write_mteb(reports: Mapping[str, Report], folder: Path) -> None:
    """Write MTEB's `TaskResult` of each system and query set: `<system>/<collection>[-<query set>].json`.

    Changed queries are tasks of their own, so that MTEB's means do not mix them with the original ones. Results of an
    earlier call are removed.
    """
    for earlier in folder.glob("*/*.json"):
        earlier.unlink()
    for collection, report in reports.items():
        name, _, cut = report["measure"].partition("@")
        key = MTEB_NAMES.get(name, name.lower()) + (f"_at_{cut}" if cut else "")
        for system in report["systems"].values():
            directory = folder / re.sub(r"[^\w.-]+", "__", system["label"])
            values = {"": system["original"]}
            values |= {f"-{query_set}": change["mean"] for query_set, change in system["query_sets"].items()}
            for suffix, value in values.items():
                scores = {key: value, "main_score": value, "hf_subset": "default", "languages": []}
                task = {"task_name": f"{collection}{suffix}", "dataset_revision": "own", "mteb_version": None}
                rest = {"scores": {report["split"]: [scores]}, "evaluation_time": None, "kg_co2_emissions": None}
                write_json(directory / f"{collection}{suffix}.json", {**task, **rest})
