"""Room for what comes into folders: by file system, and as its quota allows."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from robustdr.preflight import space
from robustdr.preflight.findings import amount
from robustdr.preflight.space import Filled


def test_folders_of_one_file_system_share_its_room(tmp_path, monkeypatch):
    monkeypatch.setattr(space.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 1000}))
    monkeypatch.setattr(space, "refused", lambda path, size: "")
    enough = [Filled("HF_HOME", tmp_path / "not/there", 400), Filled("results", tmp_path, 600)]
    assert list(space.short(enough)) == []
    (short,) = space.short([*enough, Filled("IR_DATASETS_HOME", tmp_path, 601)])
    assert short.problem.endswith("1.6 kB to come, 1.0 kB free")
    assert short.mend.startswith("export IR_DATASETS_HOME=/a/larger/folder")


def test_a_quota_is_met_before_a_byte_is_written(tmp_path):
    """Here the limit of a process on the size of files, which the kernel tells in the same way."""
    program = (
        "import resource, sys; from pathlib import Path; from robustdr.preflight.space import refused;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, 10**6));"
        "print(refused(Path(sys.argv[1]), 10**6), refused(Path(sys.argv[1]), 10**6 + 1), sep='|')"
    )
    output = subprocess.run(
        [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True
    ).stdout
    small, beyond = output.strip().split("|")
    assert small == "" and beyond.startswith("file too large") and not list(tmp_path.iterdir())


def test_what_a_quota_refuses_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(space.ctypes, "get_errno", lambda: errno.EDQUOT)
    monkeypatch.setattr(
        space.ctypes, "CDLL", lambda *_, **__: type("C", (), {"fallocate": staticmethod(lambda *_: -1)})
    )
    (short,) = space.short([Filled("results", tmp_path, 5)])
    assert "5 B to come, and disk quota exceeded" in short.problem and short.mend.startswith("cp -a . ")


@pytest.mark.parametrize("failed", [errno.EOPNOTSUPP, errno.ENOSYS])
def test_a_file_system_that_cannot_reserve_is_not_blamed(tmp_path, monkeypatch, failed):
    monkeypatch.setattr(space.ctypes, "get_errno", lambda: failed)
    monkeypatch.setattr(
        space.ctypes, "CDLL", lambda *_, **__: type("C", (), {"fallocate": staticmethod(lambda *_: -1)})
    )
    assert list(space.short([Filled("results", tmp_path, 5)])) == []


def test_a_folder_that_cannot_be_written(monkeypatch):
    monkeypatch.setattr(space.os, "access", lambda *_: False)
    (short,) = space.short([Filled("HF_HOME", Path("/no/such/place"), 0)])
    assert short.problem == "HF_HOME (/no/such/place): / cannot be written"


def test_amounts():
    assert [amount(n) for n in (0, 999, 1000, 13.6e9, 2e15)] == ["0 B", "999 B", "1.0 kB", "13.6 GB", "2000.0 TB"]


def test_the_remedy_of_a_full_disk_leaves_a_whole_project_elsewhere(tmp_path):
    """Its command, executed; `make` notes that it was called."""
    (tmp_path / "project/results").mkdir(parents=True)
    (tmp_path / "project/results/README.md").write_text("tracked")
    (tmp_path / "project/.venv").mkdir()
    (tmp_path / "project/Makefile").write_text("setup:\n\ttouch made\n")
    (tmp_path / "disk").mkdir()
    (full,) = space.short([space.Filled("results", tmp_path / "project/results", 10**18)])
    command = full.mend.replace("/a/larger/folder", str(tmp_path / "disk"))
    subprocess.run(["bash", "-c", command], cwd=tmp_path / "project", check=True)
    elsewhere = tmp_path / "disk/robustdr"
    assert (elsewhere / "results/README.md").read_text() == "tracked" and not (elsewhere / "results").is_symlink()
    assert (elsewhere / "made").exists() and not (elsewhere / ".venv").exists()
