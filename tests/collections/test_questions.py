"""Questions with answers from Parquet files: what is read, what is refused, and what the stages make of them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from robustdr.collections import local_files, write_split
from robustdr.collections.card import write_card
from robustdr.core.errors import UserError
from robustdr.core.files import read_answers, sha256

ROWS = {
    "question": ["who got  the first\tnobel prize", "what star sign is it"],
    "answer": [["Wilhelm Conrad Röntgen"], ["Scorpio", "Skorpio", " "]],
    "nested": [{"value": "a", "aliases": ["b", "c"]}, {"value": "d", "aliases": ["e"]}],
    "number": [1, 2],
}


def source(folder, answers="answer", question="question", rows=ROWS, **pins):
    pq.write_table(pa.table(rows), path := folder / "questions.parquet")
    part = {"kind": "questions", "path": str(path), "question": question, "answers": answers}
    return {"kind": "local", "splits": {"test": part}, **pins}


def written(made, folder):
    files = [folder / "test/queries.tsv", folder / "test/answers.jsonl"]
    return write_split(made, "test", files), files


def test_rows_become_queries_and_answers(tmp_path):
    made = source(tmp_path)
    counts, (queries, answers) = written(made, tmp_path)
    assert counts == {"queries": 2, "answers": 2}
    assert queries.read_text() == "0\twho got the first nobel prize\n1\twhat star sign is it\n"
    assert read_answers(answers) == {"0": ["Wilhelm Conrad Röntgen"], "1": ["Scorpio", "Skorpio"]}
    assert local_files({"kind": "wordnet", "splits": made["splits"]}) == [tmp_path / "questions.parquet"]


def test_a_column_may_be_a_field_of_another(tmp_path):
    _, (_, answers) = written(source(tmp_path, "nested.aliases"), tmp_path)
    assert read_answers(answers) == {"0": ["b", "c"], "1": ["e"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answers": "answers"}, r"column: 'answers' is unknown \(did you mean answer\?\); allowed: answer, nested, "),
        ({"answers": "nested.alias"}, r"column 'nested.alias' of struct<.*> gives no list"),
        ({"answers": "question"}, r"column 'question' of string gives no list"),
        ({"answers": "answer.aliases"}, r"column 'answer.aliases' of list<.*> gives no list"),
        ({"question": "answer"}, r"column 'answer' of list<.*> gives no string"),
        ({"rows": ROWS | {"answer": [["x"], []]}}, r"row 1: a question without an answer"),
        ({"rows": ROWS | {"answer": [None, ["x"]]}}, r"row 0: a question without an answer"),
        ({"rows": ROWS | {"question": ["x", None]}}, r"row 1: query '1' is empty"),
    ],
)
def test_a_file_that_does_not_fit_is_one_error_and_leaves_nothing(tmp_path, changes, message):
    with pytest.raises(UserError, match=rf"questions\.parquet: {message}"):
        written(source(tmp_path, **changes), tmp_path / "out")
    assert not list((tmp_path / "out").glob("test/*"))


def test_other_bytes_than_pinned_and_no_parquet_are_refused(tmp_path):
    made = source(tmp_path)
    path = tmp_path / "questions.parquet"
    pinned = made | {"sha256": {str(path): sha256(path)}}
    written(pinned, tmp_path)
    path.write_bytes(b"no such thing")
    with pytest.raises(UserError, match=r"questions\.parquet: sha256 is [0-9a-f]{64}, collections\.yaml says"):
        written(pinned, tmp_path)
    with pytest.raises(UserError, match=r"questions\.parquet: no Parquet file"):
        written(made, tmp_path)


def test_the_hub_is_not_asked_offline(tmp_path):
    part = {"hub": "someone/nothing", "revision": "0" * 40, "file": "a.parquet", "question": "q", "answers": "a"}
    made = {"kind": "irds", "splits": {"test": {"kind": "questions", **part}}}
    with pytest.raises(UserError, match=r"someone/nothing@0{40}: a\.parquet could not be fetched .* `path:`"):
        written(made, tmp_path)
    assert local_files(made) == []


def test_the_card_counts_answers_and_checks_that_every_query_has_one(tmp_path):
    _, files = written(source(tmp_path), tmp_path)
    (tmp_path / "corpus.jsonl").write_text('{"docid": "d", "title": "", "text": "x"}\n')
    arguments = ({"kind": "local"}, tmp_path / "corpus.jsonl", {"test": files}, tmp_path / "card.json")
    write_card(*arguments)
    made = json.loads((tmp_path / "card.json").read_text())
    assert made["splits"] == {"test": {"queries": 2, "mean_words": 5.5, "answers": 3}}
    assert made["sha256"]["test/answers.jsonl"] == sha256(files[1])
    files[0].write_text(files[0].read_text() + "2\tone more\n")
    with pytest.raises(UserError, match=r"queries\.tsv:3: query '2' has no answer in .*answers\.jsonl"):
        write_card(*arguments)
    files[0].write_text("0\twho\n")
    with pytest.raises(UserError, match=r"answers\.jsonl:2: answer for query '1', which is not in .*queries\.tsv"):
        write_card(*arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no answers"),
        ("[]\n", r":1: '\[\]' is no line of answers"),
        ('{"qid": "1"}\n', ":1: "),
        ('{"qid": "1", "answers": []}\n', ":1: "),
        ('{"qid": "1", "answers": ["a", 2]}\n', ":1: "),
        ('{"qid": 1, "answers": ["a"]}\n', ":1: "),
        ('{"qid": "1", "answers": ["a"]}\n' * 2, ":2: query id '1' occurs twice"),
    ],
)
def test_malformed_answers_name_the_line(tmp_path, text, message):
    (tmp_path / "answers.jsonl").write_text(text)
    with pytest.raises(UserError, match=rf"answers\.jsonl:? ?{message}"):
        read_answers(tmp_path / "answers.jsonl")
