"""Files are whole or absent; what is wrong in them is named with its line."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.errors import UserError, unknown
from robustdr.core.files import (
    Lines,
    atomic,
    read_lines,
    read_qrels,
    read_queries,
    sha256,
    write_json,
    write_queries,
    write_text,
)

ROOT = Path(__file__).parents[2]
TEXTS = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


class Stop(Exception):
    pass


def test_a_file_appears_when_it_is_whole(tmp_path):
    with atomic(tmp_path / "deep" / "a.txt") as temporary:
        temporary.write_text("half")
        assert not (tmp_path / "deep" / "a.txt").exists()
        assert temporary.suffix == ".txt" and temporary.parent == tmp_path / "deep"
    assert (tmp_path / "deep" / "a.txt").read_text() == "half"
    assert os.listdir(tmp_path / "deep") == ["a.txt"]


def test_a_failure_leaves_what_was_there(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(Stop), atomic(tmp_path / "a.txt") as temporary:
        temporary.write_text("half")
        raise Stop
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("fails", [False, True])
def test_a_directory_is_replaced_as_a_whole_or_not_at_all(tmp_path, fails):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "old").write_text("old")
    try:
        with atomic(tmp_path / "model") as temporary:
            temporary.mkdir()
            (temporary / "new").write_text("new")
            if fails:
                raise Stop
    except Stop:
        pass
    assert os.listdir(tmp_path) == ["model"]
    assert os.listdir(tmp_path / "model") == (["old"] if fails else ["new"])


def test_nothing_is_left_of_what_was_never_written(tmp_path):
    with pytest.raises(Stop), atomic(tmp_path / "a.txt"):
        raise Stop
    assert not list(tmp_path.iterdir())


def test_a_process_killed_while_it_writes_leaves_the_old_file(tmp_path):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom robustdr.core.files import atomic\n"
        "with atomic(sys.argv[1]) as temporary:\n"
        "    temporary.write_text('half')\n"
        "    print('written', flush=True)\n"
        "    time.sleep(60)\n"
    )
    (tmp_path / "a.txt").write_text("old")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "workflow")}
    arguments = [sys.executable, "-c", code, str(tmp_path / "a.txt")]
    with subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "written\n"
        process.send_signal(signal.SIGKILL)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert len(os.listdir(tmp_path)) == 2
    write_text(tmp_path / "a.txt", "new")
    assert os.listdir(tmp_path) == ["a.txt"]


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    (tmp_path / f".{os.getppid()}.a.txt").write_text("half")
    write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / f".{os.getppid()}.a.txt").exists()


def test_text_and_json_have_the_same_bytes_everywhere(tmp_path):
    write_text(tmp_path / "a.txt", "Straße\n“x”\n")
    assert (tmp_path / "a.txt").read_bytes() == "Straße\n“x”\n".encode()
    write_json(tmp_path / "a.json", {"b": "ß", "a": 1})
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == '{\n  "b": "ß",\n  "a": 1\n}\n'


@given(st.dictionaries(st.text("abc123_.-", min_size=1), TEXTS, min_size=1))
def test_queries_are_read_back_as_written(tmp_path_factory, queries):
    path = tmp_path_factory.mktemp("queries") / "queries.tsv"
    write_queries(path, queries.items())
    found = read_queries(path)
    assert found == queries and list(found) == list(queries)


def test_windows_line_ends_are_no_part_of_the_text(tmp_path):
    (tmp_path / "q.tsv").write_bytes(b"q1\tone\r\nq2\ttwo\r\n")
    assert read_queries(tmp_path / "q.tsv") == {"q1": "one", "q2": "two"}
    assert list(read_lines(tmp_path / "q.tsv")) == [(1, "q1\tone"), (2, "q2\ttwo")]


@pytest.mark.parametrize(
    "content, message",
    [
        (b"q1\tone\nq2 two\n", "q.tsv:2: no tab in 'q2 two'; a line is qid<TAB>text"),
        (b"q1\tone\n\n", "q.tsv:2: no tab in ''; a line is qid<TAB>text"),
        (b"q1\t  \n", "q.tsv:1: empty text; a line is qid<TAB>text"),
        (b"\tone\n", "q.tsv:1: empty qid; a line is qid<TAB>text"),
        (b"q1\tone\nq2\ttwo\nq1\tthree\n", "q.tsv:3: query id 'q1' occurs twice; ids are unique"),
        (b"q1\tone\nq2\tz\xfcrich\n", "q.tsv:2: not UTF-8 text (invalid start byte); save the file as UTF-8"),
        (b"", "q.tsv: no queries; a line is qid<TAB>text"),
    ],
)
def test_damaged_queries(tmp_path, content, message):
    (tmp_path / "q.tsv").write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_queries(tmp_path / "q.tsv")
    assert str(caught.value) == f"{tmp_path}/{message}"


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)))))
def test_lines_are_read_in_any_order(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("lines") / "lines.txt"
    path.write_bytes("".join(f"{text}\n" for text in texts).encode())
    lines = Lines(path)
    assert len(lines) == len(texts)
    assert [lines[number] for number in reversed(range(len(texts)))] == texts[::-1]


def test_a_line_that_is_not_utf_8_is_named_when_it_is_read(tmp_path):
    (tmp_path / "lines.txt").write_bytes(b"one\r\n\xff\nthree")
    lines = Lines(tmp_path / "lines.txt")
    assert (lines[2], lines[0]) == ("three", "one")
    with pytest.raises(UserError, match=r"lines\.txt:2: not UTF-8 text"):
        lines[1]


def test_qrels(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 2\nq2\t0\tb\t0\nq1 0 c -1\n")
    assert read_qrels(tmp_path / "qrels") == {"q1": {"a": 2, "c": -1}, "q2": {"b": 0}}


@pytest.mark.parametrize(
    "content, message",
    [
        ("q1 0 a 1\nq1 a 1\n", "qrels:2: 'q1 a 1' is not a qrels line; a line is `qid 0 docid grade`"),
        ("q1 0 a high\n", "qrels:1: 'q1 0 a high' is not a qrels line; a line is `qid 0 docid grade`"),
        ("q1 0 a 1.5\n", "qrels:1: 'q1 0 a 1.5' is not a qrels line; a line is `qid 0 docid grade`"),
        ("q1 0 a --1\n", "qrels:1: 'q1 0 a --1' is not a qrels line; a line is `qid 0 docid grade`"),
        ("q1 0 a 1\nq1 0 a 2\n", "qrels:2: query 'q1' judges passage 'a' twice"),
        ("", "qrels: no judgements; a line is `qid 0 docid grade`"),
    ],
)
def test_damaged_qrels(tmp_path, content, message):
    (tmp_path / "qrels").write_text(content)
    with pytest.raises(UserError) as caught:
        read_qrels(tmp_path / "qrels")
    assert str(caught.value) == f"{tmp_path}/{message}"


@pytest.mark.parametrize("read", [read_queries, read_qrels])
def test_a_file_that_is_missing(tmp_path, read):
    with pytest.raises(UserError, match="nothing: no such file"):
        read(tmp_path / "nothing")


def test_sha256_of_a_known_text(tmp_path):
    (tmp_path / "abc").write_text("abc")
    assert sha256(tmp_path / "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_unknown_names_the_nearest_first():
    assert str(unknown("f.yaml: key", "colour", ["color", "size"])) == (
        "f.yaml: key: 'colour' is unknown (did you mean color?); allowed: color, size"
    )
    assert str(unknown("key", "zzz", ["b", "a"])) == "key: 'zzz' is unknown; allowed: a, b"
