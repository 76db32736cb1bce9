"""`robustdr rerank`: a user's run, ranked again by a model of the user's."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from robustdr.collections import write_corpus
from robustdr.collections.local import corpus_of, read_queries
from robustdr.collections.problems import refuse
from robustdr.collections.reading import queries as asked
from robustdr.collections.reading import read_corpus
from robustdr.collections.records import Passage
from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import open_binary
from robustdr.encoding import loading_modules
from robustdr.encoding.description import CROSS, DUAL, LATE, model_type
from robustdr.rankers.ranker import Pair, load, saved
from robustdr.retrieval.rerank import Place, Texts, candidates, ranked
from robustdr.retrieval.runs import write_run
from robustdr.retrieval.trec import lacking


def library_scores(model: Path, pairs: Sequence[Pair]) -> np.ndarray:
    """Scores of pairs, [pairs], by sentence-transformers: a cross-encoder's, or similarities of a model of vectors.

    Prompts, modules and lengths are those of the directory.
    """
    with loading_modules.readable(model):
        kind = model_type(model)
        if kind not in (CROSS, DUAL, LATE):
            raise unknown(f"{model}: model type", kind, (CROSS, DUAL, LATE))
        if kind == CROSS:
            return np.asarray(loading_modules.cross_encoder(model).predict(list(pairs)))
        late = kind == LATE  # vectors of tokens, so many for each text
        library_model = (
            loading_modules.of_type(model, LATE, "auto") if late else loading_modules.sentence_transformer(model)
        )
        texts = [list(dict.fromkeys(texts)) for texts in zip(*pairs, strict=True)]
        vectors = (library_model.encode_query(texts[0]), library_model.encode_document(texts[1]))
        place = [{text: row for row, text in enumerate(side_texts)} for side_texts in texts]
        rows = [[place[side][pair[side]] for pair in pairs] for side in (0, 1)]
        queries, passages = (
            [side_vectors[row] for row in side_rows] if late else side_vectors[side_rows]
            for side_vectors, side_rows in zip(vectors, rows, strict=True)
        )
        return np.asarray(library_model.similarity_pairwise(queries, passages))


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
    for note in lacking({qid for qid, _ in places}, texts):
        print(f"{run} {note}", file=sys.stderr)
    with TemporaryDirectory() as folder:
        scores = _scores(model, _in_rows(corpus, Path(folder)), texts, places)
    header = {
        "tag": model.name,
        "implementation": {"source": {"command": "robustdr rerank"}},
        "data": {"candidates": run.name, "topics": queries.name},
        "method": {"automatic": True, "settings": {"model": model.name, "depth": depth}},
    }
    write_run(output, ranked(places, scores.tolist()), header)


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
    if ranker_settings := saved(model):
        if "lengths" not in ranker_settings:
            raise UserError(f"{model / 'ranker.json'}: no `lengths`; give the directory of a trained ranker")
        ranker = load(ranker_settings["ranker"], model)
        if ranker.settings.counts:
            ranker.count(text for _, text in read_corpus(corpus))
        with prefixed_errors(str(model)):
            return np.asarray(ranker.predict(pairs, **ranker_settings["lengths"], names=places))
    scores = library_scores(model, list(pairs))
    if not np.isfinite(scores).all():
        qid, docid = places[int((~np.isfinite(scores)).argmax())]
        raise UserError(f"{model}: the score of query {qid!r} and passage {docid!r} is not finite")
    return scores
