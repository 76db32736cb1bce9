"""BM25 on a toy corpus, against Lucene's formula worked here."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import bm25s
import numpy as np
import pytest

from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.core.settings import as_json
from robustdr.retrieval.bm25_index import _words, stopwords, write_index
from robustdr.retrieval.rank import write_runs
from robustdr.retrieval.runs import rank, read_metadata, read_run
from robustdr.retrieval.settings import BM25Settings

SETTINGS = BM25Settings(k1=0.9, b=0.4, stopwords=None, stemmer=None, depth=10)
CORPUS = {
    "d1": "a river flows",
    "d2": "rivers and a stone",
    "d3": "the stone of a stone house",
    "d4": "music",
}


@pytest.fixture()
def search(tmp_path):
    """`search(corpus, queries, **settings)`: the run of BM25."""

    def run(corpus, queries, **changes):
        with open(tmp_path / "corpus.jsonl", "w") as file:
            for docid, text in corpus.items():
                file.write(json.dumps({"docid": docid, "title": "", "text": text}) + "\n")
        (tmp_path / "queries.tsv").write_text("".join(f"{qid}\t{text}\n" for qid, text in queries.items()))
        settings = replace(SETTINGS, **changes)
        write_index(settings.index, tmp_path / "corpus.jsonl", tmp_path / "index")
        files = {"index": [tmp_path / "index"]}, [tmp_path / "queries.tsv"], [tmp_path / "run.arrow"]
        told = as_json(settings), "bm25", "toy", tmp_path / "corpus.jsonl"
        write_runs("robustdr.retrieval.bm25", *told, *files)
        return read_run(tmp_path / "run.arrow")

    return run


def lucene(query: str, corpus: dict[str, str]) -> list[tuple[str, float]]:
    """Σ ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k1 (1 − b + b · length / mean length)), words split at spaces."""
    documents = {docid: text.split() for docid, text in corpus.items()}
    mean = sum(map(len, documents.values())) / len(documents)
    scores = dict.fromkeys(documents, 0.0)
    for word in query.split():
        frequency = sum(word in document for document in documents.values())
        idf = math.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
        for docid, document in documents.items():
            tf = document.count(word)
            scores[docid] += idf * tf / (tf + 0.9 * (1 - 0.4 + 0.4 * len(document) / mean))
    return rank(((docid, score) for docid, score in scores.items() if score > 0), 10)


@pytest.mark.parametrize("query", ["stone", "stone house", "river stone music", "the the house"])
def test_scores_by_the_formula(search, query):
    """Words of one letter are no terms for the tokenizer, so they are left out of the corpus here."""
    corpus = {docid: " ".join(word for word in text.split() if len(word) > 1) for docid, text in CORPUS.items()}
    expected = lucene(query, corpus)
    found = search(CORPUS, {"q": query})["q"]
    assert [docid for docid, _ in found] == [docid for docid, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], rel=1e-5)


def test_stemming_and_stop_words_are_settings(search):
    assert [docid for docid, _ in search(CORPUS, {"q": "river"})["q"]] == ["d1"]
    assert {docid for docid, _ in search(CORPUS, {"q": "river"}, stemmer="english")["q"]} == {"d1", "d2"}
    assert {docid for docid, _ in search(CORPUS, {"q": "the river"})["q"]} == {"d1", "d3"}
    assert {docid for docid, _ in search(CORPUS, {"q": "the river"}, stopwords="en")["q"]} == {"d1"}


def test_terriers_stop_words(search, monkeypatch):
    """`whose` and `zillion` are on Terrier's list of 733 words, and not on the shorter one of bm25s."""
    corpus = {"d1": "whose stone", "d2": "a zillion houses", "d3": "the music"}
    query = {"q": "whose zillion the music"}
    assert set(dict(search(corpus, query, stopwords="en")["q"])) == {"d1", "d2", "d3"}
    assert set(dict(search(corpus, query, stopwords="terrier")["q"])) == {"d3"}
    assert len(set(stopwords("terrier"))) == 733
    monkeypatch.setattr("robustdr.retrieval.bm25_index.TERRIER_LIST", Path(__file__))
    with pytest.raises(UserError, match=r"test_bm25\.py: not Terrier's list of stop words"):
        search(corpus, query, stopwords="terrier")


def test_a_query_of_unknown_words_finds_nothing(search):
    assert set(search(CORPUS, {"q1": "quark", "q2": "music"})) == {"q2"}


