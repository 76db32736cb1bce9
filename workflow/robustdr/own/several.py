"""`robustdr evaluate --data A B C …`: the same systems on several collections, and their means over all of them."""

import argparse
import csv
from collections.abc import Callable, Sequence
from io import StringIO
from pathlib import Path
from typing import TypedDict, TypeVar

from robustdr.collections.local import irds_id
from robustdr.core.errors import UserError
from robustdr.core.files import write_json, write_text
from robustdr.core.markup import markdown_table, plain
from robustdr.evaluation.estimates import EXACT
from robustdr.evaluation.pooled import Pooled, pooled
from robustdr.evaluation.statistics import holm
from robustdr.evaluation.store import MEAN
from robustdr.own import exported
from robustdr.own.compared import CONFIDENCE
from robustdr.own.document import p_text, page_of, table
from robustdr.own.results import Report

OF_ONE = ("runs", "variations_file", "fix", "truncate_dim", "precision")  # options whose files or tables are of one
Checked = TypeVar("Checked")  # a collection whose files and options were checked


class System(TypedDict):
    """A system over all collections.

    Attributes:
        original, variations: the measure. change: from the first to the second. to_best: the measure on the original
            queries minus that of the best system, paired by query; None for the best. p_holm: its corrected p.
    """

    label: str
    original: Pooled
    variations: Pooled
    change: Pooled
    to_best: Pooled | None
    p_holm: float | None


class Summary(TypedDict):
    """The report over all collections, in the form of its JSON."""

    answer: str
    collections: list[str]
    systems: list[System]


def names_of(data: Sequence[Path]) -> dict[str, Path]:
    """Collections by the name of their folder, or by their id of ir_datasets.

    Raises:
        UserError: two have the same name.
    """
    names = [(irds_id(path) or path.resolve().name).replace("/", "-") for path in data]
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(
            f"--data: {twice[0]}: the name of several collections; allowed: folders with names of their own"
        )
    return dict(zip(names, data, strict=True))


def run(
    arguments: argparse.Namespace,
    checked: Callable[[argparse.Namespace], Checked],
    evaluate: Callable[[Checked], tuple[Report, int]],
) -> int:
    """Evaluate on each collection, in a folder of its name, and write the means; return the largest exit status.

    Args:
        checked: checks the options and the files of one collection; all are checked before any work. evaluate: on one.

    Raises:
        UserError: an option is for one collection only; see also `names_of`, `checked` and `evaluate`.
    """
    if options := [option for option in OF_ONE if getattr(arguments, option)]:
        raise UserError(f"--{options[0].replace('_', '-')}: allowed with one collection only, and --data names several")
    collections, reports, statuses = {}, {}, []
    for name, path in names_of(arguments.data).items():
        arguments_of_one = argparse.Namespace(**{**vars(arguments), "data": [path], "output": arguments.output / name})
        collections[name] = checked(arguments_of_one)
    for number, (name, collection) in enumerate(collections.items(), 1):
        print(f"Collection {number} of {len(collections)}: {name}")
        reports[name], status = evaluate(collection)
        statuses.append(status)
    systems, output = over_collections(reports), arguments.output
    summary: Summary = {"answer": answer(reports, systems), "collections": list(reports), "systems": systems}
    write_json(output / "report.json", summary)
    write_text(output / "report.csv", rows(reports))
    parts = document(reports, systems)
    write_text(output / "report.md", "\n\n".join(parts) + "\n")
    links = {name: f"{name}/index.html" for name in reports}
    first, report = next(iter(reports.items()))
    write_text(output / "index.html", page_of(parts, f"{first}/{report['pages']}/site.css", links))
    write_text(output / "report.tex", exported.latex(reports))
    exported.write_mteb(reports, output / "mteb")
    print(summary["answer"], *(output / name for name in ("report.md", "report.tex", "index.html")), sep="\n")
    return max(statuses)


