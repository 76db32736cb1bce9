"""A corpus by row: what its index holds, what is read of it, and an index that is damaged or another corpus's."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.collections import rows as module
from robustdr.collections import write_corpus
from robustdr.collections.reading import read_records
from robustdr.collections.records import Passage
from robustdr.collections.rows import Corpus, Reference, rows_of, write_rows
from robustdr.core.errors import UserError
from robustdr.keys.integrity import record, verify

PASSAGES = [Passage("d1", "", "gold"), Passage("ä", "Straße", "a „tree“\nof two lines"), Passage("d0", "x", "")]


def write(path, passages=PASSAGES):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(passage._asdict(), ensure_ascii=False) + "\n" for passage in passages)
    return path


@pytest.fixture(params=[1, 2, 100])
def corpus(request, tmp_path, monkeypatch):
    """A corpus with its index, made in blocks of so many rows."""
    monkeypatch.setattr(module, "BATCH", request.param)
    path = write(tmp_path / "corpus.jsonl")
    write_rows(path, rows_of(path))
    return path


def test_the_index_by_hand(corpus):
    """'{"docid": "d1", "title": "", "text": "gold"}' are 44 bytes and an end of line."""
    table = pa.ipc.open_file(rows_of(corpus)).read_all()
    second = len(corpus.read_bytes().splitlines(keepends=True)[1])
    assert table.to_pydict() == {"docid": ["d1", "ä", "d0"], "start": [0, 45, 45 + second]}


def test_passages_are_read_in_any_order(corpus):
    read = Corpus(corpus)
    assert len(read) == 3
    assert [read.read_passage(row, PASSAGES[row].docid) for row in (2, 0, 1, 0)] == [
        PASSAGES[row] for row in (2, 0, 1, 0)
    ]
    assert [list(read.span(*bounds)) for bounds in ((0, 3), (1, 2), (2, 3), (3, 3))] == [
        PASSAGES,
        PASSAGES[1:2],
        PASSAGES[2:],
        [],
    ]
    assert Reference("ä", 1, read).read_passage() == PASSAGES[1]


def test_a_part_is_read_without_what_lies_before_it(corpus):
    """What lies there may even be damaged."""
    read = Corpus(corpus)
    with open(corpus, "r+b") as file:
        file.write(b"damaged")
    assert list(read.span(1, 3)) == PASSAGES[1:]


def test_rows_of_some_passages(corpus):
    read = Corpus(corpus)
    assert list(read.rows({"d0", "d1"}).items()) == [("d1", 0), ("d0", 2)]  # in the order of the corpus
    assert read.rows([]) == {}
    with pytest.raises(UserError, match=r"corpus\.jsonl: no passage 'd7' \(2 of 3 are missing\)"):
        read.rows({"d8", "d1", "d7"})


def test_which_passage_is_not_where_it_is_said_to_be(corpus):
    read = Corpus(corpus)
    assert read.misplaced(["d0", "d1", "ä", "d1"], [2, 0, 1, 0]) is None
    assert read.misplaced(["d0", "d1", "ä"], [2, 1, 0]) == 1
    assert [read.misplaced(["d0"], [row]) for row in (-1, 3, 10**30)] == [0, 0, 0]


@given(st.lists(st.tuples(st.text(st.characters(exclude_categories=("Cs",))), st.text()), max_size=8))
def test_whatever_the_texts_they_are_those_that_a_reader_of_lines_finds(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    passages = [Passage(str(number), *(text.encode(errors="ignore").decode() for text in pair))
                for number, pair in enumerate(texts)]  # fmt: skip
    write(path, passages)
    assert list(Corpus(path).span(0, len(passages))) == passages == [passage for _, passage in read_records(path)]


def test_a_corpus_without_an_index_is_read_once(tmp_path):
    """Blank lines, as users' files may have, are no rows."""
    path = write(tmp_path / "corpus.jsonl")
    path.write_bytes(b"\n" + path.read_bytes().replace(b"}\n", b"}\r\n\r\n"))
    read = Corpus(path)
    assert read.rows({"d0", "ä"}) == {"ä": 1, "d0": 2}
    assert list(read.span(0, 3)) == PASSAGES


