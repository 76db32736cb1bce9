"""BM25 with pseudo-relevance feedback (RM3): words of a query's best passages expand it for a second search.

Lavrenko and Croft (2001), Abdul-Jaleel et al. (2004). The variants follow Terrier (RM1.java, RM3.java) and Anserini
(Rm3Reranker.java).
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, log
from pathlib import Path

import numpy as np

from robustdr.retrieval.bm25 import Index
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, Run
from robustdr.retrieval.settings import RM3Settings as Settings

K3 = 8.0  # of Terrier's BM25: saturation of query term frequencies
_ALLOWED = re.compile(r"[a-z0-9]{2,20}")  # Anserini's expansion terms

Weights = dict[int, float]  # by term


def _largest(weights: Weights, count: int, index: Index) -> Weights:
    """The `count` terms of highest weight; terms of equal weight in alphabetical order."""
    return dict(sorted(weights.items(), key=lambda pair: (-pair[1], index.words[pair[0]]))[:count])


def _normalised(weights: Weights) -> Weights:
    total = sum(weights.values())
    return {term: weight / total for term, weight in weights.items()} if total else {}


def terrier(settings: Settings, index: Index, feedback: list[tuple[int, float]]) -> Weights:
    """w(t) = 1/D Σ_d tf(t, d) / |d| · exp(s(d)), for terms in at least two of N passages and in fewer than ⌊N / 10⌋.

    s(d) is Terrier's BM25 score, with logarithms to base 2 and a factor k1 + 1.
    """
    scale, highest = (settings.bm25.k1 + 1) / log(2), max((score for _, score in feedback), default=0.0)
    weights: Weights = {}
    for row, score in feedback:
        words = Counter(index.terms_of(row))
        for term, tf in words.items():
            if 2 <= index.frequencies[term] < len(index.docids) // 10:
                share = tf / words.total() * exp(scale * (score - highest))
                weights[term] = weights.get(term, 0.0) + share / len(feedback)
    return _normalised(_largest(weights, settings.terms, index))


def anserini(settings: Settings, index: Index, feedback: list[tuple[int, float]]) -> Weights:
    """Σ_d s(d) · v(d): v(d) has the most frequent allowed terms of passage d, normalised to sum 1."""
    weights: Weights = {}
    for row, score in feedback:
        words = Counter(index.terms_of(row))
        allowed = {
            term: float(tf)
            for term, tf in words.items()
            if _ALLOWED.fullmatch(index.words[term]) and index.frequencies[term] <= len(index.docids) / 10
        }
        for term, share in _normalised(_largest(allowed, settings.terms, index)).items():
            weights[term] = weights.get(term, 0.0) + share * score
    return _normalised(_largest(weights, settings.terms, index))


def expand(settings: Settings, index: Index, text: str, feedback_passages: list[tuple[int, float]]) -> Weights:
    """λ · qtf / |q| + (1 − λ) · w(t): weights of the query's own words and of the feedback; passages: (row, score).

    |q| also counts words that no passage contains, so the known words of a misspelled query weigh less.
    """
    word_count, query_terms = index.terms(text)
    feedback = {"terrier": terrier, "anserini": anserini}[settings.variant](settings, index, feedback_passages)
    share = settings.original_weight
    terms = {*query_terms, *feedback}
    return {t: share * query_terms.get(t, 0) / max(word_count, 1) + (1 - share) * feedback.get(t, 0.0) for t in terms}


def score(settings: Settings, index: Index, weights: Weights) -> np.ndarray:
    """BM25 scores of all passages, [passages]; each term counts times its weight w; Terrier: (k3 + 1) w / (k3 + w)."""
    scores = np.zeros(len(index.docids))
    matrix = index.scorer.scores
    for term, weight in weights.items():
        column = slice(matrix["indptr"][term], matrix["indptr"][term + 1])
        counted = (K3 + 1) * weight / (K3 + weight) if settings.variant == "terrier" else weight
        scores[matrix["indices"][column]] += counted * matrix["data"][column]
    return scores


def highest(scores: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, scores) of the `depth` best passages with a positive score, and of all that tie with the last."""
    rows = np.flatnonzero(scores > 0)
    if len(rows) > depth:
        rows = rows[scores[rows] >= np.partition(scores[rows], -depth)[-depth]]
    return rows, scores[rows]


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set: BM25, expansion, and BM25 again.

    With judged candidates, the feedback passages are the best of them that contain a word of the query.

    Args:
        files: `index`: the folder of the corpus's index.
    """
    (folder,) = files["index"]
    index, lists = Index(settings.bm25, corpus, folder), judged_lists(files)
    for queries in query_sets:
        judged: dict[str, Ranking] = {}
        best_of_query: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for qid, first in index.search(queries, lists).items():
            feedback = [(index.rows[docid], s) for docid, s in first[: settings.documents] if s > 0]
            scores = score(settings, index, expand(settings, index, queries[qid], feedback))
            if lists:
                judged[qid] = index.ranked(scores, lists[qid])
            else:
                best_of_query[qid] = highest(scores, settings.bm25.depth)
        yield judged if lists else Run.scored(index.docids, best_of_query, settings.bm25.depth)
