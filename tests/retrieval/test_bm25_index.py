"""BM25's index on disk: what it holds, that blocks decide nothing of it, and every way in which it is refused."""

import json
import math
import resource
import subprocess
import sys
from dataclasses import asdict, replace
from unicodedata import normalize

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from robustdr.core.errors import UserError
from robustdr.core.seeds import generator
from robustdr.core.settings import as_json
from robustdr.retrieval import bm25_index
from robustdr.retrieval.bm25 import Index
from robustdr.retrieval.bm25_index import write_index
from robustdr.retrieval.settings import INDEX_FILES, BM25IndexSettings, BM25Settings

SETTINGS = BM25IndexSettings(k1=0.9, b=0.4, stopwords=None, stemmer=None)
SEARCH = BM25Settings(**asdict(SETTINGS), depth=10)
TEXTS = ["red stone", "stone stone wall", "a b", "red"]


def write_corpus(folder, texts):
    lines = [json.dumps({"docid": f"d{row}", "title": "", "text": text}) + "\n" for row, text in enumerate(texts)]
    (folder / "corpus.jsonl").write_text("".join(lines))
    return folder / "corpus.jsonl"


@pytest.fixture()
def corpus(tmp_path):
    return write_corpus(tmp_path, TEXTS)


@pytest.fixture()
def made(corpus, tmp_path):
    write_index(SETTINGS, corpus, tmp_path / "index")
    return tmp_path / "index"


def test_a_case_by_hand(made):
    """Words of one letter are no terms: the third passage has the empty one alone. Lengths 2, 3, 1 and 1, mean 7/4."""
    assert {path.name for path in made.iterdir()} == {*INDEX_FILES}
    assert json.loads((made / "vocab.index.json").read_text()) == {"": 0, "red": 1, "stone": 2, "wall": 3}
    assert np.load(made / "passages.npy").tolist() == [0, 2, 5, 6, 7]
    assert np.load(made / "terms.npy").tolist() == [1, 2, 2, 2, 3, 0, 1]
    assert np.load(made / "indptr.csc.index.npy").tolist() == [0, 1, 3, 5, 6]
    assert np.load(made / "indices.csc.index.npy").tolist() == [2, 0, 3, 0, 1, 1]
    once, twice = math.log(1 + 3.5 / 1.5), math.log(1 + 2.5 / 2.5)  # in one passage of four, in two
    k = {length: 0.9 * (0.6 + 0.4 * length / 1.75) for length in (1, 2, 3)}
    scores = [once / (1 + k[1]), twice / (1 + k[2]), twice / (1 + k[1])]
    scores += [twice / (1 + k[2]), twice * 2 / (2 + k[3]), once / (1 + k[3])]
    assert np.load(made / "data.csc.index.npy").tolist() == pytest.approx(scores, rel=1e-6)


def test_bm25s_reads_it_as_its_own(made):
    found = bm25s.BM25.load(made, mmap=True).retrieve([["stone", "wall"]], k=2, show_progress=False)
    assert found.documents.tolist() == [[1, 0]]


@pytest.fixture(scope="module")
def passages(tmp_path_factory):
    rng = generator("index")
    words = [f"{stem}{end}" for stem in ("river", "stone", "light", "walk") for end in ("", "s", "ing")] + ["the", "of"]
    texts = [" ".join(rng.choices(words, k=rng.randint(0, 12))) for _ in range(200)]
    return write_corpus(tmp_path_factory.mktemp("passages"), texts), texts


@pytest.mark.parametrize("changes", [{}, {"stemmer": "english", "stopwords": "en"}, {"k1": 1.2, "b": 0.75}])
def test_it_holds_what_bm25s_computes_in_memory_bit_for_bit(passages, tmp_path, changes):
    settings = replace(SETTINGS, **changes)
    write_index(settings, passages[0], tmp_path / "index")
    terms = bm25_index.tokenizer(settings).tokenize(passages[1], return_as="tuple", show_progress=False)
    whole = bm25s.BM25(method="lucene", k1=settings.k1, b=settings.b)
    whole.index(terms, show_progress=False)
    for name in ("data", "indices", "indptr"):
        mapped = np.load(tmp_path / f"index/{name}.csc.index.npy")
        assert mapped.dtype == whole.scores[name].dtype and np.array_equal(mapped, whole.scores[name])
    assert json.loads((tmp_path / "index/vocab.index.json").read_text()) == whole.vocab_dict


