"""A server that speaks OpenAI's chat completions, and fails on purpose; also a program: `chat_server.py --port N`."""

import argparse
import hashlib
import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SERVED = "test-model"
KINDS = ("rate limit", "error", "dropped", "malformed", "empty", "no json", "slow")  # of failures


def versions(query):
    """The answer to a query: five numbered versions."""
    openings = ("could you tell me", "please say", "i want to know", "do you know", "can you explain")
    return "\n".join(f'{number}. "{opening} {query}"' for number, opening in enumerate(openings, 1))


class Server(ThreadingHTTPServer):
    """Answers after `delay` seconds with five versions, or as `script` says: a state, a text, a kind of
    failure, or `repeat`, which refuses with the key.

    Args:
        failing: share of the requests that fail, each kind alike, drawn from the query and how often it came.
        late: seconds that a slow answer takes.
        key: what it asks for, if not empty.
    """

    daemon_threads, request_queue_size, kinds = True, 512, KINDS

    def __init__(self, port=0, delay=0.0, failing=0.0, late=0.0, key=""):
        super().__init__(("127.0.0.1", port), Handler)
        self.delay, self.failing, self.late, self.key = delay, failing, late, key
        self.script, self.requests, self.good, self.failures = [], [], Counter(), Counter()
        self.came, self.at_once, self.most_at_once, self.lock = Counter(), 0, 0, threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def decide(self, query):
        """What becomes of a request."""
        with self.lock:
            self.came[query] += 1
            if self.script:
                return self.script.pop(0)
            number = int.from_bytes(hashlib.sha256(f"{self.came[query]} {query}".encode()).digest()[:8])
        share, kind = number / 2**64, self.kinds[number % len(self.kinds)]
        return kind if share < self.failing else None

    def count(self, change):
        """Requests that are asked at once, and the most of them so far."""
        with self.lock:
            self.at_once += change
            self.most_at_once = max(self.most_at_once, self.at_once)

    def handle_error(self, request, client_address):  # a client that was killed
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def do_GET(self):
        if self.path == "/requests":
            self.send(200, len(self.server.requests))
            return
        models = {"object": "list", "data": [{"id": SERVED, "object": "model", "created": 0, "owned_by": "tests"}]}
        self.send(200 if self.path == "/v1/models" else 404, models)

    def do_POST(self):
        server, body = self.server, json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append((self.path, self.headers.get("Authorization"), body))
        server.count(1)
        try:
            self.answer(server, body)
        finally:
            server.count(-1)

    def answer(self, server, body):
        assert self.path == "/v1/chat/completions" and body["messages"][0]["role"] == "user"
        if server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
            self.refuse(401, f"Incorrect API key provided: {self.headers.get('Authorization')}")
            return
        query = body["messages"][0]["content"].rpartition("Query: ")[2]
        time.sleep(server.delay)
        decided = server.decide(query)
        if decided in KINDS:
            server.failures[decided] += 1
        match decided:
            case None:
                self.complete(body, versions(query))
                with server.lock:
                    server.good[query] += 1
            case "malformed":
                self.complete(body, versions(query).rpartition("\n")[0])
            case "empty":
                self.complete(body, "")
            case str() if decided not in KINDS and decided != "repeat":
                self.complete(body, decided)
            case _:
                self.fail(server, decided)

    def fail(self, server, how):
        """Fail as any server may: with a state, or a kind of failure."""
        match how:
            case int():
                self.refuse(how, "no")
            case "rate limit":
                self.refuse(429, "slow down", ("Retry-After-Ms", "20"))
            case "error":
                self.refuse(503, "overloaded", ("Retry-After-Ms", "20"))
            case "dropped":
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"id": "chat')
                self.close_connection = True
            case "no json":
                self.send(200, b"{'choices':")
            case "slow":
                server.count(-1)  # the client gives it up before its end
                time.sleep(server.late)
                server.count(1)
                self.close_connection = True
            case "repeat":
                self.refuse(400, self.headers.get("Authorization"))

    def complete(self, body, text):
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
        kind = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": body["model"]}
        self.send(200, {**kind, "choices": [choice], "usage": usage})

    def refuse(self, status, message, *headers):
        self.send(status, {"error": {"message": message, "type": "error", "param": None, "code": None}}, *headers)

    def send(self, status, value, *headers):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for header in (("Content-Type", "application/json"), ("Content-Length", str(len(data))), *headers):
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    for name in ("delay", "failing", "late"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    served = Server(**vars(parser.parse_args()))
    print(f"listening at {served.url}", flush=True)
    served.serve_forever()
