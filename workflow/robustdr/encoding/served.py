"""Encoders behind a server with OpenAI's embeddings API; vectors are kept on disk and never requested twice."""

import hashlib
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

import numpy as np

from robustdr.core.client import Client, GarbledError
from robustdr.core.errors import UserError
from robustdr.core.locks import exclusive_lock

if TYPE_CHECKING:
    import openai


class Vectors:
    """Vectors by text in an SQLite file, in single precision: none are kept in memory.

    Args:
        dependencies: what a text's vector depends on besides the text (a JSON value).
    """

    def __init__(self, path: Path, dependencies: Any):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self._of, self._lock = path, json.dumps(dependencies), Lock()
        with self._readable_errors():
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def find(self, texts: Iterable[str]) -> dict[str, np.ndarray]:
        """Return the known vectors of texts, [dimension] each."""
        vector_of = {}
        with self._readable_errors():
            for text in texts:
                row = self._file.execute("SELECT vector FROM vectors WHERE key = ?", [self._key(text)]).fetchone()
                if row:
                    vector_of[text] = np.frombuffer(row[0], np.float32)
        return vector_of

    def add(self, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Store the vectors of texts, [texts, dimension], on disk at once; safe to call from threads."""
        rows = [(self._key(text), vector.tobytes()) for text, vector in zip(texts, vectors, strict=True)]
        with self._lock, self._readable_errors():
            self._file.execute("BEGIN")
            self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            self._file.execute("COMMIT")

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self._of}\n{text}".encode()).digest()

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        """Turn an error of SQLite into a `UserError`."""
        try:
            yield
        except sqlite3.Error as error:
            raise UserError(
                f"cache: {self.path}: {error}; make room, or, if it is damaged or no file of vectors, delete it"
            ) from None


class Asked(TypedDict):
    """The fields of a request besides its texts."""

    model: str
    dimensions: NotRequired[int]


class Served:
    """An encoder behind a server.

    The server decides how much of a text it reads. The dot product of two vectors is their similarity; for the cosine,
    vectors are scaled to length 1 here.

    Args:
        client: of the server.
        dimension: the requested one; None: the server's.
        similarity: `cosine` or `dot`.
        cache: the file of `Vectors`.
        batch: texts per request. concurrency: requests at a time. attempts: until an answer is complete.
    """

    def __init__(
        self,
        client: Client,
        dimension: int | None,
        similarity: str,
        cache: Path,
        batch: int,
        concurrency: int,
        attempts: int,
    ):
        self._client, self._normalise = client, similarity == "cosine"
        self._asked = Asked(model=client.model, dimensions=dimension) if dimension else Asked(model=client.model)
        self._kept, self._width = Vectors(cache, [client.url, self._asked]), dimension
        self._batch, self._concurrency, self._attempts = batch, concurrency, attempts

    def encode(self, texts: Sequence[str], prompt: str) -> np.ndarray:
        """Return vectors of texts after a prompt, [texts, dimension], float32.

        Raises:
            UserError: the server refuses, does not answer, or does not give a vector for each text; received vectors
                are kept.
        """
        # Servers refuse an empty text.
        prompted = [f"{prompt}{text}" or " " for text in texts]
        distinct = list(dict.fromkeys(prompted))
        # Another process may request the same vectors for this file.
        with exclusive_lock(self._kept.path.with_name(f"{self._kept.path.name}.lock")):
            vector_of = self._kept.find(distinct)
            if missing := [text for text in distinct if text not in vector_of]:
                self._width = self._width or next((len(vector) for vector in vector_of.values()), None)
                self._ask(missing, len(distinct))
                vector_of |= self._kept.find(missing)
        vectors = np.stack([vector_of[text] for text in prompted])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if self._normalise else vectors

    def _ask(self, texts: list[str], total: int) -> None:
        characters = sum(map(len, texts))
        progress = f"{len(texts)} of {total} texts to ask of {self._client.model}, {characters:,} characters"
        print(progress, file=sys.stderr, flush=True)
        batches = (texts[start : start + self._batch] for start in range(0, len(texts), self._batch))
        try:
            with closing(self._client.ask_all(self._answer, batches, self._concurrency)) as answers:
                for _ in answers:
                    pass
        except UserError as error:
            stored = total - len(texts) + len(self._kept.find(texts))
            raise UserError(
                f"{error}; {stored} of {total} texts have vectors, kept in {self._kept.path}: correct this, "
                "and run again"
            ) from None

    def _answer(self, texts: Sequence[str]) -> None:
        """Ask for the vectors of a batch until each text has one, and store them."""
        for _ in range(self._attempts):
            try:
                self._kept.add(texts, self._client.request(lambda client: self._request_vectors(client, texts)))
                return
            except GarbledError as error:
                problem = error
        model = self._client.model
        raise UserError(f"{self._client.url}: {model} does not give vectors in {self._attempts} attempts: {problem}")

    def _request_vectors(self, client: "openai.OpenAI", texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of an answer, [texts, dimension], in the order of the texts."""
        answer = client.embeddings.create(input=list(texts), **self._asked).data
        if sorted(item.index for item in answer) != list(range(len(texts))):
            raise GarbledError(f"{len(answer)} vectors for {len(texts)} texts")
        numbers = [item.embedding for item in sorted(answer, key=lambda item: item.index)]
        if len(widths := {self._width or len(numbers[0]), *map(len, numbers)}) > 1:
            raise GarbledError(f"vectors of {' and '.join(map(str, sorted(widths)))} numbers")
        (self._width,) = widths
        vectors = np.array(numbers, np.float32)
        usable = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
        if not usable.all():
            raise GarbledError(f"the vector of {texts[int(usable.argmin())]!r} is not finite, or 0")
        return vectors
