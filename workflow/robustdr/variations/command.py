"""`robustdr vary`: vary a file of queries."""

import sys
from collections.abc import Sequence
from pathlib import Path

from robustdr.collections.language import given_or_found
from robustdr.variations import create, runner
from robustdr.variations.languages import spoken
from robustdr.variations.queries import read_user_queries
from robustdr.variations.similarity import Similarity


def vary(
    queries: str | Path,
    output: Path,
    statistics: Path | None,
    name: str,
    parameters: dict[str, object] | None = None,
    seed: int = 0,
    tokenizer: Path | None = None,
    workers: int = 1,
    models: Sequence[Path] = (),
    code: str | None = None,
) -> None:
    """Vary a file of queries; see `robustdr.variations.runner.run`.

    Args:
        queries: a TSV or .jsonl file, or `irds:<id>`.
        name: the generator; `parameters` override its defaults.
        models: sentence-transformers folders for the semantic similarity.
        code: of the queries' language; None: it is found.

    Raises:
        UserError: the variation is not for queries of this language; see also `create`, `queries.read_user_queries` and
            `runner.run`.
    """
    create(name, parameters)  # before a long file is read
    originals = read_user_queries(queries)
    language, language_note = given_or_found(code, list(originals.values()))
    print(language_note, file=sys.stderr)
    variation = create(name, {**(parameters or {}), **spoken(name, language)})
    encoders = {model.name: Similarity(model) for model in models}
    variation.fetch(originals)
    variation.ready(originals)
    runner.run(originals, output, statistics, variation, seed, tokenizer, workers, encoders)
