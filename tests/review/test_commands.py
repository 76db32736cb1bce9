"""What the commands of the reviewer need beside the packages of the pipeline."""

import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from robustdr.cli import main
from robustdr_review import commands

ROOT = Path(__file__).parents[2]


def test_the_modules_are_those_of_the_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    providers = packages_distributions()
    assert {name for module in commands.EXTRA for name in providers[module]} == {
        *project["optional-dependencies"]["review"]
    }


@pytest.mark.parametrize("command", ["transcribe", "review"])
def test_without_the_extra_the_message_has_the_remedy(monkeypatch, capsys, tmp_path, command):
    monkeypatch.setattr(commands, "find_spec", lambda module: None if module == "pdfplumber" else module)
    (tmp_path / "paper.md").write_text("| M | A |\n|---|---|\n| x | 1.5 |\n", encoding="utf-8")
    assert main([command, str(tmp_path / "paper.md"), "-o", str(tmp_path / "out")]) == 2
    assert not (tmp_path / "out").exists()
    error = capsys.readouterr().err
    assert error.startswith("robustdr: ") and error.count("\n") == 1
    assert "pdfplumber;" in error and "make review FILE" in error and "pip install 'robustdr[review]'" in error
