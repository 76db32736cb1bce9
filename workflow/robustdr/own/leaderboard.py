"""`robustdr leaderboard`: one page of several reports of `robustdr evaluate`, a table for each collection."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from robustdr.core.errors import UserError
from robustdr.core.files import from_json, write_text
from robustdr.core.markup import code, markdown_table, plain
from robustdr.own.document import interval, share
from robustdr.own.experiment import BM25, NAME, SPELL_CHECKED, is_model
from robustdr.own.results import Report
from robustdr.variations.misspelling import Misspell

TEMPLATE = Path(__file__).with_name("leaderboard.md.j2")
SLIPS = f"{Misspell.category}_mean"


class Change(NamedTuple):
    """A change with its 95 % interval, and the system, the query set and the collection that have it."""

    size: float
    bounds: list[float]
    place: str


def write(folders: Sequence[Path], output: Path) -> None:
    """Write the page of the reports in `folders`, which are named as their collections.

    Raises:
        UserError: a folder has no report of one collection, two have the same name, or a report has no spell checker or
            not the misspelling of the page.
    """
    from jinja2 import Environment, StrictUndefined  # imported here: only pages need this package

    reports: dict[str, Report] = {}
    for folder in folders:
        if not (path := folder / "report.json").is_file():
            raise UserError(f"{path}: no such file; `robustdr evaluate -o {folder}` writes it")
        try:
            report: Report = from_json(path.read_bytes())
            whole = {"systems", "categories"} <= report.keys() and isinstance(report["systems"], dict)
        except (ValueError, AttributeError):
            whole = False
        if not whole:
            hint = "of several collections, each has a report in a folder of its own"
            raise UserError(f"{path}: no report of one collection by `robustdr evaluate`; {hint}")
        if BM25 + SPELL_CHECKED not in report["systems"]:
            raise UserError(f"{path}: systems: no spell checker; `robustdr evaluate --spell-checker` adds it")
        if SLIPS not in report["categories"]:
            raise UserError(f"{path}: categories: no misspelling; `robustdr evaluate --variations` names one")
        if (name := folder.resolve().name) in reports:
            raise UserError(f"{folder}: {name} is the name of several folders; allowed: names of their own")
        reports[name] = report
        if (slip := next(iter(reports.values()))["categories"][SLIPS][0]) not in report["categories"][SLIPS]:
            raise UserError(f"{path}: categories: no {slip}, which the page shows of {next(iter(reports))}")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    write_text(output, template.render(page(reports)))


def page(reports: Mapping[str, Report]) -> dict[str, object]:
    """What the template shows.

    Its `slip` is the first misspelling of the first report. `evaluate` puts `human_misspelling` first.
    """
    slip = next(iter(reports.values()))["categories"][SLIPS][0]
    rewordings = {
        name
        for report in reports.values()
        for category, names in report["categories"].items()
        for name in names
        if category != SLIPS
    }
    collections: dict[str, list[str]] = {}
    for collection, report in reports.items():
        for system in report["systems"].values():
            collections.setdefault(plain(system["label"]), []).append(collection)
    return {
        "measures": sorted({report["measure"] for report in reports.values()}),
        "slip": slip,
        "slips": summary(list(changes(reports, {slip})), percent),
        "slips_checked": summary(list(changes(reports, {slip}, checked=True)), percent),
        "rewordings": summary(list(changes(reports, rewordings)), percent),
        "checked_originals": summary(list(changes_by_checker(reports)), points),
        "overview": overview(reports, slip),
        "collections": [{"name": name, "table": table(report), **report} for name, report in reports.items()],
        "encoding": sorted({plain(line) for report in reports.values() for line in report["encoding"]}),
        "missing": {
            label: [name for name in reports if name not in names]
            for label, names in collections.items()
            if len(names) < len(reports)
        },
        "commands": commands(reports),
    }


def percent(change: Change) -> str:
    """A share of the original queries' measure, and where."""
    return f"{share(change.size)} {interval(change.bounds)} ({change.place})"