def test_ties_at_the_cut_are_broken_by_docid(search):
    """A hundred passages say the same; twenty of them are asked for."""
    corpus = {f"d{number:03}": "stone" if number % 2 else "stone river" for number in range(200)}
    found = search(corpus, {"q": "stone", "other": "river"}, depth=20)
    assert [docid for docid, _ in found["q"]] == [f"d{number:03}" for number in range(199, 159, -2)]
    assert [docid for docid, _ in found["other"]] == [f"d{number:03}" for number in range(198, 158, -2)]


@pytest.mark.parametrize("threads", ["1", "3"])
def test_threads_find_what_numpy_finds_one_query_after_the_other(search, monkeypatch, threads):
    """The library's own NumPy search, bit for bit: float32 sums in the order of a query's words."""
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    rng = generator("threads")
    words = [f"w{number}" for number in range(40)]
    corpus = {f"d{number:03}": " ".join(rng.choices(words, k=rng.randint(1, 30))) for number in range(300)}
    queries = {f"q{number}": " ".join(rng.choices([*words, "unknown"], k=6)) for number in range(200)}
    found = search(corpus, queries, depth=50)
    tokenizer = bm25s.tokenization.Tokenizer(stopwords=[])
    scorer = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numpy")
    scorer.index(tokenizer.tokenize([*corpus.values()], return_as="tuple", show_progress=False), show_progress=False)
    for qid, text in queries.items():
        (tokens,) = tokenizer.tokenize([text], update_vocab=False, show_progress=False)
        scores = np.array([float(f"{score:.9g}") for score in scorer.get_scores_from_ids(tokens)], np.float32)
        scored = ((docid, score) for docid, score in zip(corpus, scores.tolist(), strict=True) if score > 0)
        assert found[qid] == rank(scored, 50)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("日本の首都はどこ？", ["日本", "本の", "の首", "首都", "都は", "はど", "どこ"]),
        ("中国的首都。iPhone 15", ["iphone", "15", "中国", "国的", "的首", "首都"]),
        ("水 a", ["水"]),
        ("서울은 수도", ["서울", "울은", "수도"]),
        ("ประเทศไทย", ["ประ", "ระเ", "ะเท", "เทศ", "ทศไ", "ศไท", "ไทย"]),
        ("भारत की राजधानी", ["भारत", "की", "राजधानी"]),
        ("l'été 2018", ["été", "2018"]),
    ],
)
def test_words_without_blanks_are_n_grams(text, terms):
    """By hand: overlapping pairs as Lucene's CJKAnalyzer makes them; three characters of Thai."""
    assert _words(text.lower()) == terms


@pytest.mark.parametrize(
    ("stemmer", "corpus", "query"),
    [
        (None, ["東京は日本の首都です。", "京都には寺が多い。", "大阪は商業の町です。"], "日本の首都"),
        (None, ["北京是中国的首都。", "上海是最大的城市。", "长江很长。"], "首都是哪里"),
        (None, ["กรุงเทพเป็นเมืองหลวงของไทย", "เชียงใหม่อยู่ทางเหนือ", "แม่น้ำโขงยาวมาก"], "เมืองหลวงอยู่ที่ไหน"),
        (None, ["서울은 대한민국의 수도이다.", "부산은 항구이다.", "한강은 길다."], "수도는 어디"),
        ("german", ["Die Häuser der Stadt sind alt.", "Der Hund bellt.", "Es regnet."], "altes Haus"),
        ("russian", ["Самые длинные реки страны.", "Столица велика.", "Идёт дождь."], "длинная река"),
        ("turkish", ["Denizlerin kıyıları güzel.", "Başkent büyük.", "Yağmur yağar."], "deniz kıyısı"),
        ("finnish", ["Suomen kaupungit ovat pieniä.", "Koira haukkuu.", "Sataa vettä."], "kaupungissa"),
    ],
)
def test_the_passage_that_answers_comes_first_in_each_language(search, stemmer, corpus, query):
    run = search({f"d{row}": text for row, text in enumerate(corpus)}, {"q": query}, stemmer=stemmer)
    assert next(iter(run["q"]))[0] == "d0"


def test_the_header_says_what_made_the_run(search, tmp_path):
    search(CORPUS, {"q": "stone"})
    header = read_metadata(tmp_path / "run.arrow")
    assert header["tag"] == "bm25"
    assert header["data"]["test_data"] == {"name": "toy", "topics": "queries.tsv"}
    assert header["method"]["settings"] == asdict(SETTINGS)
