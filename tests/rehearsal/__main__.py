"""Run the stages on a collection of MS MARCO's size that anyone can make, and say what they cost.

    make rehearse [SIZE=0.01]

Snakemake makes one artifact after the other, with the project's rules and the settings of full scale. What no two cores
make in hours is drawn: passage vectors, and the rankings that the hard negatives of all training queries come from.
Snakemake is counted too: it takes 4 s and 0.12 GB. In the end everything is deleted.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rehearsal import made
from rehearsal.measured import Cost, measured
from rehearsal.project import BM25, COLLECTION, DENSE, LOG, ROOT, TRAINED, Project
from robustdr.experiments.models import ORIGINAL

DISK = 35e9  # bytes at size 1
STEPS = 200  # of a training that is fed
CORES = 8  # of the job that is predicted
DEV_QUERIES = 132_620  # the 19 query sets of MS MARCO's dev queries
ORCAS = 10_405_342  # its queries


class Stage(NamedTuple):
    """A measured stage: `disk` bytes are left, and full scale is `times` the work, on all cores or on one."""

    name: str
    cost: Cost
    disk: int
    times: float = 1.0
    cores: int = 1


def stages(project: Project) -> Iterator[Stage]:
    """Every stage, when it has run."""
    graph = project.graph
    splits = [(COLLECTION, split) for split in ("train", "mined", "searched")]
    original = [graph.query_set(split, ORIGINAL).path for split in splits]
    corpus = graph.corpus(COLLECTION).path
    yield Stage("passages, read and written", project.make(corpus), project.bytes_of(Path(corpus).parent.as_posix()))
    card = graph.card(COLLECTION).path
    cost = project.make(card, graph.card(LOG).path, graph.checkpoint("base").declared)
    yield Stage("queries, and the check of a collection", cost, project.bytes_of(*original, card))

    settings = graph.lineage.kind(BM25).index(graph.lineage, BM25)
    assert settings
    index = graph.index(COLLECTION, settings).path
    yield Stage("BM25's index", project.make(f"{index}.sha256"), project.bytes_of(index))
    run = graph.run(BM25, 0, (COLLECTION, "mined"), ORIGINAL).path
    cost, times = project.make(run), made.QUERIES / made.MINED
    disk = project.bytes_of(Path(run).parent.as_posix())
    yield Stage(f"BM25, {made.MINED:,} queries mined", cost, disk, times, CORES)

    vectors = project.draw_vectors()
    run = graph.run(DENSE, 0, (COLLECTION, "searched"), ORIGINAL).path
    ids = [f"{name[:-3]}ids" for name in vectors]
    cost, disk = project.make(run), project.bytes_of(Path(run).parent.as_posix(), *vectors, *ids)
    times = DEV_QUERIES / made.SEARCHED
    yield Stage(f"exact search, {made.SEARCHED:,} queries", cost, disk, times, CORES)
    project.remove(*vectors, *ids)

    run = project.draw_rankings()
    data = graph.training_data(TRAINED, 1).path
    yield Stage(f"training data, {project.queries:,} queries", project.make(data), project.bytes_of(data, run))
    project.remove(run)
    command = [sys.executable, "-m", "rehearsal.feed", data, corpus, str(STEPS)]
    yield Stage(f"a training's start and {STEPS} steps fed", measured(command, project.folder), 0)

    queries = graph.query_set((LOG, "train"), "typo").path
    cost = project.make(queries)
    yield Stage(f"{project.logged:,} queries varied", cost, project.bytes_of(queries), ORCAS / made.LOGGED)


def row(stage: Stage, size: float) -> str:
    """A line of the table. From a smaller size more is predicted than it takes: what a start takes does not grow."""
    cost = stage.cost
    predicted = stage.times * cost.processor / size / stage.cores / 3600
    sizes = " | ".join(f"{number / 1e9:.2f} GB" for number in (cost.resident, cost.own, stage.disk))
    return f"| {stage.name} | {cost.seconds:.0f} s | {cost.processor:.0f} s | {sizes} | {predicted:.2f} h |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make rehearse")
    parser.add_argument("--size", type=float, default=1.0, help="of MS MARCO; default: all of it")
    parser.add_argument("--folder", type=Path, help="where there is room; default: that of temporary files")
    arguments = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(str(ROOT / part) for part in ("workflow", "tests"))
    with tempfile.TemporaryDirectory(prefix="rehearsal-", dir=arguments.folder) as name:
        if (free := shutil.disk_usage(name).free) < (needed := arguments.size * DISK):
            raise SystemExit(f"{name}: {free / 1e9:.0f} GB free, {needed / 1e9:.0f} GB needed; name another --folder")
        started = time.perf_counter()
        project = Project(Path(name), arguments.size)
        project.draw()
        print(f"drawn in {time.perf_counter() - started:.0f} s; {os.cpu_count()} cores\n", flush=True)
        print(f"| stage | on the clock | processor | memory | without files' | disk | full scale, {CORES} cores |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
        for stage in stages(project):
            print(row(stage, arguments.size), flush=True)


if __name__ == "__main__":
    main()
