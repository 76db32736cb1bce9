"""A teacher's scores of a training file's passages, as trainings read them."""

import json
import math
from pathlib import Path

import torch

from robustdr import losses
from robustdr.errors import UserError
from robustdr.files import read_lines
from robustdr.training.data import Example
from robustdr.training.feed import Files, Passage
from robustdr.training.settings import TrainSettings

Scores = list[dict[str, float]]  # of each example, by docid


def needed(settings: TrainSettings, files: Files, examples: list[Example]) -> Scores:
    """The scores that a loss reads; none where it reads none.

    Args:
        files: `teacher_scores`, as `training.scoring` writes them.

    Raises:
        UserError: the loss needs scores, and there are none, or see `read_scores`.
    """
    if "teacher_scores" not in losses.check(**settings.loss):
        return []
    if not files.get("teacher_scores"):
        raise UserError(f"systems.{settings.system}: the loss {settings.loss['name']} needs a teacher's scores")
    return read_scores(files["teacher_scores"][0], examples)


def read_scores(path: Path, examples: list[Example]) -> Scores:
    """The scores of all passages of a training file's examples.

    Raises:
        UserError: a line is malformed (names file and line), or a passage of an example has no score or one that is not
            finite (names file, query and passage).
    """
    scores: dict[str, dict[str, float]] = {}
    for number, text in read_lines(path):
        try:
            line = json.loads(text)
            scores[line["query_id"]] = {docid: float(score) for docid, score in line["scores"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{path}:{number}: no scores of a query ({error!r}); fields: query_id, scores") from None
    for example in examples:
        for docid, _, _ in (*example.positives, *example.negatives):
            score = scores.get(example.qid, {}).get(docid)
            if score is None or not math.isfinite(score):
                state = "no score" if score is None else f"the score {score}"
                raise UserError(f"{path}: {state} of passage {docid!r} for query {example.qid!r}; make it anew")
    return [scores[example.qid] for example in examples]


def of_groups(scores: Scores, examples: list[int], passages: list[Passage]) -> torch.Tensor:
    """The scores of each query's own group, [B, 1 + n].

    Args:
        examples: positions of B queries. passages: their groups, one after the other.
    """
    size = len(passages) // len(examples)
    groups = [passages[start : start + size] for start in range(0, len(passages), size)]
    rows = [[scores[i][docid] for docid, _, _ in group] for i, group in zip(examples, groups, strict=True)]
    return torch.tensor(rows)
