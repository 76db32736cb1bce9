"""Training files: Tevatron JSONL, one query with its variation, positives and hard negatives a line."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from robustdr.collections.reading import read_passages
from robustdr.errors import UserError
from robustdr.evaluation.answers import judge
from robustdr.files import atomic, read_answers, read_lines, read_qrels, read_queries
from robustdr.retrieval.runs import read_docids, read_run
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
    judgements: dict[str, dict[str, int]],
    candidates: Iterable[tuple[str, list[str]]],
    relevant: dict[str, dict[str, int]],
    depth: int,
    keep: int,
    seed: int,
) -> dict[str, tuple[list[str], list[str]]]:
    """Positives, the best-graded passages, and hard negatives of each judged query that has both: docids.

    Args:
        judgements: grades by query and docid. candidates: the docids that each query's negatives are drawn from.
        relevant: grades of passages that are no negatives beside the judged ones.
        depth: ranks that they are drawn from. keep: negatives per query. seed: of the draw.
    """
    chosen = {}
    for qid, docids in candidates:
        judged = judgements.get(qid, {})
        positives = [docid for docid, grade in judged.items() if grade == max(judged.values()) > 0]
        if positives:
            negatives = choose_negatives(docids, judged | relevant.get(qid, {}), depth, keep, seed, qid)
            if negatives:
                chosen[qid] = (positives, negatives)
    return chosen


def _passages_of(
    settings: TrainingDataSettings,
    seed: int,
    qids: Collection[str],
    corpus: Path,
    qrels: Path,
    run: Path | None = None,
    answers: Path | None = None,
) -> dict[str, dict[str, list[dict[str, str]]]]:
    """The texts of what `choose_passages` chooses, by query and field of the training file.

    Args:
        run: where negatives come from; without it they are judged passages graded 0, as DPR releases its own (its
            random ones have -1). answers: answers.jsonl; as in DPR, a passage of the run with one is no negative.
    """
    assert settings.depth is not None and settings.keep is not None
    judgements = {qid: judged for qid, judged in read_qrels(qrels).items() if qid in qids}
    relevant = judge(read_answers(answers), [read_run(run, settings.depth)], settings.depth, corpus) if answers else {}
    irrelevant = ((qid, [docid for docid, grade in of.items() if grade == 0]) for qid, of in judgements.items())
    candidates = read_docids(run, settings.depth) if run else irrelevant
    chosen = choose_passages(judgements, candidates, relevant, settings.depth, settings.keep, seed)
    if not chosen:
        raise UserError(f"{run or qrels}: no query has both a positive in {qrels} and a negative")
    texts = read_passages(corpus, {docid for pair in chosen.values() for docids in pair for docid in docids})
    return {
        qid: dict(zip(PASSAGES, ([texts[docid] for docid in docids] for docids in pair), strict=True))
        for qid, pair in chosen.items()
    }


def write_training_data(
    settings: TrainingDataSettings,
    seed: int,
    queries: Path,
    variations: list[Path],
    tokenizer: Path,
    output: Path,
    files: Mapping[str, Path] | None = None,
) -> None:
    """Write the training file of one recipe.

    Args:
        seed: of the draw of negatives and of the assignment of variations.
        queries: of the training split; those with no positive or no negative are left out.
        variations: the varied training queries, one file per type; none for recipes on original queries.
        tokenizer: tokenizer.json of the initial checkpoint.
        output: Tevatron JSONL plus `query_variation`, a text or a list of them.
        files: `corpus`, `qrels`, and where there are any `run` and `answers`; none to train on queries alone.

    Raises:
        UserError: no query is left to train on, or a file is malformed.
    """
    texts = read_queries(queries)
    passages = _passages_of(settings, seed, texts, **files) if files else {}
    texts = {qid: text for qid, text in texts.items() if qid in passages or not files}
    varied = {path.stem: read_queries(path) for path in variations}
    variation: Mapping[str, str | list[str]] = texts
    if varied:
        tokens = Tokenizer.from_file(str(tokenizer))
        match settings.assign:
            case "one":
                variation = assign_one(texts, varied, tokens, seed)
            case "all":
                variation = assign_all(texts, varied, tokens)
            case "together":
                variation = {qid: [of_kind[qid] for of_kind in varied.values()] for qid in texts}
    with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for qid, text in texts.items():
            line = {"query_id": qid, "query": text, "query_variation": variation[qid], **passages.get(qid, {})}
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
