"""One collection in every form that is read: each gives the same files."""

import gzip
import json
from argparse import ArgumentParser

import ir_datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ir_datasets.formats import JsonlDocs, TrecQrels, TsvQueries
from ir_datasets.util import Cache

from robustdr.collections import write_corpus, write_split
from robustdr.collections.check import check
from robustdr.collections.data import add_arguments, parse_locations
from robustdr.core.errors import UserError
from robustdr.own.experiment import Data, Split
from robustdr.variations.queries import read_user_queries

PASSAGES = [("1", "", "a stone"), ("2", "Water", "a river, of gold"), ("3", "", "a bird")]
QUERIES = [("7", "what is a stone"), ("8", "what is a river")]
QRELS = [("7", "1", 2), ("8", "2", 1), ("8", "3", 0)]
TREC = "".join(f"{qid} 0 {docid} {grade}\n" for qid, docid, grade in QRELS)
HEADED = "query-id\tcorpus-id\tscore\n" + "".join(f"{qid}\t{docid}\t{grade}\n" for qid, docid, grade in QRELS)


def jsonl(rows, *names):
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


def tsv(rows, *head):
    return "".join("\t".join(map(str, row)) + "\n" for row in ([head] if head else []) + [*rows])


NUMBERED = [(int(docid), title, text) for docid, title, text in PASSAGES]
# corpus, queries, qrels by file name
FORMS = {
    "TSV and TREC": {"corpus.tsv": tsv(PASSAGES), "queries.tsv": tsv(QUERIES), "qrels.txt": TREC},
    "MS MARCO's tabs": {"corpus.tsv": tsv(PASSAGES), "queries.tsv": tsv(QUERIES), "qrels.tsv": TREC.replace(" ", "\t")},
    "heads, as DPR's": {
        "corpus.tsv": tsv([(docid, text, title) for docid, title, text in PASSAGES], "id", "text", "title"),
        "queries.tsv": tsv(QUERIES, "qid", "query"),
        "qrels.tsv": HEADED,
    },
    "Tevatron": {
        "corpus.jsonl": jsonl(PASSAGES, "docid", "title", "text"),
        "queries.jsonl": jsonl(QUERIES, "query_id", "query"),
        "qrels.txt": TREC,
    },
    "Pyserini, whole numbers": {
        "corpus.jsonl": jsonl(NUMBERED, "id", "title", "contents"),
        "queries.jsonl": jsonl([(int(qid), text) for qid, text in QUERIES], "id", "text"),
        "qrels.txt": TREC,
    },
    "BEIR": {
        "corpus.jsonl": jsonl(PASSAGES, "_id", "title", "text"),
        "queries.jsonl": jsonl(QUERIES, "_id", "text"),
        "qrels.tsv": HEADED,
    },
}  # fmt: skip


def options(*words):
    parser = ArgumentParser()
    add_arguments(parser)
    return parser.parse_args([*map(str, words)])


def written(found, folder):
    """The three files that the pipeline makes of some data, as texts."""
    split = Split(found.queries, found.qrels)
    source = Data(found.corpus, {"test": split}, "test", found.published, found.published).entry()
    problems, _, _ = check(found.corpus, {"test": split}, found.published, found.published)
    assert not [problem for problem in problems if problem.severity == "error"]
    files = [folder / "made/corpus.jsonl", folder / "made/queries.tsv", folder / "made/qrels.txt"]
    write_corpus(source, files[0])
    write_split(source, "test", files[1:])
    assert read_user_queries(found.queries).items() >= dict(QUERIES).items()
    return [file.read_text() for file in files]


EXPECTED = [jsonl(PASSAGES, "docid", "title", "text"), tsv(QUERIES), TREC]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_files_in_the_forms_of_the_field(tmp_path, name, packed):
    said = []
    for option, (file, text) in zip(("--corpus", "--queries", "--qrels"), FORMS[name].items(), strict=True):
        path = tmp_path / (f"{file}.gz" if packed else file)
        path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        said += [option, path]
    assert written(parse_locations(options(*said)), tmp_path) == EXPECTED


def test_parquet(tmp_path):
    columns = {
        "corpus": ("_id", "title", "text"),
        "queries": ("_id", "text"),
        "qrels": ("query-id", "corpus-id", "score"),
    }
    said = []
    for (name, named), rows in zip(columns.items(), (NUMBERED, QUERIES, QRELS), strict=True):
        table = pa.table([*map(list, zip(*rows, strict=True))], names=list(named))
        pq.write_table(table, tmp_path / f"{name}.parquet")
        said += [f"--{name}", tmp_path / f"{name}.parquet"]
    assert written(parse_locations(options(*said)), tmp_path) == EXPECTED


@pytest.fixture()
def beir(tmp_path):
    """A folder with an empty passage and a query that no judgement of this split is about."""
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text(jsonl([*PASSAGES, ("4", "", "")], "_id", "title", "text"))
    (folder / "queries.jsonl").write_text(jsonl([*QUERIES, ("9", "of train")], "_id", "text"))
    (folder / "qrels/test.tsv").write_text(HEADED)
    return folder


def test_a_beir_folder(beir, tmp_path):
    assert written(parse_locations(options("--data", beir)), tmp_path) == EXPECTED
    with pytest.raises(UserError, match=r"no qrels/dev\.tsv; a folder has corpus\.jsonl, .*; its qrels: test"):
        parse_locations(options("--data", beir, "--split", "dev"))


def test_an_id_of_ir_datasets(beir, tmp_path, monkeypatch):
    docs = JsonlDocs(
        Cache(None, beir / "corpus.jsonl"),
        doc_cls=ir_datasets.formats.GenericDoc,
        mapping={"doc_id": "_id", "text": "text"},
        lang="en",
    )
    (tmp_path / "queries.tsv").write_text(tsv([*QUERIES, ("9", "of train")]))
    (tmp_path / "qrels.txt").write_text(TREC)
    queries = TsvQueries(Cache(None, tmp_path / "queries.tsv"), lang="en")
    qrels = TrecQrels(Cache(None, tmp_path / "qrels.txt"), {})
    made = ir_datasets.Dataset(docs, queries, qrels)
    monkeypatch.setitem(ir_datasets.registry._registered, "tiny", made)
    untitled = [(docid, "", text) for docid, _, text in [*PASSAGES, ("4", "", "")]]
    found = written(parse_locations(options("--data", "irds:tiny")), tmp_path)
    assert found == [jsonl(untitled, "docid", "title", "text"), *EXPECTED[1:]]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([], "--corpus: missing; allowed: --data, or --corpus, --queries, --qrels"),
        (["--data", "x", "--qrels", "y"], "--data: not allowed beside --qrels"),
        (
            ["--corpus", "c.txt", "--queries", "q", "--qrels", "y"],
            "--corpus: c.txt: allowed are names that end in .tsv",
        ),
    ],
)
def test_unusable_options(said, message):
    with pytest.raises(UserError, match=message):
        parse_locations(options(*said))
