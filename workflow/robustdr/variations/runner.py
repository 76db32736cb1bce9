"""Vary a file of queries, in one or more processes, as a whole or in shards; the output is the same."""

import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, write_json, write_queries
from robustdr.variations.base import Variation
from robustdr.variations.statistics import Encode, Tokenize, count_lost, describe, tally

Pairs = list[tuple[str, str]]
Vary = Callable[[Pairs], Iterable[tuple[str, str]]]

PORTION = 2_000  # queries per chunk: for workers, for sums of statistics, and as the unit of shards


def tokenize_with(path: Path) -> Tokenize:
    """A function from text to token ids; `path`: a tokenizer.json, or a folder with one."""
    from tokenizers import Tokenizer

    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare exceptions
        raise UserError(f"{file}: no tokenizer ({error}); expected: a tokenizer.json, or a folder with one") from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


class Worker:
    """Varies chunks of queries and counts their changes."""

    current: "Worker"  # the worker of this process, if there are several processes

    def __init__(self, vary: Vary, tokenizer: Path | None, encoders: Mapping[str, Encode], count: bool):
        self._vary, self._count = vary, count
        self._tokenize = tokenize_with(tokenizer) if tokenizer else None
        self._encoders = encoders

    def __call__(self, chunk: Pairs) -> tuple[Pairs, dict[str, float]]:
        varied = list(self._vary(chunk))
        texts = ((original, changed) for (_, original), (_, changed) in zip(chunk, varied, strict=True))
        return varied, tally(texts, self._tokenize, self._encoders) if self._count else {}


def _start(*arguments: Any) -> None:
    Worker.current = Worker(*arguments)


def _work(chunk: Pairs) -> tuple[Pairs, dict[str, float]]:
    return Worker.current(chunk)


def _chunks(queries: Iterable[tuple[str, str]]) -> Iterator[Pairs]:
    remaining = iter(queries)
    while chunk := list(islice(remaining, PORTION)):
        yield chunk


def shard_of(queries: Mapping[str, str], shard: int, shards: int) -> dict[str, str]:
    """The queries of shard number `shard`, from 0: whole portions, so a model sees the same batches as in one file.

    Raises:
        UserError: there are fewer portions than shards.
    """
    portions = -(-len(queries) // PORTION)
    if portions < shards:
        raise UserError(
            f"{len(queries)} queries in {shards} shards of {PORTION} or more: the split's `count` in collections.yaml "
            "is too large"
        )
    first, last = (PORTION * (portions * bound // shards) for bound in (shard, shard + 1))
    return dict(islice(queries.items(), first, last))


def gathered(queries: Mapping[str, str], shards: Sequence[Path]) -> dict[str, str]:
    """The varied queries of all shards, in the order of `queries`.

    Raises:
        UserError: a shard is missing or has other queries than expected.
    """
    varied: dict[str, str] = {}
    for shard, path in enumerate(shards):
        shard_queries = read_queries(path)
        if list(shard_queries) != list(shard_of(queries, shard, len(shards))):
            raise UserError(f"{path}: not the queries of shard {shard} of {len(shards)}; delete it and run again")
        varied |= shard_queries
    return varied


def run(
    originals: dict[str, str],
    output: Path,
    statistics: Path | None,
    variation: Variation,
    seed: int = 0,
    tokenizer: Path | None = None,
    workers: int = 1,
    encoders: Mapping[str, Encode] | None = None,
    shards: Sequence[Path] = (),
) -> None:
    """Write varied queries as TSV and, if asked, statistics about them as JSON.

    Args:
        originals: texts by query id.
        output: TSV, `qid<TAB>text`, in the order of the input.
        statistics: JSON file for the generator, its parameters and resource, the seed, and the comparison; None: none.
        variation: the generator; it is checked first.
        seed: any integer.
        tokenizer: tokenizer.json, or a folder with one, to count queries whose tokens change.
        workers: number of processes.
        encoders: embedding models for the semantic similarity, by name; must be picklable.
        shards: files of already varied queries, one per shard, in order; if given, nothing is varied here.

    Raises:
        UserError: see the generator's `check`, and `gathered`; or several workers for a generator that allows one.
    """
    from tqdm import tqdm

    variation.check()
    name = variation.name
    if workers < 1 or (workers > 1 and not variation.processes):
        allowed = "1 or more" if variation.processes else "1 (it sends several requests at a time itself)"
        raise UserError(f"variation {name}: workers is {workers}; allowed: {allowed}")
    varied_texts = gathered(originals, shards)
    vary = (
        (lambda chunk: ((qid, varied_texts[qid]) for qid, _ in chunk))
        if varied_texts
        else partial(variation.vary, seed=seed)
    )
    arguments = (vary, tokenizer, encoders or {}, statistics is not None)
    totals: Counter[str] = Counter()
    varied_queries: dict[str, str] = {}  # where statistics are asked for: an output may be a pipe

    def varied(results: Iterable[tuple[Pairs, dict[str, float]]]) -> Iterator[tuple[str, str]]:
        with tqdm(total=len(originals), desc=name, unit=" queries", disable=None) as bar:  # None: on a terminal only
            for chunk, counted in results:
                totals.update(counted)
                varied_queries.update(chunk if statistics else [])
                bar.update(len(chunk))
                yield from chunk

    if workers == 1:
        write_queries(output, varied(map(Worker(*arguments), _chunks(originals.items()))))
    else:
        with multiprocessing.get_context("spawn").Pool(workers, _start, arguments) as pool:
            write_queries(output, varied(pool.imap(_work, _chunks(originals.items()))))
    if problems := variation.problems:
        print(f"{name}: {len(problems)} queries kept their text: {'; '.join(problems[:5])}", file=sys.stderr)
    if statistics:
        origin = {"variation": name, "parameters": variation.parameters, "seed": seed, "resource": variation.resource}
        totals["lost"] = count_lost(originals, varied_queries)
        write_json(statistics, origin | describe(totals) | ({"problems": list(problems)} if problems else {}))
