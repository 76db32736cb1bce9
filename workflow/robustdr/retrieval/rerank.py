"""Reranking: for the kind of system `rerank`, and for `robustdr rerank` on a user's run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robustdr.collections import write_corpus
from robustdr.collections.local import corpus_of, read_queries
from robustdr.collections.problems import refuse
from robustdr.collections.reading import queries as asked
from robustdr.collections.reading import read_corpus
from robustdr.collections.records import Passage
from robustdr.collections.rows import Corpus
from robustdr.core.checks import at
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import open_binary
from robustdr.encoding import hardware, loading_modules
from robustdr.encoding.description import CROSS, DUAL, model_type
from robustdr.rankers.ranker import Pair, load, saved
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, rank, read_run, write_run
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
    known: dict[Pair, float] = {}  # scores by query text and docid
    if lists := judged_lists(files):
        every = [[(qid, docid) for qid in queries for docid in lists[qid]] for queries in query_sets]
    else:
        every = [candidates(*of, settings.depth) for of in zip(files["candidates"], query_sets, strict=True)]
    texts = Texts(corpus, chain.from_iterable(every))
    for places, queries in zip(every, query_sets, strict=True):
        new = [(qid, docid) for qid, docid in places if (queries[qid], docid) not in known]
        pairs = ((queries[qid], texts[docid]) for qid, docid in new)
        with at(str(model)):
            found = ranker.predict(pairs, settings.query_length, settings.passage_length, new).tolist()
        scores = known | {(queries[qid], docid): score for (qid, docid), score in zip(new, found, strict=True)}
        known |= {(text, docid): score for (text, docid), score in scores.items() if shared[text] > 1}
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
        return self.corpus.read(self.rows[docid], docid).joined()

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def ranked(places: Sequence[Place], scores: Sequence[float]) -> dict[str, Ranking]:
    """Rankings of scored passages, by query."""
    scored: dict[str, Ranking] = {}
    for (qid, docid), score in zip(places, scores, strict=True):
        scored.setdefault(qid, []).append((docid, score))
    return {qid: rank(of, len(of)) for qid, of in scored.items()}


def library_scores(model: Path, pairs: Sequence[Pair]) -> np.ndarray:
    """Scores of pairs, [pairs], by sentence-transformers: a cross-encoder's, or a dual encoder's similarities.

    Prompts, modules and lengths are those of the directory.
    """
    with loading_modules.readable(model):
        kind = model_type(model)
        if kind not in (CROSS, DUAL):
            raise unknown(f"{model}: model type", kind, (CROSS, DUAL))
        if kind == CROSS:
            return np.asarray(loading_modules.cross_encoder(model).predict(list(pairs)))
        dual = loading_modules.sentence_transformer(model)
        texts = [list(dict.fromkeys(texts)) for texts in zip(*pairs, strict=True)]
        vectors = (dual.encode_query(texts[0]), dual.encode_document(texts[1]))
        place = [{text: row for row, text in enumerate(of)} for of in texts]
        queries, passages = (vectors[side][[place[side][pair[side]] for pair in pairs]] for side in (0, 1))
        return dual.similarity_pairwise(queries, passages).numpy()


def rerank(model: Path, run: Path, queries: Path, corpus: Path, depth: int, output: Path) -> None:
    """Rerank the `depth` best passages of every query of a run; the others are left out.

    Args:
        model: directory of a ranker trained by robustdr, or in sentence-transformers' format.
        run: TREC run, gzipped or not. queries, corpus: in any form of `collections.local`.
        output: TREC run, gzipped if its name ends in .gz.

    Raises:
        UserError: a query or passage of the run is missing, there is no model, the run is empty, or a score is not
            finite.
    """
    texts = {query.qid: query.text for query in asked(read_queries(queries, refuse))}
    places = candidates(run, texts, depth)
    with TemporaryDirectory() as folder:
        found = _scores(model, _in_rows(corpus, Path(folder)), texts, places)
    header = {
        "tag": model.name,
        "implementation": {"source": {"command": "robustdr rerank"}},
        "data": {"candidates": run.name, "topics": queries.name},
        "method": {"automatic": True, "settings": {"model": model.name, "depth": depth}},
    }
    write_run(output, ranked(places, found.tolist()), header)


def _in_rows(corpus: Path, folder: Path) -> Path:
    """Return a corpus whose single passages can be read: the file itself, or, of another form, a copy in `folder`."""
    if corpus.suffix == ".jsonl":
        with open_binary(corpus) as file:
            line = file.readline()
        if all(f'"{name}"'.encode() in line for name in Passage._fields):
            return corpus
    write_corpus(corpus_of(corpus), folder / "corpus.jsonl")
    return folder / "corpus.jsonl"


def _scores(model: Path, corpus: Path, texts: Mapping[str, str], places: Sequence[Place]) -> np.ndarray:
    """Scores of passages for queries, [places], by the ranker or by sentence-transformers; see `rerank`."""
    passages = Texts(corpus, places)
    pairs = ((texts[qid], passages[docid]) for qid, docid in places)
    if own := saved(model):
        if "lengths" not in own:
            raise UserError(f"{model / 'ranker.json'}: no `lengths`; give the directory of a trained ranker")
        ranker = load(own["ranker"], model)
        if ranker.settings.counts:
            ranker.count(text for _, text in read_corpus(corpus))
        with at(str(model)):
            return np.asarray(ranker.predict(pairs, **own["lengths"], names=places))
    found = library_scores(model, list(pairs))
    if not np.isfinite(found).all():
        qid, docid = places[int((~np.isfinite(found)).argmax())]
        raise UserError(f"{model}: the score of query {qid!r} and passage {docid!r} is not finite")
    return found
