"""Every kind of source: what is written is what was there, and bad input is one error with file and line."""

import csv
import gzip
import json
import os
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import ir_datasets
import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ir_datasets.datasets.base import Dataset
from ir_datasets.datasets.dpr_w100 import DprW100Queries
from ir_datasets.formats import JsonlDocs, TrecQrels, TsvDocs, TsvQueries
from ir_datasets.util import Cache, RequestsDownload
from tests.full import hub
from tests.full.world import tree
from tests.workflow.conftest import ROOT

from robustdr.collections import local_files, write_corpus, write_split
from robustdr.collections.downloads import download_passages, has_downloads
from robustdr.collections.reading import read_corpus
from robustdr.core.errors import UserError
from robustdr.core.files import read_answers, read_qrels, read_queries, sha256

PASSAGES = [("d1", "", "a small café"), ("d2", "Title", "two words"), ("d3", "", "the third")]
QUERIES = [("q1", "where is the café"), ("q2", "which one is third")]
QRELS = [("q1", "d1", 2), ("q1", "d2", 0), ("q2", "d3", 1)]


class _Document(NamedTuple):
    doc_id: str
    title: str
    body: str


class _Titled(NamedTuple):
    doc_id: str
    title: str
    text: str


WORD = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
TEXT = st.lists(WORD, min_size=1, max_size=5).map(" ".join)


def put(path, text, *, packed=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    return str(path)


def tsv(rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def jsonl(rows, *keys):
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)


def trec(rows):
    return "".join(f"{qid} 0 {docid} {grade}\n" for qid, docid, grade in rows)


def local(folder, corpus="", queries="", qrels="", suffix=""):
    packed = suffix == ".gz"
    return {
        "kind": "local",
        "corpus": put(folder / f"passages.tsv{suffix}", corpus or tsv(PASSAGES), packed=packed),
        "splits": {
            "test": {
                "queries": put(folder / f"queries.tsv{suffix}", queries or tsv(QUERIES), packed=packed),
                "qrels": put(folder / f"qrels.txt{suffix}", qrels or trec(QRELS), packed=packed),
            }
        },
    }


def beir(folder):
    put(folder / "corpus.jsonl", jsonl(PASSAGES, "_id", "title", "text"))
    put(folder / "queries.jsonl", jsonl([*QUERIES, ("q3", "of another split")], "_id", "text"))
    put(folder / "qrels/test.tsv", "query-id\tcorpus-id\tscore\n" + tsv(QRELS))
    return {"kind": "beir", "folder": str(folder), "splits": {"test": {}}}


@pytest.fixture
def registered(tmp_path, monkeypatch):
    """A function that registers an ir_datasets data set under a fresh id and takes it back in the end."""
    ids = []
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "irds"))

    def register(*parts):
        ids.append(f"robustdr-test-{tmp_path.name}-{len(ids)}".lower())
        ir_datasets.registry.register(ids[-1], Dataset(*parts))
        return ids[-1]

    yield register
    for id in ids:
        del ir_datasets.registry._registered[id]


def on_disk(path):
    return Cache(None, Path(path))


def irds(folder, register):
    """Real ir_datasets objects over local files; one passage is empty, as some released ones are."""
    docs = JsonlDocs(
        on_disk(put(folder / "docs.jsonl", jsonl([*PASSAGES, ("d4", "", "")], "id", "title", "body"))),
        doc_cls=_Document,
        mapping={"doc_id": "id", "title": "title", "body": "body"},
        lang="en",
    )
    queries = TsvQueries(on_disk(put(folder / "queries.tsv", tsv([*QUERIES, ("q9", "never judged")]))), lang="en")
    qrels = TrecQrels(on_disk(put(folder / "qrels.txt", trec([*QRELS, QRELS[0]]))), {})
    corpus = register(docs)
    return {"kind": "irds", "corpus": corpus, "splits": {"test": {"id": register(docs, queries, qrels)}}}


