"""`-` stands for standard input or output in every command where one can, and is refused where none can."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from robustdr.cli import main, parser

ROOT = Path(__file__).parents[2]
REPORTED = """paper: mine
title: Mine
tables:
  table1:
    caption: A table
    unit: percent
    row: system
    columns:
      - {measure: RR@10}
    cells: |
      A | 12.3
"""
CSV = "Model,MRR@10\nBM25,18.7\nDPR,31.4\n"


def robustdr(*arguments, standard_input=""):
    """What a command prints; its progress and messages are apart."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    command = [sys.executable, "-m", "robustdr", *map(str, arguments)]
    done = subprocess.run(command, input=standard_input, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def commands():
    """The commands of people: all but the stages, which the rules call."""
    (chosen,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    return {name: command for name, command in chosen.choices.items() if name != "stage"}


@pytest.mark.parametrize("name", commands())
def test_every_path_of_a_command_says_what_a_dash_is(name):
    assert [action.dest for action in commands()[name]._actions if action.type is Path] == []


def test_queries_go_through_a_pipe():
    code, out, err = robustdr("vary", "-", "-o", "-", "--variation", "original", standard_input="q1\tone\nq2\ttwo\n")
    assert (code, out) == (0, "q1\tone\nq2\ttwo\n")
    assert err.startswith("language of the queries:") and err.count("\n") == 1


def test_statistics_of_what_is_printed(tmp_path):
    options = ["--variation", "swap_words", "--statistics"]
    queries = "q1\twhat is a neural network\nq2\twho wrote hamlet\n"
    code, printed, _ = robustdr("vary", "-", "-o", "-", *options, tmp_path / "of-printed.json", standard_input=queries)
    assert (code, printed.count("\n")) == (0, 2)
    (tmp_path / "queries.tsv").write_text(queries)
    assert (
        main(["vary", f"{tmp_path}/queries.tsv", "-o", f"{tmp_path}/out.tsv", *options, f"{tmp_path}/file.json"]) == 0
    )
    assert (tmp_path / "out.tsv").read_text() == printed
    assert (tmp_path / "of-printed.json").read_text() == (tmp_path / "file.json").read_text()


def test_messages_are_apart_from_what_is_printed():
    code, out, err = robustdr("vary", "-", "-o", "-", "--variation", "original", standard_input="no tab\n")
    message = "robustdr: /dev/stdin:1: 1 fields; a line is qid<TAB>text\n"
    assert (code, out, err) == (2, "", message)


def test_an_audit_of_standard_input(tmp_path):
    (tmp_path / "reported.yaml").write_text(REPORTED)
    code, out, _ = robustdr("audit", "-", "-o", "-", standard_input=REPORTED)
    assert code == 0 and out == robustdr("audit", tmp_path / "reported.yaml")[1] and "Audit of mine" in out


def test_a_transcription_of_standard_input():
    code, out, err = robustdr("transcribe", "-", "--kind", "csv", "-o", "-", standard_input=CSV)
    assert code == 0 and "18.7" in out and err == "/dev/stdin: 2 numbers read, 0 not\n"
    code, out, err = robustdr("transcribe", "-", standard_input=CSV)
    assert (code, out) == (2, "") and "type of file: 'stdin' is unknown; allowed: .csv" in err


@pytest.mark.parametrize(
    "arguments",
    [
        "compare - b -o c",
        "compare a b -o -",
        "convert-weights a -",
        "evaluate --model m --corpus - --queries q --qrels q -o o",
        "evaluate --model m --corpus c --queries q --qrels q -o -",
        "check --corpus - --queries q --qrels q",
        "rerank --model - --run r --queries q --corpus c -o o",
        "rerank --model m --run r --queries q --corpus - -o o",
        "verify -",
        "schemas -",
    ],
)
def test_a_dash_is_no_folder(arguments, capsys):
    with pytest.raises(SystemExit) as done:
        main(arguments.split())
    assert done.value.code == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.endswith(": '-' cannot stand for a folder, or for a file that is read more than once; name it")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("rerank --model m --run - --queries - --corpus c -o o", "'-': standard input stands for 2 arguments"),
        ("audit - -", "'-': standard input stands for 2 arguments"),
        ("vary q -o - --statistics - --variation original", "'-': standard output stands for 2 arguments"),
    ],
)
def test_a_stream_stands_for_one_argument(arguments, message, capsys):
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err == f"robustdr: {message}; it can stand for one\n"


@pytest.mark.parametrize("option", ["-o", "--data", "--runs", "--wordnet"])
def test_an_empty_name_is_no_folder(capsys, option):
    """As where a script has `-o "$OUT"`, and OUT is not set: it is not the folder where the command runs."""
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", option, ""])
    assert "an empty name; '.' is the folder where the command runs" in capsys.readouterr().err
