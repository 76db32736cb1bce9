"""Files from GitHub: fetched once, kept by their digest, and fetched anew if the kept copy is damaged."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from robustdr.collections.downloads import download_passages, has_downloads
from robustdr.collections.located import bring
from robustdr.core import downloads
from robustdr.core.errors import UserError
from robustdr.core.files import sha256

REVISION = "8" * 40


@pytest.fixture()
def file(tmp_path, monkeypatch):
    """An entry of a file, which a server of this machine has in place of GitHub."""
    path = tmp_path / "host/owner/name" / REVISION / "data/questions.txt"
    path.parent.mkdir(parents=True)
    path.write_text("who?\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    serve = partial(SimpleHTTPRequestHandler, directory=tmp_path / "host")
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(downloads, "GITHUB", f"http://127.0.0.1:{server.server_port}")
        yield {"github": "owner/name", "revision": REVISION, "file": "data/questions.txt", "sha256": sha256(path)}
        server.shutdown()


def test_a_file_is_fetched_once_and_kept(file, monkeypatch):
    path = bring(file, {})
    assert path.read_text(encoding="utf-8") == "who?\n"
    monkeypatch.setattr(downloads, "GITHUB", "http://127.0.0.1:9")
    assert bring(file, {}) == path


def test_files_of_passages_are_downloaded_before_they_are_read(file, monkeypatch):
    source = {"kind": "faq", "pairs": file, "splits": {}}
    assert has_downloads(source)
    assert download_passages(source) == [f"owner/name@{REVISION}: data/questions.txt"]
    monkeypatch.setattr(downloads, "GITHUB", "http://127.0.0.1:9")
    assert bring(file, {}).read_text(encoding="utf-8") == "who?\n"
    own = {"kind": "faq", "pairs": {"path": "pairs.jsonl"}, "splits": {}}
    assert not has_downloads(own) and download_passages(own) == []


def test_a_damaged_copy_is_fetched_anew(file):
    bring(file, {}).write_text("", encoding="utf-8")
    assert bring(file, {}).read_text(encoding="utf-8") == "who?\n"


def test_another_file_than_the_pinned_one_is_refused_and_not_kept(file):
    with pytest.raises(UserError, match=r"questions\.txt has the SHA-256 [0-9a-f]{64}, a{64} was expected; nothing is"):
        bring(file | {"sha256": "a" * 64}, {})