@examples(max_examples=20)
@given(together=st.integers(1, 300), postings=st.integers(1, 2000))
def test_blocks_of_any_size_make_the_same_bytes(passages, tmp_path_factory, together, postings):
    folder = tmp_path_factory.mktemp("blocks")
    write_index(SETTINGS, passages[0], folder / "whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bm25_index, "TOGETHER", together)
        patch.setattr(bm25_index, "POSTINGS", postings)
        write_index(SETTINGS, passages[0], folder / "parts")
    for name in INDEX_FILES:
        whole, parts = ((folder / which / name).read_bytes() for which in ("whole", "parts"))
        assert whole == parts or name == "docids.arrow"
    docids = [Index(SEARCH, passages[0], folder / which).docids for which in ("whole", "parts")]
    assert docids[0].equals(docids[1]) and docids[0].to_pylist() == [f"d{row}" for row in range(200)]


@pytest.mark.parametrize("name, value", [("k1", 1.2), ("b", 0.75), ("stopwords", "en"), ("stemmer", "english")])
def test_an_index_of_other_settings_is_refused(corpus, made, name, value):
    with pytest.raises(UserError, match=rf"index\.json: {name} is {getattr(SETTINGS, name)!r}, expected {value!r}"):
        Index(replace(SEARCH, **{name: value}), corpus, made)


def test_an_index_of_another_corpus_is_refused(made, tmp_path):
    (tmp_path / "other").mkdir()
    with pytest.raises(UserError, match=r"index\.json: corpus is '[0-9a-f]{64}', expected '[0-9a-f]{64}'"):
        Index(SEARCH, write_corpus(tmp_path / "other", TEXTS[:3]), made)


@pytest.mark.parametrize("size", [0, 0.5])
@pytest.mark.parametrize("name", INDEX_FILES)
def test_a_truncated_file_is_refused(corpus, made, name, size):
    whole = (made / name).read_bytes()
    (made / name).write_bytes(whole[: int(len(whole) * size)])
    with pytest.raises(UserError, match=r"index: index missing or damaged \(.+\); delete it and run again"):
        Index(SEARCH, corpus, made)


def test_files_of_two_indexes_are_refused(corpus, made, tmp_path):
    write_index(SETTINGS, write_corpus(tmp_path, TEXTS[:3]), tmp_path / "other")
    write_corpus(tmp_path, TEXTS)
    (tmp_path / "other/indices.csc.index.npy").rename(made / "indices.csc.index.npy")
    with pytest.raises(UserError, match="its files differ in length"):
        Index(SEARCH, corpus, made)


def test_more_passages_than_rows_of_32_bits_leave_nothing(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(bm25_index, "ROWS", 3)
    with pytest.raises(UserError, match=r"corpus\.jsonl: more than 3 passages or terms"):
        write_index(SETTINGS, corpus, tmp_path / "index")
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.jsonl"]


def test_a_file_that_cannot_grow_leaves_nothing(passages, tmp_path):
    """As on a full disk: the limit of the process ends the write of the terms, 5,000 bytes and more."""
    command = [sys.executable, "-m", "robustdr.stages", "index", "--settings", as_json(SETTINGS)]
    command += ["--corpus", str(passages[0]), "--output", str(tmp_path / "indexes/index")]
    limit = 4096

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
    assert done.returncode and len(done.stderr.splitlines()) == 1, done.stderr
    assert "File too large" in done.stderr and not [*(tmp_path / "indexes").iterdir()]


def test_composed_and_decomposed_letters_and_marks_are_the_same_words(tmp_path):
    for form in ("NFC", "NFD"):
        (tmp_path / form).mkdir()
        corpus = write_corpus(tmp_path / form, [normalize("NFD", "crème brûlée façon"), "हिन्दी भाषा", "हिरण दूध"])
        write_index(SETTINGS, corpus, tmp_path / form / "index")
        index = Index(SEARCH, corpus, tmp_path / form / "index")
        run = index.search({"fr": normalize(form, "crème brûlée"), "hi": "हिन्दी"}, {})
        assert {qid: [docid for docid, _ in ranking] for qid, ranking in run.items()} == {"fr": ["d0"], "hi": ["d1"]}
