"""Questions to a server that speaks OpenAI's chat completions, many at a time."""

import os
import re
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from robustdr.errors import UserError

Result = TypeVar("Result")


class UnansweredError(Exception):
    """A request failed in a way that may pass, in every attempt."""


class Chat:
    """A model behind a server.

    OpenAI's client repeats what may pass (no connection, a dropped one, no answer in time, HTTP 408, 409, 429 and 5xx),
    as long after as the server asks for, or after growing pauses.

    Args:
        key: a secret; errors never show it. Empty: none is asked for.
        attempts: for each request. timeout: seconds for each attempt.
        proxies: whether proxies of the environment stand between here and the server.
    """

    def __init__(
        self, url: str, model: str, temperature: float, key: str, attempts: int, timeout: float, proxies: bool
    ):
        import openai  # takes a second

        self._url, self._key, self._attempts = url, key, attempts
        self._asked: dict[str, Any] = {"model": model, "temperature": temperature}
        http = openai.DefaultHttpxClient(trust_env=proxies)
        self._client = openai.OpenAI(
            base_url=url, api_key=key or "none", timeout=timeout, max_retries=attempts - 1, http_client=http
        )

    def ask(self, prompt: str) -> str:
        """The answer; empty where the server sends no chat completion.

        Raises:
            UserError: the server refuses.
            UnansweredError: it cannot be reached, or could not answer in any attempt.
        """
        import openai

        messages: Any = [{"role": "user", "content": prompt}]
        try:
            completion = self._client.chat.completions.create(messages=messages, **self._asked)
            return completion.choices[0].message.content or ""
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            # What it says may repeat the key.
            raise UserError(f"{self._url} refuses the key (HTTP {error.status_code})") from None
        except openai.APIStatusError as error:
            said = f"HTTP {error.status_code}, {self._hidden(error.message)}"
            if error.status_code in (408, 409, 429) or error.status_code >= 500:
                raise UnansweredError(said) from None
            raise UserError(f"{self._url} refuses model {self._asked['model']!r}: {said}") from None
        except openai.APIConnectionError as error:
            raise UnansweredError(self._hidden(str(error.__cause__ or error))) from None
        except (openai.APIError, ValueError, AttributeError, LookupError, TypeError):
            return ""

    def ask_all(
        self, answer: Callable[[str], Result], texts: Iterable[str], concurrency: int
    ) -> Generator[Result, None, None]:
        """Yield `answer(text)`, which asks, for every text in any order, with `concurrency` requests at a time.

        A text that is unanswered comes again after the others, as long as any of them was answered meanwhile.

        Raises:
            UserError: none was, or what `answer` raises; nothing new is asked then, and what is on its way is awaited.
        """
        waiting, running, done = deque(texts), dict[Future[Result], tuple[str, int]](), 0
        with ThreadPoolExecutor(concurrency) as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < 2 * concurrency:
                        text = waiting.popleft()
                        running[pool.submit(answer, text)] = text, done
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        text, before = running.pop(future)
                        try:
                            yield future.result()
                            done += 1
                        except UnansweredError as error:
                            if done == before:
                                raise UserError(
                                    f"{self._url} does not answer ({error}, {self._attempts} attempts)"
                                ) from None
                            waiting.append(text)
            finally:
                pool.shutdown(cancel_futures=True)

    def _hidden(self, text: str) -> str:
        """A server's words in one line, without the key."""
        line = " ".join(text.split())[:300]
        return line.replace(self._key, "…") if self._key else line


def secret(variable: str) -> str:
    """The key that an environment variable holds; empty without a variable.

    Raises:
        UserError: the variable is not set, or `variable` is no name; then it may be the key, and is not printed.
    """
    if not variable:
        return ""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        raise UserError("key: the name of the environment variable that holds the key is expected, not the key itself")
    if not os.environ.get(variable):
        raise UserError(f"key: the environment variable {variable} is not set")
    return os.environ[variable]
