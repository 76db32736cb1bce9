"""A server that is started for the stage: it answers, it is stopped whatever happens, what is wrong is one error."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.variations.server import serving

SCRIPT = Path(__file__).with_name("chat_server.py")
COMMAND = f"{shlex.quote(sys.executable)} {shlex.quote(str(SCRIPT))} --port {{port}}"


def processes(port):
    """The servers that were started at a port."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if f"--port {port}" in " ".join(process.info["cmdline"] or [])
    ]


def gone(port):
    ends = time.monotonic() + 60
    while processes(port):
        assert time.monotonic() < ends, "the server is still there"
        time.sleep(0.05)
    return True


@pytest.fixture
def port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def test_a_server_runs_for_as_long_as_it_is_asked(tmp_path, port, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    cache = tmp_path / "llm.jsonl"
    parameters = {"engine": "server", "server": COMMAND, "port": port, "cache": str(cache), "server_wait": 120.0}
    made = variations.create("llm", parameters)
    made.ready({"1": "what is it", "2": "who is it"})
    assert gone(port) and dict(made.vary([("2", "who is it")], 1))["2"].endswith("who is it")
    assert f"listening at http://127.0.0.1:{port}/v1" in Path(f"{cache}.server.log").read_text()
    made.ready({"1": "what is it"})  # nothing to ask, nothing to start
    assert Path(f"{cache}.server.log").read_text().count("listening") == 1


def test_it_is_stopped_where_something_fails(tmp_path, port):
    with pytest.raises(RuntimeError), serving(COMMAND, "m", port, 120, tmp_path / "log") as url:
        assert json.load(urlopen(f"{url}/models"))["data"] and processes(port)
        raise RuntimeError
    assert gone(port)


# A process that a shell starts in the background is told to ignore an interrupt, and so are those that it starts.
HOLD = """
import signal, sys, time
from pathlib import Path
from robustdr.variations.server import serving
signal.signal(signal.SIGINT, signal.default_int_handler)
with serving(sys.argv[1], "m", int(sys.argv[2]), 120, Path(sys.argv[3])):
    print("up", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_is_stopped_where_the_process_is_killed(tmp_path, port, environment, how):
    command = [sys.executable, "-c", HOLD, COMMAND, str(port), str(tmp_path / "log")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        assert process.stdout.readline() == b"up\n"
        os.kill(process.pid, how)
    assert gone(port)


def test_what_a_server_started_ends_with_it(tmp_path, port):
    """A shell that waits for the server, as launchers do."""
    with serving(f"sh -c {shlex.quote(COMMAND + '; true')}", "m", port, 120, tmp_path / "log"):
        assert len(processes(port)) > 1
    assert gone(port)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program {port}", "server: 'no-such-program {port}': no such program"),
        ("sh -c '{size}'", r"is not a command \('size'\); it may use \{model\} and \{port\}"),
        ("sh -c 'echo", r"is not a command \(No closing quotation\)"),
        (
            "sh -c 'echo no GPU found for {model}; exit 3'",
            r"ended with status 3; it printed 'no GPU found for m' \(.*log\)",
        ),
        ("sleep 60", r"does not answer at http://127\.0\.0\.1:\d+/v1 after 0\.5 s; it printed nothing"),
    ],
)
def test_a_server_that_does_not_come_up_is_one_error(tmp_path, command, message):
    start = time.monotonic()
    with (
        pytest.raises(UserError, match=message),
        serving(command, "m", 0, 0.5 if "sleep" in command else 60, tmp_path / "log"),
    ):
        pass
    assert time.monotonic() - start < 50


def test_a_port_that_is_taken_is_one_error(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(UserError, match=f"port {port} is not available"),
            serving(COMMAND, "m", port, 9, tmp_path / "l"),
        ):
            pass
