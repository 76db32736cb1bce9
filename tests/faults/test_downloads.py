"""Jobs that ask at once for the same file of a collection, processes that die meanwhile, jobs without a network."""

import gzip
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from tests.faults.test_network import Server

from robustdr.core import downloads
from robustdr.core.errors import UserError

NAMES = [f"{number}\ta passage about number {number} and nothing else in this world\n" for number in range(4000)]
TEXTS = {
    "collection.tsv": "".join(NAMES),
    "queries.dev.small.tsv": "7\tnumber seven\n9\tnumber nine\n",
    "qrels.dev.small.tsv": "7\t0\t7\t1\n9\t0\t9\t1\n",
}
WHERE = "/collectionandqueries.tar.gz"


def archive() -> bytes:
    """MS MARCO's archive of passages, queries and judgements, in its form."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, text in TEXTS.items():
            about = tarfile.TarInfo(name)
            about.size = len(text)
            tar.addfile(about, io.BytesIO(text.encode()))
    return made.getvalue()


ARCHIVE = archive()

# ir_datasets as it is, but for where that archive is and what its digest is.
JOB = """
import json, pkgutil, sys
data, (url, digest, size) = pkgutil.get_data, sys.argv[1:4]
def get(package, file):
    found = data(package, file)
    if file != "etc/downloads.json":
        return found
    listed = json.loads(found)
    listed["msmarco-passage"]["collectionandqueries"] |= {"url": url, "expected_md5": digest, "size_hint": int(size)}
    return json.dumps(listed).encode()