def written(source, folder):
    """Write everything and read it back."""
    counts = write_corpus(source, folder / "corpus.jsonl")
    counts |= write_split(source, "test", [folder / "queries.tsv", folder / "qrels.txt"])
    passages = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    qrels = read_qrels(folder / "qrels.txt")
    return (
        counts,
        [(passage["docid"], passage["title"], passage["text"]) for passage in passages],
        list(read_queries(folder / "queries.tsv").items()),
        [(qid, docid, grade) for qid, graded in qrels.items() for docid, grade in graded.items()],
    )


COUNTS = {"passages": 3, "queries": 2, "qrels": 3}


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_local_files_come_through(tmp_path, suffix):
    source = local(tmp_path / "in", suffix=suffix)
    assert written(source, tmp_path / "out") == (COUNTS, PASSAGES, QUERIES, QRELS)
    names = [f"{name}{suffix}" for name in ("passages.tsv", "queries.tsv", "qrels.txt")]
    assert local_files(source) == [tmp_path / "in" / name for name in names]


def test_grades_become_two_from_the_lowest_relevant_one(tmp_path):
    for least, grades in ((None, [2, 0, 1]), (1, [1, 0, 1]), (2, [1, 0, 0])):
        made = local(tmp_path) | ({"binary_from": least} if least else {})
        write_split(made, "test", [tmp_path / "out/qrels.txt"])
        assert [grade for of in read_qrels(tmp_path / "out/qrels.txt").values() for grade in of.values()] == grades


def test_a_local_corpus_may_be_jsonl_and_leave_out_titles(tmp_path):
    source = local(tmp_path)
    source["corpus"] = put(
        tmp_path / "passages.jsonl", '{"docid": "d1", "text": "x"}\n\n{"docid": "d2", "text": "y"}\n'
    )
    write_corpus(source, tmp_path / "corpus.jsonl")
    assert list(read_corpus(tmp_path / "corpus.jsonl")) == [("d1", "x"), ("d2", "y")]


def test_a_beir_folder_comes_through(tmp_path):
    source = beir(tmp_path / "in")
    assert written(source, tmp_path / "out") == (COUNTS, PASSAGES, QUERIES, QRELS)
    assert local_files(source) == [
        tmp_path / "in" / name for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
    ]


def test_an_ir_datasets_id_comes_through(tmp_path, registered):
    """Unjudged queries and repeated judgements are left out; passages are what they are."""
    source = irds(tmp_path / "in", registered)
    passages = [*PASSAGES, ("d4", "", "")]
    assert written(source, tmp_path / "out") == (COUNTS | {"passages": 4}, passages, QUERIES, QRELS)
    assert local_files(source) == []


def test_answers_beside_judgements_come_through_where_they_are_asked_for(tmp_path, registered):
    qrels = TrecQrels(on_disk(put(tmp_path / "qrels.txt", trec(QRELS))), {})
    asked = tsv((*query, f"{query[0]}'s", "other") for query in [*QUERIES, ("q9", "never judged")])
    queries = DprW100Queries(on_disk(put(tmp_path / "queries.tsv", asked)))
    source = {"kind": "irds", "splits": {"train": {"id": registered(queries, qrels), "answers": True}}}
    files = [tmp_path / "out" / name for name in ("queries.tsv", "qrels.txt", "answers.jsonl")]
    assert write_split(source, "train", files) == {"queries": 2, "qrels": 3, "answers": 2}
    assert read_answers(files[2]) == {"q1": ["q1's", "other"], "q2": ["q2's", "other"]}
    without = irds(tmp_path / "in", registered)
    without["splits"]["test"]["answers"] = True
    with pytest.raises(UserError, match="of ir_datasets has no answers; leave out `answers`"):
        write_split(without, "test", files)


