"""One slice of the miniature through `--profile slurm` on a real SLURM, cut off twice and run to its end."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from slurm.cluster import Cluster, wait_for
from workflow.conftest import Project
from workflow.small import KINDS, edit, shrink

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

MODEL = Path("results/mini/models/wordnet-mini/dr_oq/seed1")
STATE = Path("results/mini/resume/wordnet-mini/dr_oq/seed1/state.json")
# Made without SLURM, which would wait for one small job after the other.
BEFORE = [
    "results/mini/training/wordnet-mini/dr_oq/seed1.jsonl",
    *(f"results/mini/variations/wordnet-mini/dev/{kind}.tsv" for kind in KINDS),
]
TARGETS = ["results/mini/measures/wordnet-mini/dr_oq/seed1/dev.original.parquet", "results/audit/rodr.md"]
BUDGET = {"epochs": 12.0, "batch_size": 8, "checkpoint_every": 5}  # about a hundred steps
WAITS = ["--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "10"]
SLURM = ["--profile", "slurm", "--config", "preflight=False", *WAITS]  # it is tested by itself
PARTITIONS = {"cpu": {"max_runtime": 100000}, "gpu": {"max_runtime": 100000, "max_gpu": 2}}
TOO_LITTLE = "evaluate:mem_mb=50*40**(attempt-1)"  # for anything in Python; then enough


@dataclass
class Story:
    """What happened, in this order; steps are those of the last checkpoint of the training."""

    project: Project
    cancelled_at: int  # then `scancel`
    first_after: int  # the first checkpoint of the job that came in its place
    killed_at: int  # then SIGKILL to Snakemake, and `scancel` of what it left behind
    left: Counter[str]  # what Snakemake would then do, by rule
    status: int  # of the last run
    output: str


def checkpointed(folder: Path) -> int:
    try:
        return json.loads((folder / STATE).read_text())["step"]
    except (FileNotFoundError, json.JSONDecodeError):
        return 0


def start(project: Project) -> subprocess.Popen:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with open(project.folder / "first.log", "w") as log:
        return subprocess.Popen(
            ["snakemake", *SLURM, *TARGETS],
            cwd=project.folder,
            env={**os.environ, "PATH": path},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


@pytest.fixture(scope="module")
def story(cluster, tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("project"))
    shrink(project.folder)
    edit(project.folder / "config/scales/mini.yaml", lambda tree: tree["budgets"]["passage"].update(BUDGET))
    edit(project.folder / "slurm/site.yaml", lambda tree: tree.update(partitions=PARTITIONS))
    status, output = project.snakemake(*BEFORE)
    assert status == 0, output
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in cluster.environment.items():
            monkeypatch.setenv(name, value)
        snakemake, seen = start(project), [0]
        try:
            wait_for(lambda: snakemake.poll() is not None or checkpointed(project.folder) >= 10, "two checkpoints")
            assert snakemake.poll() is None, (project.folder / "first.log").read_text()
            cluster.run("scancel", cluster.jobs()["train"][0]["JobId"])
            wait_for(lambda: cluster.jobs()["train"][0]["JobState"] == "CANCELLED", "the training's end")
            cancelled_at = checkpointed(project.folder)
            # 0: there is none for the moment in which one takes another's place
            wait_for(lambda: seen.append(checkpointed(project.folder)) or seen[-1] not in (0, cancelled_at), "one more")
            first_after = seen[-1]
        finally:
            if snakemake.poll() is None:
                os.killpg(snakemake.pid, signal.SIGKILL)
            snakemake.wait()
        cluster.cancel_all()
        killed_at = checkpointed(project.folder)
        project.snakemake("--unlock")
        left, _ = project.plan(*TARGETS)
        status, output = project.snakemake(*SLURM, "--set-resources", TOO_LITTLE, "--", *TARGETS)
    return Story(project, cancelled_at, first_after, killed_at, left, status, output)


def test_the_run_comes_to_its_end(story):
    assert story.status == 0, story.output
    assert all((story.project.folder / target).exists() for target in TARGETS)


def test_training_and_encoding_get_a_gpu_and_evaluation_none(story, cluster: Cluster):
    for rule, jobs in cluster.jobs().items():
        for job in jobs:
            seen = {gpus for _, gpus in cluster.steps(job["JobId"])}
            if rule in ("train", "embed", "retrieve"):
                assert (job["TresPerJob"], job["Partition"]) == ("gres:gpu:1", "gpu")
                assert len(seen) == 1 and seen < {"0", "1"}
            else:
                assert "TresPerJob" not in job and job["Partition"] == "cpu"
                assert seen == {"none"}


def test_a_cancelled_job_is_submitted_again_with_what_it_had(story, cluster: Cluster):
    first, second, _ = cluster.jobs()["train"]
    assert first["JobState"] == "CANCELLED"
    assert (first["MinMemoryNode"], first["TimeLimit"]) == ("3000M", "06:00:00")
    assert (second["MinMemoryNode"], second["TimeLimit"]) == ("3000M", "06:00:00")


def test_a_job_that_runs_out_of_memory_is_submitted_again_with_more(story, cluster: Cluster):
    first, second = cluster.jobs()["evaluate"]
    assert first["JobState"] != "COMPLETED" and first["MinMemoryNode"] == "50M"
    assert "Exceeded job memory limit" in Path(first["StdOut"]).read_text()
    assert (second["JobState"], second["MinMemoryNode"]) == ("COMPLETED", "2000M")


def test_slurm_itself_never_starts_a_job_again(story, cluster: Cluster):
    jobs = [job for jobs in cluster.jobs().values() for job in jobs]
    assert {(job["Requeue"], job["Restarts"]) for job in jobs} == {("0", "0")}


def test_a_cancelled_training_goes_on_from_its_checkpoint(story):
    assert 10 <= story.cancelled_at < story.first_after


def test_after_a_kill_only_what_was_unfinished_is_done_again(story, cluster: Cluster):
    assert story.left == dict.fromkeys(["train", "embed", "retrieve", "evaluate"], 1)
    submitted = {rule: len(jobs) for rule, jobs in cluster.jobs().items()}
    assert submitted == {
        "train": 3,
        "embed": 1,
        "retrieve": 1,
        "evaluate": 2,
    }  # the audit needs no SLURM


def test_a_training_that_was_cut_off_twice_gives_the_model_of_one_that_was_not(story, tmp_path):
    folder = story.project.folder
    steps = len((folder / MODEL / "training.csv").read_text().splitlines()) - 1
    log = (folder / "results/mini/logs/train/wordnet-mini.dr_oq.1.log").read_text()
    assert f"dr_oq: {steps - story.killed_at} steps" in log
    once = {name: (folder / MODEL / name).read_bytes() for name in ("model.safetensors", "training.csv")}
    shutil.rmtree(folder / MODEL)
    status, output = story.project.snakemake(f"{MODEL}.sha256")
    assert status == 0, output
    assert f"dr_oq: {steps} steps" in (folder / "results/mini/logs/train/wordnet-mini.dr_oq.1.log").read_text()
    assert not [name for name, content in once.items() if (folder / MODEL / name).read_bytes() != content]
