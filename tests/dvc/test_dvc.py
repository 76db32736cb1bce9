"""DVC over Snakemake: results are made, remembered, carried and compared, and nothing stale passes for a result."""

import csv
import json
import shutil
from collections import Counter

import pytest
import yaml
from tests.dvc.conftest import Repository
from tests.workflow.small import ROLE, edit

pytestmark = [pytest.mark.dvc, pytest.mark.slow]
EXPERIMENT, SCALE = "config/papers/rodr/experiment.yaml", "config/scales/mini.yaml"
TABLE, HEADLINE = "results/mini/tables/rodr_table2.md", "results/mini/report/headline.json"
BLESS = ("snakemake", "all", "--touch", "--forceall")
MEAN, ORIGINAL = (f"rodr.{ROLE}.RR@10.dr_oq.{query_set}" for query_set in ("variations_mean", "original"))


def label(text):
    return lambda tree: tree["systems"]["dr_oq"].update(label=text)


def variation_seed(tree):
    tree["variation_seed"] = 2


def test_the_stages_hold_every_folder_of_results(first):
    stages = yaml.safe_load((first.folder / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    kept = {next(iter(out)) if isinstance(out, dict) else out for stage in stages.values() for out in stage["outs"]}
    made = {f"results/mini/{path.name}" for path in (first.folder / "results/mini").iterdir()}
    assert made - kept <= {f"results/mini/{name}" for name in ("benchmarks", "logs", "resume")}
    assert kept <= made
    assert first.do("dvc", "stage", "list", "--name-only").split() == list(stages)
    assert '"measures" -> "report"' in first.do("dvc", "dag", "--dot")


def test_a_second_repro_does_nothing(first):
    runs = first.snakemake_runs()
    assert "up to date" in first.do("dvc", "repro")
    assert first.snakemake_runs() == runs and first.is_clean()


def test_a_parameter_that_is_changed_back_finds_its_report_in_the_run_cache(repository):
    results, text = repository.results(), (repository.folder / EXPERIMENT).read_bytes()
    edit(repository.folder / EXPERIMENT, label("another label"))
    repository.do("dvc", "repro", "--single-item", "report")
    assert b"another label" in (repository.folder / TABLE).read_bytes()
    (repository.folder / EXPERIMENT).write_bytes(text)
    runs = repository.snakemake_runs()
    assert "is cached - skipping run" in repository.do("dvc", "repro", "--single-item", "report")
    assert repository.snakemake_runs() == runs and repository.results() == results
    assert repository.is_clean()


def test_commit_records_a_plain_snakemake_run_and_an_earlier_commit_comes_back(repository):
    results = repository.results()
    edit(repository.folder / SCALE, variation_seed)
    repository.do("snakemake", "all")
    assert not repository.is_clean()
    repository.do("dvc", "commit", "--force")
    assert repository.is_clean()
    changed = json.loads(repository.do("dvc", "metrics", "diff", "--json"))[HEADLINE]
    assert set(changed) == {MEAN}
    parameters = json.loads(repository.do("dvc", "params", "diff", "--json"))
    assert parameters[SCALE]["variation_seed"] == {"old": 1, "new": 2, "diff": 1}

    runs = repository.snakemake_runs()
    repository.do("git", "checkout", "--quiet", "--", ".")
    repository.do("dvc", "checkout")
    assert repository.is_clean() and repository.results() == results
    assert repository.snakemake_runs() == runs
    repository.do(*BLESS)
    assert repository.plan() == (Counter(), set())


def test_metrics_and_plots_are_those_of_the_table(first):
    cells = json.loads((first.folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))["cells"]
    in_table = {cell["query_set"]: cell["reproduced"] for cell in cells if cell["measure"] == "RR@10"}
    shown = json.loads(first.do("dvc", "metrics", "show", "--json"))
    found = shown[""]["data"][HEADLINE]["data"]["rodr"][ROLE]["RR@10"]["dr_oq"]
    assert found == {query_set: in_table[query_set] for query_set in ("original", "variations_mean")}
    with open(first.folder / "results/mini/report/drops.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    drop = found["variations_mean"] / found["original"] - 1
    assert row["system"] == f"rodr {ROLE} dr_oq" and float(row["drop"]) == pytest.approx(drop)
    page = first.folder.parent / "plots"
    first.do("dvc", "plots", "show", "--out", str(page))
    assert row["system"] in (page / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pulled(first):
    """A clone elsewhere that pulled the results from a remote, a folder."""
    first.do("dvc", "remote", "add", "--default", "store", str(first.folder.parent / "store"))
    first.do("dvc", "push")
    clone = Repository(first.folder.parent / "clone")
    first.do("git", "clone", "--quiet", str(first.folder), str(clone.folder))
    shutil.copy(first.folder / ".dvc/config", clone.folder / ".dvc/config")
    clone.do("dvc", "pull")
    return clone


def test_pulled_results_are_those_that_were_pushed(first, pulled):
    assert pulled.is_clean()
    assert pulled.results() == first.results()


def test_a_table_refuses_pulled_cells_that_other_settings_made(pulled):
    """Whatever Snakemake takes pulled files for: the keys tell."""
    text = (pulled.folder / SCALE).read_bytes()
    edit(pulled.folder / SCALE, variation_seed)
    assert not pulled.is_clean()
    with pytest.raises(AssertionError, match="its record has the key"):
        pulled.do("snakemake", TABLE, "--allowed-rules", "table", "--forcerun", "table")
    (pulled.folder / SCALE).write_bytes(text)
    pulled.do("dvc", "checkout", "--force")


def test_touched_after_a_clean_status_pulled_results_are_up_to_date_until_something_changes(pulled):
    assert pulled.is_clean()
    pulled.do(*BLESS)
    assert pulled.plan() == (Counter(), set()) and pulled.is_clean()
    code = pulled.folder / "workflow/robustdr/losses/contrastive.py"
    code.write_text(code.read_text(encoding="utf-8") + "\nCHANGED = True\n", encoding="utf-8")
    jobs, _ = pulled.plan(TABLE)
    assert jobs == dict.fromkeys(["train", "embed", "retrieve", "evaluate", "table"], 1)
    pulled.do("git", "checkout", "--quiet", "--", ".")