def test_passages_are_taken_out_of_csvs_quotes(tmp_path, registered):
    """DPR's file quotes as Python's csv writes, with tabs; ir_datasets hands the fields over as they stand."""
    passages = [("1", 'a "b"', 'so ""c""'), ("2", '"', '"d" and "e"'), ("3", "", "plain")]
    with open(tmp_path / "docs.tsv", "w", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(passages)
    docs = TsvDocs(on_disk(tmp_path / "docs.tsv"), doc_cls=_Titled, lang="en")
    source = {"kind": "irds", "corpus": registered(docs), "quoted": True}
    write_corpus(source, tmp_path / "corpus.jsonl")
    lines = (tmp_path / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert [tuple(json.loads(line).values()) for line in lines] == passages


def test_a_split_may_come_from_another_kind_than_the_corpus(tmp_path, registered):
    """DL-Typo: local queries and qrels over a corpus of ir_datasets."""
    corpus = registered(TsvDocs(on_disk(put(tmp_path / "docs.tsv", "d1\tone\nd2\ttwo\nd3\tthree\n")), lang="en"))
    part = local(tmp_path)["splits"]["test"]
    source = {"kind": "irds", "corpus": corpus, "splits": {"test": {"kind": "local", **part}}}
    _, passages, queries, qrels = written(source, tmp_path / "out")
    assert passages == [("d1", "", "one"), ("d2", "", "two"), ("d3", "", "three")] and (queries, qrels) == (
        QUERIES,
        QRELS,
    )
    assert local_files(source) == [Path(part["queries"]), Path(part["qrels"])]


def test_titles_are_joined_as_the_reader_wants_and_passages_found(tmp_path):
    write_corpus(local(tmp_path), path := tmp_path / "corpus.jsonl")
    assert dict(read_corpus(path))["d2"] == "Title two words"
    assert dict(read_corpus(path, " [SEP] ")) == {
        "d1": "a small café",
        "d2": "Title [SEP] two words",
        "d3": "the third",
    }


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    passages=st.dictionaries(WORD, st.tuples(st.just("") | TEXT, TEXT), min_size=1, max_size=5),
    queries=st.dictionaries(WORD, TEXT, min_size=1, max_size=5),
    grades=st.lists(st.integers(-2, 4), min_size=5, max_size=5),
)
def test_any_text_survives_every_kind(tmp_path, passages, queries, grades):
    """As it is, but for letters whose marks are apart: they are composed."""
    rows = [(docid, *fields) for docid, fields in passages.items()]
    composed_rows = [(docid, *(normalize("NFC", field) for field in fields)) for docid, *fields in rows]
    composed_queries = [(qid, normalize("NFC", text)) for qid, text in queries.items()]
    qrels = [(qid, rows[0][0], grade) for qid, grade in zip(queries, grades, strict=False)]
    source = local(tmp_path, tsv(rows), tsv(queries.items()), trec(qrels))
    _, *got = written(source, tmp_path / "out")
    assert got == [composed_rows, composed_queries, qrels]
    folder = tmp_path / "beir"
    put(folder / "corpus.jsonl", jsonl(rows, "_id", "title", "text"))
    put(folder / "queries.jsonl", jsonl(queries.items(), "_id", "text"))
    put(folder / "qrels/test.tsv", "query-id\tcorpus-id\tscore\n" + tsv(qrels))
    _, *got = written({"kind": "beir", "folder": str(folder), "splits": {"test": {}}}, tmp_path / "out")
    assert got == [composed_rows, composed_queries, qrels]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60))
