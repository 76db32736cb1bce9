"""Ctrl-C and SIGTERM end a command and all processes that it started, within a second or two, with one line."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path
from types import FrameType

ENDING = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP"}
GRACE = 1.0  # seconds for the code that runs to remove its temporary files
PROCESSES = Path("/proc")  # Linux
DIES_WITH_PARENT, ADOPTS_ORPHANS = 1, 36  # options of Linux's prctl


class Ended(BaseException):
    """A signal asked this process to end."""


def _end(number: int, frame: FrameType | None) -> None:
    raise Ended(number)


@contextmanager
def ends_on_signals(hint: str) -> Iterator[None]:
    """End this process and all its descendants when a signal of `ENDING` comes, with one line that ends in `hint`.

    The handler raises `Ended`, so that the code that runs cleans up. If it does not end within `GRACE`, because it is
    in a library, a thread ends the process: the interpreter writes the number of a signal to a pipe at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _control(ADOPTS_ORPHANS, 1)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    earlier = {number: signal.getsignal(number) for number in ENDING}
    for number in ENDING:
        if earlier[number] is not signal.SIG_IGN:  # `nohup` ignores SIGHUP
            signal.signal(number, _end)
    wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reader, hint), daemon=True).start()
    try:
        yield
    except Ended as ended:
        _leave(ended.args[0], hint)
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in earlier.items():
            signal.signal(number, handler)
        os.close(writer)
        _control(ADOPTS_ORPHANS, 0)


def _watch(reader: int, hint: str) -> None:
    """End the process a moment after the first signal, or this thread when the pipe is closed."""
    with open(reader, "rb", buffering=0) as pipe:
        while number := pipe.read(1):
            if number[0] in ENDING:
                time.sleep(GRACE)
                _leave(number[0], hint)


_leaving = threading.Lock()


def _leave(number: int, hint: str) -> None:
    """End all descendants and this process; the exit status is that of a command that the signal ended."""
    with _leaving:  # held for ever: only one thread gets here
        until = time.monotonic() + GRACE
        while (children := descendants(os.getpid())) and time.monotonic() < until:
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.01)
        line = f"robustdr: ended by {ENDING[signal.Signals(number)]}; {hint}"
        with suppress(OSError):
            clear = "\r\033[K" if sys.__stderr__ and sys.__stderr__.isatty() else ""
            os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"{clear}{line}\n".encode())
        os._exit(128 + number)


def descendants(process: int) -> list[int]:
    """The numbers of all processes that a process started, and that these started, without those that have ended."""
    parents = dict(_parents())
    found, new = [], [process]
    while new:
        new = [child for child, parent in parents.items() if parent in new]
        found += new
    return found


def _parents() -> Iterator[tuple[int, int]]:
    """Yield (process, its parent) of all that have not ended."""
    if not PROCESSES.is_dir():
        listing = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,stat=,comm="], capture_output=True, text=True, check=False
        )
        for line in listing.stdout.splitlines():
            process, parent, state, command = line.split(maxsplit=3)
            if not state.startswith("Z") and command != "ps":
                yield int(process), int(parent)
        return
    for folder in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            state, parent, *_ = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            if state not in ("Z", "X"):
                yield int(folder.name), int(parent)


def working_in(folder: Path) -> list[int]:
    """The numbers of other processes of Snakemake and of its jobs that work in a folder; on Linux alone."""
    found = []
    for process in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")[1:3]  # `python -m NAME`, or `python …/NAME`
            names = {word.rpartition(b"/")[2] for word in words}
            if names & {b"snakemake", b"robustdr.stages"} and os.path.samefile(process / "cwd", folder):
                found.append(int(process.name))
    return [process for process in found if process != os.getpid()]


def run_quietly(command: Sequence[str | Path], environment: dict[str, str]) -> int:
    """Run a command, whose output goes to standard error; return its exit status.

    Ctrl-C in a terminal reaches this process alone: it ends the others. If this process is killed, the command is asked
    to end.
    """

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _control(DIES_WITH_PARENT, signal.SIGTERM)

    return subprocess.run(command, env=environment, stdout=sys.stderr, preexec_fn=prepare, check=False).returncode


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            CDLL(None).prctl(option, value, 0, 0, 0)


def _in_child() -> None:
    """A forked process ends by signals as usual, writes nothing into its parent's pipe, and ends with its parent."""
    if any(signal.getsignal(number) is _end for number in ENDING):
        signal.set_wakeup_fd(-1)
        for number in ENDING:
            if signal.getsignal(number) is _end:
                signal.signal(number, signal.SIG_DFL)
        _control(DIES_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != _forking[0]:  # the parent was killed before this was asked for
            os._exit(1)


_forking = [os.getpid()]  # the process that forks
os.register_at_fork(before=lambda: _forking.__setitem__(0, os.getpid()), after_in_child=_in_child)
