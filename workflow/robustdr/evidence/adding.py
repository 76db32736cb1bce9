"""Finished runs become rows of the ledger: what is damaged, stale or of no known system is refused.

Also what a ledger has: its runs, and its size in words.
"""

import subprocess
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from robustdr.core.errors import UserError
from robustdr.evaluation import ledger
from robustdr.evaluation.measures import read_measures
from robustdr.evidence import priors
from robustdr.evidence.identity import Run, code, expected, runs
from robustdr.graph.graph import Graph
from robustdr.keys.integrity import damaged, hardware, key_of, record_of
from robustdr.keys.node import Node


class Added(NamedTuple):
    """What became of a folder of results: runs added, in the ledger before, and unfinished; the new file, if any."""

    new: int
    old: int
    unfinished: int
    path: Path | None


def add(graphs: Mapping[str, Graph], root: str, evidence: Path) -> Added:
    """Add the finished runs of a scale to a ledger, and fit the ledger's priors anew.

    A run is finished if its system was measured on all query sets of the collection that any paper needs.

    Args:
        graphs: by the folder of their results. root: the folder of the scale whose runs are added.

    Raises:
        UserError: a measures file, or something behind it, is damaged, stale or of no known system; nothing is added.
    """
    graph = graphs[root]
    finished, unfinished = _finished(graph)
    ledger_rows = ledger.read_ledger(evidence)
    recorded = set(zip(ledger_rows["scale"], ledger_rows["key"], ledger_rows["hardware"], strict=True))
    settings, commit, rows, new = expected(graph), _commit(evidence), [], 0
    for run in finished:
        paths, scale = [Path(node.path) for node in run.nodes], graph.lineage.scale_name
        computed_on = "; ".join(sorted(hardware(paths)))
        if (scale, run.key, computed_on) in recorded:
            continue
        new += 1
        rows += ledger.rows_of(
            pd.concat(map(read_measures, paths)),
            {
                query_set: digest
                for (*place, query_set), digest in settings.items()
                if place == [run.system, run.collection]
            },
            scale=scale,
            system=run.system,
            collection=run.collection,
            seed=run.seed,
            key=run.key,
            code=code(run.nodes),
            hardware=computed_on,
            commit=commit,
            date=datetime.fromtimestamp(max(record_of(path).stat().st_mtime for path in paths), UTC).date().isoformat(),
        )
    new_file = ledger.write_rows(evidence, rows) if rows else None
    priors.write(graphs.values(), evidence)
    return Added(new, len(finished) - new, unfinished, new_file)


def _finished(graph: Graph) -> tuple[list[Run], int]:
    """Return the runs whose measures all exist, each checked to the sources, and the number of runs with some."""
    folder = Path(graph.root, "measures")
    all_runs = list(runs(graph))
    nodes = {node.path: node for run in all_runs for node in run.nodes}
    measured_paths = set(map(str, folder.glob("*/*/seed*/*.parquet")))
    if not measured_paths:
        raise UserError(f"{folder}: no measures; run snakemake first")
    faults = list(damaged(folder)) or [*filter(None, (stale(path, nodes.get(path)) for path in sorted(measured_paths)))]
    if faults:
        rest = f"; and {len(faults) - 1} more faults" if len(faults) > 1 else ""
        raise UserError(f"{faults[0]}{rest}; nothing was added")
    presence = [[node.path in measured_paths for node in run.nodes] for run in all_runs]
    finished = [run for run, files in zip(all_runs, presence, strict=True) if all(files)]
    return finished, sum(map(any, presence)) - len(finished)


def stale(path: str, node: Node | None) -> str:
    """Return why a measures file is not the one that the configuration and code make; '' if it is."""
    if node is None:
        return f"{path}: stale: the configuration has no such run at this scale; delete it"
    if not record_of(Path(path)).is_file():
        return f"{path}: it has no record (.sha256); delete it and run again"
    key = key_of(Path(path))
    return f"{path}: stale: its key is {key}, {node.key} is expected; run again" if key != node.key else ""


def _commit(evidence: Path) -> str:
    """Return the commit of the code, and whether a file other than the ledger's was changed since."""
    command = ["git", "describe", "--always", "--exclude=*"]
    try:
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    unchanged = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", ".", f":(exclude){evidence}"]).returncode == 0
    return commit if unchanged else f"{commit}, changed since"


def list_runs(evidence: Path, graphs: Mapping[str, Graph]) -> list[str]:
    """Return a line for each scale, code and hardware of a ledger: its systems, runs and days; then its size.

    Args:
        graphs: by scale.
    """
    rows = ledger.read_ledger(evidence)
    runs = rows.drop_duplicates(["scale", "key", "hardware"])
    lines = []
    for (scale, commit, computed_on), group in runs.groupby(["scale", "commit", "hardware"]):
        days = " to ".join(sorted({min(group["date"]), max(group["date"])}))
        systems = Counter(group.groupby("system")["seed"].nunique())
        seeds = ", ".join(f"{number} with {count}" for count, number in sorted(systems.items(), reverse=True))
        lines.append(f"{scale}, commit {commit}, {computed_on or 'any hardware'}: {len(group)} runs, {days}")
        lines.append(f"    systems by seeds: {seeds}")
    size = sum(path.stat().st_size for path in evidence.glob("*/*.parquet"))
    return [*lines, f"{describe_size(rows, graphs)}, {len(rows)} rows, {size / 1e6:.1f} MB"]


def describe_size(rows: pd.DataFrame, graphs: Mapping[str, Graph]) -> str:
    """Return the size of a ledger in words.

    A model is a system that is trained with one seed on one kind of machine; its states at parts of its training are
    no models of their own. A run is the measures of a system with one seed on one collection.

    Args:
        rows: of the ledger. graphs: by scale.
    """
    runs = rows.drop_duplicates(["scale", "key", "hardware"])
    runs = runs.assign(system=runs["system"].str.partition(".")[0])
    lineages = {scale: graph.lineage for scale, graph in graphs.items()}
    trained = [
        scale in lineages and system in lineages[scale].config.systems and lineages[scale].is_trained(system)
        for scale, system in zip(runs["scale"], runs["system"], strict=True)
    ]
    models = runs[trained].drop_duplicates(["scale", "system", "seed", "hardware"])
    seeds, machines = models["seed"].nunique(), runs["hardware"].nunique()
    return (
        f"{len(models):,} trained models ({seeds} seed{'s' * (seeds != 1)}, {machines} kind{'s' * (machines != 1)} of "
        f"machine), {len(runs):,} measured runs"
    )
