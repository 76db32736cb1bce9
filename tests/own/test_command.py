"""`robustdr evaluate`: what is wrong with its options is one line before any work."""

import pytest

from robustdr.cli import main


@pytest.fixture()
def options(tmp_path):
    for name in ("corpus.tsv", "queries.tsv", "qrels.txt"):
        (tmp_path / name).write_text("")
    files = {"corpus": "corpus.tsv", "queries": "queries.tsv", "qrels": "qrels.txt", "model": "."}
    return {f"--{name}": str(tmp_path / file) for name, file in files.items()} | {"-o": str(tmp_path / "out")}


MISTAKES = {
    "a file that is missing": ({"--qrels": "no.txt"}, "--qrels: no.txt: no such file or directory"),
    "the split that trains": ({"--split": "train"}, "--split: 'train'; allowed: lower-case letters"),
    "a split that makes no file name": ({"--split": "Test 1"}, "--split: 'Test 1'; allowed: lower-case letters"),
    "remedies without data": ({"--fix": "rodr"}, "--fix: needs --train-queries and --train-qrels"),
    "an unknown variation": ({"--variations": "typos"}, "--variations: 'typos' is unknown (did you mean typo"),
    "no model": ({}, "--model: "),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_leaves_nothing(options, tmp_path, capsys, mistake):
    changes, message = MISTAKES[mistake]
    arguments = [word for pair in (options | changes).items() for word in pair]
    assert main(["evaluate", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"robustdr: {message}")
    assert not (tmp_path / "out").exists()
