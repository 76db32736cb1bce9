"""DVC over Snakemake: results are made, remembered, carried and compared, and nothing stale passes for a result."""

import csv
import json
import shutil
import signal
import subprocess
import time
from collections import Counter

import boto3
import pytest
import yaml
from moto.server import ThreadedMotoServer
from tests.dvc.conftest import Repository
from tests.workflow.small import ROLE, edit

from robustdr.graph.chain import RULES

pytestmark = [pytest.mark.dvc, pytest.mark.slow]
EXPERIMENT, SCALE = "config/papers/rodr/experiment.yaml", "config/scales/mini.yaml"
TABLE, HEADLINE = "results/mini/tables/rodr_table2.md", "results/mini/report/headline.json"
MODEL = "results/mini/models/wordnet-mini/dr_oq"
CHAIN = ["plan", *(stage for stage in RULES if stage != "pretrained")]
MEAN, ORIGINAL = (f"rodr.{ROLE}.RR@10.{{}}.{query_set}" for query_set in ("variations_mean", "original"))


def label(text):
    return lambda tree: tree["systems"]["dr_oq"].update(label=text)


def variation_seed(tree):
    tree["variation_seed"] = 2


def stages_run(output: str) -> list[str]:
    """The stages whose command `dvc repro` ran."""
    return [line.split("'")[1] for line in output.splitlines() if line.startswith("Running stage")]


