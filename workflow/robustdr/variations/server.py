"""Starts and stops a language model server on this machine."""

import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, build_opener

from robustdr.core.errors import UserError

WATCHDOG = Path(__file__).with_name("watchdog.py")
_OPENER = build_opener(ProxyHandler({}))  # no proxy: a cluster's proxy cannot reach this machine's loopback


def words(command: str, **values: str | int) -> list[str]:
    """The words of a command, with `{model}` and `{port}` filled in; no shell is used.

    Raises:
        UserError: the program does not exist, a quotation is not closed, or another name is in braces.
    """
    try:
        arguments = [word.format(**values) for word in shlex.split(command)]
    except (ValueError, LookupError) as error:
        raise UserError(f"server: {command!r} is not a command ({error}); it may use {{model}} and {{port}}") from None
    if not arguments or not shutil.which(arguments[0]):
        raise UserError(f"server: {command!r}: no such program; give its path, or install it")
    return arguments


def free_port(port: int) -> int:
    """`port`; if it is 0, a free port of the loopback.

    Raises:
        UserError: the port is in use.
    """
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            raise UserError(f"server: port {port} is not available ({error.strerror}); 0 takes a free port") from None
        return listener.getsockname()[1]


@contextmanager
def serving(command: str, model: str, port: int, wait: float, log: Path) -> Iterator[str]:
    """Start a server, wait until it answers, and yield its base URL; it stops when the block or this process ends.

    Args:
        command: starts the server, e.g. `vllm serve {model} --port {port}`.
        port: the server's port; 0: a free port.
        wait: seconds in which it must answer `GET /v1/models`.
        log: file to which its output is appended.

    Raises:
        UserError: the server cannot be started, ends, or does not answer in time.
    """
    started = words(command, model=model, port=(port := free_port(port)))
    url = f"http://127.0.0.1:{port}/v1"
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", str(WATCHDOG), *started], stdin=subprocess.PIPE, stdout=output, stderr=output
        )
    try:
        ends = time.monotonic() + wait
        while not _answers(f"{url}/models"):
            if process.poll() is not None:
                raise UserError(f"server: {command!r} ended with status {process.returncode}; {_end(log)}")
            if time.monotonic() > ends:
                raise UserError(f"server: {command!r} does not answer at {url} after {wait:g} s; {_end(log)}")
            time.sleep(0.1)
        yield url
    finally:
        assert process.stdin
        process.stdin.close()
        process.wait()


def _answers(url: str) -> bool:
    try:
        with _OPENER.open(url, timeout=5):
            return True
    except HTTPError:
        return True  # the server runs, e.g. it asks for a key
    except (URLError, OSError):
        return False


def _end(log: Path) -> str:
    """The last line of a log and its path, for error messages."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"it printed {last[:300]!r} ({log})" if last else f"it printed nothing ({log})"
