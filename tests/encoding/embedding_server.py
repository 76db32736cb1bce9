"""A server that speaks OpenAI's embeddings, and fails on purpose."""

import base64
import hashlib
import time

import numpy as np
from tests.variations import chat_server

WIDTH = 8
KINDS = ("rate limit", "error", "dropped", "no json", "fewer", "twice", "wide", "ragged", "nan", "zero", "slow")


def vectors(texts, width=WIDTH):
    """Vectors that the texts alone decide, [texts, width]."""
    digests = [np.frombuffer(hashlib.sha256(text.encode()).digest(), np.uint8)[:width] for text in texts]
    return (np.array(digests) - 127.5).astype(np.float32)


class Server(chat_server.Server):
    """Answers with the vectors that `embed` gives, in the form that is asked for, or as `script` says."""

    kinds = KINDS

    def __init__(self, embed=vectors, **how):
        super().__init__(**how)
        self.RequestHandlerClass, self.embed, self.given = Handler, embed, []


class Handler(chat_server.Handler):
    def answer(self, server, body):
        assert self.path == "/v1/embeddings"
        if server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
            self.refuse(401, f"Incorrect API key provided: {self.headers.get('Authorization')}")
            return
        texts = body["input"]
        time.sleep(server.delay)
        decided = server.decide("\n".join(texts))
        if decided in KINDS:
            server.failures[decided] += 1
        if decided is None:
            self.give(body, server.embed(texts))
            with server.lock:
                server.given += texts
        elif decided in ("fewer", "twice", "wide", "ragged", "nan", "zero"):
            self.give(body, *spoilt(decided, server.embed(texts)))
        else:
            self.fail(server, decided)

    def give(self, body, found, numbers=None):
        """Vectors, last first, as base64 where it is asked for; `numbers`: what each claims to be."""
        data = [
            {"object": "embedding", "index": number, "embedding": encoded(vector, body.get("encoding_format"))}
            for number, vector in zip(numbers or range(len(found)), found, strict=True)
        ]
        usage = {"prompt_tokens": 9, "total_tokens": 9}
        self.send(200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage})


def encoded(vector, form):
    vector = np.asarray(vector, np.float32)
    return base64.b64encode(vector.tobytes()).decode() if form == "base64" else vector.tolist()


def spoilt(how, found):
    """Vectors that are not what was asked for; and, perhaps, the numbers that they bear."""
    rows = [row.copy() for row in found]
    match how:
        case "fewer":
            return (rows[1:],)
        case "twice":
            return [*rows, rows[0]], [*range(len(rows)), 0]
        case "wide":
            return ([np.append(row, 1.0) for row in rows],)
        case "ragged":
            rows[0] = np.append(rows[0], 1.0)
        case "nan":
            rows[-1][2] = np.nan
        case "zero":
            rows[-1][:] = 0
    return (rows,)
