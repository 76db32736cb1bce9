"""`robustdr.evaluate`: the command `robustdr evaluate`, called from Python."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, TypedDict, Unpack, cast

import pandas as pd

from robustdr.core.errors import UserError, unknown
from robustdr.own.document import headline
from robustdr.own.results import Report
from robustdr.own.several import Summary

Name = str | Path  # of a file, a folder, or a model of the hub


class Options(TypedDict, total=False):
    """The options of the command, with `_` for `-`; docs/reference/commands.md says what each means."""

    data: Name | Sequence[Name]
    corpus: Name
    queries: Name
    qrels: Name
    split: str
    allow_missing: bool
    ignore_identical_ids: bool
    drop_empty: bool
    ignore_unjudged: bool
    measures: Sequence[str]
    variations: Sequence[str]
    variations_file: Name
    paraphraser: Name
    wordnet: Name
    language: str
    draws: int
    reranker: Name
    spell_checker: bool
    truncate_dim: Sequence[int]
    precision: Sequence[str]
    fix: Sequence[str]
    train_queries: Name
    train_qrels: Name
    query_length: int
    passage_length: int
    runs: Name
    server: Sequence[str]
    max_requests: int
    query_prompt: str
    passage_prompt: str
    similarity: Literal["cosine", "dot"]
    pooling: Literal["cls", "mean"]
    separator: str
    dimension: int
    key: str
    cores: int


@dataclass(frozen=True)
class Evaluation:
    """What `robustdr evaluate` measured.

    Attributes:
        folder: the folder of index.html, report.md, report.json and report.csv.
        report: all numbers, as report.json has them; of several collections, their means. Shares are between -1 and 1,
            times in milliseconds.
    """

    folder: Path
    report: Report | Summary

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each system and query set: the mean, its change with a 95 % interval, and p."""
        return pd.read_csv(self.folder / "report.csv")

    @property
    def answer(self) -> str:
        """Which system to take, what changed queries cost it, and what repairs it."""
        if "answer" in self.report:
            return cast("Summary", self.report)["answer"]
        return headline(cast("Report", self.report))

    def _repr_markdown_(self) -> str:
        """The report, as notebooks show it."""
        return (self.folder / "report.md").read_text(encoding="utf-8")


def evaluate(models: Name | Sequence[Name], output: Name, **options: Unpack[Options]) -> Evaluation:
    """Measure how robust retrievers are, on your queries, passages and judgements.

    The command runs as a process of its own; its lines go to standard error. Call it again to continue after a stop.

    Args:
        models: as `--models`. output: folder of the report. options: see `Options`.

    Raises:
        UserError: as the command: a file is missing or damaged, or an option's value is not allowed. It is a
            ValueError.
    """
    models = [models] if isinstance(models, Name) else models
    if strange := [name for name in options if name not in Options.__annotations__]:
        raise unknown("evaluate", strange[0], Options.__annotations__)
    words = [
        word
        for name, value in {"models": models, "output": output, **options}.items()
        for word in option_words(name, value)
    ]
    command = [sys.executable, "-m", "robustdr", "evaluate", *words]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    line = ""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    ) as process:
        try:
            for line in process.stdout or ():
                print(line, end="", file=sys.stderr)
        except BaseException:
            process.terminate()  # it ends its own processes
            raise
    if process.returncode:
        raise UserError(line.strip().removeprefix("robustdr: "))
    folder = Path(output)
    return Evaluation(folder, json.loads((folder / "report.json").read_text(encoding="utf-8")))


def option_words(name: str, value: object) -> list[str]:
    """The words of an option on the command line."""
    option = f"--{name.replace('_', '-')}"
    match value:
        case True:
            return [option]
        case False:
            return [f"--no-{option[2:]}"] if name == "ignore_identical_ids" else []
        case None:
            return []
        case str() | Path() | int():
            return [f"{option}={value}"]
        case [*values]:
            return [f"{option}={','.join(map(str, values))}"] if name == "fix" else [option, *map(str, values)]
    raise UserError(f"{name}: {value!r}; allowed: a text, a number, True, False, or a list")