def test_the_stage_writes_both_files_and_nothing_else(tmp_path):
    (tmp_path / "passages.tsv").write_text("d1\tgold\nd2\tsilver\n")
    source = {"kind": "local", "corpus": str(tmp_path / "passages.tsv"), "splits": {}}
    output = tmp_path / "made" / "corpus.jsonl"
    assert write_corpus(source, output) == {"passages": 2}
    assert sorted(path.name for path in output.parent.iterdir()) == ["corpus.jsonl", "corpus.rows.arrow"]
    once = rows_of(output).read_bytes()
    write_corpus(source, output)
    assert rows_of(output).read_bytes() == once
    assert Corpus(output).read_passage(1, "d2").text == "silver"


# bad input


def test_a_line_that_is_no_passage_is_named(tmp_path):
    path = write(tmp_path / "corpus.jsonl")
    for line in ('{"docid": "d", "title": ""}', '{"docid": 1, "title": "", "text": ""}', "[]", "{", "\x1f\x8b"):
        path.write_text(f"{json.dumps(PASSAGES[0]._asdict())}\n{line}\n")
        with pytest.raises(UserError, match=r"corpus\.jsonl:2: .* is no passage; a line of a corpus is a JSON object"):
            write_rows(path, rows_of(path))
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.jsonl"]


def test_no_corpus(tmp_path):
    with pytest.raises(UserError, match=r"corpus\.jsonl: no such file"):
        Corpus(tmp_path / "corpus.jsonl")


def test_a_truncated_corpus(corpus):
    whole = corpus.read_bytes()
    for size in (0, 60, len(whole) - 1 - len(b'"}')):
        corpus.write_bytes(whole[:size])
        with pytest.raises(
            UserError, match=r"corpus\.jsonl: truncated, or corpus\.rows\.arrow .* its last passage is not there"
        ):
            Corpus(corpus)


def test_a_truncated_index(corpus):
    whole = rows_of(corpus).read_bytes()
    for size in (0, 100, len(whole) // 2, len(whole) - 1):
        rows_of(corpus).write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"rows\.arrow: damaged index of a corpus \(.*\); delete it and run again"):
            Corpus(corpus)


def test_an_index_of_another_corpus(corpus):
    whole = rows_of(corpus).read_bytes()
    write(corpus, [*PASSAGES, Passage("d9", "", "more")])
    with pytest.raises(UserError, match=r"another corpus's index: it has 3 passages, and the corpus goes on; make"):
        Corpus(corpus)
    write(corpus, [PASSAGES[0]._replace(docid="d7"), *PASSAGES[1:]])  # of the same length
    read = Corpus(corpus)
    assert rows_of(corpus).read_bytes() == whole and read.read_passage(1, "ä") == PASSAGES[1]
    with pytest.raises(UserError, match=r"another corpus's index: row 0 is 'd7', not 'd1'; make both anew"):
        list(read.span(0, 1))


def test_an_index_with_other_columns(corpus):
    table = pa.table({"docid": ["d1"], "end": [3]})
    with pa.OSFile(str(rows_of(corpus)), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(UserError, match=r"rows\.arrow: damaged index of a corpus \(its columns are docid, end\)"):
        Corpus(corpus)


def test_a_malformed_corpus_without_an_index_is_named_itself(corpus):
    rows_of(corpus).unlink()
    corpus.write_text("hello\n")
    with pytest.raises(UserError, match=r"^\S+corpus\.jsonl:1: b'hello\\n' is no passage"):
        Corpus(corpus)


@pytest.mark.parametrize("change", [lambda path: path.unlink(), lambda path: path.write_bytes(b"other")])
def test_the_corpus_s_record_covers_its_index(corpus, change):
    record(corpus, rows_of(corpus))
    verify([corpus])
    change(rows_of(corpus))
    with pytest.raises(UserError, match=r"rows\.arrow: damaged: .* run again, which makes it again"):
        verify([corpus])
