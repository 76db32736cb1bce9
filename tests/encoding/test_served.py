"""An encoder behind a server: vectors as it gives them, whatever fails; nothing is asked for twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest
from tests.encoding.embedding_server import KINDS, WIDTH, Server, vectors

from robustdr.core.client import Client
from robustdr.core.errors import UserError
from robustdr.encoding.served import Served

TEXTS = [f"text {number}" for number in range(20)]


@contextmanager
def serve(**how):
    server = Server(**how)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture()
def server():
    with serve() as made:
        yield made


def served(server, cache, dimension=None, similarity="dot", batch=4, concurrency=3, attempts=3, key="", timeout=10.0):
    client = Client(server.url, "m", key, attempts, timeout)
    return Served(client, dimension, similarity, cache, batch, concurrency, attempts)


def test_vectors_come_in_the_order_of_the_texts_and_are_asked_for_once(server, tmp_path):
    made = served(server, tmp_path / "cache")
    np.testing.assert_array_equal(made.encode([*TEXTS, TEXTS[3]], ""), vectors([*TEXTS, TEXTS[3]]))
    assert Counter(server.given) == Counter(TEXTS)
    assert {len(body["input"]) for _, _, body in server.requests} == {4}
    again = served(server, tmp_path / "cache").encode(TEXTS[::-1], "")
    np.testing.assert_array_equal(again, vectors(TEXTS[::-1]))
    assert len(server.requests) == 5


def test_prompts_stand_before_the_texts_and_are_other_texts(server, tmp_path):
    made = served(server, tmp_path / "cache")
    np.testing.assert_array_equal(made.encode(["a"], "query: "), vectors(["query: a"]))
    np.testing.assert_array_equal(made.encode(["a", ""], ""), vectors(["a", " "]))  # servers refuse an empty text


def test_for_cosines_vectors_have_length_1(server, tmp_path):
    found = served(server, tmp_path / "cache", similarity="cosine").encode(TEXTS, "")
    expected = vectors(TEXTS) / np.linalg.norm(vectors(TEXTS), axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_another_dimension_is_asked_for_and_is_another_vector(server, tmp_path):
    served(server, tmp_path / "cache").encode(["a"], "")
    server.embed = lambda texts: vectors(texts, 3)
    assert served(server, tmp_path / "cache", dimension=3).encode(["a"], "").shape == (1, 3)
    assert [body.get("dimensions") for _, _, body in server.requests] == [None, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_is_asked_again(server, tmp_path, kind):
    server.script, server.late = [kind, None], 0.5
    timeout = 0.2 if kind == "slow" else 10.0
    made = served(server, tmp_path / "cache", concurrency=1, timeout=timeout, dimension=WIDTH)
    np.testing.assert_array_equal(made.encode(TEXTS[:4], ""), vectors(TEXTS[:4]))
    assert len(server.requests) == 2


def test_with_every_kind_of_failure_among_them_all_vectors_come(tmp_path):
    texts = [f"text {number}" for number in range(300)]
    with serve(failing=0.4, late=2.0) as server:
        made = served(server, tmp_path / "cache", WIDTH, batch=2, concurrency=8, attempts=8, timeout=1.0)
        np.testing.assert_array_equal(made.encode(texts, ""), vectors(texts))
        assert set(server.failures) == set(KINDS) and Counter(server.given) == Counter(texts)
        assert 1 < server.most_at_once <= 8


MESSAGES = {
    "fewer": r"m does not give vectors in 3 attempts: 3 vectors for 4 texts",
    "twice": r"in 3 attempts: 5 vectors for 4 texts",
    "ragged": r"in 3 attempts: vectors of 8 and 9 numbers",
    "wide": r"in 3 attempts: vectors of 8 and 9 numbers",
    "nan": r"in 3 attempts: the vector of 'text 3' is not finite, or 0",
    "zero": r"in 3 attempts: the vector of 'text 3' is not finite, or 0",
    "no json": r"in 3 attempts: no answer of the protocol \(\w+\)",
    "error": r"does not answer \(HTTP 503, .*overloaded.*, 3 attempts\)",
    400: r"refuses model 'm': HTTP 400",
}


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_server_that_only_fails_is_one_error_and_what_it_gave_is_kept(server, tmp_path, kind):
    made = served(server, tmp_path / "cache", concurrency=1, dimension=WIDTH)
    made.encode(["text 9"], "")
    server.script = [kind] * 9
    with pytest.raises(UserError, match=MESSAGES[kind]) as raised:
        made.encode([*TEXTS[:4], "text 9"], "")
    assert str(raised.value).endswith(
        f"; 1 of 5 texts have vectors, kept in {tmp_path}/cache: correct this, and run again"
    )


@pytest.mark.parametrize("said", [401, "repeat"])
def test_the_key_is_sent_and_never_shown(tmp_path, capfd, said):
    with serve(key="s3cret") as server:
        served(server, tmp_path / "cache", key="s3cret").encode(["a"], "")
        server.script = [said]
        with pytest.raises(UserError) as raised:
            served(server, tmp_path / "cache", key="s3cret" if said == "repeat" else "an0ther").encode(["b"], "")
    shown = str(raised.value) + "".join(capfd.readouterr()) + (tmp_path / "cache").read_bytes().decode("latin-1")
    assert "s3cret" not in shown and "an0ther" not in shown


def test_a_cache_that_is_none(server, tmp_path):
    (tmp_path / "cache").write_text("no vectors" * 100)
    with pytest.raises(UserError, match=r"cache: .*/cache: file is not a database; make room, or, .*, delete it"):
        served(server, tmp_path / "cache")


ASK = """
import sys
from pathlib import Path
from robustdr.core.client import Client
from robustdr.encoding.served import Served
url, cache = sys.argv[1:]
Served(Client(url, "m", "", 3, 10.0), None, "dot", Path(cache), 2, 2, 3).encode([f"text {n}" for n in range(200)], "")
"""


def asking(server, cache):
    return subprocess.Popen([sys.executable, "-c", ASK, server.url, str(cache)], stderr=subprocess.DEVNULL)


def kept(cache):
    with sqlite3.connect(cache) as file:
        return file.execute("SELECT count(*) FROM vectors").fetchone()[0] if cache.exists() else 0


def test_what_was_given_before_a_kill_is_not_asked_for_again(tmp_path):
    cache = tmp_path / "cache"
    with serve(delay=0.02) as server:
        with asking(server, cache) as process:
            ends = time.monotonic() + 60
            while len(server.given) < 40:
                assert time.monotonic() < ends
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
        before, asked = kept(cache), len(server.given)
        assert asked - 8 <= before <= asked < 200  # but for what was on its way
        with asking(server, cache) as process:
            assert process.wait() == 0
        assert len(server.given) == asked + 200 - before


def test_two_processes_ask_for_a_text_once(tmp_path):
    with serve(delay=0.01) as server:
        with asking(server, tmp_path / "cache") as one, asking(server, tmp_path / "cache") as other:
            assert one.wait() == other.wait() == 0
        assert len(server.given) == 200
