"""Training files: Tevatron JSONL, one query with its variation, positives and hard negatives a line."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from robustdr.collections.reading import read_passages
from robustdr.errors import UserError
from robustdr.files import atomic, read_lines, read_qrels, read_queries
from robustdr.retrieval.runs import read_run
from robustdr.seeds import generator
from robustdr.training.assignment import assign_all, assign_one
from robustdr.training.settings import TrainingDataSettings

PASSAGES = ("positive_passages", "negative_passages")
FIELDS = ("query_id", "query", "query_variation", *PASSAGES)


def choose_negatives(
    ranking: list[str], judged: dict[str, int], depth: int, keep: int, seed: int, qid: str
) -> list[str]:
    """`keep` passages drawn without replacement from the `depth` best that are not judged relevant, in rank order."""
    candidates = [docid for docid in ranking[:depth] if judged.get(docid, 0) < 1]
    if len(candidates) <= keep:
        return candidates
    kept = generator(seed, "negatives", qid).sample(range(len(candidates)), keep)
    return [candidates[i] for i in sorted(kept)]


def choose_passages(
    judgements: dict[str, dict[str, int]], run: Path, depth: int, keep: int, seed: int
) -> dict[str, tuple[list[str], list[str]]]:
    """Positives, the best-graded passages, and hard negatives of each judged query that has both: docids.

    Args:
        judgements: grades by query and docid. run: where negatives come from.
        depth: ranks that they are drawn from. keep: negatives per query. seed: of the draw.
    """
    rankings = read_run(run)
    chosen = {}
    for qid, judged in judgements.items():
        best = max(judged.values())
        positives = [docid for docid, grade in judged.items() if grade == best > 0]
        ranking = [docid for docid, _ in rankings.get(qid, [])]
        negatives = choose_negatives(ranking, judged, depth, keep, seed, qid)
        if positives and negatives:
            chosen[qid] = (positives, negatives)
    return chosen


def write_training_data(
    settings: TrainingDataSettings,
    seed: int,
    queries: Path,
    variations: list[Path],
    tokenizer: Path,
    output: Path,
    passages: tuple[Path, Path, Path] | None = None,
) -> None:
    """Write the training file of one recipe.

    Args:
        seed: of the draw of negatives and of the assignment of variations.
        queries: of the training split; those with no positive or no negative are left out.
        variations: the varied training queries, one file per type; none for recipes on original queries.
        tokenizer: tokenizer.json of the initial checkpoint.
        output: Tevatron JSONL plus `query_variation`, a text or a list of them.
        passages: corpus.jsonl, qrels and the run that negatives come from; None to train on queries alone.

    Raises:
        UserError: no query is left to train on, or a file is malformed.
    """
    texts = read_queries(queries)
    of_query: dict[str, dict[str, list]] = {}
    if passages:
        assert settings.depth is not None and settings.keep is not None
        corpus, qrels, run = passages
        judgements = {qid: judged for qid, judged in read_qrels(qrels).items() if qid in texts}
        chosen = choose_passages(judgements, run, settings.depth, settings.keep, seed)
        texts = {qid: text for qid, text in texts.items() if qid in chosen}
        if not texts:
            raise UserError(f"{run}: no query has both a positive in {qrels} and a negative in the run")
        found = read_passages(corpus, {docid for pair in chosen.values() for docids in pair for docid in docids})
        of_query = {
            qid: dict(zip(PASSAGES, ([found[docid] for docid in docids] for docids in pair), strict=True))
            for qid, pair in chosen.items()
        }
    varied = {path.stem: read_queries(path) for path in variations}
    variation: Mapping[str, str | list[str]] = texts
    if varied:
        tokens = Tokenizer.from_file(str(tokenizer))
        one = settings.assign == "one"
        variation = assign_one(texts, varied, tokens, seed) if one else assign_all(texts, varied, tokens)
    with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for qid, text in texts.items():
            line = {"query_id": qid, "query": text, "query_variation": variation[qid], **of_query.get(qid, {})}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Example:
    """One line of a training file; passages are (docid, title, text), none where queries alone are trained on."""

    qid: str
    query: str
    variations: tuple[str, ...]
    positives: tuple[tuple[str, str, str], ...] = ()
    negatives: tuple[tuple[str, str, str], ...] = ()


def read_training_data(path: Path) -> list[Example]:
    """Read a training file.

    Raises:
        UserError: a line is no JSON object, lacks a field, or has positive but no negative passages or the other way
            round (names file, line).
    """

    def passages(line: dict[str, Any], field: str) -> Iterator[tuple[str, str, str]]:
        for passage in line.get(field, []):
            yield passage["docid"], passage.get("title") or "", passage["text"]

    examples: list[Example] = []
    for number, text in read_lines(path):
        try:
            line = json.loads(text)
            varied = line.get("query_variation") or line["query"]
            example = Example(
                line["query_id"],
                line["query"],
                tuple(varied) if isinstance(varied, list) else (varied,),
                tuple(passages(line, "positive_passages")),
                tuple(passages(line, "negative_passages")),
            )
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{path}:{number}: not a training example ({error!r}); fields: {', '.join(FIELDS)}"
            ) from None
        if bool(example.positives) != bool(example.negatives):
            raise UserError(
                f"{path}:{number}: query {example.qid!r} needs at least one positive and one negative passage"
            )
        if examples and bool(example.positives) != bool(examples[0].positives):
            raise UserError(f"{path}:{number}: query {example.qid!r}: all examples have passages or none has")
        examples.append(example)
    if not examples:
        raise UserError(f"{path}: no training examples")
    return examples
