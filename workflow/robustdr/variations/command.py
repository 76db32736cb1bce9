"""`robustdr vary`: vary a file of queries."""

from collections.abc import Sequence
from pathlib import Path

from robustdr.variations import create, runner
from robustdr.variations.queries import read
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
) -> None:
    """Vary a file of queries; see `robustdr.variations.runner.run`.

    Args:
        queries: a TSV or .jsonl file, or `irds:<id>`.
        name: the generator; `parameters` override its defaults.
        models: sentence-transformers folders for the semantic similarity.

    Raises:
        UserError: see `create`, `queries.read` and `runner.run`.
    """
    variation, encoders = create(name, parameters), {model.name: Similarity(model) for model in models}
    originals = read(queries)
    variation.fetch(originals)
    variation.ready(originals)
    runner.run(originals, output, statistics, variation, seed, tokenizer, workers, encoders)