pkgutil.get_data = get
from robustdr.stages.__main__ import main
raise SystemExit(main(sys.argv[4:]))
"""
SOURCE = {"kind": "irds", "corpus": "msmarco-passage", "splits": {"dev": {"id": "msmarco-passage/dev/small"}}}


@pytest.fixture
def start(tmp_path, monkeypatch):
    """A function that starts the job of a stage; its server has the archive."""
    server = Server({WHERE: ARCHIVE})
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "irds"))
    monkeypatch.chdir(tmp_path)

    def started(stage: str, *outputs: str, also: tuple[str, ...] = ()) -> subprocess.Popen:
        known = [f"{server.url}{WHERE}", hashlib.md5(ARCHIVE).hexdigest(), str(len(ARCHIVE))]
        argv = [stage, "--network", "--source", json.dumps(SOURCE), *also, "--output", *outputs]
        return subprocess.Popen(
            [sys.executable, "-c", JOB, *known, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    started.server = server
    yield started
    server.shutdown()


def test_a_corpus_and_its_split_fetch_their_archive_once(start, tmp_path):
    """Four jobs at once: what they write is whole, and one of them fetched."""
    start.server.slow = 0.5
    jobs = [start("corpus", f"{number}.jsonl") for number in range(2)]
    jobs += [start("split", f"{n}/queries.tsv", f"{n}/qrels.txt", also=("--split", "dev")) for n in range(2)]
    for job in jobs:
        output, _ = job.communicate(timeout=120)
        assert job.returncode == 0, output
    assert start.server.asked == [(WHERE, None)]
    for number in range(2):
        lines = (tmp_path / f"{number}.jsonl").read_text().splitlines()
        assert len(lines) == 4000 and json.loads(lines[-1])["text"] == NAMES[-1].split("\t")[1].strip()
        assert (tmp_path / f"{number}/queries.tsv").read_text() == TEXTS["queries.dev.small.tsv"]


def test_a_killed_download_goes_on_in_the_next_job(start, tmp_path):
    start.server.pause = 60  # after the first half
    job, part = start("corpus", "corpus.jsonl"), tmp_path / f"irds/msmarco-passage{WHERE}.part"
    half, end = len(ARCHIVE) // 2, time.monotonic() + 60
    while not part.exists() or part.stat().st_size < half:
        assert time.monotonic() < end and job.poll() is None
        time.sleep(0.05)
    os.kill(job.pid, signal.SIGKILL)
    job.wait()
    start.server.pause = 0
    output, _ = (job := start("corpus", "corpus.jsonl")).communicate(timeout=120)
    assert job.returncode == 0, output
    assert start.server.asked == [(WHERE, None), (WHERE, f"bytes={half}-")]
    assert len((tmp_path / "corpus.jsonl").read_text().splitlines()) == 4000 and not part.exists()


@pytest.mark.parametrize("have", [0, 10, 30_000, 60_000])
@pytest.mark.parametrize("ranges", [True, False])
def test_what_is_there_already_decides_no_byte(tmp_path, have, ranges):
    """Also where the server sends whole files alone, and where all is there but the name."""
    data = bytes(range(256)) * 235  # 60,160 bytes
    server, path = Server({"/file": data}), tmp_path / "file"
    server.ranges = ranges
    path.with_name("file.part").write_bytes(data[:have])
    downloads.fetch(f"{server.url}/file", path, hashlib.md5(data).hexdigest(), {})
    assert path.read_bytes() == data and [file.name for file in tmp_path.iterdir()] == ["file"]
    server.shutdown()


def test_bytes_that_an_old_attempt_left_and_the_server_no_longer_has_are_thrown_away(tmp_path):
    server, path = Server({"/file": b"new" * 9}), tmp_path / "file"
    path.with_name("file.part").write_bytes(b"older")
    with pytest.raises(UserError, match=r"MD5 .* was expected; nothing is kept"):
        downloads.fetch(f"{server.url}/file", path, hashlib.md5(b"new" * 9).hexdigest(), {})
    downloads.fetch(f"{server.url}/file", path, hashlib.md5(b"new" * 9).hexdigest(), {})
    assert path.read_bytes() == b"new" * 9
    server.shutdown()


def test_a_gzipped_file_keeps_its_bytes(tmp_path):
    data = gzip.compress(b"text" * 1000)
    server = Server({"/file.gz": data})
    downloads.fetch(f"{server.url}/file.gz", tmp_path / "file.gz", hashlib.md5(data).hexdigest(), {})
    assert (tmp_path / "file.gz").read_bytes() == data
    server.shutdown()


def test_a_file_that_is_not_there_is_asked_for_once(tmp_path):
    server = Server({})
    with pytest.raises(UserError, match="/none: 404 Client Error"):
        downloads.fetch(f"{server.url}/none", tmp_path / "none", "0" * 32, {})
    assert server.asked == [("/none", None)] and not (tmp_path / "none").exists()
    server.shutdown()


# A job as Snakemake starts it, with a stage of its own that reaches out.
REACHES = """
import socket, sys
from robustdr.core import network
from robustdr.stages import options
from robustdr.stages.__main__ import main
@options.stage("reach out", to={"help": "host"}, output=options.MADE)
def similarity(a):
    import urllib.request
    urllib.request.urlopen(f"http://{a.to}/", timeout=5).read()
    a.output.write_text("reached")
raise SystemExit(main(sys.argv[1:], network.refuse))
"""


def reach(host: str, folder: Path, *how: str) -> tuple[int, str]:
    program = REACHES.replace("def similarity", "def reach")
    program = program.replace("raise SystemExit", "from unittest import mock\nimport robustdr.stages.__main__ as m\n"
        "m.module_of_stage = lambda name: 'robustdr.stages.options'\n"
        "m.installed = lambda code: {}\nm.check_loaded = lambda code: None\nraise SystemExit")  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program, "reach", *how, "--to", host, "--output", str(folder / "out")],
        env={name: value for name, value in os.environ.items() if not name.endswith("_proxy")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("host", ["192.0.2.1", "huggingface.co", "[2001:db8::1]"])
def test_a_job_that_computes_has_no_network(tmp_path, host):
    status, error = reach(host, tmp_path)
    assert status == 2 and not (tmp_path / "out").exists()
    assert f"this job asked for {host.strip('[]')} over the network; jobs that compute have none" in error
    assert len(error.splitlines()) == 1


def test_this_machine_and_jobs_that_fetch_are_not_refused(tmp_path):
    server = Server({"/": b"here"})
    assert reach(server.url.removeprefix("http://"), tmp_path) == (0, "")
    status, error = reach("192.0.2.1:9", tmp_path, "--network")
    assert "jobs that compute" not in error and status != 0
    server.shutdown()
