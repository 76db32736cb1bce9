"""Run a command until standard input ends, i.e. until the process that writes to it ends for whatever reason.

`robustdr.variations.server` starts it as a script; it imports only the standard library.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading

PATIENCE = 30.0  # seconds between SIGTERM and SIGKILL


def end(process: subprocess.Popen, signal_to_send: signal.Signals) -> None:
    """Signal the command and all processes of its group."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal_to_send)


def watch(process: subprocess.Popen) -> None:
    """End the command when standard input ends."""
    os.read(0, 1)  # returns when the input ends: nothing is ever written
    end(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    end(process, signal.SIGKILL)


if __name__ == "__main__":
    for sent in (signal.SIGTERM, signal.SIGINT):  # sent to all processes of a job: ignored, the parent decides
        signal.signal(sent, lambda *_: None)
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True)
    threading.Thread(target=watch, args=(command,), daemon=True).start()
    status = command.wait()
    end(command, signal.SIGKILL)
    sys.exit(status)
