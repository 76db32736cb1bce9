"""The parts of a gain: in a chain of controls, each step from one system to the next changes one thing."""

from typing import Annotated, Literal

from pydantic import Field

from robustdr.core.checks import check_known
from robustdr.core.errors import UserError
from robustdr.core.settings import settings
from robustdr.evaluation.estimates import ONE
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.evaluation.quotients import Ratio
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import Grid, Maker
from robustdr.reporting.spec import Name, Names, OneEach, Quoted

Chain = Annotated[tuple[str | None, ...], Field(min_length=1)]


@settings
class Settings(Quoted):
    explains_uncertainty = False

    rows: Literal["chains"]
    collections: Name
    systems: Names = Field(description="systems to show")
    links: Names = Field(description="names of the links: what each one adds")
    chains: dict[str, Chain] = Field(description="by system, the system before each link; ~ for none")

    def __post_init__(self) -> None:
        super().__post_init__()
        for system in sorted({*self.chains, *self.systems}):
            check_known("chains", system, self.chains.keys() & self.systems)
            chain = self.chains[system]
            if len(chain) != len(self.links):
                links = f"{len(chain)} systems for the links {', '.join(self.links)}; one before each"
                raise UserError(f"chains.{system}: {links}")
            if chain[0] is None:
                raise UserError(f"chains.{system}: begins with ~; the first entry must be a system")

    def chain(self, system: str) -> tuple[str, list[tuple[str, str | None]]]:
        """(first system, [(link, system after it)]) of a chain; the system is None if the next link comes with it."""
        start, *further = self.chains[system]
        return start or "", list(zip(self.links, [*further, system], strict=True))

    def needed(self) -> list[str | OneEach]:
        return [*self.systems, *(system for chain in self.chains.values() for system in chain if system)]


TOTAL = "all together"


def chains(make: Maker[Settings]) -> Grid:
    """A row per system and query set; a column per link of the system's chain, and one for their sum.

    A reported step is the difference of two printed cells, each from the first of the tables `reported` that has it.
    """
    (role,), links = make.spec.collections, make.spec.links
    measure = make.settings.evaluation[role]["measures"][0]
    cells: dict[tuple[str, str], Cell] = {}
    labels, rows, begins = make.settings.labels, [], []
    for system in make.spec.systems:
        start, steps = make.spec.chain(system)
        reached = ", ".join(f"{link}: {labels[after]}" for link, after in steps if after is not None)
        begins.append(f"{labels[start]} ({reached})")
        for query_set in (ORIGINAL, MEAN):
            row = f"{labels[system]}, {query_set}"
            rows.append(row)
            before = start
            for link, after in steps:
                if after is not None:
                    cells[row, link] = _step(make, role, query_set, measure, before, after)
                    before = after
            cells[row, TOTAL] = _step(make, role, query_set, measure, start, system)
    notes = [
        f"A row begins with {'; '.join(begins)}.",
        "–: counted in the next column, for the method takes both at once"
        + ("; as reported also where one of the two systems is not printed." if make.reported else "."),
    ]
    return Grid("System", rows, [*links, TOTAL], cells, notes=notes)


def _step(make: Maker[Settings], role: str, query_set: str, measure: str, before: str, after: str) -> Cell:
    cell = make.blank(after, role, query_set, measure)
    cell.against, cell.value = before, "difference"
    cell.reported = _printed(make, cell)
    cell.not_run = cell.not_run or make.store.why_not(before, role, query_set)
    if not cell.not_run:
        new, old = (make.estimate(cell, system, query_set) for system in (after, before))
        gain = Ratio(new - old, ONE)
        cell.set_difference(gain)
        cell.reproduced, cell.p, cell.seeds, cell.queries = gain.value, gain.p, gain.seeds, gain.queries
    return cell


def _printed(make: Maker[Settings], cell: Cell) -> str:
    """The difference of the printed numbers of a step's two systems; '' if one is not printed."""
    if make.reported is None:
        return ""
    coordinates = {"collection": cell.role, "query_set": cell.query_set, "measure": cell.measure}
    names = (make.settings.names[system] for system in (cell.system, cell.against))
    new, old = (make.reported.first(make.spec.reported or (), system=name, **coordinates) for name in names)
    return f"{new.number - old.number:+}" if new and old else ""
