"""Reranking, for the kind of system `rerank`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from robustdr.collections.reading import read_corpus
from robustdr.collections.rows import Corpus
from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError
from robustdr.encoding import hardware
from robustdr.rankers.ranker import Pair, load
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, rank, read_run
from robustdr.retrieval.settings import RerankSettings as Settings

Place = tuple[str, str]  # query id, docid


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rerank the candidates of every query set; a text in several query sets is scored once.

    Args:
        files: `model`: the ranker's directory; `judged`, or `candidates`: a run for each query set.

    Raises:
        UserError: see `candidates`, `Texts` and `Ranker.predict`.
    """
    hardware.start(settings.threads)
    (model,) = files["model"]
    ranker = load(**settings.ranker, folder=model, precision=settings.precision)
    if ranker.settings.counts:
        ranker.count(text for _, text in read_corpus(corpus))
    shared = Counter(text for queries in query_sets for text in set(queries.values()))
    score_of: dict[Pair, float] = {}  # scores by query text and docid
    if lists := judged_lists(files):
        places_of_sets = [[(qid, docid) for qid in queries for docid in lists[qid]] for queries in query_sets]
    else:
        places_of_sets = [
            candidates(*run_and_queries, settings.depth)
            for run_and_queries in zip(files["candidates"], query_sets, strict=True)
        ]
    texts = Texts(corpus, chain.from_iterable(places_of_sets))
    for places, queries in zip(places_of_sets, query_sets, strict=True):
        new = [(qid, docid) for qid, docid in places if (queries[qid], docid) not in score_of]
        pairs = ((queries[qid], texts[docid]) for qid, docid in new)
        with prefixed_errors(str(model)):
            new_scores = ranker.predict(pairs, settings.query_length, settings.passage_length, new).tolist()
        scores = score_of | {(queries[qid], docid): score for (qid, docid), score in zip(new, new_scores, strict=True)}
        score_of |= {(text, docid): score for (text, docid), score in scores.items() if shared[text] > 1}
        yield ranked(places, [scores[queries[qid], docid] for qid, docid in places])


def candidates(run: Path, queries: dict[str, str], depth: int) -> list[Place]:
    """(query id, docid) pairs of the `depth` best passages of every query of a run.

    Raises:
        UserError: the run is empty, or a query of the run is not in `queries`.
    """
    places = [(qid, docid) for qid, ranking in read_run(run, depth).items() for docid, _ in ranking]
    if missing := sorted({qid for qid, _ in places} - queries.keys()):
        raise UserError(f"{run}: query {missing[0]!r} is not in the query file ({len(missing)} in all)")
    if not places:
        raise UserError(f"{run}: no passages to rank")
    return places


class Texts(Mapping[str, str]):
    """Texts of passages by docid, for rankers; each access reads the corpus.

    Raises:
        UserError: a passage is not in the corpus.
    """

    def __init__(self, corpus: Path, places: Iterable[Place]):
        self.corpus = Corpus(corpus)
        self.rows = self.corpus.rows({docid for _, docid in places})

    def __getitem__(self, docid: str) -> str:
        return self.corpus.read_passage(self.rows[docid], docid).joined()

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def ranked(places: Sequence[Place], scores: Sequence[float]) -> dict[str, Ranking]:
    """Rankings of scored passages, by query."""
    scored: dict[str, Ranking] = {}
    for (qid, docid), score in zip(places, scores, strict=True):
        scored.setdefault(qid, []).append((docid, score))
    return {qid: rank(scored_docids, len(scored_docids)) for qid, scored_docids in scored.items()}
