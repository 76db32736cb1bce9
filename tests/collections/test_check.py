"""All problems of a data set at once: each is found in its file and line, and none where nothing is wrong."""

import gzip
import json
from codecs import BOM_UTF16_LE
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from robustdr.cli import main
from robustdr.collections import write_corpus, write_split
from robustdr.collections.card import write_card
from robustdr.collections.check import check
from robustdr.collections.command import SHOWN
from robustdr.collections.reading import LFS
from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels, read_queries

CLEAN = {
    "corpus.tsv": "d1\ta stone\nd2\ta river\n",
    "queries.tsv": "q1\twhat is a stone\nq2\twhat is a river\n",
    "qrels.txt": "q1 0 d1 1\nq2 0 d2 2\n",
    "train-queries.tsv": "t1\twho is the king\n",
    "train-qrels.txt": "t1 0 d1 1\n",
}
# one line, and what is found; a mark stands before what is no error
CASES = [
    ("corpus.tsv", b"d3\t\xff", ["corpus.tsv:3: not UTF-8 text"]),
    ("corpus.tsv", "d3\ta title\ta text", ["corpus.tsv:3: 3 fields; a line of this file is docid<TAB>text"]),
    ("corpus.tsv", "d3", ["corpus.tsv:3: 1 fields"]),
    ("corpus.tsv", "d3\t ", ["corpus.tsv:3: passage 'd3' is empty"]),
    ("corpus.tsv", "d 3\tx", ["corpus.tsv:3: docid 'd 3' is empty or has white space"]),
    ("corpus.tsv", "d1\tx", ["corpus.tsv:3: the docid of line 1 again"]),
    ("corpus.tsv", "d3\ta stone", ["warning corpus.tsv:3: the text of line 1 again"]),
    ("queries.tsv", "q2\tx", ["queries.tsv:3: query id 'q2' is also at FOLDER/queries.tsv:2"]),
    ("queries.tsv", "q3 x", ["queries.tsv:3: 1 fields", "queries.tsv:3: query 'q3' has no judgement"]),
    ("queries.tsv", "q3\tx", ["queries.tsv:3: query 'q3' has no judgement in FOLDER/qrels.txt"]),
    ("queries.tsv", "q3\t ", ["queries.tsv:3: query 'q3' is empty"]),
    ("corpus.tsv", "d3\ta\0b", ["corpus.tsv:3: holds a NUL character"]),
    ("corpus.tsv", "d3\t???", ["warning corpus.tsv:3: '???' has no letter and no digit"]),
    ("queries.tsv", "q2\t\0", ["queries.tsv:3: holds a NUL", "queries.tsv:3: query id 'q2' is also", "warning"]),
    (
        "queries.tsv",
        "q2\t" + "word " * 20_001,
        ["queries.tsv:3: query 'q2' has 100,0", "queries.tsv:3: query id"],
    ),
    (
        "corpus.tsv",
        "d3\ta" + "\u0301\u0327" * 501,
        ["corpus.tsv:3: has more than 1,000 marks on", "corpus.tsv:3: passage"],
    ),
    ("qrels.txt", "q1 0 d1 1", ["qrels.txt:3: the query and the passage of line 1 again"]),
    ("qrels.txt", "q1 0 d2 0.5", ["qrels.txt:3: grade '0.5' is no whole number"]),
    ("qrels.txt", "q1 d2 1", ["qrels.txt:3: 'q1 d2 1' is not a qrels line"]),
    ("qrels.txt", "q9 0 d2 1", ["qrels.txt:3: judges query 'q9', which is not in FOLDER/queries.tsv"]),
    ("qrels.txt", "q1 0 d9 1", ["qrels.txt:3: judges passage 'd9', which is not in FOLDER/corpus.tsv"]),
    ("train-qrels.txt", "t1 0 d9 1", ["train-qrels.txt:2: judges passage 'd9'"]),
]


def write(folder, changes=()):
    for name, text in {**CLEAN, **dict(changes)}.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def splits(folder):
    return {
        "test": (folder / "queries.tsv", folder / "qrels.txt"),
        "train": (folder / "train-queries.tsv", folder / "train-qrels.txt"),
    }


def found(folder, **options):
    problems, _, _ = check(folder / "corpus.tsv", splits(folder), **options)
    marks = {"error": "", "warning": "warning ", "dropped": "dropped "}
    return [f"{marks[problem.severity]}{problem}".replace(f"{folder}/", "FOLDER/") for problem in problems]


def agree(found, expected):
    """Each begins as expected, the folder of its own file aside."""
    found = [line.replace("FOLDER/", "", 1) for line in found]
    assert len(found) == len(expected) and all(map(str.startswith, found, expected)), found


