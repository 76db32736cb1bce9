"""Modification times may be wrong in either direction: contents decide what is run again."""

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.faults.conftest import ROOT, TABLE

pytestmark = pytest.mark.slow
PAST, FUTURE = 946_684_800, 2_082_758_400  # 2000-01-01 and 2036-01-01


@pytest.fixture(scope="module")
def skewed(finished, tmp_path_factory):
    """A copy whose files have times at random in the past and in the future."""
    project = finished.copy(tmp_path_factory.mktemp("skewed") / "project")
    draw = random.Random(1)
    for path in sorted([*(project.folder / ROOT).rglob("*"), *(project.folder / "config").rglob("*")]):
        if path.is_file():
            time = draw.choice([PAST, FUTURE])
            os.utime(path, (time, time))
    return project


def test_times_alone_rerun_nothing(skewed):
    assert not skewed.plan("--", TABLE)[0]


def newer(path, project):
    """Whether a file's time is later than that of the table, which is made last."""
    return path.stat().st_mtime_ns > (project.folder / TABLE).stat().st_mtime_ns


def test_copies_without_times_rerun_nothing(finished, tmp_path):
    """As by plain `cp` of all results, what was made last first: inputs are newer than what was made of them."""
    project = finished.copy(tmp_path / "project")
    made, kept = project.folder / ROOT, tmp_path / "kept"
    made.rename(kept)
    paths = sorted(filter(Path.is_file, kept.rglob("*")), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in paths:
        (made / path.relative_to(kept)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, made / path.relative_to(kept))
    assert newer(made / "collections/wordnet-mini/corpus.jsonl", project)
    assert not project.plan("--", TABLE)[0]


def test_an_artifact_copied_into_its_place_reruns_nothing(finished, tmp_path):
    """By plain `cp`, newer than its own record and all that was made of it; larger than what Snakemake hashes."""
    project = finished.copy(tmp_path / "project")
    path = project.folder / ROOT / "checkpoints/base/model.safetensors"
    path.rename(tmp_path / "kept")
    subprocess.run(["cp", tmp_path / "kept", path], check=True)
    assert newer(path, project) and path.stat().st_size > 1e6
    assert not project.plan("--", TABLE)[0]


@pytest.mark.parametrize("time", [PAST, FUTURE])
def test_a_change_is_noticed_whatever_its_time(skewed, time):
    path = skewed.folder / "config/papers/rodr/reported.yaml"
    whole = path.read_bytes()
    assert whole.count(b"| 32.4  ") == 1
    path.write_bytes(whole.replace(b"| 32.4  ", b"| 32.5  "))
    os.utime(path, (time, time))
    jobs, _ = skewed.plan("--", TABLE)
    path.write_bytes(whole)
    assert jobs == {"table": 1}


def test_another_digest_in_a_record_reruns_the_readers_of_its_artifact_alone(skewed):
    record = skewed.folder / ROOT / "runs/wordnet-mini/dr_oq/seed1/dev.original.arrow.sha256"
    whole = record.read_bytes()
    digest = re.search(rb"[0-9a-f]{64}(?=  dev\.original\.arrow\n)", whole)
    assert digest
    record.write_bytes(whole.replace(digest[0], b"0" * 64))
    os.utime(record, (FUTURE + 60, FUTURE + 60))  # as when it is written anew: later than what was made of it
    jobs, made = skewed.plan("--", TABLE)
    record.write_bytes(whole)
    assert jobs == {"evaluate": 1, "table": 1}
    measures = f"{ROOT}/measures/wordnet-mini/dr_oq/seed1/dev.original.parquet"
    assert {path for path in made if "/measures/" in path} == {measures, f"{measures}.sha256"}


def test_artifacts_are_not_read_by_snakemake(skewed):
    """It hashes inputs up to 1 MB, and compares larger ones by their time: neither happens to what has a record."""
    for name in ("checkpoints/base/model.safetensors", "collections/wordnet-mini/dev/queries.tsv"):
        path = skewed.folder / ROOT / name
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + b"X")
        os.utime(path, (FUTURE, FUTURE))
        jobs, _ = skewed.plan("--", TABLE)
        path.write_bytes(whole)
        assert not jobs
