"""Reads a teacher's scores of a training file's passages."""

import json
import math
from array import array
from collections.abc import Sequence
from pathlib import Path

import torch

from robustdr import losses
from robustdr.collections.rows import Reference
from robustdr.core.errors import UserError
from robustdr.core.files import Lines
from robustdr.training.data import Example
from robustdr.training.feed import Files
from robustdr.training.settings import TrainSettings


class Scores:
    """The scores of each example's passages, by docid; each access reads a line from disk.

    Attributes:
        lines: of the teacher's file. numbers: line number of each example.
    """

    def __init__(self, lines: Lines, numbers: Sequence[int]):
        self.lines, self.numbers = lines, numbers

    def __getitem__(self, example: int) -> dict[str, float]:
        return _scored(self.lines[self.numbers[example]])[1]


def _scored(line: str) -> tuple[str, dict[str, float]]:
    """(query id, scores by docid) of a line."""
    record = json.loads(line)
    return record["query_id"], {docid: float(score) for docid, score in record["scores"].items()}


def needed(settings: TrainSettings, files: Files, examples: Sequence[Example]) -> Scores | None:
    """The scores that the loss reads; None if it reads none.

    Args:
        files: `teacher_scores`, written by `training.scoring`.

    Raises:
        UserError: the loss needs scores, and there are none; see also `read_scores`.
    """
    if "teacher_scores" not in losses.check(**settings.loss):
        return None
    if not files.get("teacher_scores"):
        raise UserError(f"systems.{settings.system}: the loss {settings.loss['name']} needs a teacher's scores")
    return read_scores(files["teacher_scores"][0], examples)


def read_scores(path: Path, examples: Sequence[Example]) -> Scores:
    """The scores of all passages of a training file's examples. All are checked; none is kept in memory.

    Raises:
        UserError: a line is malformed (names file and line), or a passage's score is missing or not finite (names file,
            query and passage).
    """
    lines, numbers = Lines(path), dict[str, int]()
    for number in range(len(lines)):
        try:
            qid, _ = _scored(lines[number])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            message_place = f"{path}:{number + 1}"
            raise UserError(f"{message_place}: not a line of scores ({error!r}); fields: query_id, scores") from None
        numbers[qid] = number
    for example in examples:
        scores = _scored(lines[numbers[example.qid]])[1] if example.qid in numbers else {}
        for passage in example.passages:
            score = scores.get(passage.docid)
            if score is None or not math.isfinite(score):
                state = "no score" if score is None else f"the score {score}"
                pair_name = f"passage {passage.docid!r} for query {example.qid!r}"
                raise UserError(f"{path}: {state} of {pair_name}; delete the file and run again")
    return Scores(lines, array("q", (numbers[example.qid] for example in examples)))


def of_groups(scores: Scores, examples: list[int], passages: list[Reference]) -> torch.Tensor:
    """The scores of each query's own group, [B, 1 + n].

    Args:
        examples: positions of B examples. passages: their groups, one after the other.
    """
    size = len(passages) // len(examples)
    groups = [passages[start : start + size] for start in range(0, len(passages), size)]
    rows = []
    for example, group in zip(examples, groups, strict=True):
        score_of = scores[example]
        rows.append([score_of[passage.docid] for passage in group])
    return torch.tensor(rows)