@pytest.mark.parametrize(("file", "line", "expected"), CASES)
def test_every_problem_is_found_and_no_other(tmp_path, file, line, expected):
    line = line if isinstance(line, bytes) else line.encode()
    agree(found(write(tmp_path, {file: CLEAN[file].encode() + line + b"\n"})), expected)


def test_a_message_is_short_however_long_a_field_is(tmp_path):
    (message,) = found(write(tmp_path, {"qrels.txt": f"q1 0 d1 {'9' * 1_000_000}\nq2 0 d2 1\n"}))
    assert len(message) < 2500 and message.endswith("is no whole number from -9999 to 9999")


def test_a_clean_data_set_has_none_and_one_with_everything_has_all_at_once(tmp_path):
    assert found(write(tmp_path)) == []
    changes = {name: text.encode() for name, text in CLEAN.items()}
    for file, line, _ in CASES:
        changes[file] += (line if isinstance(line, bytes) else line.encode()) + b"\n"
    assert len(found(write(tmp_path, changes))) >= len(CASES)


def test_a_byte_order_mark_is_one_warning_and_part_of_no_id(tmp_path):
    agree(
        found(write(tmp_path, {"queries.tsv": f"\ufeff{CLEAN['queries.tsv']}"})),
        ["warning queries.tsv:1: begins with a byte order mark"],
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
            "a pointer of Git LFS in place of the file",
        ),
        ("q1\twhat is a stone\n".encode("utf-16"), "a text in UTF-16; save the file as UTF-8"),
    ],
)
def test_a_file_that_is_no_text_as_a_whole_is_one_error(tmp_path, data, message):
    with pytest.raises(UserError, match=rf"queries\.tsv: {message}"):
        found(write(tmp_path, {"queries.tsv": data}))


def test_most_lines_say_how_many_columns_a_corpus_has(tmp_path):
    changes = {"corpus.tsv": "d0\tx\nd1\tA\ta stone\nd2\tA\ta river\nd3\ta\tb\tc\n"}
    agree(found(write(tmp_path, changes)), ["corpus.tsv:1: 2 fields; a line of this", "corpus.tsv:4: 4 fields"])


def test_a_head_that_is_not_known_is_asked_for(tmp_path):
    changes = {"corpus.tsv": f"docno\tcontent\n{CLEAN['corpus.tsv']}"}
    agree(found(write(tmp_path, changes)), ["warning corpus.tsv:1: docid 'docno': is this line a head?"])


def test_a_query_without_a_relevant_passage_is_a_warning(tmp_path):
    changes = {"qrels.txt": "q1 0 d1 1\nq2 0 d2 0\n"}
    agree(found(write(tmp_path, changes)), ["warning queries.tsv:2: query 'q2' has no relevant passage"])


def test_queries_of_two_splits_are_found_whatever_their_spelling(tmp_path):
    asked = ["t1\tWhat is a STONE?", "t2\twhat a rivers is", "q1\twho is the king"]
    changes = {"train-queries.tsv": "\n".join(asked), "train-qrels.txt": "t1 0 d1 1\nt2 0 d1 1\nq1 0 d1 1\n"}
    expected = [
        "train-queries.tsv:1: the text of FOLDER/queries.tsv:1, but for case",
        "warning train-queries.tsv:2: the words of FOLDER/queries.tsv:2 in another order",
        "warning train-queries.tsv:3: the query id of FOLDER/queries.tsv:1, another query",
    ]
    agree(found(write(tmp_path, changes)), expected)


def test_missing_and_empty_files_and_half_a_gzip_file(tmp_path):
    (write(tmp_path) / "qrels.txt").unlink()
    (tmp_path / "train-qrels.txt").unlink()
    agree(found(tmp_path), ["qrels.txt: no such file", "train-qrels.txt: no such file"])
    write(tmp_path, {"train-queries.tsv": "\n", "train-qrels.txt": ""})
    agree(found(tmp_path), ["train-queries.tsv: no query with a text", "train-qrels.txt: no judgement"])
    packed = gzip.compress(CLEAN["corpus.tsv"].encode())[:-6]
    (tmp_path / "corpus.tsv.gz").write_bytes(packed)
    problems, _, _ = check(tmp_path / "corpus.tsv.gz", {})
    assert "not a whole packed file" in str(problems[0])


def test_jsonl_passages_are_records(tmp_path):
    good, bad = (
        '{"docid": "d1", "text": "x"}',
        ['{"docid": "d2", "text": 2.5}', "d2\ty", r'{"docid": "d", "text": "\ud800"}'],
    )
    (write(tmp_path) / "corpus.jsonl").write_text("\n".join([good, *bad]))
    problems, _, _ = check(tmp_path / "corpus.jsonl", {})
    assert [problem.place.number for problem in problems] == [2, 3, 4]
    assert all("is no record" in problem.message for problem in problems)


