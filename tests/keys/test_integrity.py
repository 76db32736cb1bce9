"""Records of artifacts: in sha256sum's format, checked before reading, and what is damaged is moved away."""

import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.keys import integrity, notes, provenance
from robustdr.keys.integrity import damaged, digest, hardware, is_whole, listed, record, recorded, set_aside, verify
from robustdr.keys.notes import KNOWN, NOTES, note

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
    for name in ("model.safetensors", "1_Pooling/config.json"):
        (folder / name).write_text("abc")
    record(folder)
    return folder


def test_the_record_is_sha256sums(artifact):
    assert (artifact.parent / "a.txt.sha256").read_text() == f"{ABC}  a.txt\n"
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "--check", "--strict", "a.txt.sha256"], cwd=artifact.parent, check=True)


def test_what_is_recorded_of_a_file_stands_for_its_bytes(artifact, model):
    assert recorded(model / "1_Pooling/config.json") == recorded(artifact) == ABC
    artifact.write_text("abd")
    assert recorded(artifact) == ABC
    artifact.unlink()
    assert recorded(artifact) == ABC
    artifact.with_name("a.txt.sha256").unlink()
    assert recorded(artifact) is None


@pytest.mark.parametrize("content", [None, "", ABC, f"{'0' * 64}  other.txt\n"])
def test_a_file_that_no_record_names_is_read(artifact, content):
    record_file = artifact.with_name("a.txt.sha256")
    record_file.unlink() if content is None else record_file.write_text(content)
    assert recorded(artifact) == ABC


def test_a_folder_has_one_record_of_all_its_files(model):
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


@pytest.mark.parametrize(
    "name", ["special_tokens_map.json", "added_tokens.json", "1_Pooling/sentence_bert_config.json", "2_Dense/empty"]
)
def test_a_file_that_the_record_of_a_folder_lacks_is_named_and_stays(model, name):
    """Libraries read what lies in a model's folder, such as a map of tokens."""
    (stray := model / name).parent.mkdir(exist_ok=True)
    stray.write_text("")
    with pytest.raises(UserError, match=rf"{re.escape(str(stray))}: .*seed1\.sha256 does not list it; remove"):
        verify([model / "model.safetensors"])
    assert [fault.partition(": ")[0] for fault in damaged(model)] == [str(stray)]
    stray.unlink()
    verify([model])
    assert not list(damaged(model))


def test_links_stand_for_what_lies_behind_them(model, tmp_path):
    """A file in place of another, and a folder that nobody listed; links to folders above lead to no new file."""
    (model / "here").symlink_to(".")
    (model / "1_Pooling/up").symlink_to("..")
    (model / "1_Pooling/there").symlink_to(model)
    verify([model])
    (tmp_path / "others").mkdir()
    (tmp_path / "others/tokens.json").write_text("{}")
    (model / "2_Dense").symlink_to(tmp_path / "others")
    (model / "model.safetensors").unlink()
    (model / "model.safetensors").symlink_to(tmp_path / "others/tokens.json")
    named = [fault.partition(": ")[0] for fault in damaged(model)]
    assert sorted(named) == [str(model / "2_Dense/tokens.json"), str(model / "model.safetensors")]


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
    record_file = artifact.with_name("a.txt.sha256")
    record_file.write_text(content)
    with pytest.raises(UserError, match=r"a\.txt\.sha256:1: damaged: "):
        verify([artifact])
    assert not artifact.exists() and not record_file.exists()


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


