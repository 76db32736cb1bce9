"""Records of artifacts: in sha256sum's format, checked before reading, and what is damaged is moved away."""

import shutil
import subprocess

import pytest

from robustdr.errors import UserError
from robustdr.integrity import hardware, record, verify

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # of "abc": FIPS 180-4's example


@pytest.fixture()
def artifact(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("abc")
    record(path)
    return path


@pytest.fixture()
def model(tmp_path):
    folder = tmp_path / "seed1"
    (folder / "1_Pooling").mkdir(parents=True)
    for name in ("model.safetensors", "1_Pooling/config.json", "cost.json"):
        (folder / name).write_text("abc")
    record(folder)
    return folder


def test_the_record_is_sha256sums(artifact):
    assert (artifact.parent / "a.txt.sha256").read_text() == f"{ABC}  a.txt\n"
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", "a.txt.sha256"], cwd=artifact.parent, check=True)


def test_a_folder_has_one_record_without_its_cost(model):
    lines = (model.parent / "seed1.sha256").read_text()
    assert lines == f"{ABC}  seed1/1_Pooling/config.json\n{ABC}  seed1/model.safetensors\n"


def test_whole_artifacts_and_files_without_a_record_pass(artifact, model, tmp_path):
    (tmp_path / "mine.tsv").write_text("q1\tone\n")
    verify([artifact, model / "model.safetensors", tmp_path / "mine.tsv", tmp_path / "missing"])


@pytest.mark.parametrize("content", ["", "ab", "abd"])
def test_a_damaged_file_is_named_and_moved_away(artifact, content):
    artifact.write_text(content)
    with pytest.raises(UserError, match=rf"a\.txt: damaged: .* {ABC} was recorded .* moved to .*a\.txt\.damaged; run"):
        verify([artifact])
    assert not artifact.exists() and artifact.with_name("a.txt.damaged").read_text() == content


def test_every_file_of_a_model_counts_whichever_is_named(model):
    (model / "1_Pooling/config.json").write_text("abd")
    with pytest.raises(UserError, match=r"seed1/1_Pooling/config\.json: damaged: .* moved to .*/seed1\.damaged; run"):
        verify([model / "model.safetensors"])
    assert not model.exists() and (model.parent / "seed1.damaged/model.safetensors").exists()


def test_what_belongs_to_an_artifact_counts(tmp_path):
    for name in ("0.npy", "0.ids"):
        (tmp_path / name).write_text("abc")
    record(tmp_path / "0.npy", tmp_path / "0.ids")
    (tmp_path / "0.ids").unlink()
    with pytest.raises(UserError, match=r"0\.ids: damaged: it is missing, .* moved to .*/0\.npy\.damaged"):
        verify([tmp_path / "0.npy"])
    assert not (tmp_path / "0.npy").exists()


@pytest.mark.parametrize("content", ["", ABC[:20], f"{ABC} a.txt", "# computed on CPU\n"])
def test_a_damaged_record_vouches_for_nothing(artifact, content):
    written = artifact.with_name("a.txt.sha256")
    written.write_text(content)
    with pytest.raises(UserError, match=r"a\.txt\.sha256:1: damaged: "):
        verify([artifact])
    assert not artifact.exists() and not written.exists()


def test_a_record_says_what_computed_the_artifact_and_sha256sum_still_reads_it(tmp_path):
    for name, kinds in (("a.txt", ["CPU, AVX2"]), ("b.txt", ["NVIDIA H100", "CPU, AVX2"])):
        (tmp_path / name).write_text("abc")
        record(tmp_path / name, hardware=kinds, installed={"numpy": "2.4.6", "torch": "2.13.0+cpu"})
    text = (tmp_path / "b.txt.sha256").read_text()
    assert text.splitlines() == [
        "# computed on CPU, AVX2",
        "# computed on NVIDIA H100",
        "# installed: numpy 2.4.6, torch 2.13.0+cpu",
        f"{ABC}  b.txt",
    ]
    assert hardware([tmp_path / "a.txt"]) == {"CPU, AVX2"}
    assert hardware(tmp_path.glob("?.txt")) == {"CPU, AVX2", "NVIDIA H100"}
    verify(tmp_path.glob("?.txt"))
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", "b.txt.sha256"], cwd=tmp_path, check=True)
