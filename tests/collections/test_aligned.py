"""Questions and passages line by line: which belong together, what is one, and text without Treebank's tokens."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.collections import local_files, write_corpus, write_split
from robustdr.collections.aligned import untokenised
from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels, read_queries

QUESTIONS = ["who won super bowl 50 ?", "where was it played ?", "who won super bowl 50 ?", "when did it end ?"]
PASSAGES = [
    "the broncos -lrb- afc -rrb- won .",
    "at levi 's stadium .",
    "denver did n't lose .",
    "at levi 's stadium .",
]


def source(folder, questions=QUESTIONS, passages=PASSAGES, **split):
    files = {}
    for name, texts in (("questions", questions), ("passages", passages)):
        files[name] = {"path": str(folder / f"{name}.txt.gz")}
        with gzip.open(files[name]["path"], "wt", encoding="utf-8") as file:
            file.writelines(f"{text} \n" for text in texts)
    return {"kind": "aligned", "treebank": True, "splits": {"test": files | split}}


def texts(entry, folder):
    """The texts of each question's relevant passages, by the question's text."""
    outputs = [folder / "test/queries.tsv", folder / "test/qrels.txt"]
    write_corpus(entry, folder / "corpus.jsonl")
    write_split(entry, "test", outputs)
    passages = {p["docid"]: p["text"] for p in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))}
    questions, qrels = read_queries(outputs[0]), read_qrels(outputs[1])
    return {text: sorted(passages[docid] for docid in qrels[qid]) for qid, text in questions.items()}


def test_a_question_belongs_to_the_passages_of_its_lines(tmp_path):
    assert texts(source(tmp_path), tmp_path) == {
        "who won super bowl 50?": ["denver didn't lose.", "the broncos (afc) won."],
        "where was it played?": ["at levi's stadium."],
        "when did it end?": ["at levi's stadium."],
    }


def test_lines_leave_questions_out_and_no_passage_of_theirs(tmp_path):
    assert list(texts(source(tmp_path, lines=[2, 3]), tmp_path)) == ["where was it played?", "who won super bowl 50?"]
    assert len(texts(source(tmp_path, queries=2), tmp_path)) == 2


def test_the_corpus_has_the_passages_of_all_splits_once(tmp_path):
    entry = source(tmp_path)
    entry["splits"]["test"]["lines"] = [1, 1]
    entry["splits"]["dev"] = entry["splits"]["test"] | {"lines": [2, 2]}
    assert write_corpus(entry, tmp_path / "corpus.jsonl") == {"passages": 3}
    assert len(local_files(entry)) == 2


@pytest.mark.parametrize(
    ("split", "passages", "message"),
    [
        ({}, PASSAGES[1:], "has 4 lines, .*passages.txt.gz 3; they go together"),
        ({}, [*PASSAGES[:2], "", *PASSAGES[3:]], "has 4 lines, .* 3; .* line 3 is in one of them alone"),
        ({"lines": [3, 9]}, PASSAGES, r"splits: test: lines: \[3, 9\]; .* has 4"),
    ],
)
def test_files_that_do_not_fit_are_one_error(tmp_path, split, passages, message):
    with pytest.raises(UserError, match=message):
        write_corpus(source(tmp_path, passages=passages, **split), tmp_path / "corpus.jsonl")


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("the `` golden anniversary '' of 2016 .", 'the "golden anniversary" of 2016.'),
        (
            "victoria 's 3 million dairy cattle -lrb- 60 % -rrb- , cost $ 215 .",
            "victoria's 3 million dairy cattle (60%), cost $215.",
        ),
        ("do n't stop , it 's the best - selling one !", "don't stop, it's the best-selling one!"),
        ("won 24 -- 10 to earn it ; what ?", "won 24–10 to earn it; what?"),
        ("the players ' union '' said", "the players' union\" said"),
    ],
)
def test_texts_are_as_people_write_them(tokens, text):
    assert untokenised(tokens) == text


@given(st.text(alphabet="abc ,.?'`-()$%5", max_size=30))
def test_no_letter_or_digit_is_lost(text):
    assert [c for c in untokenised(text) if c.isalnum()] == [c for c in text if c.isalnum()]
