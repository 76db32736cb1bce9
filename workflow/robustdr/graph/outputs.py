"""Artifacts grouped by the files that their jobs write. A rule's outputs are fixed, so each group has its own rule."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from robustdr.experiments.kinds import Split
from robustdr.experiments.models import Config
from robustdr.graph.graph import Graph

Graphs = Mapping[str, Graph]  # by the folder of a scale's results


def splits_by_judgements(config: Config) -> dict[tuple[str, ...], list[str]]:
    """Return splits, as <collection>/<split>, by what judges them."""
    places: dict[tuple[str, ...], list[str]] = {}
    for collection, source in config.collections.items():
        for split in source["splits"]:
            places.setdefault(tuple(config.judged_by(collection, split)), []).append(f"{collection}/{split}")
    return places


def checkpoints_by_form(graphs: Graphs) -> dict[tuple[str, str], list[str]]:
    """Return names of checkpoints by (folder of the scale, form)."""
    found: dict[tuple[str, str], list[str]] = {}
    for root, graph in graphs.items():
        for name, entry in graph.lineage.scale.checkpoints.items():
            found.setdefault((root, entry.form), []).append(name)
    return found


def files_of_versions(root: str, suffix: str, count: int = 1) -> list[str]:
    """Return the files of a query set; with several versions, those of the one that attacks come first."""
    path = f"{root}/variations/{{collection}}/{{split}}/{{variation}}"
    return [f"{path}{version}{suffix}" for version in ("", *(f".version{number}" for number in range(1, count)))]


def shown(config: Config, folder: str, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return (paper, part) of the `tables` or `figures` that `names` ask for, by the name of their files."""
    return {
        f"{paper}_{part}": (paper, part)
        for paper in config.asked(names)
        for part in getattr(config.papers[paper], folder)
        if config.shows(names, paper, part)
    }


class Trainings(NamedTuple):
    """Trainings of one scale that write the same files: `files` of the model, snapshots after `percents`."""

    graph: Graph
    files: tuple[str, ...]
    percents: tuple[int, ...]


def trained_by_files(graphs: Graphs) -> dict[Trainings, list[str]]:
    """Return systems by the files that their training writes."""
    found: dict[Trainings, list[str]] = {}
    for graph in graphs.values():
        lineage, percents = graph.lineage, graph.demand.snapshots()
        for system in lineage.config.systems:
            if lineage.is_trained(system) and not lineage.lacking(system):
                files = tuple(lineage.kind(system).model_files(lineage, system))
                found.setdefault(Trainings(graph, files, tuple(percents.get(system, ()))), []).append(system)
    return found


class Ranked(NamedTuple):
    """Systems that rank the same variations of a split at one scale, all with the network or all without."""

    graph: Graph
    split: Split
    variations: tuple[str, ...]
    systems: Sequence[str]
    network: bool

    @property
    def pattern(self) -> str:
        """The regular expression for the systems' names."""
        return "|".join(map(re.escape, self.systems))


def rankings(graphs: Graphs) -> list[Ranked]:
    """Return every list of variations of a split that systems rank."""
    return [
        Ranked(graph, split, variations, of, network)
        for graph in graphs.values()
        for split, lists in graph.demand.searches().items()
        for variations, systems in lists.items()
        for network in (False, True)
        if (of := [system for system in systems if graph.lineage.kind(system).network == network])
    ]


def versions(graphs: Graphs) -> dict[str, int]:
    """Return the variations whose generator makes several versions of a query at once, with their number."""
    return {name: count for graph in graphs.values() for name, count in graph.versions().items()}