UNCLEAN = {
    "corpus.tsv": f"{CLEAN['corpus.tsv']}d3\t \n",
    "queries.tsv": f"{CLEAN['queries.tsv']}q3\t \nq4\tnever judged\nq5\tof nothing\n",
    "qrels.txt": f"{CLEAN['qrels.txt']}q1 0 d3 1\nq3 0 d1 1\nq5 0 d3 1\n",
}


def test_what_is_asked_to_be_left_out_is_no_error_and_recorded(tmp_path, capsys):
    folder = write(tmp_path, UNCLEAN)
    argv = ["check", *(f"--{file.partition('.')[0]}={folder / file}" for file in CLEAN)]
    assert main(argv) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 error(s) (empty passage: 1, empty query: 1, query")
    out = tmp_path / "out"
    assert main([*argv, "--drop-empty", "-o", str(out)]) == 1 and not out.exists()
    assert main([*argv, "--drop-empty", "--ignore-unjudged", "-o", str(out)]) == 0
    copied = [json.loads(line) for line in (out / "corpus.jsonl").read_text().splitlines()]
    assert copied == [{"docid": "d1", "title": "", "text": "a stone"}, {"docid": "d2", "title": "", "text": "a river"}]
    assert {name: (out / name).read_text() for name in CLEAN if name != "corpus.tsv"}.items() <= CLEAN.items()
    dropped = json.loads((out / "dropped.json").read_text())
    assert dropped["counts"] == {
        "empty passage": 1,
        "empty query": 1,
        "judgement of something empty": 3,
        "query without a judgement": 2,
    }
    assert {(Path(line["file"]).name, line["line"]) for line in dropped["lines"]} == {
        ("corpus.tsv", 3),
        *(("queries.tsv", line) for line in (3, 4, 5)),
        *(("qrels.txt", line) for line in (3, 4, 5)),
    }
    assert main([*argv, "--drop-empty", "--ignore-unjudged", "-o", str(folder)]) == 2
    assert "is one of the files to copy" in capsys.readouterr().err


def test_a_collection_leaves_out_what_the_check_leaves_out(tmp_path):
    folder = write(tmp_path, UNCLEAN)
    part = {"queries": str(folder / "queries.tsv"), "qrels": str(folder / "qrels.txt")}
    source = {"kind": "local", "corpus": str(folder / "corpus.tsv"), "splits": {"test": part}}
    files = [tmp_path / "out/queries.tsv", tmp_path / "out/qrels.txt"]
    counts = write_split(source | {"drop_empty": True, "ignore_unjudged": True}, "test", files)
    assert counts == {"queries": 2, "qrels": 2, "removed": 3}
    assert read_queries(files[0]) == {"q1": "what is a stone", "q2": "what is a river"}
    assert read_qrels(files[1]) == {"q1": {"d1": 1}, "q2": {"d2": 2}}


def test_many_problems_of_a_kind_are_counted_and_the_summary_is_last(tmp_path, capsys):
    folder = write(tmp_path, {"qrels.txt": CLEAN["qrels.txt"] + "".join(f"q1 0 x{n} 1\n" for n in range(30))})
    argv = ["check", *(f"--{file.partition('.')[0]}={folder / file}" for file in list(CLEAN)[:3])]
    assert main(argv) == 1
    language, *lines, more, last = capsys.readouterr().out.splitlines()
    assert language.startswith("language of the queries: ")
    assert (
        len(lines) == SHOWN and more == "… judgement of an unknown passage: 10 more; `robustdr check --all` prints them"
    )
    assert last == "30 error(s) (judgement of an unknown passage: 30); 0 warning(s); 0 line(s) left out"
    assert main([*argv, "--all"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 32


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--train-qrels", "x"], "--train-queries and --train-qrels go together"),
        (["-o", "x"], "say what to leave out"),
        (["--corpus", "x.txt"], "allowed are names that end in .tsv"),
    ],
)
def test_unusable_arguments(options, message, capsys):
    assert main(["check", "--corpus", "c.tsv", "--queries", "q", "--qrels", "r", *options]) == 2
    assert message in capsys.readouterr().err


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=st.sampled_from(list(CLEAN)), data=st.binary(max_size=60))
@example(file="corpus.tsv", data=LFS)
@example(file="queries.tsv", data=BOM_UTF16_LE)
def test_any_bytes_are_checked(tmp_path, file, data):
    write(tmp_path, {file: data})
    try:
        assert all(isinstance(line, str) for line in found(tmp_path))
    except UserError as error:  # one error of the whole file
        assert str(error).startswith(str(tmp_path / file))


