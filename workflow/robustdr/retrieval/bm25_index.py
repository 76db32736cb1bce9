"""BM25's index of a corpus on disk: bm25s's own files, docids, and the terms of every passage.

The corpus is read once; the terms of its passages are written in its order. Then the postings are written, at most
`POSTINGS` at a time. Memory holds the vocabulary, 20 bytes per passage, and these postings.
"""

import json
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import BufferedWriter
from itertools import islice
from pathlib import Path

import bm25s
import numpy as np
import pyarrow as pa
import regex
import Stemmer

from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, sha256
from robustdr.core.words import MARKS, composed
from robustdr.keys.integrity import digest
from robustdr.retrieval.best import ROWS
from robustdr.retrieval.settings import INDEX_FILES, BM25IndexSettings

ABOUT, DOCIDS, TERMS, PASSAGES, PARAMETERS, VOCABULARY, STARTS, ROWS_OF_TERMS, SCORES = INDEX_FILES
WORD = re.compile(rf"\w[\w{MARKS}]+")
# Scripts whose words have no blanks between them, or particles without one, and the length of their n-grams: pairs of
# characters in Chinese, Japanese and Korean, as Lucene's CJKAnalyzer has them; three where characters are sounds.
RUNS = {
    2: regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}々ー]+"),
    3: regex.compile(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"),
}
TERRIER = "terrier"
# share/stopword-list.txt of terrier-org/terrier-core at 3ceec7d (5.8), under the MPL 1.1: LICENSES/MPL-1.1.txt.
TERRIER_LIST = Path(__file__).with_name("terrier-stopwords.txt")
TERRIER_SHA256 = "e898516899c485739ca1fef24f6b2590ecf95cd06ba22e66587f64b079610999"
TOGETHER = 16_384  # passages whose terms are read at once
POSTINGS = 1 << 24  # postings in memory at once


def stopwords(name: str | None) -> str | list[str]:
    """Return what bm25s takes as a list of stop words: the words, or the name of one of its own lists.

    Raises:
        UserError: Terrier's list is not the pinned file.
    """
    if name != TERRIER:
        return name or []
    if not TERRIER_LIST.is_file() or sha256(TERRIER_LIST) != TERRIER_SHA256:
        raise UserError(f"{TERRIER_LIST}: not Terrier's list of stop words (sha256 {TERRIER_SHA256}); restore the file")
    return TERRIER_LIST.read_text(encoding="utf-8").split()


def tokenizer(settings: BM25IndexSettings) -> bm25s.tokenization.Tokenizer:
    """The tokenizer from text to terms, for passages and queries."""
    stemmer = Stemmer.Stemmer(settings.stemmer) if settings.stemmer else None
    listed = stopwords(settings.stopwords)
    return bm25s.tokenization.Tokenizer(splitter=_words, stopwords=listed, stemmer=stemmer)


def _words(text: str) -> list[str]:
    """Return the words of two or more characters, as bm25s's own pattern does, with the marks of their letters.

    Of a text without blanks between words, they are the overlapping n-grams of `RUNS`; a shorter text is one itself.
    """
    if text.isascii():
        return WORD.findall(text)
    text, grams = composed(text), list[str]()
    for length, run in RUNS.items():
        runs = run.findall(text)
        if runs:
            text = run.sub(" ", text)
            grams += (part[start : start + length] for part in runs for start in range(max(1, len(part) - length + 1)))
    return WORD.findall(text) + grams


def index_facts(settings: BM25IndexSettings, corpus: Path) -> dict[str, object]:
    """The content of an index's index.json."""
    return {**asdict(settings), "corpus": digest(corpus)}


def write_index(settings: BM25IndexSettings, corpus: Path, output: Path) -> None:
    """Index a corpus for BM25 in Lucene's variant.

    Args:
        output: the folder. index.json has the settings and the corpus's digest, docids.arrow the column `docid`.
            passages.npy, int64, has the start and end of each passage's terms in terms.npy, int32. indptr, int64, has
            the start and end of each term's passages in indices, int32, and of its scores in data, float32.

    Raises:
        UserError: there are more passages or terms than 32 bits can count.
    """
    with atomic(output) as folder:
        folder.mkdir()
        word_tokenizer = tokenizer(settings)
        lengths, counted = _write_terms(corpus, word_tokenizer, folder)
        vocabulary = word_tokenizer.get_vocab_dict()
        frequencies = np.fromiter((counted[term] for term in vocabulary.values()), np.int64, len(vocabulary))
        _write_postings(settings, lengths, frequencies, folder)
        bm25 = {"method": "lucene", "k1": settings.k1, "b": settings.b, "backend": "numba", "num_docs": len(lengths)}
        for name, value in ((ABOUT, index_facts(settings, corpus)), (PARAMETERS, bm25), (VOCABULARY, vocabulary)):
            (folder / name).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


