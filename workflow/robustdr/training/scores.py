"""A teacher's scores of a training file's passages, each beside the original query."""

import json
from pathlib import Path

from robustdr.encoding import hardware
from robustdr.errors import UserError
from robustdr.files import atomic, read_lines
from robustdr.rankers.ranker import load, passage_text
from robustdr.training.data import Example, read_training_data
from robustdr.training.settings import ScoreSettings

Scores = dict[str, dict[str, float]]  # by query id and docid


def write_scores(settings: ScoreSettings, model: Path, data: Path, output: Path) -> None:
    """Score every query of a training file with all of its passages.

    Args:
        model: the ranker's directory. data: training file.
        output: JSONL: `query_id`, `scores` by docid, in the order of the training file.

    Raises:
        UserError: a score is not finite (names query and passage).
    """
    hardware.start(settings.threads)
    ranker = load(**settings.ranker, folder=model, precision=settings.precision)
    if ranker.counts:
        raise UserError(f"{model}: this ranker counts the words of a collection; it scores no training file")
    examples = read_training_data(data)
    groups = [(example, [*example.positives, *example.negatives]) for example in examples]
    pairs = [(example.query, passage_text(title, text)) for example, group in groups for _, title, text in group]
    places = [(example.qid, docid) for example, group in groups for docid, _, _ in group]
    found = ranker.predict(pairs, settings.query_length, settings.passage_length, places).tolist()
    scores: Scores = {}
    for (qid, docid), score in zip(places, found, strict=True):
        scores.setdefault(qid, {})[docid] = score
    with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for qid, of in scores.items():
            file.write(json.dumps({"query_id": qid, "scores": of}, ensure_ascii=False) + "\n")


def read_scores(path: Path, examples: list[Example]) -> Scores:
    """The scores of all passages of a training file's examples.

    Raises:
        UserError: a line is malformed, or a passage of an example has no score (names file, line or query).
    """
    scores: Scores = {}
    for number, text in read_lines(path):
        try:
            line = json.loads(text)
            scores[line["query_id"]] = {docid: float(score) for docid, score in line["scores"].items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(f"{path}:{number}: no scores of a query ({error!r}); fields: query_id, scores") from None
    for example in examples:
        for docid, _, _ in (*example.positives, *example.negatives):
            if docid not in scores.get(example.qid, {}):
                raise UserError(f"{path}: no score of passage {docid!r} for query {example.qid!r}; make it anew")
    return scores
