"""Answers of a language model on disk: an answer that was paid for is kept even if the process is killed."""

import fcntl
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple


class Answer(NamedTuple):
    """The versions of a query, or the problem with the answer if it has none."""

    versions: tuple[str, ...] = ()
    problem: str = ""


class Answers(Mapping[str, Answer]):
    """Answers by key, one JSON object a line; the last line of a key counts, and an incomplete line is skipped.

    Threads, and processes on several hosts, may add to one file.
    """

    def __init__(self, path: Path):
        self._path, self._known = path, dict[str, Answer]()
        if path.exists():
            for line in path.read_bytes().splitlines():
                try:
                    record = json.loads(line)
                    self._known[record["key"]] = Answer(tuple(record["versions"]), record["problem"])
                except (ValueError, KeyError, TypeError):
                    continue

    def __getitem__(self, key: str) -> Answer:
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def add(self, key: str, answer: Answer) -> None:
        """Write `answer` under `key` to disk at once."""
        line = json.dumps({"key": key, **answer._asdict()}, ensure_ascii=False).encode()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if end := file.seek(0, 2):
                file.seek(end - 1)
                line = line if file.read(1) == b"\n" else b"\n" + line  # after a line that was cut off
            file.write(line + b"\n")
        self._known[key] = answer
