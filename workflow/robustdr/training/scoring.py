"""Writes a teacher's scores of a training file's passages, for the original queries."""

import json
from pathlib import Path

from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.encoding import hardware
from robustdr.rankers.ranker import load
from robustdr.training.data import read_training_data
from robustdr.training.settings import ScoreSettings


def write_scores(settings: ScoreSettings, model: Path, data: Path, corpus: Path, output: Path) -> None:
    """Score all passages of every query of a training file.

    Args:
        model: the ranker's directory. data: training file. corpus: holds its passages.
        output: JSONL: `query_id`, `scores` by docid, in the order of the training file.

    Raises:
        UserError: a score is not finite (names query and passage), or the ranker cannot score a training file.
    """
    hardware.start(settings.threads)
    ranker = load(**settings.ranker, folder=model, precision=settings.precision)
    if ranker.settings.counts:
        raise UserError(f"{model}: this ranker counts the words of a collection; it cannot score a training file")
    examples = read_training_data(data, corpus)
    pairs = ((example.query, passage.read_passage().joined()) for example in examples for passage in example.passages)
    places = ((example.qid, passage.docid) for example in examples for passage in example.passages)
    with prefixed_errors(str(model)):
        predicted = iter(ranker.predict(pairs, settings.query_length, settings.passage_length, places))
    with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for example in examples:
            scores = {passage.docid: float(next(predicted)) for passage in example.passages}
            file.write(json.dumps({"query_id": example.qid, "scores": scores}, ensure_ascii=False) + "\n")
