"""Parcels: what a job made comes to another machine as one file."""

from pathlib import Path

import pytest

from robustdr.graph.parcels import main, write_plan
from robustdr.keys.integrity import record
from robustdr.keys.node import Need, Node
from robustdr.keys.provenance import Code

MODEL = Node(
    "train", "results", "results/model", "a model", "model", Code(["train"]), Need(1000, 10)
)  # its snapshot and its cost lie elsewhere
STORED, TOLD = "stored/results", ".snakemake/settings/train/model"


def make(weights: bytes) -> None:
    """A model with a snapshot, as their job leaves them."""
    for folder, content in (("model", weights), ("model.at10", b"early")):
        Path("results", folder).mkdir(parents=True, exist_ok=True)
        Path("results", folder, "weights").write_bytes(content)
    record(Path("results/model.at10"))
    record(Path("results/model"), key="k", other_artifacts=[Path("results/model.at10")])


@pytest.fixture()
def machines(tmp_path, monkeypatch):
    """Go to another machine, with nothing but what is stored."""

    def go(name: str) -> None:
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        if not Path("stored").exists():
            Path("stored").symlink_to(tmp_path / "stored")
        write_plan(TOLD, MODEL, ["results/model.sha256", "results/model.sha256.tar"])

    (tmp_path / "stored").mkdir()
    return go


def test_all_artifacts_of_a_job_come_with_their_records(machines):
    machines("first")
    make(b"1")
    main(STORED, f"@{TOLD}", "pack")
    assert Path(STORED, "model/weights").read_bytes() == b"1"  # what a rule declares is stored beside
    machines("second")
    main(STORED, f"@{TOLD}", "unpack")
    files = {str(path): path.read_bytes() for path in Path("results").rglob("*") if path.is_file()}
    assert files.keys() == {
        *("results/model/weights", "results/model.at10/weights", "results/model.sha256", "results/model.at10.sha256")
    }
    assert files["results/model/weights"] == b"1" and b"# key: k\n" in files["results/model.sha256"]


def test_what_is_there_stays_and_what_is_of_another_job_goes(machines):
    machines("first")
    make(b"1")
    main(STORED, f"@{TOLD}", "pack")
    machines("second")
    main(STORED, f"@{TOLD}", "unpack")
    before = Path("results/model/weights").stat().st_ino
    main(STORED, f"@{TOLD}", "unpack")
    assert Path("results/model/weights").stat().st_ino == before
    make(b"other")
    Path("results/model/stray").touch()
    main(STORED, f"@{TOLD}", "unpack")
    assert Path("results/model/weights").read_bytes() == b"1" and not Path("results/model/stray").exists()


def test_a_stage_without_a_node_needs_no_parcel(machines):
    machines("first")
    main(STORED, "results/audit/rodr.json", "unpack")
    main(STORED, "results/audit/rodr.json", "pack")
