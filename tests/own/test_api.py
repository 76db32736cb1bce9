"""`robustdr.evaluate`: the page on it, run as it stands there, and its options beside those of the command."""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import get_args

import pytest
from tests.workflow.conftest import ROOT

import robustdr
from robustdr.core.errors import UserError
from robustdr.own import api, command

PAGE = ROOT / "docs/how-to/python.md"
FILES = {
    "own/corpus.jsonl": '{"docid": "d1", "text": "a broad river"}\n{"docid": "d2", "text": "a small mountain"}\n',
    "own/test/queries.tsv": "q1\twhat is a broad river\nq2\twhere is the small mountain\n",
    "own/test/qrels.txt": "q1 0 d1 1\nq2 0 d2 1\n",
}


def test_the_page_runs_as_it_stands_there(tiny_model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copytree(tiny_model, tmp_path / "results/mini/checkpoints/base")
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(block, names)
    output, progress = capsys.readouterr()
    assert output.startswith("Take ") and "jobs" in progress
    assert output.rstrip().endswith(
        "--data: nowhere: no corpus.jsonl; a folder has corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv"
    )
    evaluation = names["evaluation"]
    assert evaluation.answer in evaluation._repr_markdown_()
    original = evaluation.table.set_index(["system", "query_set"]).loc[("own", "original"), "mean"]
    assert original == evaluation.report["systems"]["own"]["original"]


def test_every_option_of_the_command_is_one_of_the_function():
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser)
    actions = {action.dest: action for action in parser._actions}
    assert {*api.Options.__annotations__} == actions.keys() - {"models", "output", "fail_if_drop"}
    for name, kind in api.Options.__annotations__.items():
        assert (kind is bool) == (actions[name].nargs == 0), name
        several = get_args(api.Name | Sequence[api.Name])
        choices = tuple(actions[name].choices or ())
        assert get_args(kind) in ((), get_args(api.Name), several, (str,), (int,), choices), name


def test_what_is_no_option_is_refused_by_name():
    with pytest.raises(UserError, match="evaluate: 'fail_if_drop' is unknown; allowed: allow_missing, "):
        api.evaluate("a", "b", fail_if_drop=10)


OPTIONS = {
    "a switch": ({"spell_checker": True, "drop_empty": False}, {"spell_checker": True, "drop_empty": False}),
    "a switch that is off": ({"ignore_identical_ids": False}, {"ignore_identical_ids": False}),
    "a text like an option": ({"separator": "--a "}, {"separator": "--a "}),
    "lists": ({"fix": ["rodr", "capot"], "measures": ["RR@10"]}, {"fix": ["rodr", "capot"], "measures": ["RR@10"]}),
    "nothing": ({"language": None}, {"language": None}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_arrive_as_they_were_given(name):
    options, expected = OPTIONS[name]
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = [word for option in options.items() for word in api.option_words(*option)]
    assert vars(parser.parse_args(["--output", "out", *words])).items() >= expected.items()


def test_other_names_are_not_there_and_the_package_loads_nothing():
    with pytest.raises(AttributeError, match="has no attribute 'evaluat'"):
        robustdr.evaluat  # noqa: B018
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, robustdr; print(len([m for m in sys.modules if m[:9] == 'robustdr.']))"],
        capture_output=True,
        text=True,
        cwd=ROOT / "workflow",
    )
    assert loaded.stdout == "0\n"