@contextmanager
def _growing(path: Path, dtype: str) -> Iterator[BufferedWriter]:
    """A .npy file of one axis, written in pieces; the header gets its length at the end."""

    def header(length: int) -> None:
        np.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": (length,)})

    with open(path, "wb") as file:
        header(0)
        start = file.tell()
        yield file
        length = (file.tell() - start) // np.dtype(dtype).itemsize
        file.seek(0)
        header(length)


def _write_terms(
    corpus: Path, word_tokenizer: bm25s.tokenization.Tokenizer, folder: Path
) -> tuple[np.ndarray, Counter[int]]:
    """Write docids and terms; return the number of terms of each passage, and the number of passages with each term."""
    lengths, frequencies, passages = array("i"), Counter[int](), read_corpus(corpus)
    schema = pa.schema({"docid": pa.large_string()})
    with _growing(folder / TERMS, "<i4") as file, pa.ipc.new_file(folder / DOCIDS, schema) as docids:
        while block := list(islice(passages, TOGETHER)):
            docids.write_batch(pa.record_batch([[docid for docid, _ in block]], schema))
            for terms in word_tokenizer.streaming_tokenize([text for _, text in block]):
                lengths.append(len(terms))
                frequencies.update({*terms})
                file.write(array("i", terms))
            if max(len(lengths), len(frequencies)) > ROWS:
                raise UserError(f"{corpus}: more than {ROWS} passages or terms")
    np.save(folder / PASSAGES, np.append(0, np.cumsum(lengths, dtype=np.int64)))
    return np.frombuffer(lengths, np.int32), frequencies


def _write_postings(settings: BM25IndexSettings, lengths: np.ndarray, frequencies: np.ndarray, folder: Path) -> None:
    """Write the passages of every term and its score in each, idf · tf / (tf + k1 (1 − b + b · length / mean length));
    idf = ln(1 + (N − df + ½) / (df + ½)) is rounded to single precision, as in bm25s.
    """
    starts = np.append(0, frequencies.cumsum())
    np.save(folder / STARTS, starts)
    inverse = (math.log(1 + (len(lengths) - df + 0.5) / (df + 0.5)) for df in frequencies.tolist())
    idf = np.fromiter(inverse, np.float32, len(frequencies))
    norms = settings.k1 * ((1 - settings.b) + settings.b * lengths / lengths.mean())
    with _growing(folder / ROWS_OF_TERMS, "<i4") as rows_file, _growing(folder / SCORES, "<f4") as scores_file:
        last = 0
        while (first := last) < len(frequencies):
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + POSTINGS, "right")) - 1)
            rows, counts = _postings(folder, first, starts[first : last + 1] - starts[first])
            scores = counts / (norms[rows] + counts)
            scores *= np.repeat(idf[first:last], frequencies[first:last])
            rows_file.write(rows.data)
            scores_file.write(scores.astype(np.float32).data)


def _postings(folder: Path, first: int, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rows of passages, term frequencies) of the terms from `first` on; each term's begin at its `starts`."""
    heads = starts[:-1].copy()  # where the next posting of each term goes
    rows, counts = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    places = np.load(folder / PASSAGES, mmap_mode="r")
    for row in range(0, len(places) - 1, TOGETHER):
        ends = places[row : row + TOGETHER + 1]
        terms = np.load(folder / TERMS, mmap_mode="r")[ends[0] : ends[-1]]  # a new mapping frees the pages read before
        in_range = (terms >= first) & (terms < first + len(heads))
        having = np.repeat(np.arange(row, row + len(ends) - 1), np.diff(ends))[in_range]
        pairs, times = np.unique((terms[in_range].astype(np.int64) - first) << 32 | having, return_counts=True)
        term, new = pairs >> 32, np.bincount(pairs >> 32, minlength=len(heads))
        positions = np.arange(len(pairs)) + (heads - (new.cumsum() - new))[term]
        rows[positions], counts[positions] = pairs & ROWS, times
        heads += new
    return rows, counts
