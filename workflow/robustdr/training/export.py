"""Export of a training file to Tevatron's format, with the texts of passages."""

import json
from pathlib import Path

from robustdr.collections.rows import Reference
from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.training.data import PASSAGES, read_training_data


def export(data: Path, corpus: Path, output: Path) -> None:
    """Write a training file with the texts of its passages; one query is in memory at a time.

    Args:
        data: training file. corpus: corpus.jsonl of its collection.
        output: JSONL in Tevatron's training format (Gao et al., 2022): `query_id`, `query`, `positive_passages` and
            `negative_passages`, lists of `docid`, `title` and `text`; and also `query_variation`.

    Raises:
        UserError: the training file has queries only; see also `read_training_data` and `Corpus.read_passage`.
    """

    def texts(passages: tuple[Reference, ...]) -> list[dict[str, str]]:
        return [passage.read_passage()._asdict() for passage in passages]

    examples = read_training_data(data, corpus)
    if not examples[0].passages:
        raise UserError(f"{data}: it has queries only; Tevatron trains on passages")
    with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for example in examples:
            line = {
                "query_id": example.qid,
                "query": example.query,
                "query_variation": list(example.variations),
                **dict(zip(PASSAGES, (texts(example.positives), texts(example.negatives)), strict=True)),
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