def test_the_stages_are_those_of_the_chain_and_hold_every_result(first):
    stages = yaml.safe_load((first.folder / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    assert list(stages) == CHAIN
    kept = {next(iter(out)) if isinstance(out, dict) else out for stage in stages.values() for out in stage["outs"]}
    untracked = {f"results/mini/{name}" for name in ("benchmarks", "logs", "resume")}
    for path in (first.folder / "results/mini").rglob("*"):
        places = {str(place.relative_to(first.folder)) for place in (path, *path.parents[:-5]) if place != first.folder}
        if path.is_file() and not places & untracked:
            assert len(places & kept) == 1, path
    arrows = first.do("dvc", "dag", "--dot")
    for before, after in [("negatives", "base_models"), ("base_models", "mining"), ("mining", "fine_tuned_models")]:
        assert f'"{before}" -> "{after}"' in arrows


def test_a_second_repro_does_nothing(first):
    runs = first.snakemake_runs()
    assert "up to date" in first.do("dvc", "repro")
    assert first.snakemake_runs() == runs and first.is_clean()


def test_a_label_makes_the_pages_alone_and_changed_back_finds_them_in_the_run_cache(repository):
    results, text = repository.results(), (repository.folder / EXPERIMENT).read_bytes()
    edit(repository.folder / EXPERIMENT, label("another label"))
    assert stages_run(repository.do("dvc", "repro")) == ["plan", "tables", "report"]
    assert b"another label" in (repository.folder / TABLE).read_bytes()
    (repository.folder / EXPERIMENT).write_bytes(text)
    runs = repository.snakemake_runs()
    assert "is cached - skipping run" in repository.do("dvc", "repro")
    assert repository.snakemake_runs() == runs and repository.results() == results
    assert repository.is_clean()


def test_a_deleted_model_comes_back_from_the_cache(repository):
    runs = repository.snakemake_runs()
    shutil.rmtree(repository.folder / MODEL)
    assert not repository.is_clean()
    repository.do("dvc", "checkout")
    assert "up to date" in repository.do("dvc", "repro")
    assert repository.snakemake_runs() == runs and (repository.folder / MODEL / "seed1/model.safetensors").is_file()


def test_dvc_yaml_of_other_papers_stops_before_any_work(repository):
    edit(repository.folder / "config/config.yaml", lambda tree: tree.update(papers=["rodr_figure2"]))
    status, output = repository.run("dvc", "repro")
    assert status and "dvc.yaml: it is not what the configuration asks for" in output
    assert stages_run(output) == ["plan"]


def test_commit_records_a_plain_snakemake_run_and_an_earlier_commit_comes_back(repository):
    results = repository.results()
    edit(repository.folder / SCALE, variation_seed)
    repository.do("snakemake", "all")
    assert not repository.is_clean()
    repository.do("dvc", "repro", "plan")
    repository.do("dvc", "commit", "--force")
    assert repository.is_clean()
    changed = json.loads(repository.do("dvc", "metrics", "diff", "--json"))[HEADLINE]
    assert MEAN.format("dr_oq") in changed and ORIGINAL.format("dr_oq") not in changed
    parameters = json.loads(repository.do("dvc", "params", "diff", "--json"))
    assert parameters[SCALE]["variation_seed"] == {"old": 1, "new": 2, "diff": 1}

    runs = repository.snakemake_runs()
    repository.do("git", "checkout", "--quiet", "--", ".")
    repository.do("dvc", "checkout")
    assert repository.is_clean() and repository.results() == results
    assert repository.snakemake_runs() == runs
    shutil.rmtree(repository.folder / ".snakemake/metadata")
    assert repository.plan() == (Counter(), set()) and repository.is_clean()


def test_metrics_and_plots_are_those_of_the_table(first):
    cells = json.loads((first.folder / TABLE).with_suffix(".json").read_text(encoding="utf-8"))["cells"]
    shown = json.loads(first.do("dvc", "metrics", "show", "--json"))[""]["data"][HEADLINE]["data"]["rodr"][ROLE][
        "RR@10"
    ]
    with open(first.folder / "results/mini/report/drops.csv", encoding="utf-8", newline="") as file:
        drops = {row["system"]: float(row["drop"]) for row in csv.DictReader(file)}
    page = first.folder.parent / "plots"
    first.do("dvc", "plots", "show", "--out", str(page))
    for system in ("dr_oq", "rodr"):
        in_table = {
            cell["query_set"]: cell["reproduced"]
            for cell in cells
            if (cell["system"], cell["measure"]) == (system, "RR@10")
        }
        assert shown[system] == {query_set: in_table[query_set] for query_set in ("original", "variations_mean")}
        drop = shown[system]["variations_mean"] / shown[system]["original"] - 1
        assert drops[f"rodr {ROLE} {system}"] == pytest.approx(drop)
        assert f"rodr {ROLE} {system}" in (page / "index.html").read_text(encoding="utf-8")


def cloned(first: Repository, name: str, *pull: str) -> Repository:
    """A clone elsewhere that pulled results from the default remote."""
    clone = Repository(first.folder.parent / name)
    first.do("git", "clone", "--quiet", str(first.folder), str(clone.folder))
    shutil.copy(first.folder / ".dvc/config", clone.folder / ".dvc/config")
    clone.do("dvc", "pull", *pull)
    return clone


@pytest.fixture(scope="module")
def stored(first):
    """The project with its results in a remote, a folder."""
    first.do("dvc", "remote", "add", "--default", "store", str(first.folder.parent / "store"))
    first.do("dvc", "push")
    return first


@pytest.fixture(scope="module")
def pulled(stored):
    return cloned(stored, "clone")


def test_pulled_results_are_those_that_were_pushed_and_nothing_is_to_do(first, pulled):
    assert pulled.plan() == (Counter(), set())
    assert "up to date" in pulled.do("dvc", "repro")
    assert pulled.is_clean() and pulled.results() == first.results()


def test_a_table_refuses_pulled_cells_that_other_settings_made(pulled):
    """Whatever Snakemake takes pulled files for: the keys tell."""
    text = (pulled.folder / SCALE).read_bytes()
    edit(pulled.folder / SCALE, variation_seed)
    assert not pulled.is_clean()
    with pytest.raises(AssertionError, match="its record has the key"):
        pulled.do("snakemake", TABLE, "--allowed-rules", "table", "--forcerun", "table")
    (pulled.folder / SCALE).write_bytes(text)
    pulled.do("dvc", "checkout", "--force")


def test_pulled_results_are_up_to_date_until_something_changes(pulled):
    shutil.rmtree(pulled.folder / ".snakemake", ignore_errors=True)
    code = pulled.folder / "workflow/robustdr/losses/contrastive.py"
    code.write_text(code.read_text(encoding="utf-8") + "\nCHANGED = True\n", encoding="utf-8")
    jobs, _ = pulled.plan(TABLE)
    twice = ("train", "embed", "retrieve", "evaluate")
    assert jobs == {**dict.fromkeys(twice, 2), "mine": 1, "training_data": 1, "table": 1}
    pulled.do("git", "checkout", "--quiet", "--", ".")
    assert pulled.plan() == (Counter(), set()) and pulled.is_clean()


def test_a_stage_is_made_from_what_lies_before_it_with_the_same_bytes(stored):
    clone = cloned(stored, "one_stage", "--with-deps", "base_models")
    assert stages_run(clone.do("dvc", "repro", "mining")) == ["mining"]
    made = clone.folder / "results/mini/runs/wordnet-mini/dr_oq/seed1"
    assert [path.name for path in made.iterdir() if path.suffix == ".arrow"] == ["train.original.arrow"]
    assert clone.do("git", "status", "--porcelain", "dvc.lock") == ""


@pytest.fixture()
def bucket(monkeypatch):
    """An empty bucket of a server that speaks S3."""
    credentials = {"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**credentials, "no_proxy": "127.0.0.1"}.items():
        monkeypatch.setenv(name, value)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    bucket = boto3.resource("s3", endpoint_url=address).create_bucket(Bucket="robustdr")
    yield bucket
    server.stop()


def test_an_interrupted_push_to_s3_goes_on_and_all_can_be_pulled(first, bucket):
    clone = Repository(first.folder.parent / "s3")
    shutil.copytree(first.folder, clone.folder)
    address = bucket.meta.client.meta.endpoint_url
    clone.do("dvc", "remote", "add", "--default", "s3", f"s3://{bucket.name}/results")
    clone.do("dvc", "remote", "modify", "s3", "endpointurl", address)

    def listen():  # a shell that starts the tests in the background lets its children ignore the signal
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    for _ in range(5):  # a busy machine may deliver the signal after the push has ended
        bucket.objects.delete()
        command = ["dvc", "push", "--jobs", "1"]
        push = subprocess.Popen(command, cwd=clone.folder, env=clone.environment, preexec_fn=listen)
        while push.poll() is None and len(list(bucket.objects.all())) < 3:
            time.sleep(0.02)
        push.send_signal(signal.SIGINT)
        if push.wait(60) != 0:
            break
    else:
        pytest.fail("no push was interrupted")
    before = {entry.key: entry.last_modified for entry in bucket.objects.all()}
    clone.do("dvc", "push")
    after = {entry.key: entry.last_modified for entry in bucket.objects.all()}
    assert 0 < len(before) < len(after) and before.items() <= after.items()

    shutil.rmtree(clone.folder / ".dvc/cache")
    shutil.rmtree(clone.folder / "results")
    clone.do("dvc", "pull")
    assert clone.is_clean() and clone.results() == first.results()
