"""RM3: a case worked by hand, and both toolkits' formulas written once more without the index."""

import json
import math
from collections import Counter

import numpy as np
import pytest

from robustdr.core.seeds import generator
from robustdr.core.settings import as_json
from robustdr.retrieval.bm25_index import write_index
from robustdr.retrieval.rank import write_runs
from robustdr.retrieval.rm3 import K3
from robustdr.retrieval.runs import read_run
from robustdr.retrieval.settings import BM25Settings, RM3Settings

BM25 = BM25Settings(k1=0.9, b=0.4, stopwords=None, stemmer=None, depth=100)
TERRIER = RM3Settings(BM25, "terrier", terms=10, documents=3, original_weight=0.6)
ANSERINI = RM3Settings(BM25, "anserini", terms=10, documents=10, original_weight=0.5)


@pytest.fixture()
def search(tmp_path):
    def run(settings, corpus, query):
        with open(tmp_path / "corpus.jsonl", "w") as file:
            for docid, text in corpus.items():
                file.write(json.dumps({"docid": docid, "title": "", "text": text}) + "\n")
        (tmp_path / "queries.tsv").write_text(f"q\t{query}\n")
        write_index(settings.bm25.index, tmp_path / "corpus.jsonl", tmp_path / "index")
        read = tmp_path / "corpus.jsonl", {"index": [tmp_path / "index"]}
        files = *read, [tmp_path / "queries.tsv"], [tmp_path / "run.trec.gz"]
        write_runs("robustdr.retrieval.rm3", as_json(settings), "rm3", "toy", *files)
        return read_run(tmp_path / "run.trec.gz").get("q", [])

    return run


def bm25(corpus, settings=BM25):
    """By passage and word, Lucene's ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k1 (1 − b + b · length / mean))."""
    counts = {docid: Counter(text.split()) for docid, text in corpus.items()}
    lengths = {docid: len(text.split()) for docid, text in corpus.items()}
    mean = np.mean(list(lengths.values()))
    df = Counter(word for words in counts.values() for word in words)
    return df, {
        docid: {
            word: math.log(1 + (len(corpus) - df[word] + 0.5) / (df[word] + 0.5))
            * tf
            / (tf + settings.k1 * (1 - settings.b + settings.b * lengths[docid] / mean))
            for word, tf in words.items()
        }
        for docid, words in counts.items()
    }


def normalised(weights):
    return {word: weight / sum(weights.values()) for word, weight in weights.items()}


def largest(weights, count):
    return {word: weights[word] for word in sorted(weights, key=lambda word: (-weights[word], word))[:count]}


def reference(settings, corpus, query):
    df, scores = bm25(corpus)
    first = {d: sum(of.get(word, 0.0) for word in query.split()) for d, of in scores.items()}
    top = sorted((d for d in first if first[d] > 0), key=lambda d: (first[d], d), reverse=True)[: settings.documents]
    feedback = Counter()
    for d in top:
        words = Counter(corpus[d].split())
        if settings.variant == "terrier":
            likely = math.exp(first[d] * 1.9 / math.log(2)) / sum(
                math.exp(first[other] * 1.9 / math.log(2)) for other in top
            )
            allowed = {w for w in words if 2 <= df[w] < int(0.1 * len(corpus))}
            feedback.update({w: words[w] / len(corpus[d].split()) * likely / len(top) for w in allowed})
        else:
            allowed = {w: words[w] for w in words if df[w] <= len(corpus) / 10 and w.isascii() and 2 <= len(w) <= 20}
            cut = normalised(largest(allowed, settings.terms)) if allowed else {}
            feedback.update({w: share * first[d] for w, share in cut.items()})
    feedback = normalised(largest(feedback, settings.terms)) if feedback else {}
    own = Counter(query.split())
    share = settings.original_weight
    weights = {w: share * own[w] / own.total() + (1 - share) * feedback.get(w, 0.0) for w in {*own, *feedback}}
    if settings.variant == "terrier":
        weights = {w: 9 * weight / (8 + weight) for w, weight in weights.items()}
    found = {d: sum(weights[w] * of[w] for w in weights if w in of) for d, of in scores.items()}
    return {d: score for d, score in found.items() if score > 0}


@pytest.fixture(scope="module")
def corpus():
    rng = generator("rm3")
    letters = "abcdefghijklmnopqrst"
    words = [a + b + c for a in letters for b in "aeiou" for c in letters[:4]]
    common, rare = words[:20], words[20:]
    texts = (rng.choices(rare, k=9) + rng.choices(common, k=4) for _ in range(90))
    return {f"d{number:02}": " ".join(text) for number, text in enumerate(texts)}


@pytest.mark.parametrize("settings", [TERRIER, ANSERINI], ids=["terrier", "anserini"])
@pytest.mark.parametrize("row", [3, 40, 77])
def test_scores_by_the_formula(search, corpus, settings, row):
    words = corpus[f"d{row:02}"].split()
    for query in (" ".join(words[:2]), f"{words[0]} qwxyz", f"{words[1]} {words[1]} {words[4]}"):
        found, expected = dict(search(settings, corpus, query)), reference(settings, corpus, query)
        assert found == pytest.approx(expected, rel=1e-5)
        assert len(found) > len(dict(search(RM3Settings(BM25, "anserini", 1, 1, 1.0), corpus, query)))


def test_a_case_by_hand(search):
    """`gold` finds d0 alone, which has `ring` twice, and `ring` is in d1 too: feedback reaches it.

    Of 30 passages 2 have `ring` (fewer than ⌊30 / 10⌋) and 1 has `gold` (in one alone: no candidate). w(ring) = 1, so
    the query becomes .6 gold + .4 ring. Of 29 passages they are not fewer than ⌊29 / 10⌋, and nothing is added.
    """
    corpus = {"d0": "gold ring ring", "d1": "ring stone", **{f"x{n:02}": f"word{n}" for n in range(28)}}
    found = dict(search(TERRIER, corpus, "gold"))
    mean = (3 + 2 + 28) / 30
    norm = {d: 0.9 * (0.6 + 0.4 * length / mean) for d, length in (("d0", 3), ("d1", 2))}
    gold, ring = math.log(1 + 29.5 / 1.5), math.log(1 + 28.5 / 2.5)
    own, fed = (K3 + 1) * 0.6 / (K3 + 0.6), (K3 + 1) * 0.4 / (K3 + 0.4)
    assert found == pytest.approx(
        {"d0": own * gold / (1 + norm["d0"]) + fed * ring * 2 / (2 + norm["d0"]), "d1": fed * ring / (1 + norm["d1"])},
        rel=1e-5,
    )
    del corpus["x27"]
    assert set(dict(search(TERRIER, corpus, "gold"))) == {"d0"}


def test_a_query_of_unknown_words_finds_nothing(search, corpus):
    assert search(TERRIER, corpus, "qwxyz zyxwq") == []
