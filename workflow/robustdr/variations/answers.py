"""Answers of a language model on disk: each answer is kept at once, even if the process is killed."""

import fcntl
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple


class Answer(NamedTuple):
    """The versions of a query; or, if there are none, the problem with the answer."""

    versions: tuple[str, ...] = ()
    problem: str = ""


class Answers(Mapping[str, Answer]):
    """Answers by key, one JSON object per line; the last line of a key counts; incomplete lines are skipped.

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
        """Append `answer` with `key` to the file at once."""
        line = json.dumps({"key": key, **answer._asdict()}, ensure_ascii=False).encode()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if end := file.seek(0, 2):
                file.seek(end - 1)
                line = line if file.read(1) == b"\n" else b"\n" + line  # the last line is incomplete
            file.write(line + b"\n")
        self._known[key] = answer
