"""How many cells of the papers' tables and figures a scale can run, and why not the others.

A cell is a system, a collection's role and a query set, counted once for a paper, whichever of its tables and figures
show it. Studies and comparisons that no paper prints are not counted. Tables and figures of a paper that are not made
from runs are listed with their reasons.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from robustdr.experiments.models import ORIGINAL
from robustdr.graph.graph import Graph

PRINTED = re.compile(r"(table|figure)\d+(_|$)")  # names of a paper's own tables and figures


@dataclass(frozen=True)
class Coverage:
    """The cells of one paper at one scale.

    Attributes:
        reasons: number of cells without a way to run them, by reason. printed: number of tables and figures of the
            paper. left_out: why those are not made that are not.
    """

    scale: str
    paper: str
    cells: int
    reasons: dict[str, int]
    printed: int
    left_out: dict[str, str]

    @property
    def without(self) -> int:
        return sum(self.reasons.values())


def coverage(graph: Graph, paper: str) -> Coverage:
    """Count the cells of a paper; files that anyone can fetch count as there."""
    experiment = graph.lineage.config.papers[paper]
    specs = {**experiment.tables, **experiment.figures}
    pairs = dict.fromkeys(pair for name, spec in specs.items() if PRINTED.match(name) for pair in spec.pairs())
    reasons = Counter[str]()
    cells = 0
    for system, role in pairs:
        for query_set in (ORIGINAL, *experiment.evaluation[role].variations):
            cells += 1
            if reason := _lacking(graph, paper, system, role, query_set):
                reasons[reason] += 1
    scale, whole = graph.lineage.scale_name, len(experiment.printed())
    return Coverage(scale, paper, cells, dict(reasons.most_common()), whole, experiment.left_out)


def _lacking(graph: Graph, paper: str, system: str, role: str, query_set: str) -> str:
    """Return why a cell cannot be run; '' if it can."""
    lineage = graph.lineage
    if key := lineage.lacking_cell(system, role):
        return f"{key} is missing in {lineage.config.scale_files[lineage.scale_name]}"
    if reason := lineage.unavailable_collection(role):
        public = "sha256" in lineage.config.collections[lineage.collection_of(role)]
        if not public:
            return reason
    split = lineage.split_of(paper, role)
    varied = [] if query_set == ORIGINAL else [query_set]
    return lineage.unavailable(system) or "".join(lineage.unavailable_variations(split, varied).values())


def as_text(coverages: Iterable[Coverage]) -> str:
    """Return a table of papers, each with its reasons and what it leaves out, and a last line for each scale."""
    coverages = list(coverages)
    lines = [f"{'scale':<8}{'paper':<10}{'cells':>7}{'without a way':>15}"]
    for entry in coverages:
        lines.append(f"{entry.scale:<8}{entry.paper:<10}{entry.cells:>7}{entry.without:>15}")
        lines += [f"{count:>40}  {reason}" for reason, count in entry.reasons.items()]
        lines.append(
            f"{'':<18}{entry.printed - len(entry.left_out)} of {entry.printed} tables and figures are made from runs"
        )
        lines += [f"{name:>40}  {reason}" for name, reason in entry.left_out.items()]
    for scale in dict.fromkeys(entry.scale for entry in coverages):
        cells = sum(entry.cells for entry in coverages if entry.scale == scale)
        without = sum(entry.without for entry in coverages if entry.scale == scale)
        lines.append(f"{scale}: {without} of {cells} cells have no way to run ({100 * without / cells:.1f} %)")
    return "\n".join(lines)


def as_json(coverages: Iterable[Coverage]) -> list[dict[str, object]]:
    """Return an object for each paper and scale."""
    return [asdict(entry) | {"without": entry.without} for entry in coverages]
