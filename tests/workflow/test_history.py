"""The steps that the report shows behind a cell are the jobs that Snakemake runs for it."""

import re

import pytest
from tests.planned import measures as of_system
from tests.planned import of_papers
from tests.workflow.conftest import ROOT

from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.graph.site import steps
from robustdr.keys.node import histories

CONFIG = load(ROOT / "config")
MINI = graph(CONFIG, "mini")
VARIED = re.compile(r"results/mini/variations/.*/([^/]+)\.tsv\.sha256")
RANKS = ("mine", "retrieve", "rerank")


def behind(jobs, measured):
    """The jobs that lead to measures.

    One job ranks many query sets: what it reads for others than those that are measured does not lead to the measures.
    """
    made = {path: job for job in jobs for path in job.outputs}
    own = {None, *(query_set.partition(".")[2] for query_set in measured.settings.measures)}
    found, reached, todo = set(), set(), [measured.declared]
    while todo:
        if (path := todo.pop()) in made and path not in reached:
            reached.add(path)
            job = made[path]
            found.add(job)
            todo += [read for read in job.inputs if job.rule not in RANKS or variation_of(read) in own]
    return found


def variation_of(path):
    """The variation whose queries a record is of; None of another record."""
    found = VARIED.fullmatch(path)
    return found and found[1]


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
        run = {path for node in measured for job in behind(planned, node) for path in job.outputs}
        declared = {node.path: node.declared for node in histories(measured)}
        records = {path for path in run if path.endswith(".sha256") and "/costs/" not in path}
        assert {declared[step.path] for step in shown} == records, system
