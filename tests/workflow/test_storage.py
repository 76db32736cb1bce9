"""A table by machines that share no files: the storage plugin `fs` carries results, each job has its own folder."""

import shutil
from pathlib import Path

import pytest
from tests.workflow.conftest import PARTS, Project
from tests.workflow.small import TABLE, tiny

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("rsync"), reason="the plugin fs copies by rsync, which is not installed"),
]
# A machine is a folder with the project and no results; its job's script runs there.
SUBMIT = """#!/bin/bash
set -e
machine=$(mktemp -d machines/XXXXXX)
cp -r {parts} "$machine"
cp "$1" "$machine/job.sh"
cd "$machine"
(bash job.sh >job.log 2>&1 && echo success >status || echo failed >status) >/dev/null 2>&1 &
basename "$machine"
"""
STATUS = """#!/bin/bash
cat "machines/$1/status" 2>/dev/null || echo running
"""


class Scattered(Project):
    """A project whose jobs run on machines that share no files; `bucket` beside it has the results."""

    @property
    def command(self) -> list[str]:
        return [
            *("snakemake", "--executor", "cluster-generic", "--jobs", "2", "--local-cores", "1"),
            *("--cluster-generic-submit-cmd", "./submit", "--cluster-generic-status-cmd", "./status"),
            *("--seconds-between-status-checks", "1", "--shared-fs-usage", "none"),
            *("--default-storage-provider", "fs", "--default-storage-prefix", str(self.folder.parent / "bucket")),
        ]


def scattered(folder: Path) -> Scattered:
    tiny(folder)
    (folder / "machines").mkdir()
    for name, script in (("submit", SUBMIT.format(parts=" ".join(PARTS))), ("status", STATUS)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return Scattered.at(folder)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Scattered:
    project = scattered(tmp_path_factory.mktemp("storage") / "project")
    status, output = project.snakemake("--", TABLE)
    logs = [path.read_text(encoding="utf-8") for path in project.folder.glob("machines/*/job.log")]
    assert status == 0, "\n".join([output, *logs])
    return project


def test_it_is_the_table_of_machines_that_share_files(project, finished):
    bucket = project.folder.parent / "bucket"
    for suffix in (".md", ".csv", ".json", ".tex", ".json.sha256"):
        path = Path(TABLE).with_suffix(suffix)
        assert (bucket / path).read_bytes() == (finished.folder / path).read_bytes()
    assert len(list(project.folder.glob("machines/*/status"))) > 10  # each job had a machine
    assert not (project.folder / "results/mini/models").exists()  # the host that submits saw no model


def test_another_host_has_nothing_to_do(project):
    other = scattered(project.folder.parent / "other")
    status, output = other.snakemake("--dry-run", "--", TABLE)
    assert status == 0 and "Nothing to be done" in output, output
