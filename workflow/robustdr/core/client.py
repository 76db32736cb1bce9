"""Requests to a server that speaks OpenAI's protocol, many at a time."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from robustdr.core.errors import UserError
from robustdr.core.network import LOOPBACK

if TYPE_CHECKING:
    import openai

Request = TypeVar("Request")
Result = TypeVar("Result")

PACKAGE = "openai==3.54.0"


class UnansweredError(Exception):
    """Every attempt of a request failed, for a reason that may pass."""


class GarbledError(Exception):
    """The answer is not what the request asked for; the message says why."""


class Client:
    """A model behind a server.

    OpenAI's client repeats requests that fail for a reason that may pass (no connection, a dropped one, no answer in
    time, HTTP 408, 409, 429 and 5xx). It waits as long as the server asks for, or in growing pauses.

    Args:
        key: a secret; errors never show it. '' if the server needs none.
        attempts: for each request. timeout: seconds for each attempt.
    """

    def __init__(self, url: str, model: str, key: str, attempts: int, timeout: float):
        import openai  # takes a second

        self.url, self.model, self._key, self._attempts = url, model, key, attempts
        # A proxy from the environment cannot reach this machine's loopback address.
        http = openai.DefaultHttpxClient(trust_env=urlsplit(url).hostname not in LOOPBACK)
        self._client = openai.OpenAI(
            base_url=url, api_key=key or "none", timeout=timeout, max_retries=attempts - 1, http_client=http
        )

    def request(self, call: "Callable[[openai.OpenAI], Result]") -> Result:
        """Return `call(client)` for OpenAI's client.

        Raises:
            UserError: the server refuses.
            UnansweredError: the server cannot be reached, or no attempt got an answer.
            GarbledError: the answer does not follow the protocol.
        """
        import openai

        try:
            return call(self._client)
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            # The server's message may repeat the key.
            raise UserError(f"{self.url} refuses the key (HTTP {error.status_code})") from None
        except openai.APIStatusError as error:
            reason = f"HTTP {error.status_code}, {self._hidden(error.message)}"
            if error.status_code in (408, 409, 429) or error.status_code >= 500:
                raise UnansweredError(reason) from None
            raise UserError(f"{self.url} refuses model {self.model!r}: {reason}") from None
        except openai.APIConnectionError as error:
            raise UnansweredError(self._hidden(str(error.__cause__ or error))) from None
        except (openai.APIError, ValueError, AttributeError, LookupError, TypeError) as error:
            raise GarbledError(f"no answer of the protocol ({type(error).__name__})") from None

    def ask_all(
        self, answer: Callable[[Request], Result], requests: Iterable[Request], concurrency: int
    ) -> Generator[Result, None, None]:
        """Yield `answer(request)` for each of `requests`, in any order; `concurrency` requests run at a time.

        An item without an answer is asked again after the others, if another item was answered meanwhile.

        Raises:
            UserError: no item was answered, or `answer` raises it; no new request starts then, and running ones end.
        """
        waiting, running, done = deque(requests), dict[Future[Result], tuple[Request, int]](), 0
        with ThreadPoolExecutor(concurrency) as pool:
            try:
                while waiting or running:
                    while waiting and len(running) < 2 * concurrency:
                        request = waiting.popleft()
                        running[pool.submit(answer, request)] = request, done
                    for future in wait(running, return_when=FIRST_COMPLETED).done:
                        request, before = running.pop(future)
                        try:
                            yield future.result()
                            done += 1
                        except UnansweredError as error:
                            if done == before:
                                raise UserError(
                                    f"{self.url} does not answer ({error}, {self._attempts} attempts)"
                                ) from None
                            waiting.append(request)
            finally:
                pool.shutdown(cancel_futures=True)

    def _hidden(self, text: str) -> str:
        """Return a server's message in one line, without the key."""
        line = " ".join(text.split())[:300]
        return line.replace(self._key, "…") if self._key else line
