"""Variations by a large language model on an OpenAI-compatible server, or by rules as its stand-in."""

import fcntl
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from robustdr.core.checks import prefixed_errors
from robustdr.core.client import PACKAGE, Client, GarbledError
from robustdr.core.errors import UserError
from robustdr.core.secrets import check_url, secret
from robustdr.core.words import folded
from robustdr.variations import lexicon
from robustdr.variations.base import WORD, Draws, Variation, in_range, one_of, require
from robustdr.variations.morphology import INFLECTIONS
from robustdr.variations.rewordings import COUNT, rewordings
from robustdr.variations.server import serving

# intent, section 4.1, the example instruction.
PROMPT = (
    "Paraphrase the following query and provide 5 different versions that convey the same meaning. "
    "Make sure each version is grammatically correct and clearly written.\n\nQuery: {}"
)
_NUMBERED = re.compile(r"^\s*(?:(?:version|paraphrase)\s*)?(?:\d+\s*[.):]|[-*•])\s*(.+?)\s*$", re.IGNORECASE)
_CHARACTERS = 4  # characters per token of English, about
_LENGTHENED = 1.5  # length of a version relative to its query, about (intent, Table 3)


class MalformedError(ValueError):
    """The answer does not have five versions of the query."""


def parse(answer: str) -> tuple[str, ...]:
    """The five versions in an answer: its numbered or dashed lines; if there are none, all its lines.

    Raises:
        MalformedError: there are not exactly five, two are equal, or they are not English.
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    numbered = [match[1] for line in lines if (match := _NUMBERED.match(line))]
    versions = tuple(" ".join(line.split()).strip("\"“”'* ") for line in numbered or lines)
    if len(versions) != COUNT or not all(versions):
        raise MalformedError(f"{len(versions)} versions in {answer[:100]!r}" if lines else "an empty answer")
    if len(set(versions)) < COUNT:
        raise MalformedError(f"two equal versions in {answer[:100]!r}")
    if not _english(" ".join(versions)):
        raise MalformedError(f"another language than English: {answer[:100]!r}")
    return versions


def _english(text: str) -> bool:
    """Whether at least half of the words are English function words or forms of words in WordNet."""
    words = [folded(word[0]) for word in WORD.finditer(text)]
    return 2 * sum(word in lexicon.stopwords() or bool(lexicon.lemmas(word)) for word in words) >= len(words)


class Answer(NamedTuple):
    """The versions of a query; or, if there are none, the problem with the answer."""

    versions: tuple[str, ...] = ()
    problem: str = ""


class Answers(Mapping[str, Answer]):
    """Answers by key on disk, one JSON object per line; the last line of a key counts; incomplete lines are skipped.

    Each answer is kept at once, even if the process is killed. Threads, and processes on several hosts, may add to one
    file.
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


class Chat(Client):
    """A language model on a server, asked with a sampling temperature; for the other arguments see `Client`."""

    def __init__(self, url: str, model: str, temperature: float, key: str, attempts: int, timeout: float):
        super().__init__(url, model, key, attempts, timeout)
        self._temperature = temperature

    def ask(self, prompt: str) -> str:
        """The answer; empty if the server sends no chat completion.

        Raises:
            UserError, UnansweredError: see `Client.request`.
        """
        messages: Any = [{"role": "user", "content": prompt}]
        try:
            return self.request(
                lambda client: (
                    client.chat.completions.create(model=self.model, messages=messages, temperature=self._temperature)
                    .choices[0]
                    .message.content
                    or ""
                )
            )
        except GarbledError:
            return ""


def _no_effect(default: Any) -> Any:
    """A dataclass field for a parameter that does not decide texts."""
    return field(default=default, metadata={"effect": False})


