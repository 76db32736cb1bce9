"""`robustdr leaderboard`: one page of several reports of `robustdr evaluate`, a table for each collection."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.core.markup import code, plain, table_row
from robustdr.own.document import interval, share
from robustdr.own.experiment import BM25, NAME, SPELL_CHECKED
from robustdr.own.results import Report
from robustdr.variations.misspelling import Misspell

TEMPLATE = Path(__file__).with_name("leaderboard.md.j2")
SLIPS = f"{Misspell.category}_mean"


class Change(NamedTuple):
    """A change with its 95 % interval, and the system, the query set and the collection that have it."""

    size: float
    bounds: list[float]
    where: str


def write(folders: Sequence[Path], output: Path) -> None:
    """Write the page of the reports in `folders`, which are named as their collections.

    Raises:
        UserError: a folder has no report.
    """
    from jinja2 import Environment, StrictUndefined  # imported here: only pages need this package

    reports: dict[str, Report] = {}
    for folder in folders:
        if not (path := folder / "report.json").is_file():
            raise UserError(f"{path}: no such file; `robustdr evaluate -o {folder}` writes it")
        reports[folder.resolve().name] = json.loads(path.read_text(encoding="utf-8"))
    made = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    template = made.from_string(TEMPLATE.read_text(encoding="utf-8"))
    write_text(output, template.render(page(reports)))


def page(reports: Mapping[str, Report]) -> dict[str, object]:
    """What the template shows."""
    slips, rewordings = (list(changes(reports, misspelled)) for misspelled in (True, False))
    on: dict[str, list[str]] = {}
    for collection, report in reports.items():
        for system in report["systems"].values():
            on.setdefault(system["label"], []).append(collection)
    return {
        "measures": sorted({report["measure"] for report in reports.values()}),
        "slips": counted(slips, percent),
        "rewordings": counted(rewordings, percent),
        "checked": counted(list(spell_checked(reports, "variations")), points),
        "checked_originals": counted(list(spell_checked(reports, "original")), points),
        "slip": next(iter(reports.values()))["categories"][SLIPS][0],
        "overview": overview(reports),
        "collections": [{"name": name, "table": table(of), **of} for name, of in reports.items()],
        "encoding": sorted({plain(said) for report in reports.values() for said in report["encoding"]}),
        "partly": {plain(label): names for label, names in on.items() if len(names) < len(reports)},
    }


def percent(change: Change) -> str:
    """A share of the original queries' measure, and where."""
    return f"{share(change.size)} {interval(change.bounds)} ({change.where})"


def points(change: Change) -> str:
    """A difference of the measure, and where."""
    low, high = change.bounds
    return f"{change.size:+.3f} [{low:+.3f}, {high:+.3f}] ({change.where})"


def changes(reports: Mapping[str, Report], misspelled: bool) -> Iterator[Change]:
    """Yield what each misspelling, or each rewording, changes for each system without a spell checker."""
    for collection, report in reports.items():
        kinds = [kind for mean, of in report["categories"].items() if (mean == SLIPS) == misspelled for kind in of]
        for name, system in report["systems"].items():
            for kind in kinds if not name.endswith(SPELL_CHECKED) else ():
                change = system["query_sets"][kind]
                if change["drop"] is not None and change["drop_interval"] is not None:
                    where = f"{plain(system['label'])}, {code(kind)}, {collection}"
                    yield Change(change["drop"], change["drop_interval"], where)


def spell_checked(reports: Mapping[str, Report], part: Literal["original", "variations"]) -> Iterator[Change]:
    """Yield what a spell checker changes, in points of the measure: on the original queries or on the `variations`."""
    for collection, report in reports.items():
        systems = report["systems"]
        for ranker in (BM25, NAME):
            both = {systems[ranker]["label"], systems[ranker + SPELL_CHECKED]["label"]}
            (pair,) = (pair for pair in report["pairs"] if {*pair["labels"]} == both)
            sign = 1 if pair["labels"][1] == systems[ranker]["label"] else -1
            difference, bounds = pair[part]["difference"], pair[part]["difference_interval"]
            if bounds is not None:
                turned = sorted(sign * bound for bound in bounds)
                yield Change(sign * difference, turned, f"{plain(systems[ranker]['label'])}, {collection}")


def counted(found: Sequence[Change], said: Callable[[Change], str]) -> dict[str, object]:
    """How many changes there are, how many have an interval below or above 0, and the least and the greatest."""
    return {
        "all": len(found),
        "below": sum(change.bounds[1] < 0 for change in found),
        "above": sum(change.bounds[0] > 0 for change in found),
        "least": said(min(found)),
        "greatest": said(max(found)),
    }


def overview(reports: Mapping[str, Report]) -> str:
    """A row for each system, a column for each collection: what the first misspelling changes."""
    said: dict[str, dict[str, str]] = {}
    for collection, report in reports.items():
        for system in report["systems"].values():
            change = system["query_sets"][report["categories"][SLIPS][0]]
            cell = f"{share(change['drop'])} {interval(change['drop_interval'])}"
            said.setdefault(plain(system["label"]), {})[collection] = cell
    lines = [["system", *reports], [":---", *["---:"] * len(reports)]]
    lines += [[label, *(cells.get(name, "") for name in reports)] for label, cells in said.items()]
    return "\n".join(map(table_row, lines))


def table(report: Report) -> str:
    """A row for each system, best first: its original queries, and what each query set changes."""
    kinds = sorted(report["categories"].items(), key=lambda of: of[0] != SLIPS)
    query_sets = [name for mean, of in kinds for name in of]
    lines = [["system", f"{report['measure']} [95 %]", *map(code, query_sets)]]
    lines.append([":---", *["---:"] * (len(query_sets) + 1)])
    for system in sorted(report["systems"].values(), key=lambda system: -system["original"]):
        bounds = system["original_interval"]
        original = f"{system['original']:.3f} " + (f"[{bounds[0]:.3f}, {bounds[1]:.3f}]" if bounds else "[unbounded]")
        drops = [system["query_sets"][name] for name in query_sets]
        said = [f"{share(drop['drop'])} {interval(drop['drop_interval'])}" for drop in drops]
        lines.append([plain(system["label"]), original, *said])
    return "\n".join(map(table_row, lines))
