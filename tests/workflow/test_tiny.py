"""One table from nothing, by Snakemake, on a few hundred WordNet glosses: BM25 and one trained retriever."""

import json

import pandas as pd
import pytest
from tests.workflow.small import TABLE

from robustdr.core.files import read_qrels
from robustdr.evaluation.measures import evaluate, read_measures
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.graph.tables import table_settings
from robustdr.keys.integrity import digest, key_of
from robustdr.retrieval.runs import read_metadata, read_run


@pytest.fixture(scope="module")
def project(finished, tmp_path_factory):
    return finished.copy(tmp_path_factory.mktemp("tiny") / "project")


@pytest.fixture(scope="module")
def made(project):
    return graph(load(project.folder / "config"), "mini")


def test_the_table_holds_what_was_measured(project, made):
    cells = json.loads((project.folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))["cells"]
    assert {cell["system"] for cell in cells} == {"bm25", "dr_oq"}
    assert not [cell["not_run"] for cell in cells if cell["not_run"]]
    keys = table_settings(made, "rodr", "table2").keys
    for cell in cells:
        (path,) = (path for path in keys if f"/{cell['system']}/" in path)
        frame = read_measures(project.folder / path)
        assert key_of(project.folder / path) == keys[path]
        assert cell["measures"] == digest(project.folder / path)[:16]
        if cell["query_set"] == "swap_words":
            at = frame[(frame["query_set"] == "dev.swap_words") & (frame["measure"] == cell["measured"])]
            assert cell["reproduced"] == pytest.approx(at["value"].mean(), abs=1e-12)
            assert cell["queries"] == 25
    assert "**Miniature.**" in (project.folder / TABLE).read_text(encoding="utf-8").splitlines()[2]


@pytest.mark.parametrize("system, seed", [("bm25", 0), ("dr_oq", 1)])
def test_every_query_set_has_its_own_run_and_measures(project, made, system, seed):
    """A mix-up of files between two rules would show here: values are computed anew from each run."""
    folder = project.folder / "results/mini"
    qrels = read_qrels(folder / "collections/wordnet-mini/dev/qrels.txt")
    frame = pd.concat(map(read_measures, (folder / f"measures/wordnet-mini/{system}/seed{seed}").glob("*.parquet")))
    runs = folder / f"runs/wordnet-mini/{system}/seed{seed}"
    for kind in ("original", "swap_words"):
        run = runs / f"dev.{kind}.arrow"
        header = read_metadata(run)
        assert key_of(run) == made.run(system, seed, ("wordnet-mini", "dev"), kind).key
        assert header["data"]["test_data"]["topics"] == ("queries.tsv" if kind == "original" else f"{kind}.tsv")
        for measure, expected in evaluate(qrels, read_run(run), ["RR@10", "R@50"]).items():
            rows = frame[(frame["query_set"] == f"dev.{kind}") & (frame["measure"] == measure)]
            assert dict(zip(rows["qid"], rows["value"], strict=True)) == pytest.approx(expected)


@pytest.mark.parametrize("run, packages", [("dr_oq/seed1", {"torch", "faiss-cpu"}), ("bm25/seed0", {"pystemmer"})])
def test_the_record_of_a_run_names_the_packages_of_what_ranked(project, run, packages):
    record = project.folder / f"results/mini/runs/wordnet-mini/{run}/dev.original.arrow.sha256"
    (installed,) = (line for line in record.read_text().splitlines() if line.startswith("# installed: "))
    assert packages <= {pair.split()[0] for pair in installed.removeprefix("# installed: ").split(", ")}


def test_a_second_run_does_nothing(project):
    jobs, made = project.plan("--", TABLE)
    assert not jobs and not made


def test_a_file_that_was_made_by_other_settings_is_refused(project, made):
    """Snakemake trusts a file that it did not make; the job does not."""
    folder = project.folder
    measures = folder / "results/mini/measures/wordnet-mini/dr_oq/seed1/dev.original.parquet"
    other = folder / "results/mini/measures/wordnet-mini/bm25/seed0/dev.original.parquet"
    record, of_other = (path.with_name(f"{path.name}.sha256") for path in (measures, other))
    whole, recorded = measures.read_bytes(), record.read_bytes()
    run = "--forcerun", "table", "--rerun-triggers", "mtime", "--", TABLE
    key = made.measures("dr_oq", 1, ("wordnet-mini", "dev"), "original").key
    measures.write_bytes(other.read_bytes())
    record.write_text(of_other.read_text().replace(other.name, measures.name))  # its digest
    status, output = project.snakemake(*run)
    assert (
        status != 0
        and f"dr_oq/seed1/dev.original.parquet: its record has the key {key_of(other)}, {key} was planned" in output
    )
    measures.write_bytes(whole)
    record.write_bytes(recorded)
