"""What rules take from nodes: the file of settings, the records that a job waits for."""

import os
import time
from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.graph.rule_functions import RuleFunctions, forget_unused
from robustdr.keys.node import Need, Node, reads
from robustdr.keys.provenance import Code
from robustdr.stages.__main__ import parser


def node(name, **fields):
    fields = {"code": Code(["fetch"]), "need": Need(1000, 10), "stage": "fetch", **fields}
    return Node(name, "results", f"results/{name}", f"what {name} is", f"of/{name}", **fields)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_stage_reads_what_its_job_is_told():
    """Whatever a shell would make of it."""
    text = """it's "$HOME"; rm -r * \\ """
    functions = RuleFunctions(lambda w: node("a", settings=text, inputs={"queries": reads(node("some queries.tsv"))}))
    path = functions.settings({})
    assert path.startswith(".snakemake/settings/a/of.a.") and functions.settings({}) == path
    arguments = parser("fetch").parse_args([f"@{path}"])
    assert arguments.settings == text and arguments.queries == Path("results/some queries.tsv")
    assert arguments.output == Path("results/a")


def test_a_job_that_is_told_something_else_has_another_file():
    first_path, second_path = (
        RuleFunctions(lambda w, settings=settings: node("a", settings=settings)).settings({}) for settings in ("x", "y")
    )
    assert first_path != second_path
    Path(first_path).write_text("half")  # as a full disk leaves it
    assert (
        RuleFunctions(lambda w: node("a", settings="x")).settings({}) == first_path
        and "--settings x\n" in Path(first_path).read_text()
    )


def test_settings_that_no_plan_has_are_removed_after_a_week():
    first_path, second_path = (
        RuleFunctions(lambda w, settings=settings: node("a", settings=settings)).settings({}) for settings in ("x", "y")
    )
    os.utime(first_path, (old := time.time() - 8 * 24 * 3600, old))
    forget_unused()
    assert not Path(first_path).exists() and Path(second_path).exists()


def test_a_job_waits_for_the_record_of_the_first_artifact_of_each_job_once():
    queries = node("queries.tsv")
    qrels, card, run2 = queries.file("results/qrels.txt"), node("card"), node("run2", first="results/run1")
    job = node("a", inputs={"queries": reads(queries), "judged": reads(qrels, run2)}, after=[card, queries])
    assert RuleFunctions(lambda w: job, "results/{name}.sha256").inputs({"name": "a"}, {}) == {
        "queries": ["results/queries.tsv.sha256"],
        "judged": ["results/run1.sha256"],
        "waited": ["results/card.sha256"],
    }


def test_what_a_job_makes_with_others_is_not_made_alone():
    functions = RuleFunctions(lambda w: node("run2", first="results/run1"), "results/{name}.sha256")
    with pytest.raises(UserError, match=r"^results/run2: a job makes it with others; ask for results/run1\.sha256$"):
        functions.inputs({"name": "run2"}, {})
