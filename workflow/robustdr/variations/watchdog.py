"""Run a command until standard input ends, which it does when the process at its other end is gone, however it went.

Started by `robustdr.variations.server` as a script of the standard library alone.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

PATIENCE = 30.0  # seconds between the request to end and the end by force


def end(process: subprocess.Popen, how: signal.Signals) -> None:
    """Signal the command and all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, how)


def watch(process: subprocess.Popen) -> None:
    """End the command when standard input ends."""
    os.read(0, 1)  # nothing is ever written
    end(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    end(process, signal.SIGKILL)


if __name__ == "__main__":
    for sent in (signal.SIGTERM, signal.SIGINT):  # to all processes of a job: the one that is served decides
        signal.signal(sent, lambda *_: None)
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)
    threading.Thread(target=watch, args=(command,), daemon=True).start()
    status = command.wait()
    end(command, signal.SIGKILL)
    sys.exit(status)
