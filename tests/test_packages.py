"""The page of packages: each named file imports its package, and each command is one."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from robustdr.cli import parser

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/packages.md"
ROW = re.compile(r"\| ([\w]+)(?: \(\w+\))? \| .+ \| `(.+)` \| `(.+)` \|")
ROWS = [match.groups() for line in PAGE.read_text(encoding="utf-8").splitlines() if (match := ROW.fullmatch(line))]


def test_nine_packages():
    assert {name for name, _, _ in ROWS} == {
        *["snakemake", "dvc", "torch", "transformers", "tevatron", "faiss", "ir_datasets", "ranx", "yaml"]
    }


@pytest.mark.parametrize(("package", "file"), [row[:2] for row in ROWS if row[1].endswith(".py")])
def test_the_file_imports_the_package(package, file):
    imported = set()
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module.partition(".")[0])
    assert package in imported


@pytest.mark.parametrize("command", [row[2] for row in ROWS if row[2].startswith("robustdr")])
def test_the_command_exists(command):
    assert parser().parse_args(command.split()[1:])


def test_snakemake_and_dvc_run_the_jobs():
    assert "rule all:" in (ROOT / "Snakefile").read_text(encoding="utf-8")
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    assert all(stage["cmd"].startswith("snakemake ") for name, stage in stages.items() if name != "plan")
