"""What `--profile slurm` would submit at full scale: dry runs, without SLURM and without a network."""

import re

import pytest
import yaml

from workflow.conftest import ROOT, Project

pytestmark = pytest.mark.slurm

TABLE = "results/tables/rodr_table2.md"
TABLES = [
    f"results/tables/{path.parent.name}_{table}.md"
    for path in (ROOT / "config/papers").glob("*/experiment.yaml")
    for table in yaml.safe_load(path.read_text(encoding="utf-8"))["tables"]
]
MODIFIERS = r"^    (?P<key>[a-z]+): (?P<value>.*)$"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """One for all: dry runs change nothing."""
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def plan(project) -> list[dict[str, str]]:
    return jobs(project, TABLE)


@pytest.fixture(scope="module")
def every(project) -> list[dict[str, str]]:
    """What all tables need."""
    return jobs(project, *TABLES)


def jobs(project: Project, *targets: str) -> list[dict[str, str]]:
    """Every job behind the targets: its rule, and what a dry run says of it."""
    status, output = project.snakemake("--dry-run", "--profile", "slurm", *targets)
    assert status == 0, output
    described = re.findall(r"^(?:local)?rule (\w[\w-]*):\n((?:    .*\n)+)", output, re.MULTILINE)
    return [{"rule": rule, **dict(re.findall(MODIFIERS, text, re.MULTILINE))} for rule, text in described]


def resources(job: dict[str, str]) -> dict[str, str]:
    return dict(part.split("=") for part in job["resources"].split(", "))


def local_rules() -> set[str]:
    """The rules that run on the host that submits; a dry run does not tell them from others."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    rules = re.split(r"^ *(?:use )?rule\b.*:$", text, flags=re.MULTILINE)[1:]
    return {found[1] for body in rules if "localrule: True" in body and (found := re.search(r"/logs/(\w+)[/.]", body))}


def test_a_table_submits_fewer_than_150_jobs(plan):
    submitted = [job["rule"] for job in plan if job["rule"] not in local_rules()]
    print(f"{TABLE}: {len(submitted)} of {len(plan)} jobs are submitted")
    assert 50 < len(submitted) < 150


def test_downloads_and_tables_are_not_submitted(plan):
    local = {job["rule"] for job in plan if job["rule"] in local_rules()}
    assert local == {*(f"download_{what}" for what in ("passages", "queries", "checkpoint", "release")), "table"}


def test_every_job_has_memory_time_a_log_and_a_benchmark(plan):
    for job in plan:
        assert job["log"] and job["benchmark"]
        assert {"mem_mb", "runtime"} <= resources(job).keys()


def test_what_trains_or_encodes_asks_for_a_gpu_and_eight_cores(plan):
    on_gpu = {job["rule"] for job in plan if resources(job).get("gpu", "0") != "0"}
    assert {"train", "embed", "mine", "retrieve"} <= on_gpu
    for job in plan:
        if job["rule"] == "train":
            assert (resources(job)["gpu"], resources(job)["cpus_per_task"]) == ("1", "8")


def test_gpus_of_one_training_are_on_one_node(project):
    training = [job for job in jobs(project, "results/tables/rodr_table3.md") if job["rule"] == "train"]
    assert {(resources(job)["gpu"], resources(job)["nodes"]) for job in training} == {("4", "1")}


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_training_on_several_nodes_starts_a_process_group_on_each(tmp_path, nodes):
    """With `mpi`, the executor runs the command without an srun of one task; on one node, it does not."""
    project = Project(tmp_path)
    site = {"partitions": {"gpu": {"max_gpu": 4}}, "nodes_per_training": nodes}
    (project.folder / "slurm/site.yaml").write_text(yaml.safe_dump(site), encoding="utf-8")
    plan = jobs(project, "results/checkpoints/pretrained_typos/seed1.sha256")
    (asked,) = (resources(job) for job in plan if job["rule"] == "pretrain")
    assert (asked["gpu"], asked["nodes"], asked["cpus_per_task"]) == (str(4 * nodes), str(nodes), "20")
    started = {"mpi": "srun", "tasks": "2"} if nodes > 1 else {}
    assert {name: asked[name] for name in ("mpi", "tasks") if name in asked} == started


def test_no_rule_names_a_partition_or_an_account():
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rules").glob("*.smk"))
    assert not re.search(r"partition|account|qos", rules)


def test_there_is_one_retry_layer_and_no_key_in_both_profiles():
    slurm, default = (
        yaml.safe_load((ROOT / name / "config.yaml").read_text(encoding="utf-8"))
        for name in ("slurm", "profiles/default")
    )
    assert slurm["retries"] > 0 and slurm["slurm-no-requeue"] is True and "slurm-requeue" not in slurm
    assert not slurm.keys() & default.keys()


def test_every_table_of_full_scale_plans_offline(every):
    made = [job["output"].split(", ")[0] for job in every if job["rule"] == "table"]
    assert sorted(made) == sorted(TABLES)


def test_no_process_of_full_scale_asks_for_more_than_24_gb_at_first(every):
    for job in every:
        asked = resources(job)
        assert int(asked["mem_mb"]) <= 24_000 * max(1, int(asked.get("gpu", 0))), job
