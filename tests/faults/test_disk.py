"""Disks that are full or read-only, and two runs at once."""

import os
import shutil
import signal
import subprocess
import time

import pytest
from tests.faults.conftest import ROOT, TABLE, results, same, start, temporaries

pytestmark = pytest.mark.slow
S = "wordnet-mini/dr_oq/seed1"
PAGE, FREE = 4096, 200_000  # bytes; the vectors of 300 passages take 460,800


def mount(*arguments):
    if shutil.which("mount") is None or subprocess.run(["mount", *map(str, arguments)], capture_output=True).returncode:
        pytest.skip("no right to mount file systems here")


def remove(project, *names):
    for name in names:
        for path in (project.folder / ROOT).glob(name):
            path.unlink()


def test_a_full_disk_is_one_error_and_the_run_goes_on_when_there_is_space(finished, tmp_path):
    project = finished.copy(tmp_path / "project")
    remove(project, f"embeddings/{S}/*", f"runs/{S}/*", f"measures/{S}/*", "tables/*")
    folder, kept = project.folder / "results", tmp_path / "kept"
    folder.rename(kept)
    folder.mkdir()
    pages = sum(-(-path.stat().st_size // PAGE) for path in kept.rglob("*") if path.is_file())
    mount("-t", "tmpfs", "-o", f"size={pages * PAGE + FREE}", "tmpfs", folder)
    try:
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        status, output = project.snakemake("--", TABLE)
        assert status != 0
        found = {line.partition("robustdr: ")[2] for line in output.splitlines() if "robustdr: " in line}
        assert found == {"[Errno 28] No space left on device; nothing was left half-written"}, output
        assert not [*(project.folder / ROOT / "embeddings" / S).glob("*")] and not temporaries(project.folder)
        mount("-o", "remount,size=1g", folder)
        status, output = project.snakemake("--", TABLE)
        assert status == 0, output
        same(results(project.folder), results(finished.folder))
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_read_only_results_folder_is_one_error(finished, tmp_path):
    project = finished.copy(tmp_path / "project")
    shutil.rmtree(project.folder / ROOT / "tables")
    folder = project.folder / "results"
    before = results(project.folder)
    mount("--bind", folder, folder)
    try:
        mount("-o", "remount,ro,bind", folder)
        status, output = project.snakemake("--", TABLE)
    finally:
        subprocess.run(["umount", str(folder)], check=True)
    assert status != 0 and "Traceback" not in output
    told = "results: the folder is read-only; make it writable, or run in a copy of the project"
    assert output.splitlines()[-1] == told, output
    assert results(project.folder) == before


def test_a_second_run_is_refused_and_the_first_one_ends_well(finished, tmp_path):
    project = finished.copy(tmp_path / "project")
    remove(project, f"embeddings/{S}/*", f"runs/{S}/*", f"measures/{S}/*", "tables/*")
    first = start(project.folder, "--", TABLE)
    locks = project.folder / ".snakemake/locks"
    while first.poll() is None and not (locks.exists() and any(locks.iterdir())):
        time.sleep(0.02)
    os.killpg(first.pid, signal.SIGSTOP)  # the second run finds it at work, however slow the machine is
    status, output = project.snakemake("--", TABLE)
    os.killpg(first.pid, signal.SIGCONT)
    assert status != 0 and "Error: Directory cannot be locked" in output
    assert first.wait(timeout=400) == 0
    same(results(project.folder), results(finished.folder))
