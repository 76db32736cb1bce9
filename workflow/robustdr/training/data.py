"""Training files: Tevatron JSONL, one query with its variation, positives and hard negatives a line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from robustdr.collections.reading import read_passages
from robustdr.errors import UserError
from robustdr.evaluation.answers import judge
from robustdr.files import atomic, read_answers, read_lines, read_qrels, read_queries
from robustdr.retrieval.runs import read_run
from robustdr.seeds import digest, generator

FIELDS = ("query_id", "query", "query_variation", "positive_passages", "negative_passages")


def assign_variations(
    queries: dict[str, str], varied: dict[str, dict[str, str]], tokenizer: Tokenizer, seed: int
) -> dict[str, str]:
    """Give each query one variation, each type an equal share of the queries (RoDR §3, released code).

    A variation that leaves the token sequence as it is teaches nothing: the query takes the next type, in an order of
    its own. A query that no type changes keeps its original text.

    Args:
        queries: original texts by query id.
        varied: texts by type and query id.
        tokenizer: decides whether a variation changes what the model sees.
        seed: of the assignment.
    """
    types = sorted(varied)
    order = sorted(queries, key=lambda qid: digest(seed, "assign", qid))
    chosen: dict[str, str] = {}
    for rank, qid in enumerate(order):
        rest = types[:]
        generator(seed, "types", qid).shuffle(rest)
        first = types[rank % len(types)]
        original = tokenizer.encode(queries[qid]).ids
        candidates = (varied[kind][qid] for kind in [first, *(kind for kind in rest if kind != first)])
        chosen[qid] = next((text for text in candidates if tokenizer.encode(text).ids != original), queries[qid])
    return {qid: chosen[qid] for qid in queries}


def choose_negatives(
    ranking: list[str], judged: dict[str, int], depth: int, keep: int, seed: int, qid: str
) -> list[str]:
    """`keep` passages drawn without replacement from the `depth` best that are not judged relevant, in rank order."""
    candidates = [docid for docid in ranking[:depth] if judged.get(docid, 0) < 1]
    if len(candidates) <= keep:
        return candidates
    kept = generator(seed, "negatives", qid).sample(range(len(candidates)), keep)
    return [candidates[i] for i in sorted(kept)]


def changed_variations(
    queries: dict[str, str], varied: dict[str, dict[str, str]], tokenizer: Tokenizer
) -> dict[str, list[str]]:
    """All variations of each query that change its token sequence, in the order of `varied`; else its original text."""
    chosen = {}
    for qid, text in queries.items():
        original = tokenizer.encode(text).ids
        texts = dict.fromkeys(of_kind[qid] for of_kind in varied.values())
        chosen[qid] = [other for other in texts if tokenizer.encode(other).ids != original] or [text]
    return chosen


def choose_passages(
    settings: dict[str, Any],
    seed: int,
    qids: Iterable[str],
    corpus: Path,
    qrels: Path,
    run: Path | None = None,
    answers: Path | None = None,
) -> dict[str, dict[str, list[dict[str, str]]]]:
    """Positives and hard negatives of each query; queries with none of either are left out.

    Args:
        settings: `depth` (ranks that negatives are drawn from), `keep` (negatives per query).
        corpus: corpus.jsonl. qrels: of the queries; the best-graded passages are positives.
        run: where negatives come from; without it they are judged passages graded 0, as DPR releases its own (its
            random ones have -1). answers: answers.jsonl; as in DPR, a passage of the run with one is no negative.

    Raises:
        UserError: no query is left.
    """
    judgements, rankings = read_qrels(qrels), read_run(run) if run else {}
    relevant = judge(read_answers(answers), [rankings], settings["depth"], corpus) if answers else {}
    chosen: dict[str, tuple[list[str], list[str]]] = {}
    for qid in qids:
        judged = judgements.get(qid, {})
        best = max(judged.values(), default=0)
        positives = [docid for docid, grade in judged.items() if grade == best > 0]
        ranking = [docid for docid, _ in rankings.get(qid, [])]
        if run is None:
            ranking = [docid for docid, grade in judged.items() if grade == 0]
        judged |= relevant.get(qid, {})
        negatives = choose_negatives(ranking, judged, settings["depth"], settings["keep"], seed, qid)
        if positives and negatives:
            chosen[qid] = (positives, negatives)
    if not chosen:
        raise UserError(f"{run or qrels}: no query has both a positive in {qrels} and a negative")
    texts = read_passages(corpus, {docid for pair in chosen.values() for docids in pair for docid in docids})
    return {
        qid: {
            "positive_passages": [texts[docid] for docid in positives],
            "negative_passages": [texts[docid] for docid in negatives],
        }
        for qid, (positives, negatives) in chosen.items()
    }


def write_training_data(
    settings: dict[str, Any],
    seed: int,
    queries: Path,
    variations: list[Path],
    tokenizer: Path,
    output: Path,
    files: Mapping[str, Path] | None = None,
) -> None:
    """Write the training file of one recipe.

    Args:
        settings: `assign` (`one`: each query has one of the variations, `all`: every one that changes it, in turn), and
            those of `choose_passages`.
        seed: of the draw of negatives and of the assignment of variations.
        queries: of the training split.
        variations: the varied training queries, one file per type; none for recipes on original queries.
        tokenizer: tokenizer.json of the initial checkpoint.
        output: Tevatron JSONL plus `query_variation`, a text or a list of them.
        files: those of `choose_passages` by argument; none to train on queries alone.

    Raises:
        UserError: no query is left to train on, or a file is malformed.
    """
    texts = read_queries(queries)
    varied = {path.name.partition(".")[0]: read_queries(path) for path in variations}
    variation: Mapping[str, str | list[str]] = texts
    if varied:
        tokens = Tokenizer.from_file(str(tokenizer))
        one = settings["assign"] == "one"
        variation = assign_variations(texts, varied, tokens, seed) if one else changed_variations(texts, varied, tokens)
    chosen = choose_passages(settings, seed, texts, **files) if files else {qid: {} for qid in texts}
    with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for qid, own in chosen.items():
            line = {"query_id": qid, "query": texts[qid], "query_variation": variation[qid], **own}
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