def test_any_bytes_are_a_collection_or_one_error(tmp_path, data):
    source = local(tmp_path)
    for file in (source["corpus"], *source["splits"]["test"].values()):
        original = Path(file).read_bytes()
        Path(file).write_bytes(data)
        try:
            written(source, tmp_path / "out")
        except UserError as error:
            assert file in str(error) or "it has" in str(error)
        Path(file).write_bytes(original)


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("corpus", "d1\tx\nd2\n", r"passages\.tsv:2: 1 fields"),
        ("corpus", "d1\tx\nd2\t \n", r"passages\.tsv:2: passage 'd2' is empty"),
        ("corpus", "d1\tx\nd 2\ty\n", r"passages\.tsv:2: docid 'd 2' is empty or has white space"),
        ("corpus", b"d1\tx\nd2\t\xff\n", r"passages\.tsv:2: not UTF-8"),
        ("corpus", "\n", "it has no passage"),
        ("queries", "q1\tx\nq2 y\n", r"queries\.tsv:2: 1 fields"),
        ("queries", "q1\tx\nq2\t \n", r"queries\.tsv:2: query 'q2' is empty"),
        ("queries", "q1\tx\nq2\ty\nq1\tz\n", r"queries\.tsv:3: query id 'q1' is also at .*queries\.tsv:1"),
        ("queries", b"q1\t\xe9\n", r"queries\.tsv:1: not UTF-8"),
        ("queries", "\n", "it has {'queries': 0"),
        ("qrels", "q1 0 d1\n", r"qrels\.txt:1: 'q1 0 d1' is not a qrels line"),
        ("qrels", "q1 0 d1 1\nq1 0 d2 yes\n", r"qrels\.txt:2: grade 'yes' is no whole number"),
        ("qrels", "\n", "'qrels': 0"),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_bad_local_input_names_file_and_line_and_leaves_nothing(tmp_path, part, text, message, suffix):
    source = local(tmp_path / "in", **{part: text}, suffix=suffix)
    with pytest.raises(
        UserError, match=message.replace(r"\.tsv:", rf"\.tsv{suffix}:").replace(r"\.txt:", rf"\.txt{suffix}:")
    ):
        written(source, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} <= {"corpus.jsonl", "corpus.rows.arrow"}


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (
            "corpus.jsonl",
            '{"_id": "d1", "text": "x"}\n{"_id": 2.5, "text": "y"}\n',
            r"corpus\.jsonl:2: .* is no record",
        ),
        ("corpus.jsonl", "{", r"corpus\.jsonl:1: '\{' is no record; it lacks docid \(docid, _id, doc_id"),
        ("queries.jsonl", "[]\n", r"queries\.jsonl:1: '\[\]' is no record"),
        ("qrels/test.tsv", "q1\td1\n", r"test\.tsv:1: .* is not a qrels line; a line is `qid 0 docid grade`"),
        (
            "qrels/test.tsv",
            "query-id\tcorpus-id\tscore\nq1\td1\n",
            r"tsv:2: .* a line is qid<TAB>docid<TAB>grade, as",
        ),
        (
            "qrels/test.tsv",
            "query-id\tcorpus-id\tscore\nq1\td1\t0.5\n",
            r"test\.tsv:2: grade '0\.5' is no whole number",
        ),
    ],
)
def test_bad_beir_input_names_file_and_line(tmp_path, file, text, message):
    source = beir(tmp_path / "in")
    put(tmp_path / "in" / file, text)
    with pytest.raises(UserError, match=message):
        written(source, tmp_path / "out")


@pytest.mark.parametrize("part", ["corpus", "queries", "qrels"])
def test_a_missing_file_or_other_bytes_are_refused_before_anything_is_written(tmp_path, part):
    source = local(tmp_path / "in")
    file = Path(source["corpus"] if part == "corpus" else source["splits"]["test"][part])
    digest = sha256(file)
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(UserError, match=f"sha256 is {sha256(file)}, collections.yaml says {digest}"):
        written(source | {"sha256": {str(file): digest}}, tmp_path / "out")
    file.unlink()
    with pytest.raises(UserError, match=f"{file}: no such file"):
        written(source, tmp_path / "out")


def test_half_a_gzip_file_is_refused(tmp_path):
    source = local(tmp_path / "in", corpus=tsv((f"d{n}", "some text") for n in range(1000)), suffix=".gz")
    path = Path(source["corpus"])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UserError, match="not a whole packed file"):
        write_corpus(source, tmp_path / "corpus.jsonl")
    path.write_bytes(b"plain text")
    with pytest.raises(UserError, match="not a whole packed file after line 0"):
        write_corpus(source, tmp_path / "corpus.jsonl")
    assert not (tmp_path / "corpus.jsonl").exists()


def test_an_unknown_kind_or_split_names_what_there_is(tmp_path):
    source = local(tmp_path)
    with pytest.raises(UserError, match=r"'locale' is unknown.*did you mean local"):
        write_corpus(source | {"kind": "locale"}, tmp_path / "corpus.jsonl")
    with pytest.raises(UserError, match=r"'tests' is unknown.*did you mean test"):
        write_split(source, "tests", [tmp_path / "queries.tsv"])


