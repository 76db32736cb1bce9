"""Variations written by a large language model behind an OpenAI-compatible server."""

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from robustdr.errors import UserError
from robustdr.variations.base import Variation, in_range

COUNT = 5
# intent, section 4.1, the example instruction.
PROMPT = (
    "Paraphrase the following query and provide 5 different versions that convey the same meaning. "
    "Make sure each version is grammatically correct and clearly written.\n\nQuery: {}"
)
_NUMBERED = re.compile(r"^\s*(?:(?:version|paraphrase)\s*)?(?:\d+\s*[.):]|[-*•])\s*(.+?)\s*$", re.IGNORECASE)
_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504}  # HTTP states that may pass


def parse(answer: str) -> list[str] | None:
    """The five versions in an answer: its numbered or dashed lines, or else its lines; None unless five differ."""
    lines = [line for line in answer.splitlines() if line.strip()]
    numbered = [match[1] for line in lines if (match := _NUMBERED.match(line))]
    found = [" ".join(line.split()).strip("\"“”'* ") for line in numbered or lines]
    return found if len(found) == COUNT and all(found) and len(set(found)) == COUNT else None


def _no_effect(default: Any) -> Any:
    """A parameter that says how, not what."""
    return field(default=default, metadata={"effect": False})


@dataclass(frozen=True)
class Llm(Variation):
    """intent, section 4.1: five paraphrases of the query by a large language model, of which this is one.

    `version` is 1 to 5, or 0 for one drawn per query (intent, section 4.4: four train, a random one attacks). The
    server at `base_url` speaks OpenAI's chat completions; its key is read from the environment variable `key`, if set.
    Answers are kept in `cache` (JSON lines) by model, temperature, prompt and query, so that nothing is asked twice,
    also after an interruption. Failed requests are repeated with growing pauses, malformed answers at once; a query
    whose answers stay malformed keeps its text and is reported.
    """

    name = "llm"
    category = "paraphrasing"
    papers = ("intent",)
    needs = "an OpenAI-compatible server"
    processes = False

    model: str = "gpt-3.5-turbo"
    temperature: float = 1.0
    version: int = 0
    base_url: str = _no_effect("http://localhost:8000/v1")
    key: str = _no_effect("OPENAI_API_KEY")
    cache: str = _no_effect("llm-variations.jsonl")
    concurrency: int = _no_effect(8)
    attempts: int = _no_effect(5)
    pause: float = _no_effect(1.0)
    timeout: float = _no_effect(60.0)
    failed: list[str] = field(default_factory=list, init=False, compare=False)

    def __post_init__(self) -> None:
        in_range(self, "version", 0, COUNT)
        in_range(self, "temperature", 0.0, 2.0)
        in_range(self, "concurrency", 1, 256)
        in_range(self, "attempts", 1, 100)
        if not self.base_url.startswith(("http://", "https://")):
            raise UserError(f"variation llm: base_url is {self.base_url!r}; it must begin with http:// or https://")

    @property
    def resource(self) -> str:
        return f"{self.model}, temperature {self.temperature}"

    @property
    def problems(self) -> list[str]:
        return self.failed

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        draws, remaining, cache = self.draws(seed), iter(queries), Cache(Path(self.cache))
        with ThreadPoolExecutor(self.concurrency) as pool:
            while batch := list(islice(remaining, 8 * self.concurrency)):
                texts = dict.fromkeys(text for _, text in batch)
                versions = dict(zip(texts, pool.map(lambda text: self.versions(text, cache), texts), strict=True))
                for qid, text in batch:
                    five = versions[text]
                    if five is None:
                        self.failed.append(f"{qid}: no answer with {COUNT} versions in {self.attempts} attempts")
                        yield qid, text
                    else:
                        yield qid, five[self.version - 1] if self.version else draws(qid, text).choice(five)

    def versions(self, text: str, cache: "Cache") -> list[str] | None:
        """The five versions of a query, from `cache` or the server; None when every answer was malformed.

        Raises:
            UserError: the server cannot be reached, or refuses.
        """
        key = hashlib.sha256(json.dumps([self.model, self.temperature, PROMPT, text]).encode()).hexdigest()
        if (known := cache.get(key)) is not None:
            return known
        for _ in range(self.attempts):
            if (five := parse(self._ask(text))) is not None:
                cache.add(key, five)
                return five
        return None

    def _ask(self, text: str) -> str:
        """The server's answer; requests that fail in passing are repeated."""
        message = {"role": "user", "content": PROMPT.format(text)}
        body = json.dumps({"model": self.model, "temperature": self.temperature, "messages": [message]}).encode()
        headers = {"Content-Type": "application/json"}
        if secret := os.environ.get(self.key):
            headers["Authorization"] = f"Bearer {secret}"
        request = Request(f"{self.base_url.rstrip('/')}/chat/completions", body, headers)
        problem = ""
        for attempt in range(self.attempts):
            if attempt:
                time.sleep(min(self.pause * 2 ** (attempt - 1), 60.0))
            try:
                with urlopen(request, timeout=self.timeout) as response:
                    return json.load(response)["choices"][0]["message"]["content"] or ""
            except HTTPError as error:
                problem = f"HTTP {error.code} {error.reason}"
                if error.code not in _AGAIN:
                    raise UserError(f"variation llm: {self.base_url} refuses model {self.model!r}: {problem}") from None
            except (URLError, OSError) as error:
                problem = str(getattr(error, "reason", error))
            except (ValueError, KeyError, IndexError, TypeError):
                return ""  # no answer that can be read: malformed
        raise UserError(
            f"variation llm: {self.base_url} does not answer ({problem}, {self.attempts} attempts); what was answered "
            f"is kept in {self.cache}: start the server, or set base_url, and run again"
        )


class Cache:
    """Answers on disk, one JSON object a line; a line cut off by an interruption is passed over."""

    def __init__(self, path: Path):
        self._path, self._lock, self._known = path, Lock(), dict[str, list[str]]()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    record = json.loads(line)
                    self._known[record["key"]] = record["versions"]
                except (ValueError, KeyError, TypeError):
                    continue

    def get(self, key: str) -> list[str] | None:
        """The versions under `key`, or None."""
        return self._known.get(key)

    def add(self, key: str, versions: list[str]) -> None:
        """Keep `versions` under `key`, at once on disk."""
        line = json.dumps({"key": key, "versions": versions}, ensure_ascii=False)
        with self._lock, open(self._path, "a", encoding="utf-8") as file:
            self._known[key] = versions
            file.write(line + "\n")
