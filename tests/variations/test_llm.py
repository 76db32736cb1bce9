"""The LLM generator against a real HTTP server on the loopback: cache, retries, malformed answers, errors."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from robustdr import variations
from robustdr.errors import UserError
from robustdr.variations import llm

QUERIES = [(str(qid), f"what is number {qid}") for qid in range(12)]


class Server(ThreadingHTTPServer):
    """Answers every query with five numbered versions, or as `script` (states or texts, used up first) says.

    With `pair`, a barrier of two, no request is answered before another one has come beside it.
    """

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.script, self.lock = [], [], threading.Lock()
        self.at_once = self.most_at_once = 0
        self.pair = None


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append((self.path, self.headers.get("Authorization"), body))
            answer = server.script.pop(0) if server.script else None
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        if server.pair:
            server.pair.wait(30)
        query = body["messages"][0]["content"].rpartition("Query: ")[2]
        if isinstance(answer, int):
            self.send_error(answer)
        else:
            text = answer or "\n".join(f'{number}. "version {number} of {query}"' for number in range(1, 6))
            data = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        with server.lock:
            server.at_once -= 1

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    made = Server()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture
def create(server, tmp_path):
    def make(**parameters):
        common = {
            "base_url": f"http://127.0.0.1:{server.server_port}/v1",
            "cache": str(tmp_path / "kept" / "llm.jsonl"),
        }
        return variations.create("llm", common | {"pause": 0.01, "attempts": 3} | parameters)

    return make


def test_a_version_of_every_query_in_order(create, server, monkeypatch):
    monkeypatch.setenv("SECRET", "s3cret")
    server.pair = threading.Barrier(2)
    found = list(create(version=2, key="SECRET", model="some-model", temperature=0.5).vary(QUERIES, 1))
    assert found == [(qid, f"version 2 of {text}") for qid, text in QUERIES]
    path, authorization, body = server.requests[0]
    assert (path, authorization) == ("/v1/chat/completions", "Bearer s3cret")
    assert (body["model"], body["temperature"]) == ("some-model", 0.5)
    assert body["messages"][0]["content"].startswith(
        "Paraphrase the following query and provide 5 different versions that convey the same meaning."
    )
    assert not server.pair.broken and server.most_at_once <= 8


def test_a_second_run_asks_nothing(create, server):
    first = list(create(version=1).vary(QUERIES, 1))
    count = len(server.requests)
    assert count == len(QUERIES)
    assert list(create(version=1).vary(reversed(QUERIES), 9)) == first[::-1]
    drawn = {text.split()[1] for _, text in create().vary(QUERIES, 1)}
    assert len(server.requests) == count and len(drawn) > 1
    list(create(model="other").vary(QUERIES[:1], 1))
    list(create(temperature=0.0).vary(QUERIES[:1], 1))
    assert len(server.requests) == count + 2


def test_the_server_and_the_pace_do_not_change_the_choice(create):
    assert list(create().vary(QUERIES, 1)) == list(create(concurrency=1, attempts=5, key="OTHER").vary(QUERIES, 1))


def test_passing_failures_are_repeated_and_malformed_answers_too(create, server):
    server.script = [503, 429, "I cannot do that.", "1. one\n2. one\n3. one\n4. one\n5. one"]
    variation = create(version=5, concurrency=1)
    assert list(variation.vary(QUERIES[:1], 1)) == [("0", "version 5 of what is number 0")]
    assert len(server.requests) == 5 and variation.problems == []


def test_answers_that_stay_malformed_are_reported(create, server):
    server.script = ["no", "no", "no"]
    variation = create(version=3, concurrency=1)
    found = dict(variation.vary(QUERIES[:2], 1))
    assert found == {"0": "what is number 0", "1": "version 3 of what is number 1"}
    assert variation.problems == ["0: no answer with 5 versions in 3 attempts"]


def test_an_interrupted_run_goes_on(create, server, tmp_path):
    server.script = [None, None, None, 401]
    variation = create(version=1, concurrency=1)
    with pytest.raises(UserError, match=r"refuses model 'gpt-3\.5-turbo': HTTP 401"):
        list(variation.vary(QUERIES, 1))
    kept = (tmp_path / "kept" / "llm.jsonl").read_text()
    done = kept.count("\n")
    assert 3 <= done < len(QUERIES)
    (tmp_path / "kept" / "llm.jsonl").write_text(kept + '{"key": "cut o')
    before = len(server.requests)
    assert len(list(create(version=1, concurrency=1).vary(QUERIES, 1))) == len(QUERIES)
    assert len(server.requests) - before == len(QUERIES) - done


def test_a_server_that_is_not_there_is_one_line(tmp_path):
    parameters = {"base_url": "http://127.0.0.1:9/v1", "attempts": 2, "pause": 0.01, "cache": str(tmp_path / "c.jsonl")}
    with pytest.raises(UserError, match=r"http://127\.0\.0\.1:9/v1 does not answer \(.*refused.*, 2 attempts\)"):
        list(variations.create("llm", parameters).vary(QUERIES, 1))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('Sure!\n1. a\n2) b\n3: c\n4. "d"\n5. e\n\nHope this helps', ["a", "b", "c", "d", "e"]),
        ("- a\n- b\n- c\n- d\n- e", ["a", "b", "c", "d", "e"]),
        ("Version 1: a x\nVersion 2: b\nVersion 3: c\nVersion 4: d\nVersion 5: e", ["a x", "b", "c", "d", "e"]),
        ("a\nb\n\nc\nd\ne", ["a", "b", "c", "d", "e"]),
        ("1. a\n2. b\n3. c\n4. d", None),
        ("1. a\n2. a\n3. c\n4. d\n5. e", None),
        ("", None),
    ],
)
def test_parsing(answer, expected):
    assert llm.parse(answer) == expected
