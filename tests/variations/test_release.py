"""Released files are brought once, at the pinned commit, and are the pinned bytes."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from robustdr.core import downloads
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.variations import release
from robustdr.variations.settings import Release

REVISION = "f9eda80fc9fc6420746198abfe15d79241db87eb"
FILE = "data/msmarco_passage/query/dev/queries.dev.small.MisSpell.tsv"


@pytest.fixture()
def repository(tmp_path, monkeypatch):
    """A host with a file of RoDR's repository, laid out as GitHub serves it; returns the file."""
    file = tmp_path / "host/cxa-unique/RoDR" / REVISION / FILE
    file.parent.mkdir(parents=True)
    file.write_text("2\t Androgen receptor defJne\n")
    serve = partial(SimpleHTTPRequestHandler, directory=tmp_path / "host")
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(downloads, "GITHUB", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        yield file
        server.shutdown()


def of(file, **other):
    return Release(**{"github": "cxa-unique/RoDR", "revision": REVISION, "file": FILE, "sha256": sha256(file)} | other)


def test_a_file_comes_from_its_repository_at_its_commit(repository, tmp_path):
    release.bring(of(repository), tmp_path / "made.tsv")
    assert (tmp_path / "made.tsv").read_bytes() == repository.read_bytes()


def test_a_file_is_fetched_once_and_kept(repository, tmp_path, monkeypatch):
    wanted = of(repository)
    release.bring(wanted, tmp_path / "first.tsv")
    monkeypatch.setattr(downloads, "GITHUB", "http://127.0.0.1:9")
    release.bring(wanted, tmp_path / "second.tsv")
    assert (tmp_path / "second.tsv").read_bytes() == repository.read_bytes()


def test_a_copy_of_your_own_is_taken_in_its_place(repository, tmp_path):
    release.bring(Release(path=str(repository), sha256=sha256(repository)), tmp_path / "made.tsv")
    assert (tmp_path / "made.tsv").read_bytes() == repository.read_bytes()


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"sha256": "a" * 64}, rf"{FILE} has the SHA-256 [0-9a-f]{{64}}, a{{64}} was expected; nothing is kept"),
        ({"revision": "0" * 40}, rf"RoDR/0{{40}}/{FILE}: 404 Client Error.*name it as `path`"),
    ],
)
def test_other_bytes_or_no_file_are_one_error_and_leave_nothing(repository, tmp_path, other, message):
    with pytest.raises(UserError, match=message):
        release.bring(of(repository, **other), tmp_path / "made.tsv")
    assert not (tmp_path / "made.tsv").exists()


def test_a_host_that_is_not_reached_is_one_error(repository, tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "GITHUB", "http://127.0.0.1:9")
    with pytest.raises(UserError, match=r"; run again with the network, or fetch the file"):
        release.bring(of(repository), tmp_path / "made.tsv")
