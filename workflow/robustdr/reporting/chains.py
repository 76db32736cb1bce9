"""What a gain is made of: along a chain of controls, each step from one system to the next changes one thing."""

from math import isfinite

from robustdr.evaluation.estimates import ONE, Estimate, Ratio
from robustdr.evaluation.names import MEAN
from robustdr.reporting.cells import ORIGINAL, Cell, Grid, Maker

TOTAL = "all together"


def chains(make: Maker) -> Grid:
    """A row per system and query set, a column per link of the chain that ends in the system, and their sum.

    A chain has a system for the start and after each link but the last; None where a link is taken together with the
    next. A printed step is the difference of two printed cells, each from the first of the spec's `reported` tables
    that has it.
    """
    (role,), links = make.spec["collections"], make.spec["links"]
    measure = make.settings.evaluation[role]["measures"][0]
    cells: dict[tuple[str, str], Cell] = {}
    rows = []
    for system in make.spec["systems"]:
        start, *further = make.spec["chains"][system]
        for query_set in (ORIGINAL, MEAN):
            row = f"{make.settings.labels[system]}, {query_set}"
            rows.append(row)
            before = start
            for link, after in zip(links, [*further, system], strict=True):
                if after is not None:
                    cells[row, link] = _step(make, role, query_set, measure, before, after)
                    before = after
            cells[row, TOTAL] = _step(make, role, query_set, measure, start, system)
    notes = [
        "A row begins with " + "; ".join(_words(make, system) for system in make.spec["systems"]) + ".",
        "–: counted in the next column, for the method takes both at once"
        + ("; as reported also where one of the two systems is not printed." if make.reported else "."),
    ]
    return Grid("System", rows, [*links, TOTAL], cells, notes=notes)


def _words(make: Maker, system: str) -> str:
    """A chain in words: what each link reaches."""
    labels, (start, *further) = make.settings.labels, make.spec["chains"][system]
    steps = zip(make.spec["links"], [*further, system], strict=True)
    reached = [f"{link}: {labels[after]}" for link, after in steps if after is not None]
    return f"{labels[start]} ({', '.join(reached)})"


def _step(make: Maker, role: str, query_set: str, measure: str, before: str, after: str) -> Cell:
    cell = make.blank(after, role, query_set, measure)
    cell.against, cell.value = before, "difference"
    cell.reported = _printed(make, cell)
    cell.not_run = cell.not_run or make.store.why_not(before, role, query_set)
    if not cell.not_run:
        new, old = (Estimate(make.values(cell, system, query_set)) for system in (after, before))
        gain = Ratio(new - old, ONE)
        cell.reproduced = cell.difference = gain.value
        cell.p, cell.seeds, cell.queries = gain.p, gain.seeds, gain.queries
        cell.difference_low, cell.difference_high = (end if isfinite(end) else None for end in gain.interval(0.95))
    return cell


def _printed(make: Maker, cell: Cell) -> str:
    """The difference of what is printed for the two systems of a step; empty where one is not printed."""
    if make.reported is None:
        return ""
    where = {"collection": cell.role, "query_set": cell.query_set, "measure": cell.measure}
    names = (make.settings.names[system] for system in (cell.system, cell.against))
    new, old = (make.reported.first(make.spec.get("reported", []), system=name, **where) for name in names)
    return f"{new.number - old.number:+}" if new and old else ""
