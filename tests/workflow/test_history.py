"""The steps that the report shows behind a cell are the jobs that Snakemake runs for it."""

import re

import pytest
from tests.planned import measures as of_system
from tests.planned import of_papers
from tests.workflow.conftest import ROOT

from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.graph.site import steps

CONFIG = load(ROOT / "config")
MINI = graph(CONFIG, "mini")
VARIATION = re.compile(
    r"results/mini/(?:variations/.*/(?P<varied>[^/]+)\.tsv|runs/.*/[^/.]+\.(?P<ranked>[^/]+)\.arrow)"
)


def behind(jobs, target):
    """The jobs that lead to a file.

    One job ranks many query sets: what it reads for another one than the file's does not lead to the file.
    """
    made = {path: job for job in jobs for path in job.outputs}
    found, reached, todo = set(), set(), [target]
    while todo:
        if (path := todo.pop()) in made and path not in reached:
            reached.add(path)
            job = made[path]
            found.add(job)
            own = {None, "original", variation_of(path)}
            todo += [read for read in job.inputs if job.rule != "rank" or variation_of(read) in own]
    return found


def variation_of(path):
    """The variation whose queries or ranking a file has; None of another file."""
    found = VARIATION.fullmatch(path)
    return found and (found["varied"] or found["ranked"])


@pytest.fixture(scope="module")
def planned(shared_project):
    """All jobs of all papers."""
    return shared_project.jobs(*dict.fromkeys(node.path for paper in CONFIG.papers for node in measures(paper)))


def measures(paper):
    return of_papers(MINI, [paper])


@pytest.mark.parametrize("paper", CONFIG.papers)
def test_a_cell_lists_every_job_that_made_it(planned, paper):
    for system, role in MINI.demand.cells(paper):
        if MINI.lineage.unavailable(system):
            continue
        collection = MINI.lineage.collection_of(role)
        measured = [node for seed in MINI.lineage.seeds(system) for node in of_system(MINI, system, seed, collection)]
        shown = steps(MINI, system, measured)
        run = {job for node in measured for job in behind(planned, node.path)}
        unseen = [job for job in run if not any(is_of(step, job) for step in shown)]
        unrun = [step for step in shown if not any(is_of(step, job) for job in run)]
        assert not unseen and not unrun, (system, collection)


def is_of(step, job):
    """Whether a step is what a job made: a file, or the folder of its files."""
    return any(path == step.path or path.startswith(f"{step.path}/") for path in job.outputs)