def test_an_unknown_id_of_ir_datasets_names_the_nearest(tmp_path):
    with pytest.raises(UserError, match="no 'msmarco-pasage'; did you mean msmarco-passage"):
        write_corpus({"kind": "irds", "corpus": "msmarco-pasage"}, tmp_path / "corpus.jsonl")
    with pytest.raises(UserError, match="'antique' of ir_datasets has no queries; name one that has queries and qrels"):
        write_split({"kind": "irds", "splits": {"test": {"id": "antique"}}}, "test", [tmp_path / "queries.tsv"])


def test_without_a_network_one_error_says_what_was_tried(tmp_path, registered, monkeypatch):
    """Port 9 of this machine refuses connections, as a network that is not there does."""
    monkeypatch.setenv("IR_DATASETS_DL_TRIES", "1")
    download = Cache(RequestsDownload("http://127.0.0.1:9/docs.tsv"), tmp_path / "docs.tsv")
    source = {"kind": "irds", "corpus": registered(TsvDocs(download, lang="en")), "splits": {}}
    with pytest.raises(UserError, match=r"ir_datasets could not bring its passages .*127\.0\.0\.1.*goes on from them"):
        write_corpus(source, tmp_path / "out" / "corpus.jsonl")
    assert not list((tmp_path / "out").iterdir())
    with pytest.raises(requests.exceptions.ConnectionError):
        list(TsvDocs(download, lang="en").docs_iter())


def test_passages_of_ir_datasets_are_downloaded_first_and_written_without_a_network(tmp_path, registered):
    (tmp_path / "host").mkdir()
    (tmp_path / "host/docs.tsv").write_text("d1\tone\nd2\ttwo\n", encoding="utf-8")
    serve = partial(SimpleHTTPRequestHandler, directory=tmp_path / "host")
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        download = Cache(
            RequestsDownload(f"http://127.0.0.1:{server.server_port}/docs.tsv"), tmp_path / "cache/docs.tsv"
        )
        source = {"kind": "irds", "corpus": registered(TsvDocs(download, lang="en")), "splits": {}}
        assert has_downloads(source) and download_passages(source) == []
        server.shutdown()
    assert write_corpus(source, tmp_path / "corpus.jsonl") == {"passages": 2}


@pytest.mark.parametrize(
    "error, message",
    [
        (
            ImportError("This dataset requires ijson."),
            "needs a package to read its passages: This dataset requires ijson",
        ),
        (KeyError("positive_ctxs"), "could not bring its passages into .*: KeyError: 'positive_ctxs'"),
        (EOFError("ended early"), "EOFError: ended early.*remove one that is damaged"),
    ],
)
def test_whatever_a_reader_of_ir_datasets_raises_is_one_error(tmp_path, registered, monkeypatch, error, message):
    def broken(self):
        raise error

    monkeypatch.setattr(TsvDocs, "docs_iter", broken)
    source = {"kind": "irds", "corpus": registered(TsvDocs(on_disk(tmp_path / "docs.tsv"), lang="en")), "splits": {}}
    with pytest.raises(UserError, match=message):
        write_corpus(source, tmp_path / "out" / "corpus.jsonl")


def test_the_embedded_collection_needs_no_heavy_library():
    program = (
        "import sys, robustdr.collections as c;"
        "c.local_files({'kind': 'wordnet', 'splits': {'dev': {}}});"
        "assert not {'ir_datasets', 'torch', 'requests'} & set(sys.modules)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "workflow")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_titled_passages_of_the_hub_take_the_place_of_those_of_ir_datasets(tmp_path, monkeypatch):
    """Tevatron's file, at the revision of collections.yaml: JSON lines with docid, title and text, packed."""
    source = tree(ROOT / "config/collections.yaml")["msmarco-passage-titled"]
    rows = [
        {"docid": "0", "title": "The Manhattan Project", "text": "The presence of communication amid minds."},
        {"docid": "1", "title": "", "text": "It\u2019s a passage without a title."},
    ]
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    titled = source["titled"]
    hub.cache(tmp_path, "datasets", titled["hub"], titled["revision"], {titled["file"]: packed})
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert write_corpus(source, tmp_path / "corpus.jsonl") == {"passages": 2}
    written = [json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert written == rows
    assert local_files(source) == []
