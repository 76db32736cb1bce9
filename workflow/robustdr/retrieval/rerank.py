"""Somebody's run, ranked anew by a model directory of sentence-transformers' form."""

import json
from pathlib import Path

import numpy as np

from robustdr.collections.reading import read_passages
from robustdr.errors import UserError, unknown
from robustdr.files import read_queries
from robustdr.retrieval.runs import Ranking, rank, read_run, write_run

Pairs = list[tuple[str, str]]  # query and passage

CROSS, DUAL = "CrossEncoder", "SentenceTransformer"


def kind_of(model: Path) -> str:
    """What a directory holds: its sentence-transformers configuration says so, or the head of a bare checkpoint.

    Raises:
        UserError: no model there, or one of another kind.
    """
    try:
        config = json.loads((model / "config_sentence_transformers.json").read_text(encoding="utf-8"))
        kind = config.get("model_type", DUAL)
    except OSError:
        try:
            heads = json.loads((model / "config.json").read_text(encoding="utf-8")).get("architectures") or [""]
        except OSError:
            raise UserError(
                f"{model}: no model directory (no config.json); one of sentence-transformers is expected"
            ) from None
        kind = CROSS if heads[0].endswith("ForSequenceClassification") else heads[0] or "nothing"
    if kind not in (CROSS, DUAL):
        raise unknown(f"{model}: a model of kind", kind, (CROSS, DUAL))
    return kind


def scores(model: Path, pairs: Pairs) -> np.ndarray:
    """The model's score of each pair, [pairs]: a cross-encoder's, or the similarity that a dual encoder names.

    Prompts, modules and lengths are those of the directory; sentence-transformers computes them.
    """
    import sentence_transformers

    if kind_of(model) == CROSS:
        return np.asarray(sentence_transformers.CrossEncoder(str(model), local_files_only=True).predict(pairs))
    dual = sentence_transformers.SentenceTransformer(str(model), local_files_only=True)
    texts = [list(dict.fromkeys(texts)) for texts in zip(*pairs, strict=True)]
    vectors = (dual.encode_query(texts[0]), dual.encode_document(texts[1]))
    place = [{text: row for row, text in enumerate(of)} for of in texts]
    queries, passages = (vectors[side][[place[side][pair[side]] for pair in pairs]] for side in (0, 1))
    return dual.similarity_pairwise(queries, passages).numpy()


def rerank(model: Path, run: Path, queries: Path, corpus: Path, depth: int, output: Path) -> None:
    """Rank the `depth` best passages of every query of a run anew; what lies below is left out.

    Args:
        model: directory. run: TREC run, gzipped or not. queries: qid<TAB>text. corpus: JSONL with docid, title, text.
        output: TREC run, gzipped if its name ends in .gz.

    Raises:
        UserError: a query or passage of the run is missing, there is no model, the run is empty, a score is no number.
    """
    candidates = {qid: ranking[:depth] for qid, ranking in read_run(run).items()}
    texts = read_queries(queries)
    if missing := [qid for qid in candidates if qid not in texts]:
        raise UserError(f"{run}: query {missing[0]!r} is not in {queries} ({len(missing)} are not)")
    wanted = {docid for ranking in candidates.values() for docid, _ in ranking}
    passages = read_passages(corpus, wanted)
    read = {docid: " ".join(filter(None, (found["title"], found["text"]))) for docid, found in passages.items()}
    places = [(qid, docid) for qid, ranking in candidates.items() for docid, _ in ranking]
    if not places:
        raise UserError(f"{run}: no passages to rank")
    found = scores(model, [(texts[qid], read[docid]) for qid, docid in places])
    if not np.isfinite(found).all():
        qid, docid = places[int((~np.isfinite(found)).argmax())]
        raise UserError(f"{model}: the score of query {qid!r} and passage {docid!r} is not finite")
    ranked: dict[str, Ranking] = {qid: [] for qid in candidates}
    for (qid, docid), score in zip(places, found.tolist(), strict=True):
        ranked[qid].append((docid, score))
    header = {
        "tag": model.name,
        "implementation": {"source": {"command": "robustdr rerank"}},
        "data": {"candidates": run.name, "topics": queries.name},
        "method": {"automatic": True, "settings": {"model": model.name, "depth": depth}},
    }
    write_run(output, {qid: rank(ranking, depth) for qid, ranking in ranked.items()}, header)
