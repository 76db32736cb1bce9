"""Signals: a command and all that it started end within a moment, with one line."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from robustdr.own.signals import descendants, working_in

PYTHON = {"env": {**os.environ, "PYTHONPATH": "workflow"}, "stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
BUSY = {  # the main thread waits in Python, waits for a process, or is in a library for long
    "python": "time.sleep(60)",
    "process": "subprocess.run(['sh', '-c', 'sleep 60; sleep 60'])",
    "library": "hashlib.pbkdf2_hmac('sha256', b'a', b'b', 2_000_000_000)",
}
NAMES = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "SIGHUP"}
# A suite in the background hands on that it ignores these signals.
HEARS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
"""
COMMAND = """
import hashlib, subprocess, sys, time
from robustdr.own.signals import ends_on_signals
with ends_on_signals("the same command goes on"):
    subprocess.Popen(["sh", "-c", "sleep 60 & sleep 60"], start_new_session=True)
    print("ready", flush=True)
    try:
        {busy}
    finally:
        print("cleaned", flush=True)
"""
POOL = """
import multiprocessing, os, sys, time
from robustdr.own.signals import ends_on_signals
with ends_on_signals("hint"):
    context = multiprocessing.get_context("fork")
    pool = context.Pool(2)
    pool.terminate()
    pool.join()
    time.sleep(1.5)
    worker = context.Process(target=time.sleep, args=(60,))
    worker.start()
    print(worker.pid, flush=True)
    time.sleep(60)
"""


AFTERWARDS = """
import psutil, subprocess, time
from robustdr.own.signals import ends_on_signals
with ends_on_signals("hint"):
    pass
subprocess.run(["sh", "-c", "sleep 0.1 &"])
print(len(psutil.Process().children()))
"""


def alive(processes):
    """The processes that run 2 seconds later."""
    until = time.monotonic() + 2
    while (running := [process for process in processes if runs(process)]) and time.monotonic() < until:
        time.sleep(0.05)
    return running


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("number", NAMES)
@pytest.mark.parametrize("busy", BUSY)
def test_a_signal_ends_a_command_and_all_its_processes_with_one_line(busy, number):
    process = subprocess.Popen([sys.executable, "-c", HEARS + COMMAND.format(busy=BUSY[busy])], **PYTHON)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    started = descendants(process.pid)
    assert len(started) >= 2 + (busy == "process")
    process.send_signal(number)
    process.wait(timeout=4)
    assert process.returncode == 128 + number and alive(started) == []
    assert process.stderr.read().decode() == f"robustdr: ended by {NAMES[number]}; the same command goes on\n"
    assert process.stdout.read() == (b"" if busy == "library" else b"cleaned\n")


def test_a_process_of_a_pool_may_be_ended_alone_and_ends_with_a_killed_parent():
    process = subprocess.Popen([sys.executable, "-c", POOL], **PYTHON)
    worker = int(process.stdout.readline())
    assert runs(worker)
    process.kill()
    process.wait()
    assert alive([worker]) == []


def test_a_signal_that_is_ignored_stays_so():
    """As `nohup` does."""
    script = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)" + COMMAND.format(busy="time.sleep(1)")
    process = subprocess.Popen([sys.executable, "-c", script], **PYTHON)
    process.stdout.readline()
    for child in descendants(process.pid):
        os.kill(child, signal.SIGTERM)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=20) == 0


def test_processes_of_snakemake_in_a_folder_are_known(tmp_path):
    (tmp_path / "snakemake.py").write_text("import time; print(flush=True); time.sleep(60)")
    process = subprocess.Popen([sys.executable, "-m", "snakemake"], cwd=tmp_path, stdout=subprocess.PIPE)
    process.stdout.readline()
    assert working_in(tmp_path) == [process.pid] and working_in(tmp_path.parent) == []
    process.kill()
    process.wait()
    assert working_in(tmp_path) == []


def test_a_process_adopts_no_orphans_once_its_command_has_ended():
    """A notebook that called `robustdr.evaluate` goes on."""
    assert subprocess.run([sys.executable, "-c", AFTERWARDS], stdout=subprocess.PIPE, text=True).stdout == "0\n"
