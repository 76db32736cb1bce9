"""Forms of users' files: heads, quotes, titles, grades and composed letters; nothing is lost without a word."""

import json
from pathlib import Path

import pytest

from robustdr.collections.local import read_judgements, read_passages, read_qrels, read_queries
from robustdr.collections.problems import refuse
from robustdr.core.errors import UserError
from robustdr.variations.queries import read_user_queries


def written(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def texts(path, problems=None):
    report = refuse if problems is None else problems.append
    return {query.qid: query.text for _, query in read_queries(path, report)}


@pytest.mark.parametrize("title", [["Everest", "Mount"], 19.5, True, {"main": "Everest"}])
def test_a_title_that_is_no_text_is_a_problem(tmp_path, title):
    rows = [{"_id": "d1", "title": title, "text": "a"}, {"_id": "d2", "title": "", "text": "b"}]
    path = written(tmp_path, "corpus.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    problems = []
    assert [passage.docid for _, passage in read_passages(path, problems.append)] == ["d1", "d2"]
    (problem,) = problems
    assert str(problem).startswith(f"{path}:1: ") and "title is " in problem.message and problem.severity == "error"


def test_a_key_in_capitals_is_a_problem_and_a_missing_title_is_none(tmp_path):
    rows = [
        {"_id": "d1", "Title": "T", "text": "a"},
        {"_id": "d2", "title": None, "text": "b"},
        {"_id": 3, "text": "c"},
    ]
    path = written(tmp_path, "corpus.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    problems = []
    assert [tuple(passage) for _, passage in read_passages(path, problems.append)] == [
        ("d1", "", "a"),
        ("d2", "", "b"),
        ("3", "", "c"),
    ]
    assert ["the key 'Title' is not read; allowed: title" in problem.message for problem in problems] == [True]


@pytest.mark.parametrize("line", ["qid\ttext", "Query_ID\tquestion text", "number\ttitle", "docno\tquery", '"id"\t"q"'])
def test_a_head_is_no_query(tmp_path, line):
    path = written(tmp_path, "queries.tsv", f"{line}\nq1\twhat is a stone\nid7\tquestion\n")
    assert texts(path) == {"q1": "what is a stone", "id7": "question"}


@pytest.mark.parametrize(
    "lines, expected",
    [
        (['q1\t"what is a ""stone"""', "q2\ta river"], ['what is a "stone"', "a river"]),
        (['q1\t"what is a stone"', 'q2\t"a river"'], ["what is a stone", "a river"]),
        (['"q1"\t"what is a stone"', '"q2"\t"a river"'], ["what is a stone", "a river"]),
        (['q1\t"what is a stone"', "q2\ta river"], ['"what is a stone"', "a river"]),  # a phrase
        (['q1\t"stone" or "river"', 'q2\t"a" river'], ['"stone" or "river"', '"a" river']),
    ],
)
def test_quotes_around_fields_are_no_part_of_a_text(tmp_path, lines, expected):
    text = "".join(f"{line}\n" for line in lines)
    assert texts(written(tmp_path, "queries.tsv", text), []) == dict(zip(["q1", "q2"], expected, strict=True))
    passages = [passage for _, passage in read_passages(written(tmp_path, "corpus.tsv", text), refuse)]
    assert [passage.text for passage in passages] == expected


@pytest.mark.parametrize("score", [1.0, "1.0", "1", 1])
def test_a_whole_grade_may_be_written_as_a_fraction(tmp_path, score):
    row = {"query-id": "q1", "corpus-id": "d1", "score": score}
    assert read_qrels(written(tmp_path, "qrels.jsonl", json.dumps(row))) == {"q1": {"d1": 1}}
    assert read_qrels(written(tmp_path, "qrels.tsv", f"query-id\tcorpus-id\tscore\nq1\td1\t{score}\n")) == {
        "q1": {"d1": 1}
    }
    assert read_qrels(written(tmp_path, "qrels.txt", f"q1 0 d1 {score}\n")) == {"q1": {"d1": 1}}


def test_half_a_grade_is_a_problem(tmp_path):
    row = {"query-id": "q1", "corpus-id": "d1", "score": 0.5}
    with pytest.raises(UserError, match=r"score is '0\.5', neither a text nor a whole number"):
        [*read_judgements(written(tmp_path, "qrels.jsonl", json.dumps(row)), refuse)]
    with pytest.raises(UserError, match=r"grade '0.5' is no whole number"):
        read_qrels(written(tmp_path, "qrels.txt", "q1 0 d1 0.5\n"))


def test_letters_and_marks_are_composed_and_told(tmp_path):
    problems = []
    path = written(tmp_path, "queries.tsv", "q1\tou\u0300 est ne\u0301 Zola\nq2\toù\n")
    assert texts(path, problems) == {"q1": "où est né Zola", "q2": "où"}
    assert [(problem.place.number, problem.severity) for problem in problems] == [(1, "warning")]
    path = written(tmp_path, "corpus.tsv", "d1\tE\u0301mile\tcre\u0300me\n")
    assert [tuple(passage) for _, passage in read_passages(path, refuse)] == [("d1", "Émile", "crème")]


def test_what_vary_reads_in_another_way_is_told(tmp_path, capsys):
    path = written(tmp_path, "queries.tsv", "q1\te\u0301te\u0301\nq2\tcre\u0300me\n")
    assert read_user_queries(path) == {"q1": "été", "q2": "crème"}
    assert capsys.readouterr().err.startswith("2 × text with letters apart from their marks; the first: ")


@pytest.mark.parametrize("name", ["queries.tsv", "queries.csv", "queries.jsonl"])
def test_a_byte_order_mark_is_part_of_no_id_and_is_told(tmp_path, name):
    rows = {".tsv": "q1\ta river\n", ".csv": "qid,text\nq1,a river\n", ".jsonl": '{"qid": "q1", "text": "a river"}\n'}
    path, problems = written(tmp_path, name, f"\ufeff{rows[Path(name).suffix]}"), []
    assert texts(path, problems) == {"q1": "a river"}
    assert [(str(problem), problem.severity) for problem in problems] == [
        (f"{path}:1: begins with a byte order mark, which is left out", "warning")
    ]
    qrels = written(tmp_path, "qrels.txt", "\ufeffq1 0 d1 1\n")
    assert read_qrels(qrels) == {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    "text", ["q1 d1 2\nq2 d2 0\n", "q1\td1\t2\nq2\td2\t0\n", "qid\tdocno\tlabel\nq1\td1\t2\nq2\td2\t0\n"]
)
def test_judgements_of_three_columns(tmp_path, text):
    problems = []
    path = written(tmp_path, "qrels.txt", text)
    assert [tuple(judged) for _, judged in read_judgements(path, problems.append)] == [("q1", "d1", 2), ("q2", "d2", 0)]
    assert [problem.message for problem in problems] == ["three columns, read as `qid docid grade`"] * (
        "label" not in text
    )


@pytest.mark.parametrize("text", ["q1 0 d1 1\nq2 d2 1\n", "q1 d1 1\nq2 0 d2 1\n", "q1 d1 relevant\n"])
def test_judgements_of_three_and_four_columns_are_not_mixed(tmp_path, text):
    with pytest.raises(UserError, match="is not a qrels line"):
        read_qrels(written(tmp_path, "qrels.txt", text))


@pytest.mark.parametrize("mark", [",", ";"])
def test_a_csv_file_may_have_quoted_fields_of_several_lines_and_further_columns(tmp_path, mark):
    text = 'docno,url,text,title\nd1,http://x,"a ""broad"" river,\nand a stone",A\nd2,,b,\n'.replace(",", mark)
    rows = [tuple(passage) for _, passage in read_passages(written(tmp_path, "corpus.csv", text), refuse)]
    assert rows == [("d1", "A", f'a "broad" river{mark}\nand a stone'), ("d2", "", "b")]
    assert texts(written(tmp_path, "q.csv", f'id{mark}text\n7{mark}"what, a; stone"\n')) == {"7": "what, a; stone"}
    assert read_qrels(written(tmp_path, "r.csv", f"query_id{mark}doc_id{mark}relevance\nq1{mark}d1{mark}1.0\n")) == {
        "q1": {"d1": 1}
    }


@pytest.mark.parametrize(
    "text, message",
    [
        ("q1,what is a stone\n", r"q\.csv:1: 'q1,what is a stone' is no head; a CSV file begins with one"),
        ("qid,text\nq1,a,b\n", r"q\.csv:2: 3 fields; a line of this file is as its head"),
        ('qid,text\nq1,"a\nq2,b\n', r"q\.csv:2: no CSV"),
    ],
)
def test_a_csv_file_that_is_damaged_is_refused(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        texts(written(tmp_path, "q.csv", text))
