"""How close the LLM generator comes to OpenAI's bare client at the same concurrency: requests per second.

    python tests/benchmarks llm [QUERIES [CONCURRENCY]]

Both ask a server of their own, a process that answers after 100 ms, first always, then with a fifth of the requests
failing: rate limits, errors, dropped connections, malformed, empty and unreadable answers, and ones that come too late.
The bare client asks from as many threads, keeps nothing and reads nothing.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import openai

from benchmarks.common import report, timed
from robustdr import variations
from robustdr.variations.llm import PROMPT
from robustdr.variations.server import serving

SERVER = Path(__file__).parents[1] / "variations" / "chat_server.py"
ATTEMPTS, TIMEOUT = 8, 3.0


def ours(url: str, queries: list[str], concurrency: int, folder: Path) -> None:
    parameters = {"engine": "server", "base_url": url, "cache": str(folder / "answers.jsonl"), "timeout": TIMEOUT}
    made = variations.create("llm", parameters | {"concurrency": concurrency, "attempts": ATTEMPTS})
    made.fetch({str(qid): text for qid, text in enumerate(queries)})


def bare(url: str, queries: list[str], concurrency: int, folder: Path) -> None:
    client = openai.OpenAI(base_url=url, api_key="none", timeout=TIMEOUT, max_retries=ATTEMPTS - 1)

    def ask(text: str) -> None:
        with suppress(ValueError):  # what is no JSON
            message = {"role": "user", "content": PROMPT.format(text)}
            client.chat.completions.create(model="m", temperature=1.0, messages=[message])

    with ThreadPoolExecutor(concurrency) as pool:
        list(pool.map(ask, queries))


def rate(
    ask: Callable[[str, list[str], int, Path], None], failing: float, queries: list[str], concurrency: int
) -> float:
    """Requests per second that arrive at a server."""
    with tempfile.TemporaryDirectory() as folder:
        command = f"{sys.executable} {SERVER} --port {{port}} --delay 0.1 --late 4 --failing {failing}"
        with serving(command, "m", 0, 60, Path(folder) / "log") as url:
            seconds, _ = timed(lambda: ask(url, queries, concurrency, Path(folder)))
            with urlopen(url.removesuffix("v1") + "requests") as counted:
                requests = json.load(counted)
    print(
        f"{ask.__name__}, {failing:.0%} failing: {requests:,} requests in {seconds:.1f} s, {requests / seconds:.0f}/s"
    )
    return requests / seconds


def main(count: str = "2000", concurrency: str = "32") -> None:
    queries, at_once = [f"what is number {number}" for number in range(int(count))], int(concurrency)
    rate(ours, 0.0, queries[:1], at_once)  # WordNet and the client are loaded
    print(f"limit: {at_once / 0.1:.0f}/s")
    for failing in (0.0, 0.2):
        ratio = rate(bare, failing, queries, at_once) / rate(ours, failing, queries, at_once)
        report("llm", f"requests/s of the bare client / ours, {failing:.0%} failing", ratio)


if __name__ == "__main__":
    main(*sys.argv[1:])