def points(change: Change) -> str:
    """A difference of the measure, and where."""
    low, high = change.bounds
    return f"{change.size:+.3f} [{low:+.3f}, {high:+.3f}] ({change.place})"


def changes(reports: Mapping[str, Report], query_sets: Collection[str], checked: bool = False) -> Iterator[Change]:
    """Yield what each of the query sets changes for each system, with a spell checker or without one."""
    for collection, report in reports.items():
        for name, system in report["systems"].items():
            if name.endswith(SPELL_CHECKED) != checked:
                continue
            for query_set, change in system["query_sets"].items():
                if query_set in query_sets and change["drop"] is not None and change["drop_interval"] is not None:
                    prefix = f"{code(query_set)}, " if len(query_sets) > 1 else ""
                    place = f"{plain(system['label'])}, {prefix}{collection}"
                    yield Change(change["drop"], change["drop_interval"], place)


def changes_by_checker(reports: Mapping[str, Report]) -> Iterator[Change]:
    """Yield what a spell checker changes on the original queries, in points of the measure."""
    for collection, report in reports.items():
        systems = report["systems"]
        for ranker in (BM25, NAME):
            labels = {systems[ranker]["label"], systems[ranker + SPELL_CHECKED]["label"]}
            (pair,) = (pair for pair in report["pairs"] if {*pair["labels"]} == labels)
            sign = 1 if pair["labels"][1] == systems[ranker]["label"] else -1
            difference, bounds = pair["original"]["difference"], pair["original"]["difference_interval"]
            if bounds is not None:
                signed = sorted(sign * bound for bound in bounds)
                yield Change(sign * difference, signed, f"{plain(systems[ranker]['label'])}, {collection}")


def summary(changes: Sequence[Change], text: Callable[[Change], str]) -> dict[str, object] | None:
    """How many changes there are, how many have an interval below or above 0, the least and the greatest.

    None if there is no change with an interval.
    """
    if not changes:
        return None
    return {
        "all": len(changes),
        "below": sum(change.bounds[1] < 0 for change in changes),
        "above": sum(change.bounds[0] > 0 for change in changes),
        "least": text(min(changes)),
        "greatest": text(max(changes)),
    }


def overview(reports: Mapping[str, Report], slip: str) -> str:
    """A row for each system, a column for each collection: what the misspelling changes."""
    rows: dict[str, dict[str, str]] = {}
    for collection, report in reports.items():
        for system in report["systems"].values():
            change = system["query_sets"][slip]
            cell = f"{share(change['drop'])} {interval(change['drop_interval'])}"
            rows.setdefault(plain(system["label"]), {})[collection] = cell
    lines = ([label, *(cells.get(name, "not run") for name in reports)] for label, cells in rows.items())
    return markdown_table(["system", *reports], lines)


def table(report: Report) -> str:
    """A row for each system, best first: its original queries, and what each query set changes."""
    categories = sorted(report["categories"].items(), key=lambda category: category[0] != SLIPS)
    query_sets = [name for _, names in categories for name in names]
    lines = []
    for system in sorted(report["systems"].values(), key=lambda system: -system["original"]):
        bounds = system["original_interval"]
        original = f"{system['original']:.3f} " + (f"[{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else "[unbounded]")
        cells = [system["query_sets"][name] for name in query_sets]
        change_texts = [f"{share(cell['drop'])} {interval(cell['drop_interval'])}" for cell in cells]
        lines.append([plain(system["label"]), original, *change_texts])
    return markdown_table(["system", f"{report['measure']} [95 %]", *map(code, query_sets)], lines)


def commands(reports: Mapping[str, Report]) -> list[str]:
    """The calls of make that measure the models of the reports, collections with the same models together."""
    collections: dict[str, list[str]] = {}
    for collection, report in reports.items():
        models = [system["label"] for name, system in report["systems"].items() if is_model(name)]
        collections.setdefault(" ".join(models), []).append(collection)
    return [
        f'make leaderboard COLLECTIONS="{" ".join(names)}" MODELS="{models}"' for models, names in collections.items()
    ]