@pytest.fixture()
def noting(tmp_path, monkeypatch):
    """A folder where Snakemake runs, with an artifact that is settled at once; and `hashed_names`, what is hashed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".snakemake").mkdir()
    (tmp_path / "a.txt").write_text("abc")
    record(tmp_path / "a.txt")
    monkeypatch.setattr(integrity, "SETTLED", -1)
    hashed_names, whole = [], integrity.sha256
    monkeypatch.setattr(integrity, "sha256", lambda path: hashed_names.append(path.name) or whole(path))
    return tmp_path / "a.txt", hashed_names


def note_of(path):
    (note_file,) = (path.parent / NOTES).glob("*/*")
    return note_file


def test_a_file_is_hashed_once_and_again_when_it_may_have_changed(noting):
    path, hashed_names = noting
    for _ in range(3):
        verify([path])
    assert hashed_names == ["a.txt"]
    os.utime(path)
    verify([path])
    assert hashed_names == ["a.txt"] * 2
    path.write_text("abd")
    with pytest.raises(UserError, match="damaged"):
        verify([path])


def test_a_change_that_keeps_size_and_modification_time_is_noticed_too(noting):
    path, _ = noting
    verify([path])
    stat = path.stat()
    path.write_text("abd")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    with pytest.raises(UserError, match="damaged"):
        verify([path])


def test_a_file_that_has_just_changed_is_not_noted(noting, monkeypatch):
    path, hashed_names = noting
    monkeypatch.setattr(integrity, "SETTLED", 3600 * 10**9)
    verify([path])
    verify([path])
    assert hashed_names == ["a.txt"] * 2


@pytest.mark.parametrize("content", [b"", b"0\n[]", b"\xff\xfe", None])
def test_a_note_that_is_truncated_or_gone_is_not_used(noting, content):
    path, hashed_names = noting
    verify([path])
    note_file = note_of(path)
    note_file.write_bytes(note_file.read_bytes()[:-1] if content is None else content)
    for _ in range(2):  # the second time it is noted anew
        KNOWN.clear()  # as in another process
        assert digest(path) == ABC and hashed_names == ["a.txt"] * 2


def test_a_process_reads_a_note_once(noting):
    path, hashed_names = noting
    verify([path])
    note_of(path).unlink()
    verify([path])
    assert hashed_names == ["a.txt"]


def renote(path, value):
    """Note a digest of the file as it is now."""
    stat = path.stat()
    note(os.path.abspath(path), f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}", value)


def test_a_wrong_note_accuses_nobody(noting):
    path, _ = noting
    renote(path, "0" * 64)
    KNOWN.clear()
    assert digest(path) == "0" * 64
    verify([path])


def test_notes_that_cannot_be_written_stop_nothing(noting):
    path, hashed_names = noting
    (path.parent / ".snakemake/notes").write_text("no folder")
    verify([path])
    KNOWN.clear()  # as in another process
    verify([path])
    assert hashed_names == ["a.txt"] * 2


def test_nothing_is_noted_where_snakemake_does_not_run(artifact, monkeypatch):
    monkeypatch.chdir(artifact.parent)
    monkeypatch.setattr(integrity, "SETTLED", -1)
    verify([artifact])
    assert sorted(path.name for path in artifact.parent.iterdir()) == ["a.txt", "a.txt.sha256"]


def test_the_command_reads_what_a_note_vouches_for_and_lists_all_that_is_damaged(noting, model, capsys):
    path, _ = noting
    path.write_text("abd")
    renote(path, ABC)  # as a bit that flips on the disk would leave it
    verify([path])
    (model / "model.safetensors").unlink()
    assert main(["verify", str(path.parent)]) == 1
    changed_line, missing_line = capsys.readouterr().out.splitlines()
    assert changed_line.startswith(f"{path}: damaged: its sha256 is ")
    assert missing_line.startswith(f"{model / 'model.safetensors'}: damaged: it is missing, {ABC} was recorded")
    assert path.exists() and model.exists()
    assert main(["verify", str(model / "1_Pooling/config.json")]) == 1
    path.write_text("abc")
    assert main(["verify", str(path)]) == 0


def test_the_command_refuses_what_has_no_record(tmp_path, capsys):
    assert main(["verify", str(tmp_path / "missing")]) == 2
    assert "missing: no artifact: neither it nor anything below it has a record" in capsys.readouterr().err


def test_a_record_is_set_aside_while_a_file_of_it_is_missing(model, tmp_path):
    record_file = model.parent / "seed1.sha256"
    assert is_whole(record_file) and not list(set_aside(tmp_path)) and record_file.exists()
    for name in ("1_Pooling/config.json", "model.safetensors"):
        (model / name).rename(tmp_path / "kept")
        assert not is_whole(record_file)
        (line,) = set_aside(tmp_path)
        assert line.startswith(f"{model}: files of it are missing") and not record_file.exists()
        (tmp_path / "kept").rename(model / name)
        assert not list(set_aside(tmp_path)) and is_whole(record_file)
    (model / "1_Pooling/config.json").unlink()
    assert len(list(set_aside(tmp_path))) == 1
    record(model)  # made again
    assert not list(set_aside(tmp_path)) and not list(tmp_path.rglob("*.incomplete"))


def test_the_first_record_of_a_job_stands_for_what_it_made_with_it(artifact, model, tmp_path):
    record(artifact, other_artifacts=[model])
    record_file = artifact.with_name("a.txt.sha256")
    model_record = model.parent / "seed1.sha256"
    assert listed(record_file) == [model_record, artifact]
    before = record_file.read_text()
    (model / "model.safetensors").write_text("others")
    record(model)
    record(artifact, other_artifacts=[model])
    assert record_file.read_text() != before
    (model / "model.safetensors").unlink()
    assert len(list(set_aside(tmp_path))) == 2 and not record_file.exists()
    (model / "model.safetensors").write_text("others")
    assert not list(set_aside(tmp_path)) and is_whole(record_file)


def forged_by_hand(text):
    return hashlib.sha256(text.encode()).hexdigest()


def copied_from_another_user(text):
    return hmac.digest(b"another secret", text.encode(), "sha256").hex()


def of_another_text(text):
    return notes._code(text.replace("0" * 64, "1" * 64))


@pytest.mark.parametrize("code", [forged_by_hand, copied_from_another_user, of_another_text])
def test_a_forged_note_keeps_no_digest_and_no_code_of_a_key(artifact, monkeypatch, code):
    monkeypatch.chdir(artifact.parent)
    stat, source = artifact.stat(), "import os\n"
    state = f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"
    state_of_code = provenance._digest(f"{sys.version} {provenance._reader()} {source}")
    forged = {str(artifact): (state, "0" * 64), "code of mine": (state_of_code, f'["{"0" * 64}", {{}}]')}
    for subject, (subject_state, value) in forged.items():
        (place := notes._place(subject)).parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps([subject_state, value])
        place.write_text(f"{code(text)}\n{text}")
    assert digest(artifact) == ABC
    assert provenance.parsed("mine", source)[0] != "0" * 64