def test_splits_may_be_in_one_file_of_queries_that_judgements_divide(tmp_path):
    """As in BEIR's layout: what a split has no judgement of is no query of it."""
    write(tmp_path, {"queries.tsv": "q1\twhat is a river\nq2\twhere is the sea\n", "qrels.txt": "q1 0 d1 1\n"})
    (tmp_path / "train-qrels.txt").write_text("q2 0 d1 1\n")
    splits = {name: (tmp_path / "queries.tsv", tmp_path / f"{name}.txt") for name in ("qrels", "train-qrels")}
    problems = check(tmp_path / "corpus.tsv", splits, ignore_unjudged=True).problems
    assert {(problem.kind, problem.severity) for problem in problems} == {("query without a judgement", "dropped")}
    (tmp_path / "train-qrels.txt").write_text("q2 0 d1 1\nq1 0 d1 1\n")
    problems = check(tmp_path / "corpus.tsv", splits, ignore_unjudged=True).problems
    assert "query of two splits" in {problem.kind for problem in problems}


def test_published_collections_go_on_where_little_is_missing(tmp_path):
    """ArguAna lacks a judged passage, NFCorpus a judged query; judgements of another collection stay errors."""
    changes = {"qrels.txt": f"{CLEAN['qrels.txt']}q1 0 gone 1\nq9 0 d1 1\n"}
    expected = ["dropped qrels.txt:4: judges query 'q9'", "warning qrels.txt:3: judges passage 'gone'"]
    agree(sorted(found(write(tmp_path, changes), allow_missing=True)), expected)
    (tmp_path / "qrels.txt").write_text("q1 0 x1 1\nq2 0 x2 1\n")
    agree(found(tmp_path, allow_missing=True), ["qrels.txt:1: judges passage 'x1'", "qrels.txt:2: judges passage 'x2'"])


ITSELF = ("dropped", "are no results of this query")
COUNTED = ("warning", "count as results of this query")


@pytest.mark.parametrize(
    "ids, texts, relevant, option, expected",
    [
        (("a-pro", "b-pro"), ("what is a stone", "what is a river"), None, None, ITSELF),
        (("1", "2"), ("what is a stone", "what is a river"), None, None, ITSELF),
        (("a-pro", "b-pro"), ("some text", "another text"), None, None, ITSELF),
        (("1", "2"), ("some text", "another text"), None, None, COUNTED),  # numbers, equal by chance
        (("1", "2"), ("some text", "another text"), None, True, ITSELF),
        (("a-pro", "b-pro"), ("what is a stone", "what is a river"), "a-pro", None, COUNTED),
        (("a-pro", "b-pro"), ("what is a stone", "what is a river"), None, False, COUNTED),
    ],
)
def test_a_query_that_is_a_passage_too_does_not_find_itself(tmp_path, ids, texts, relevant, option, expected):
    first, second = ids
    changes = {
        "queries.tsv": f"{first}\twhat is a stone\n{second}\twhat is a river\n",
        "corpus.tsv": f"d1\ta stone\nd2\ta river\n{first}\t{texts[0]}\n{second}\t{texts[1]}\n",
        "qrels.txt": f"{first} 0 {relevant or 'd1'} 1\n{second} 0 d2 1\n",
    }
    (problem,) = check(
        write(tmp_path, changes) / "corpus.tsv",
        {"test": (tmp_path / "queries.tsv", tmp_path / "qrels.txt")},
        ignore_identical_ids=option,
    ).problems
    assert problem.severity == expected[0] and problem.message.startswith(
        f"2 passages have the id of a query; they {expected[1]}"
    )


def test_judgements_of_missing_queries_are_not_written(tmp_path):
    write(tmp_path, {"qrels.txt": f"{CLEAN['qrels.txt']}q1 0 gone 1\nq9 0 d1 1\n"})
    part = {"queries": str(tmp_path / "queries.tsv"), "qrels": str(tmp_path / "qrels.txt")}
    source = {"kind": "local", "corpus": str(tmp_path / "corpus.tsv"), "allow_missing": True, "splits": {"test": part}}
    corpus, files = tmp_path / "out/corpus.jsonl", [tmp_path / "out/test/queries.tsv", tmp_path / "out/test/qrels.txt"]
    write_corpus(source, corpus)
    write_split(source, "test", files)
    assert read_qrels(files[1]) == {"q1": {"d1": 1, "gone": 1}, "q2": {"d2": 2}}
    write_card(source, corpus, {"test": files}, tmp_path / "out/card.json")
    assert json.loads((tmp_path / "out/card.json").read_text())["passages"]["missing"] == 1
    with pytest.raises(UserError, match="judges passage 'gone', which is not in"):
        write_card({**source, "allow_missing": False}, corpus, {"test": files}, tmp_path / "out/card.json")
