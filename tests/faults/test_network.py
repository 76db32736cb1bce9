"""Downloads from a loopback server that refuses, cuts the connection midway or sends other bytes than expected."""

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub.constants
import ir_datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TsvDocs
from ir_datasets.util import Download, RequestsDownload

from robustdr.collections import write_corpus, write_split
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.checkpoint import locate

DOCS = "".join(f"d{number}\tpassage number {number}\n" for number in range(5000)).encode()
REVISION = "1" * 40


class Server(ThreadingHTTPServer):
    """Serves `files` by path; `cuts` answers end halfway; `ranges`: a download may go on where it stopped.

    An answer begins after `slow` seconds and pauses for `pause` seconds in its middle.
    """

    def __init__(self, files: dict[str, bytes]):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.cuts, self.ranges, self.asked = files, 0, True, []
        self.slow, self.pause = 0.0, 0.0
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, body):
        time.sleep(self.server.slow)
        data = self.server.files.get(self.path.partition("?")[0])
        asked = self.headers.get("Range") if self.server.ranges else None
        if body:
            self.server.asked.append((self.path, asked))
        if data is None:
            self.send_error(404)
            return
        first = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
        if first >= len(data):
            self.send_error(416)
            return
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        if self.server.ranges:
            self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(data) - first))
        self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.send_header("X-Repo-Commit", REVISION)
        self.end_headers()
        if not body:
            return
        if self.server.cuts and len(data) > 20_000:
            self.server.cuts -= 1
            self.wfile.write(data[first : (first + len(data)) // 2])
            self.close_connection = True
        else:
            middle = (first + len(data)) // 2
            self.wfile.write(data[first:middle])
            self.wfile.flush()
            time.sleep(self.server.pause)
            self.wfile.write(data[middle:])


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.fixture()
def collection(tmp_path, monkeypatch):
    """A server, and the source of a collection of ir_datasets that it serves."""
    monkeypatch.setenv("IR_DATASETS_DL_TRIES", "2")
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    server = Server({"/docs.tsv": DOCS})
    download = Download(
        [RequestsDownload(f"{server.url}/docs.tsv")], tmp_path / "home" / "docs.tsv", hashlib.md5(DOCS).hexdigest()
    )
    ir_datasets.registry.register("robustdr-faults", Dataset(TsvDocs(download, lang="en")))
    yield server, {"kind": "irds", "corpus": "robustdr-faults", "splits": {}}
    del ir_datasets.registry._registered["robustdr-faults"]
    server.shutdown()


def test_a_collection_goes_on_where_the_connection_was_cut(collection, tmp_path):
    server, source = collection
    server.cuts = 1
    assert write_corpus(source, tmp_path / "out" / "corpus.jsonl") == {"passages": 5000}
    (_, first), (_, second) = server.asked
    assert first is None and second.startswith("bytes=") and second != "bytes=0-"


@pytest.mark.parametrize("fault", ["cut", "other bytes"])
def test_a_collection_that_does_not_arrive_is_not_read_and_can_be_asked_for_again(collection, tmp_path, fault):
    server, source = collection
    server.cuts, server.ranges = 10 if fault == "cut" else 0, False
    server.files["/docs.tsv"] = DOCS if fault == "cut" else DOCS.replace(b"number 77\n", b"number 78\n")
    with pytest.raises(UserError, match=r"robustdr-faults: ir_datasets could not bring its passages into "):
        write_corpus(source, tmp_path / "out" / "corpus.jsonl")
    assert [name for name in left(tmp_path) if not name.endswith(".lock")] == ["docs.tsv.part"] * (fault == "cut")
    server.cuts, server.files["/docs.tsv"] = 0, DOCS
    assert write_corpus(source, tmp_path / "out" / "corpus.jsonl") == {"passages": 5000}
    assert left(tmp_path / "home") == ["docs.tsv", "robustdr-faults.lock"]


def test_a_collection_with_several_mirrors_fails_with_one_error(collection, tmp_path):
    mirrors = [RequestsDownload(f"http://127.0.0.1:9/{name}.tsv", tries=1) for name in "abc"]
    download = Download(mirrors, tmp_path / "home" / "docs.tsv", "0" * 32)
    ir_datasets.registry._registered["robustdr-faults"] = Dataset(TsvDocs(download, lang="en"))
    with pytest.raises(UserError, match=r"could not bring its passages (?s:.)*127\.0\.0\.1"):
        write_corpus(collection[1], tmp_path / "out" / "corpus.jsonl")
    assert left(tmp_path) == ["robustdr-faults.lock"]


@pytest.fixture()
def hub(tiny_transformer, tmp_path, monkeypatch):
    """A server with one model, in the place of the hub, and a cache of its own."""
    files = {path.name: path.read_bytes() for path in tiny_transformer.iterdir()}
    tree = [{"type": "file", "path": name, "size": len(data), "oid": "0" * 40} for name, data in files.items()]
    server = Server({f"/a/tiny/resolve/{REVISION}/{name}": data for name, data in files.items()})
    server.files[f"/api/models/a/tiny/tree/{REVISION}"] = json.dumps(tree).encode()
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")  # nothing else is asked
    for name, value in {
        "ENDPOINT": server.url,
        "HUGGINGFACE_CO_URL_TEMPLATE": server.url + "/{repo_id}/resolve/{revision}/{filename}",
        "HF_HUB_OFFLINE": False,
        "HF_HUB_CACHE": str(tmp_path / "cache"),
        "HF_HUB_DISABLE_XET": True,
    }.items():
        monkeypatch.setattr(huggingface_hub.constants, name, value)
    huggingface_hub.close_session()  # it was made for another hub
    yield server, {"hub": "a/tiny", "revision": REVISION, "sha256": sha256(tiny_transformer / "model.safetensors")}
    server.shutdown()
    huggingface_hub.close_session()


@pytest.mark.parametrize("fault", ["none", "missing", "other bytes"])
def test_questions_are_fetched_as_pinned(hub, tmp_path, fault):
    server, _ = hub
    pq.write_table(pa.table({"question": ["who"], "answer": [["x"]]}), tmp_path / "q.parquet")
    data, at = (tmp_path / "q.parquet").read_bytes(), f"/datasets/a/q/resolve/{REVISION}/b/q.parquet"
    part = {"hub": "a/q", "revision": REVISION, "file": "b/q.parquet", "sha256": hashlib.sha256(data).hexdigest()}
    part |= {"kind": "questions", "question": "question", "answers": "answer"}
    source, output = {"kind": "irds", "splits": {"test": part}}, [tmp_path / "out/answers.jsonl"]
    if fault != "none":
        server.files |= {} if fault == "missing" else {at: data + b"x"}
        message = {"missing": "could not be fetched from the hub", "other bytes": r"has sha256 .* pins .* moved to"}
        with pytest.raises(UserError, match=rf"a/q@1{{40}}: b/q\.parquet.* {message[fault]}"):
            write_split(source, "test", output)
    server.files[at] = data
    assert write_split(source, "test", output) == {"answers": 1}


WEIGHTS = f"/a/tiny/resolve/{REVISION}/model.safetensors"


def test_a_checkpoint_is_fetched(hub):
    _, source = hub
    assert sha256(locate(source) / "model.safetensors") == source["sha256"]


def test_a_checkpoint_that_is_cut_off_is_one_error_and_comes_with_the_next_run(hub):
    server, source = hub
    server.cuts, server.ranges = 100, False
    with pytest.raises(UserError, match=r"checkpoint: a/tiny@1{40} could not be fetched from the hub .*run again"):
        locate(source)
    server.cuts = 0
    assert sha256(locate(source) / "model.safetensors") == source["sha256"]


def test_other_weights_than_the_pinned_ones_are_moved_away_and_fetched_anew(hub, tmp_path):
    server, source = hub
    whole = server.files[WEIGHTS]
    server.files[WEIGHTS] = whole[:-1] + bytes([whole[-1] ^ 1])
    with pytest.raises(UserError, match=r"has sha256 [0-9a-f]{64}, the configuration pins .* moved to .*\.damaged"):
        locate(source)
    assert [name for name in left(tmp_path) if name.endswith(".damaged")]
    server.files[WEIGHTS] = whole
    assert sha256(locate(source) / "model.safetensors") == source["sha256"]
