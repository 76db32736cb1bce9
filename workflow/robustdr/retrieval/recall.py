"""How much of an exact search's ranking a compressed index finds."""

from dataclasses import replace
from pathlib import Path

from robustdr.core.files import read_queries, write_json
from robustdr.core.seeds import digest
from robustdr.retrieval.runs import read_docids
from robustdr.retrieval.search import rankings
from robustdr.retrieval.settings import FLAT, Index, SearchSettings

SAMPLE = 500  # queries: a proportion near 1 is known to a percent
DEPTHS = (10, 100, 1000)


def write_recall(
    settings: SearchSettings, model: Path, corpus: Path, queries: Path, vectors: list[Path], run: Path, output: Path
) -> None:
    """Search the vectors exactly for some queries of a run, and write how many of the best passages the run has.

    Args:
        settings: those of the run. queries: of the run. vectors: shards of the corpus. run: from a compressed index.
        output: JSON: `queries`, their number; `recall`, the mean share of the exact best that are among as many best
            of the run, by depth.

    Raises:
        UserError: see `search.rankings` and `runs.read_docids`.
    """
    texts = read_queries(queries)
    sampled_queries = {qid: texts[qid] for qid in sorted(texts, key=digest)[:SAMPLE]}
    files = {"model": [model], "embeddings": vectors}
    (exact,) = rankings(replace(settings, index=Index(FLAT, 1)), corpus, files, [sampled_queries])
    best = {qid: [docid for docid, _ in exact[qid]] for qid in sampled_queries}
    run_docids = {qid: docids for qid, docids in read_docids(run, settings.depth) if qid in sampled_queries}
    recall = {}
    for depth in DEPTHS:
        shares = (
            len({*docids[:depth]} & {*run_docids.get(qid, [])[:depth]}) / len(docids[:depth])
            for qid, docids in best.items()
        )
        recall[depth] = sum(shares) / len(best)
    write_json(output, {"queries": len(sampled_queries), "recall": recall})
