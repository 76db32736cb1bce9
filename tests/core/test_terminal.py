"""A bar of an encoding: on a terminal, a real one here, and nowhere else."""

import os
import sys
import termios

import pytest

from robustdr.core.terminal import TERMINAL, name_terminal, progress_bar


@pytest.fixture
def terminal():
    """(what reads it, its path)."""
    reader, writer = os.openpty()
    os.set_blocking(reader, False)
    termios.tcsetwinsize(writer, (24, 80))
    yield reader, os.ttyname(writer)
    os.close(reader)
    os.close(writer)


def shown_on(reader):
    try:
        return os.read(reader, 1 << 16).decode()
    except BlockingIOError:
        return ""


def test_a_job_whose_output_is_a_log_draws_on_the_named_terminal(terminal, monkeypatch, capsys):
    reader, path = terminal
    monkeypatch.setenv(TERMINAL, path)
    with progress_bar("passages", 3) as bar:
        bar.update(3)
    shown = shown_on(reader)
    assert "passages" in shown and "0/3" in shown and shown.endswith("\r")  # and it is gone at the end
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("label, path", [("passages", None), (None, "terminal"), ("passages", "/dev/pts/none")])
def test_nothing_without_a_terminal_or_a_label(terminal, monkeypatch, capsys, label, path):
    reader, its_path = terminal
    if path:
        monkeypatch.setenv(TERMINAL, its_path if path == "terminal" else path)
    with progress_bar(label, 3) as bar:
        bar.update(3)
    assert shown_on(reader) == "" and capsys.readouterr() == ("", "")


def test_only_a_terminal_is_named(terminal, monkeypatch, tmp_path):
    monkeypatch.setenv(TERMINAL, "of another command")
    with open(tmp_path / "log", "w") as log:
        monkeypatch.setattr(sys, "stderr", log)
        name_terminal()
        assert TERMINAL not in os.environ
    with open(terminal[1], "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        name_terminal()
        assert os.environ.pop(TERMINAL) == terminal[1]