def rows(reports: dict[str, Report]) -> str:
    """The numbers of every collection, system and query set as CSV."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, (name, report) in enumerate(reports.items()):
        head, *body = csv.reader(StringIO(table(report)))
        writer.writerows([] if number else [["collection", *head]])
        writer.writerows([name, *row] for row in body)
    return text.getvalue()


def over_collections(reports: dict[str, Report]) -> list[System]:
    """The systems by their mean on the original queries of all collections, best first."""
    first = next(iter(reports.values()))
    entries: dict[str, System] = {}
    for name in first["systems"]:
        systems = [report["systems"][name] for report in reports.values()]
        sizes = [report["queries"] for report in reports.values()]
        changes = [system["query_sets"][MEAN] for system in systems]
        intervals = {
            "original": [system["original_interval"] for system in systems],
            "variations": [system["variations_interval"] for system in systems],
            "change": [change["difference_interval"] for change in changes],
        }
        errors = {part: list(map(_error, bounds, sizes)) for part, bounds in intervals.items()}
        entries[name] = {
            "label": systems[0]["label"],
            "original": _share(pooled([system["original"] for system in systems], errors["original"])),
            "variations": _share(pooled([change["mean"] for change in changes], errors["variations"])),
            "change": pooled([change["difference"] for change in changes], errors["change"]),
            "to_best": None,
            "p_holm": None,
        }
    order = sorted(entries, key=lambda name: (-entries[name]["original"]["mean"], name))
    best = entries[order[0]]["label"]
    differences = [_difference_to_best(reports, entries[name]["label"], best) for name in order[1:]]
    corrected = holm([difference["p"] for difference in differences])
    for name, difference, p in zip(order[1:], differences, corrected, strict=True):
        entries[name] |= {"to_best": difference, "p_holm": p}
    return [entries[name] for name in order]


def _difference_to_best(reports: dict[str, Report], label: str, best: str) -> Pooled:
    """What a system has on the original queries minus what the best one has, over the collections."""
    differences, errors = [], []
    for report in reports.values():
        (pair,) = (pair for pair in report["pairs"] if {*pair["labels"]} == {label, best})
        sign = 1 if pair["labels"][0] == label else -1
        differences.append(sign * pair["original"]["difference"])
        errors.append(_error(pair["original"]["difference_interval"], report["queries"]))
    return pooled(differences, errors)


def _share(estimate: Pooled) -> Pooled:
    """The estimate of a measure, which lies between 0 and 1."""
    low, high = estimate["interval"]
    return {**estimate, "interval": [max(low, 0.0), min(high, 1.0)]}


def _error(interval: list[float] | None, queries: int) -> float:
    """The standard error behind a t interval over queries.

    Where all queries agree, it is not 0: the interval is that of the share of queries that may differ unseen, as in
    `quotients.Ratio.interval`. For a single query it is 1, the most that a measure can differ.
    """
    from scipy.special import stdtrit

    if queries < 2:
        return 1.0
    half = (interval[1] - interval[0]) / 2 if interval else 0.0
    if half <= EXACT:
        half = 1 - (1 - CONFIDENCE) ** (1 / queries)
    return half / float(stdtrit(queries - 1, (1 + CONFIDENCE) / 2))


def answer(reports: dict[str, Report], systems: Sequence[System]) -> str:
    """Which system to take, in one paragraph."""
    best, measure = systems[0], next(iter(reports.values()))["measure"]
    queries = sum(report["queries"] for report in reports.values())
    robust = max(systems, key=lambda system: system["variations"]["mean"])
    robust_text = "also" if robust is best else f"{robust['label']} the highest"
    tied = [system["label"] for system in systems[1:] if (system["p_holm"] or 0) >= 0.05]
    ties = f" (not significantly more than {', '.join(tied)})" if tied else ""
    return (
        f"Take {best['label']}: over {len(reports)} collections with {queries:,} queries it has the highest mean "
        f"{measure}, {best['original']['mean']:.3f}{ties}, and {robust_text} where the queries are changed, "
        f"{robust['variations']['mean']:.3f}. Changed queries change its {measure} by {_signed(best['change'])}."
    )


def document(reports: dict[str, Report], systems: Sequence[System]) -> list[str]:
    """The report in parts of Markdown: the title, the answer, and the tables."""
    measure = next(iter(reports.values()))["measure"]
    head = ["system", f"{measure} [95 %]", "changed [95 %]", "change [95 %]", "behind the best [95 %]", "p, Holm"]
    lines = []
    for system in systems:
        to_best, p = system["to_best"], system["p_holm"]
        lines.append(
            [
                plain(system["label"]),
                *(f"{part['mean']:.3f} {_bounds(part, '')}" for part in (system["original"], system["variations"])),
                _signed(system["change"]),
                _signed(to_best) if to_best else "best",
                "" if p is None else p_text(p),
            ]
        )
    single = []
    first = next(iter(reports.values()))
    for name, entry in first["systems"].items():
        cells = [report["systems"][name] for report in reports.values()]
        single.append(
            [
                plain(entry["label"]),
                *(f"{cell['original']:.3f} ({cell['query_sets'][MEAN]['difference']:+.3f})" for cell in cells),
            ]
        )
    notes = [
        f"- Means over collections are those of a mixed-effects model: {measure} = mean + collection + error. The "
        "variance between collections is by restricted maximum likelihood; each collection has the error of its own "
        "queries. Intervals are Knapp and Hartung's, with the t distribution of one less than the collections. So they "
        "speak of collections like these, not of these queries alone.",
        "- changed: the mean over all variations, whose kinds weigh alike. behind the best: paired, query by query in "
        "each collection; p is corrected over the systems (Holm).",
        "- `report.tex` is a table for a paper, `mteb/` has MTEB's form of results, and each collection has a report "
        "of its own.",
    ]
    return [
        f"# Which retriever is best over {len(reports)} collections?",
        plain(answer(reports, systems)),
        markdown_table(head, lines),
        "## Each collection",
        markdown_table(["system", *reports], single),
        "\n".join([f"- {measure} of the original queries, and in brackets what changed queries change.", *notes]),
    ]


def _bounds(part: Pooled, sign: str = "+") -> str:
    low, high = part["interval"]
    return f"[{low:{sign}.3f}, {high:{sign}.3f}]"


def _signed(part: Pooled) -> str:
    return f"{part['mean']:+.3f} {_bounds(part)}"
