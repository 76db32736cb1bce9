"""Jobs of small data, one after the other in this process: they share what they load.

Starting Snakemake, and Python and its libraries for each job, would cost more than their work.
"""

import atexit
import gc
import os
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from ctypes import CDLL
from pathlib import Path

from robustdr.core import network
from robustdr.core.benchmarks import write_costs
from robustdr.core.errors import UserError
from robustdr.core.locks import exclusive_lock
from robustdr.core.plugins import module_named
from robustdr.core.progress import Line, Progress
from robustdr.graph.graph import Graph
from robustdr.keys.integrity import is_current
from robustdr.keys.node import Node, histories

STAGES = "robustdr.stages"  # run by its name, as the rules run it
RANKS = "rank"  # the stage that loads a model for long
ENVIRONMENT = dict(os.environ)  # of jobs that have the network, before this process is refused it


def make(graph: Graph, targets: Sequence[Node], folder: Path) -> None:
    """Make artifacts, and what they are made from, in a folder.

    What is there with the planned key stays, unless what it was made from has changed.

    A job that needs the network has a process of its own: from now on this one is refused it.

    Raises:
        UserError: a job fails; names its log.
    """
    network.refuse()
    gc.disable()  # it would walk all that libraries load again and again, for little garbage
    atexit.register(gc.freeze)
    with chdir(folder), exclusive_lock(Path(graph.root) / "logs/lock"):
        progress = Progress({}, estimates=False)
        nodes = list(jobs(graph, targets))
        planned, started = Counter(node.rule for node in nodes if not is_done(node)), Counter[str]()
        line = Line(progress)
        for number, node in enumerate(nodes):
            if is_done(node):
                continue
            started[node.rule] += 1
            progress.plan(planned | started)  # what is made anew may differ, and then more is to be made
            progress.start(number, node.rule, time.monotonic())
            status = run(node)
            progress.finish(number, time.monotonic())
            if node.stage == RANKS:
                gc.collect()  # the model that ranked: the next one has its memory
                gc.freeze()  # what libraries have loaded is not looked through again
                with suppress(AttributeError):  # only glibc has it
                    CDLL(None).malloc_trim(0)  # what threads have left free goes back to the system
            if status:
                line.clear()
                *_, message = Path(node.log).read_text(encoding="utf-8").splitlines() or [f"exit status {status}"]
                raise UserError(f"{folder / node.log}: {message.removeprefix('robustdr: ')}")
            line.say(time.monotonic())
        line.end()


def jobs(graph: Graph, targets: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes of the jobs behind `targets`, each after those of its inputs; one job ranks all of a split."""
    runs = {node.path for node in histories(targets) if node.stage == "rank"}
    of_run = {
        run.path: ranking
        for split, groups in (graph.demand.searches() if runs else {}).items()  # runs of others may not be there yet
        for group, systems in groups.items()
        for system in systems
        for seed in graph.lineage.seeds(system)
        for ranking in [graph.ranking(system, seed, split, group)]
        for run in artifacts(ranking)
    }
    ranked = [of_run[path] for path in sorted(runs & of_run.keys())]
    yielded_logs: set[str] = set()
    for node in histories([*ranked, *targets]):
        job = of_run.get(node.path, node)
        if job.log not in yielded_logs:
            yielded_logs.add(job.log)
            yield job


def artifacts(node: Node) -> Sequence[Node]:
    """Return the nodes of what a job makes."""
    return node.makes() if node.makes else [node]


def is_done(node: Node) -> bool:
    """Whether all that a job makes is there with the planned keys, made from what is there now."""
    return all(artifact.is_made and is_current(Path(artifact.path)) for artifact in artifacts(node))


def run(node: Node) -> int:
    """Run a job; return its exit status. It leaves its log and what it took, as Snakemake's jobs do."""
    output_paths = (path for paths in node.outputs.values() for path in paths)
    for path in (node.log, node.benchmark, node.path, *output_paths):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with open(node.log, "w", encoding="utf-8") as log:
        if node.network:
            done = subprocess.run(
                [sys.executable, "-m", STAGES, *node.words], env=ENVIRONMENT, stdout=log, stderr=log, check=False
            )
            status = done.returncode
        else:
            with redirect_stdout(log), redirect_stderr(log):
                try:
                    status = module_named(f"{STAGES}.__main__").main(node.words)
                except Exception:
                    traceback.print_exc()
                    status = 1
    write_costs(Path(node.benchmark), time.monotonic() - began)
    return status
