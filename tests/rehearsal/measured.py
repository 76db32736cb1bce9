"""What a command takes, with everything that it starts."""

import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

INTERVAL = 0.2  # seconds between two looks at the processes


class Cost(NamedTuple):
    """Seconds on the clock and of the processor; of the largest process bytes in memory, and those that are no file's.

    Pages of memory-mapped files are among the first: the system gives them back when memory is short.
    """

    seconds: float
    processor: float
    resident: int
    own: int


def measured(command: list[str], folder: Path) -> Cost:
    """Run a command in a folder; what it prints goes to the end of log.txt there.

    Raises:
        SystemExit: it failed; the last it printed.
    """
    started, own = time.perf_counter(), 0
    with open(folder / "log.txt", "ab") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        with suppress(psutil.NoSuchProcess):
            first = psutil.Process(process.pid)
            taken = [part.memory_info() for part in (first, *first.children(recursive=True))]
            own = max(own, *(of.rss - of.shared for of in taken))
        time.sleep(INTERVAL)
    _, status, usage = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}\n{(folder / 'log.txt').read_text()[-3000:]}")
    spent = usage.ru_utime + usage.ru_stime
    return Cost(time.perf_counter() - started, spent, 1024 * usage.ru_maxrss, own)
