"""Training files: JSONL, one line per query with its variation, positives and hard negatives.

The fields are Tevatron's, plus `query_variation`: a text or a list of texts. Passages are not copied: each of the two
passage fields maps docids to rows of the corpus. `robustdr export tevatron` writes the texts instead.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import overload

from tokenizers import Tokenizer

from robustdr.collections.rows import Corpus, Reference
from robustdr.core.errors import UserError
from robustdr.core.files import Lines, atomic, from_json, iterate_queries, read_answers, read_qrels, read_queries
from robustdr.core.seeds import generator
from robustdr.evaluation.answers import judge
from robustdr.retrieval.runs import read_docids, read_run
from robustdr.training.assignment import Texts, assign_all, assign_one
from robustdr.training.settings import TrainingDataSettings

PASSAGES = ("positive_passages", "negative_passages")
FIELDS = ("query_id", "query", "query_variation", *PASSAGES)
BLOCK = 4096  # queries per block: their variations and passages are looked up together


def choose_negatives(
    ranking: list[str], judged: dict[str, int], depth: int, keep: int, seed: int, qid: str
) -> list[str]:
    """At most `keep` random passages of the `depth` best that are not judged relevant, in rank order: docids."""
    candidates = [docid for docid in ranking[:depth] if judged.get(docid, 0) < 1]
    if len(candidates) <= keep:
        return candidates
    places = generator(seed, "negatives", qid).sample(range(len(candidates)), keep)
    return [candidates[i] for i in sorted(places)]


def choose_passages(
    judgements: dict[str, dict[str, int]],
    candidates: Iterable[tuple[str, list[str]]],
    relevant: dict[str, dict[str, int]],
    depth: int,
    keep: int,
    seed: int,
) -> dict[str, tuple[list[str], list[str]]]:
    """(positives, hard negatives) of each judged query that has both, as docids; positives have the highest grade.

    Args:
        judgements: grades by query and docid. candidates: each query's docids to draw negatives from.
        relevant: grades of further passages that cannot be negatives.
        depth: ranks to draw from. keep: negatives per query. seed: of the draw.
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