@dataclass(frozen=True)
class Llm(Variation):
    """intent, sections 4.1 and 4.4: five versions of a query by a language model; one to evaluate on, four to train on.

    The version for evaluation is drawn for each query: `version` 0; 1 to 4 are the others, in the order of the answer.
    `engine: server` asks `model` at `base_url` with OpenAI's chat completions. With `server`, a command such as
    `vllm serve {model} --port {port}`, it starts and asks this server instead. It asks once for all versions and
    queries and keeps answers in `cache` by model, temperature, prompt and query. A malformed answer is asked for again,
    `attempts` times in all. A query without answer keeps its text; at most the share `unanswered` may. The environment
    variable `key` holds the server's key. Prices are per million tokens. `engine: rules` is the stand-in.

    A growing `cache` decides texts, but the artifact's key ignores it, since the key would change with every answer. If
    the cache is `complete`, e.g. a released one, the key covers its contents, and no server is asked.
    """

    name = "llm"
    listed = 35
    category = "paraphrasing"
    papers = ("intent",)
    needs = "an OpenAI-compatible server (stand-in: WordNet 3.0 and inflections)"
    packages = (lexicon.WORDNET, lexicon.STOPWORDS, INFLECTIONS)
    processes = False
    versions: ClassVar[int] = COUNT

    version: int = 0
    engine: str = "rules"
    model: str = "gpt-3.5-turbo"
    temperature: float = 1.0
    base_url: str = _no_effect("http://localhost:8000/v1")
    key: str = _no_effect("")
    cache: str = _no_effect("llm-variations.jsonl")
    concurrency: int = _no_effect(8)
    attempts: int = 5
    timeout: float = _no_effect(60.0)
    unanswered: float = 0.01
    complete: bool = False
    price_in: float = _no_effect(0.0)
    price_out: float = _no_effect(0.0)
    server: str = _no_effect("")
    port: int = _no_effect(0)
    server_wait: float = _no_effect(900.0)
    failed: list[str] = field(default_factory=list, init=False, compare=False)

    def __post_init__(self) -> None:
        one_of(self, "engine", ("rules", "server"))
        in_range(self, "version", 0, COUNT - 1)
        in_range(self, "temperature", 0.0, 2.0)
        in_range(self, "concurrency", 1, 256)
        in_range(self, "attempts", 1, 100)
        in_range(self, "timeout", 0.001, 86400.0)
        in_range(self, "unanswered", 0.0, 1.0)
        in_range(self, "port", 0, 65535)
        with prefixed_errors("variation llm: base_url"):
            check_url(self.base_url)
        if not self.base_url.startswith(("http://", "https://")):
            raise UserError(f"variation llm: base_url is {self.base_url!r}; it must begin with http:// or https://")

    def check(self) -> None:
        super().check()
        if self.engine == "server":
            require(PACKAGE, self.name)

    @property
    def files(self) -> list[Path]:
        return [Path(self.cache)] if self.complete else []

    @property
    def resource(self) -> str:
        if self.engine == "rules":
            return "stand-in: rules that frame, reword and reorder a question, no model"
        return f"{self.model}, temperature {self.temperature}"

    @property
    def problems(self) -> list[str]:
        return self.failed

    @cached_property
    def answers(self) -> Answers:
        """The answers so far, by key."""
        return Answers(Path(self.cache))

    @property
    def fetches(self) -> bool:
        return self.engine == "server" and not self.server and not self.complete

    def fetch(self, queries: Mapping[str, str]) -> None:
        if self.fetches:
            self._complete(queries)

    def ready(self, queries: Mapping[str, str]) -> None:
        """Ask the server that is started here; check that all queries have answers if they were to be there."""
        if self.engine == "rules":
            return
        if self.server and not self.complete:
            self._complete(queries)
            return
        texts = list(dict.fromkeys(queries.values()))
        if unasked := [text for text in texts if self._key(text) not in self.answers]:
            mend = "remove `complete` to ask the model" if self.complete else "they are fetched first"
            raise UserError(
                f"variation llm: {'complete: ' * self.complete}{self.cache} has no answer for {len(unasked)} of "
                f"{len(texts)} queries, e.g. {unasked[0]!r}; {mend}"
            )

    def _complete(self, queries: Mapping[str, str]) -> None:
        """Ask for the versions of the queries that have no answer yet.

        Raises:
            UserError: the key is not there, the server refuses or does not answer; answers that came are kept.
        """
        texts = list(dict.fromkeys(queries.values()))
        missing = [text for text in texts if not self._has_versions(text)]
        if not missing:
            return
        try:
            key = secret(self.key)
            self._estimate(missing, len(texts))
            server_log = Path(f"{self.cache}.server.log")
            served = (
                serving(self.server, self.model, self.port, self.server_wait, server_log)
                if self.server
                else nullcontext(self.base_url)
            )
            with served as url:
                chat = Chat(url, self.model, self.temperature, key, self.attempts, self.timeout)
                self._ask(chat, missing, self.unanswered * len(texts))
        except UserError as error:
            answered = sum(map(self._has_versions, texts))
            raise UserError(
                f"variation llm: {error}; {answered} of {len(texts)} queries have answers, kept in {self.cache}: "
                "correct this and run again"
            ) from None

    def vary(self, queries: Iterable[tuple[str, str]], seed: int) -> Iterator[tuple[str, str]]:
        draws = self.draws(seed)
        for qid, text in queries:
            five, problem = self._five(text, draws)
            if problem:
                self.failed.append(f"{qid}: {problem}")
                yield qid, text
            else:
                attacking = self._attacking(qid, text, draws)
                yield qid, [five[attacking], *five[:attacking], *five[attacking + 1 :]][self.version]

    def split(self, queries: Mapping[str, str], seed: int) -> dict[str, int]:
        draws = self.draws(seed)
        having = ((qid, text) for qid, text in queries.items() if self._five(text, draws).versions)
        return {qid: self._attacking(qid, text, draws) + 1 for qid, text in having}

    def draws(self, seed: int) -> Draws:
        """The random choices for each query; they are the same for all versions and ways to ask a model."""
        request = {"engine": self.engine, "model": self.model, "temperature": self.temperature}
        return Draws(seed, self.name, request | {"version": 0})

    @staticmethod
    def _attacking(qid: str, text: str, draws: Draws) -> int:
        return draws(qid, text).integer_below(COUNT)

    def _five(self, text: str, draws: Draws) -> Answer:
        if self.engine == "rules":
            return Answer(tuple(rewordings(text, draws("", text)))) if WORD.search(text) else Answer(problem="no word")
        if (key := self._key(text)) not in self.answers:
            raise UserError(f"variation llm: {text!r} was not asked; `ready` comes before `vary`")
        return self.answers[key]

    def _key(self, text: str) -> str:
        return hashlib.sha256(json.dumps([self.model, self.temperature, PROMPT, text]).encode()).hexdigest()

    def _has_versions(self, text: str) -> bool:
        return bool(self.answers.get(self._key(text), Answer()).versions)

    def _ask(self, chat: Chat, texts: list[str], limit: float) -> None:
        """Ask for the versions of all `texts`; raise a `UserError` if more than `limit` of them have none."""
        _english("load")  # loads WordNet once, before the threads start
        unanswered = 0
        with closing(chat.ask_all(partial(self._answer, chat), texts, self.concurrency)) as answers:
            for answer in answers:
                unanswered += not answer.versions
                if unanswered > limit:
                    raise UserError(
                        f"{self.model} does not write {COUNT} versions of a query in {self.attempts} attempts "
                        f"({unanswered} so far, unanswered: {self.unanswered}): {answer.problem}"
                    )

    def _answer(self, chat: Chat, text: str) -> Answer:
        """Ask for the versions of a query, at most `attempts` times until they are valid; keep the last answer."""
        for _ in range(self.attempts):
            try:
                answer = Answer(parse(chat.ask(PROMPT.format(text))))
                break
            except MalformedError as error:
                answer = Answer(problem=str(error))
        self.answers.add(self._key(text), answer)
        return answer

    def _estimate(self, missing: list[str], queries: int) -> None:
        """Print the number of requests and an estimate of their cost."""
        characters = sum(map(len, missing))
        tokens_in = (len(missing) * len(PROMPT) + characters) // _CHARACTERS
        tokens_out = int(COUNT * (len(missing) * _CHARACTERS + _LENGTHENED * characters)) // _CHARACTERS
        cost = (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6
        priced = f", {cost:.2f} at prices of {self.price_in:g} and {self.price_out:g} per million" if cost else ""
        print(
            f"llm: {len(missing)} of {queries} queries to ask of {self.model}: about {tokens_in:,} tokens in and "
            f"{tokens_out:,} out{priced}",
            file=sys.stderr,
            flush=True,
        )
