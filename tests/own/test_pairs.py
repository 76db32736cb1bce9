"""Rewritten queries of users' logs: each is paired with its query, and what is not is told or refused."""

import pytest

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.own.pairs import write_pairs
from robustdr.variations import create

QUERIES = {"q1": "What is a river?", "2": "the broad  sea", "q3": "caf\u00e9 in Rome"}


@pytest.fixture
def written(tmp_path):
    """The rewritten texts by query, and the notes."""

    def write(text, name="pairs.tsv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        notes = write_pairs(tmp_path / name, QUERIES, tmp_path / "logged.tsv")
        lines = (tmp_path / "logged.tsv").read_text(encoding="utf-8").splitlines()
        return [tuple(line.split("\t")) for line in lines], [note.replace(f"{tmp_path}/", "") for note in notes]

    return write


@pytest.mark.parametrize(
    "name, text",
    [
        ("p.tsv", "q1\triver what\n2\tsea, broad\n"),
        ("p.tsv", "original\trewritten\nwhat is a RIVER?\triver what\nthe broad sea\tsea, broad\n"),
        ("p.tsv", "qid\ttext\nq1\triver what\n2\tsea, broad\n"),
        ("p.csv", 'query,rewrite\n"What is a river?",river what\nthe broad sea,"sea, broad"\n'),
        ("p.jsonl", '{"original": "q1", "rewritten": "river what"}\n{"original": "2", "rewritten": "sea, broad"}\n'),
    ],
)
def test_a_line_names_its_query_by_id_or_by_text(written, name, text):
    pairs, notes = written(text, name)
    assert pairs == [("q1", "river what"), ("2", "sea, broad")]
    assert notes == [f"{name}: rewrites 2 of 3 queries of the file; the others keep their text"]


def test_letters_are_compared_in_their_composed_form(written):
    assert written("cafe\u0301 in Rome\trome cafe\u0301\n")[0] == [("q3", "rome caf\u00e9")]


def test_what_is_left_out_or_odd_is_told(written):
    pairs, notes = written("q1\triver what\nq1\triver what\nq1\tthe river\n9\tno query\n2\tthe broad sea\n")
    assert pairs == [("q1", "river what"), ("q1", "the river"), ("2", "the broad sea")]
    assert notes[1:] == [
        "pairs.tsv:4: neither an id nor the text of a query (1 such lines, left out)",
        "pairs.tsv: 1 queries have several rewritten texts; a draw takes one (--draws N: more)",
        "pairs.tsv: 1 of 3 rewritten texts are the query as it is",
    ]


def test_pairs_of_other_queries_are_asked_for(written):
    """The lines of a file that slipped by one."""
    _, notes = written("q1\tsea broad\n2\tcoffee of Rome\nq3\triver what\n")
    assert "3 of 3 rewritten texts share no word with their query; is it theirs?" in notes[-1]


@pytest.mark.parametrize(
    "text, message",
    [
        ("a\tb\nc\td\nq1\te\n", r"pairs\.tsv:1: neither an id nor the text of a query, as 2 of 3 lines are"),
        ("q1\n", r"pairs\.tsv:1: 1 fields in 'q1'; a line is original<TAB>rewritten"),
        ("q1\t \n", r"pairs\.tsv:1: the rewritten text of 'q1' is empty"),
        ("", r"pairs\.tsv: no rewritten query"),
    ],
)
def test_wrong_files_are_refused(written, text, message):
    with pytest.raises(UserError, match=message):
        written(text)


def test_the_generator_takes_one_of_the_texts_in_each_draw(written, tmp_path):
    written("q1\ta\nq1\tb\nq1\tc\n")
    path = tmp_path / "logged.tsv"
    logged = create("logged", {"file": str(path), "sha256": sha256(path)})
    logged.ready(QUERIES)
    draws = [dict(logged.vary(QUERIES.items(), seed)) for seed in range(20)]
    assert {draw["q1"] for draw in draws} == {"a", "b", "c"} and {draw["2"] for draw in draws} == {QUERIES["2"]}
    with pytest.raises(UserError, match=r"variation logged: file: .* has the SHA-256"):
        create("logged", {"file": str(path), "sha256": "00"})