def _chosen(
    settings: TrainingDataSettings,
    seed: int,
    qids: Collection[str],
    corpus: Path,
    qrels: Path,
    run: Path | None = None,
    answers: Path | None = None,
) -> dict[str, tuple[list[str], list[str]]]:
    """The result of `choose_passages` for the queries `qids`.

    Args:
        run: source of negatives; without it, passages judged 0 are the negatives: DPR's released hard negatives have
            grade 0, its random ones -1.
        answers: answers.jsonl; as in DPR, a passage of the run that contains an answer is not a negative.
    """
    assert settings.depth is not None and settings.keep is not None
    judgements = {qid: judged for qid, judged in read_qrels(qrels).items() if qid in qids}
    runs = [read_run(run, settings.depth)] if run and answers else []
    relevant = judge(read_answers(answers), runs, settings.depth, corpus) if answers else {}
    irrelevant = ((qid, [docid for docid, grade in grades.items() if grade == 0]) for qid, grades in judgements.items())
    candidates = read_docids(run, settings.depth) if run else irrelevant
    chosen = choose_passages(judgements, candidates, relevant, settings.depth, settings.keep, seed)
    if not chosen:
        raise UserError(f"{run or qrels}: no query has both a positive in {qrels} and a negative")
    return chosen


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
        seed: decides negatives and the assignment of variations.
        queries: of the training split; a query without positive or negative is left out.
        variations: the varied training queries, one file per variation; none for recipes on original queries.
        tokenizer: tokenizer.json of the initial checkpoint.
        output: JSONL in the format of this module.
        files: `corpus`, `qrels`, and optionally `run` and `answers`; None to train on queries only.

    Raises:
        UserError: no query is left, a passage is not in the corpus, or a file is malformed.
    """
    texts = read_queries(queries)
    chosen = _chosen(settings, seed, texts, **files) if files else {}
    texts = {qid: text for qid, text in texts.items() if qid in chosen or not files}
    variation: Mapping[str, str | list[str]] = texts
    tokens, corpus = Tokenizer.from_file(str(tokenizer)), Corpus(files["corpus"]) if files else None
    if variations and settings.assign == "one":  # shared out among all queries
        varied = {path.stem: read_queries(path) for path in variations}
        variation, variations = assign_one(texts, varied, tokens, seed), []
    with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
        for block, varied in _blocks(texts, variations):
            if varied and settings.assign == "all":
                variation = assign_all(block, varied, tokens)
            elif varied:
                variation = {qid: [of_kind[qid] for of_kind in varied.values()] for qid in block}
            passage_fields = _passage_fields(corpus, {qid: chosen[qid] for qid in block}) if corpus is not None else {}
            for qid, text in block.items():
                line = {
                    "query_id": qid,
                    "query": text,
                    "query_variation": variation[qid],
                    **passage_fields.get(qid, {}),
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _blocks(texts: Texts, variations: list[Path]) -> Iterator[tuple[Texts, dict[str, Texts]]]:
    """Blocks of at most `BLOCK` queries, each with the texts by variation.

    Raises:
        UserError: a file of variations has other queries or another order.
    """
    queries = iter(texts.items())
    files = {path: (pair for pair in iterate_queries(path) if pair[0] in texts) for path in variations}
    while block := dict(islice(queries, BLOCK)):
        varied = {path: dict(islice(file, len(block))) for path, file in files.items()}
        for path, of_kind in varied.items():
            if list(of_kind) != list(block):
                raise UserError(f"{path}: its queries are not those of the split; delete the file and run again")
        yield block, {path.stem: of_kind for path, of_kind in varied.items()}


def _passage_fields(
    corpus: Corpus, chosen: dict[str, tuple[list[str], list[str]]]
) -> dict[str, dict[str, dict[str, int]]]:
    """The passage fields of some queries for the training file: by query and field, rows by docid."""
    rows = corpus.rows({docid for pair in chosen.values() for docids in pair for docid in docids})
    return {
        qid: {field: {docid: rows[docid] for docid in docids} for field, docids in zip(PASSAGES, pair, strict=True)}
        for qid, pair in chosen.items()
    }


@dataclass(frozen=True)
class Example:
    """One line of a training file; no passages if training is on queries only."""

    qid: str
    query: str
    variations: tuple[str, ...]
    positives: tuple[Reference, ...] = ()
    negatives: tuple[Reference, ...] = ()

    @property
    def passages(self) -> tuple[Reference, ...]:
        """All passages, positives first."""
        return *self.positives, *self.negatives


class Examples(Sequence[Example]):
    """The examples of a training file; each access reads the line from disk.

    Attributes:
        lines: of the training file. corpus: holds the passages, if any.
    """

    def __init__(self, lines: Lines, corpus: Corpus | None):
        self.lines, self.corpus = lines, corpus

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, number: int) -> Example: ...

    @overload
    def __getitem__(self, number: slice) -> list[Example]: ...

    def __getitem__(self, number: int | slice) -> Example | list[Example]:
        if isinstance(number, slice):
            return [self[i] for i in range(len(self))[number]]
        line = from_json(self.lines[number])
        varied = line.get("query_variation") or line["query"]
        variations = tuple(varied) if isinstance(varied, list) else (varied,)
        return Example(
            line["query_id"],
            line["query"],
            variations,
            *(self._passages(line.get(field_name, {})) for field_name in PASSAGES),
        )

    def _passages(self, rows: dict[str, int]) -> tuple[Reference, ...]:
        if not (docids_and_rows := rows.items()):
            return ()
        if self.corpus is None:
            raise UserError(f"{self.lines.path}: it names passages, but no corpus is given")
        return tuple(Reference(docid, row, self.corpus) for docid, row in docids_and_rows)


def read_training_data(path: Path, corpus: Path | None = None) -> Examples:
    """Read a training file; every line is checked.

    Args:
        corpus: corpus.jsonl of its passages; not needed for a file with queries only.

    Raises:
        UserError: a line is not a JSON object, lacks a field, has only positive or only negative passages, or names a
            passage that is not at its row of the corpus (names file and line).
    """
    examples = Examples(Lines(path), Corpus(corpus) if corpus else None)
    if not examples:
        raise UserError(f"{path}: no training examples")
    first = None
    for start in range(0, len(examples), BLOCK):
        numbered_passages: list[tuple[int, Reference]] = []
        for number in range(start, min(start + BLOCK, len(examples))):
            example = _checked(examples, number)
            first = first or example
            if bool(example.positives) != bool(first.positives):
                message_place = f"{path}:{number + 1}: query {example.qid!r}"
                raise UserError(f"{message_place}: either all examples have passages, or none")
            numbered_passages += [(number, passage) for passage in example.passages]
        if examples.corpus is not None:
            _check_places(path, examples.corpus, numbered_passages)
    return examples


def _checked(examples: Examples, number: int) -> Example:
    """Example `number`; a UserError if the line is malformed."""
    message_place = f"{examples.lines.path}:{number + 1}"
    try:
        example = examples[number]
        if wrong := [passage for passage in example.passages if type(passage.row) is not int]:
            raise TypeError(f"row {wrong[0].row!r} of passage {wrong[0].docid!r}")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{message_place}: not a training example ({error!r}); fields: {', '.join(FIELDS)}") from None
    if bool(example.positives) != bool(example.negatives):
        raise UserError(f"{message_place}: query {example.qid!r} needs at least one positive and one negative passage")
    return example


def _check_places(path: Path, corpus: Corpus, numbered_passages: list[tuple[int, Reference]]) -> None:
    """Raise a UserError for the first passage that is not at its row of the corpus.

    Args:
        numbered_passages: passages, each with the number of its line, from 0.
    """
    wrong = corpus.misplaced(
        [passage.docid for _, passage in numbered_passages], [passage.row for _, passage in numbered_passages]
    )
    if wrong is not None:
        number, passage = numbered_passages[wrong]
        raise UserError(
            f"{path}:{number + 1}: passage {passage.docid!r} is not at row {passage.row} of {corpus.path}, which has "
            f"{len(corpus)} rows; make the training file again"
        )
