"""Runs: the tie rule, the header, and damaged files."""

import gzip
import json
import os
import subprocess
import sys
import tracemalloc

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

from robustdr.core.errors import UserError
from robustdr.retrieval.best import NO_PASSAGE, best, docids_by_row
from robustdr.retrieval.runs import Run, rank, read_docids, read_metadata, read_run, write_run
from robustdr.retrieval.trec import read_listed, read_trec

METADATA = {"tag": "rodr-seed1", "data": {"test_data": {"name": "wordnet-mini", "topics": "“x”.tsv"}}}
RANKED = np.arange(200, dtype=np.int32)[None], np.linspace(1, 0, 200, dtype=np.float32)[None]
SCORES = st.floats(-1e6, 1e6, width=32)
FORMS = pytest.mark.parametrize("form", ["trec", "trec.gz", "arrow"])


def test_the_tie_rule_by_hand():
    scored = [("d1", 1.0), ("d3", 2.0), ("d10", 2.0), ("d2", 2.0), ("d0", 3.0)]
    assert rank(scored, 4) == [("d0", 3.0), ("d3", 2.0), ("d2", 2.0), ("d10", 2.0)]


@FORMS
@given(st.dictionaries(st.text("ab12", min_size=1), st.dictionaries(st.text("xyz", min_size=1), SCORES, min_size=1)))
def test_a_run_is_read_back_as_it_was_ranked(tmp_path_factory, form, scores):
    path = tmp_path_factory.mktemp("run") / f"run.{form}"
    run = {qid: rank(scored.items(), 100) for qid, scored in scores.items()}
    write_run(path, run, METADATA)
    found = read_run(path)
    assert {qid: [docid for docid, _ in ranking] for qid, ranking in found.items()} == {
        qid: [docid for docid, _ in ranking] for qid, ranking in run.items()
    }
    for qid, ranking in run.items():
        exact = np.array([score for _, score in ranking], dtype=np.float32)
        assert np.array_equal(np.array([score for _, score in found[qid]], dtype=np.float32), exact)


NEARLY = st.sampled_from([1.0, 1 + 1e-12, 1 + 1e-8, 1 + 2e-8, 1 + 1e-6])  # ties in nine digits, or in single precision


@given(
    st.dictionaries(st.text("qp", min_size=1), st.dictionaries(st.text("xyz", min_size=1), NEARLY), max_size=5),
    st.none() | st.integers(1, 3),
)
def test_both_forms_are_read_as_the_same_run(tmp_path_factory, scores, depth):
    run = {qid: rank(scored.items(), 100) for qid, scored in scores.items()}
    folder = tmp_path_factory.mktemp("runs")
    for form in ("trec", "arrow"):
        write_run(folder / f"run.{form}", run, METADATA)
    lines, arrays = (read_run(folder / f"run.{form}", depth) for form in ("trec", "arrow"))
    assert lines == arrays and list(lines) == list(arrays)
    if lines:
        assert lines.scores.dtype == arrays.scores.dtype


@FORMS
def test_two_neighbouring_scores_stay_apart(tmp_path, form):
    score = np.float32(0.7071)
    above = np.nextafter(score, np.float32(1))
    write_run(tmp_path / f"run.{form}", {"q": [("a", float(above)), ("b", float(score))]}, METADATA)
    assert read_run(tmp_path / f"run.{form}")["q"][0][0] == "a"


def test_the_file_by_hand(tmp_path):
    write_run(
        tmp_path / "run.trec.gz", {"q1": [("d2", 1.5), ("d1", 0.25)]}, {"tag": "t", "method": {"automatic": True}}
    )
    assert gzip.decompress((tmp_path / "run.trec.gz").read_bytes()).decode() == (
        "q1 Q0 d2 1 1.5 t\nq1 Q0 d1 2 0.25 t\n"
    )


def test_the_metadata_of_arrays_are_read_back(tmp_path):
    write_run(tmp_path / "run.arrow", {"q": [("d", 1.0)]}, METADATA)
    assert read_metadata(tmp_path / "run.arrow") == METADATA


def read_by_ranx(path):
    """In a process without numba's compiler: to compile what reads a file takes a quarter of a minute."""
    code = "import json, ranx, sys; print(json.dumps(ranx.Run.from_file(sys.argv[1], kind='trec').to_dict()))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code, str(path)], env=environment, check=True, capture_output=True)
    return ((qid, *pair) for qid, of in json.loads(done.stdout).items() for pair in of.items())


READERS = {
    "ir_measures": lambda path: (
        (line.query_id, line.doc_id, line.score) for line in ir_measures.read_trec_run(str(path))
    ),
    "pytrec_eval": lambda path: (
        (qid, *pair) for qid, of in pytrec_eval.parse_run(path.open()).items() for pair in of.items()
    ),
    "ranx": read_by_ranx,
}


@pytest.mark.parametrize("reader", READERS)
def test_the_readers_of_the_field_read_a_trec_file(tmp_path, reader):
    run = {"q1": [("d2", 1.5), ("Straße", 0.25)], "q2": [("d1", -1e-7)]}
    write_run(tmp_path / "run.trec", run, METADATA)
    assert [*READERS[reader](tmp_path / "run.trec")] == [(qid, *pair) for qid, of in run.items() for pair in of]


@FORMS
def test_the_same_run_twice_is_the_same_bytes(tmp_path, form):
    run = {f"q{i}": [(f"d{j}", float(-j)) for j in range(50)] for i in range(20)}
    write_run(tmp_path / f"one.{form}", run, METADATA)
    write_run(tmp_path / f"two.{form}", run, METADATA)
    assert (tmp_path / f"one.{form}").read_bytes() == (tmp_path / f"two.{form}").read_bytes()


def test_the_bytes_of_a_run_with_ties_by_hand(tmp_path):
    """As written when a ranking was a list of pairs: nine digits, ranks from 1, docids descending where scores tie."""
    docids, infinite = docids_by_row(["d9", "d10", "Straße", "d1"]), -np.inf
    rows = np.array([[1, 3, 0, 2], [2, 0, NO_PASSAGE, NO_PASSAGE], [NO_PASSAGE] * 4], np.int32)
    scores = np.array([[0.1, 0.1, 0.1, 16777216], [1e-7, 2.5, infinite, infinite], [infinite] * 4], np.float32)
    run = Run({"q2": 0, "q1": 1, "none": 2, "again": 1}, docids, *best(rows, scores, docids, 3))
    write_run(tmp_path / "run.trec.gz", run, {"tag": "t"})
    text = (
        "q2 Q0 Straße 1 16777216 t\nq2 Q0 d9 2 0.100000001 t\nq2 Q0 d10 3 0.100000001 t\n"
        "q1 Q0 d9 1 2.5 t\nq1 Q0 Straße 2 1.00000001e-07 t\n"
        "again Q0 d9 1 2.5 t\nagain Q0 Straße 2 1.00000001e-07 t\n"
    )
    assert (tmp_path / "run.trec.gz").read_bytes() == gzip.compress(text.encode(), compresslevel=1, mtime=0)


@pytest.mark.parametrize("block", [1, 2, 4096])
def test_arrays_are_those_of_the_queries_alone_in_other_tools_too(tmp_path, monkeypatch, block):
    """Lines may be shared by queries, and of queries elsewhere; a docid that none ranks is not in the file."""
    monkeypatch.setattr("robustdr.retrieval.runs.QUERIES", block)
    rows = np.array([[3, 0, 1], [2, NO_PASSAGE, NO_PASSAGE], [1, 3, NO_PASSAGE], [NO_PASSAGE] * 3], np.int32)
    scores = np.array([[3, 2, 1], [9, -np.inf, -np.inf], [5, 4, -np.inf], [-np.inf] * 3], np.float32)
    run = Run({"q2": 2, "none": 3, "q1": 0, "again": 2}, docids_by_row(["d9", "d10", "never", "Straße"]), rows, scores)
    write_run(tmp_path / "run.arrow", run, {"tag": "t"})
    table = feather.read_table(tmp_path / "run.arrow")
    docids = {"q2": ["d10", "Straße"], "q1": ["Straße", "d9", "d10"], "again": ["d10", "Straße"]}
    assert dict(zip(table["qid"].to_pylist(), table["docid"].to_pylist(), strict=True)) == docids
    assert table["score"].to_pylist() == [[5, 4], [3, 2, 1], [5, 4]]
    assert b"never" not in (tmp_path / "run.arrow").read_bytes()
    assert [*read_docids(tmp_path / "run.arrow", 2)] == [(qid, of[:2]) for qid, of in docids.items()]
    assert read_run(tmp_path / "run.arrow", 1) == {"q2": [("d10", 5)], "q1": [("Straße", 3)], "again": [("d10", 5)]}


def test_eight_bytes_a_ranked_passage_on_disk(tmp_path):
    run = Run({f"q{n}": 0 for n in range(5000)}, docids_by_row(f"d{n}" for n in range(200)), *RANKED)
    write_run(tmp_path / "run.arrow", run, {"tag": "t"})
    assert (tmp_path / "run.arrow").stat().st_size < 8.2 * 5000 * 200


TIED = st.dictionaries(st.integers(0, 30), st.sampled_from([0.0, 0.5, 1.0, 0.1]), max_size=12)


@given(st.lists(TIED, min_size=1, max_size=5), st.integers(1, 9))
def test_arrays_are_ranked_as_lists_are(found, depth):
    docids = docids_by_row(f"d{number}" for number in range(31))
    expected = [rank(((f"d{row}", score) for row, score in of.items()), depth) for of in found]
    of_line = {str(n): (np.array([*of], int), np.array([*of.values()])) for n, of in enumerate(found)}
    assert [*Run.scored(docids, of_line, depth).values()] == expected


def test_more_passages_than_rows_can_tell_apart(monkeypatch):
    monkeypatch.setattr("robustdr.retrieval.best.ROWS", 3)
    known = docids_by_row(["a", "b"])
    assert docids_by_row(["c"], known).to_pylist() == ["a", "b", "c"]
    with pytest.raises(UserError, match="4 passages in one collection; at most 3 are allowed"):
        docids_by_row(["c", "d"], known)


def test_eight_bytes_a_ranked_passage_unless_single_precision_would_make_ties(tmp_path):
    lines = [f"q{n % 7} Q0 d{n} 1 {n / 8} t\n" for n in range(70)]
    (tmp_path / "run.trec").write_text("".join(lines))
    run = read_run(tmp_path / "run.trec")
    assert run.rows.nbytes + run.scores.nbytes == 8 * 70
    (tmp_path / "run.trec").write_text("".join(lines) + "q0 Q0 a 1 7.87500001 t\n")
    assert read_run(tmp_path / "run.trec")["q0"][:2] == [("a", 7.87500001), ("d63", 7.875)]


def test_memory_to_write_does_not_grow_with_the_queries(tmp_path):
    run = Run({f"q{n}": 0 for n in range(500)}, docids_by_row(f"d{n}" for n in range(200)), *RANKED)
    tracemalloc.start()
    write_run(tmp_path / "run.trec.gz", run, {"tag": "t"})
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10 * 500 * 200


def test_the_best_of_a_run_alone(tmp_path):
    (tmp_path / "run.trec").write_text("q Q0 a 1 2.0 x\np Q0 a 1 1 x\nq Q0 c 2 3.0 x\nq Q0 b 3 2.0 x\n")
    assert read_run(tmp_path / "run.trec", 2) == {"q": [("c", 3.0), ("b", 2.0)], "p": [("a", 1.0)]}


@pytest.mark.parametrize("block", [1, 30, 10_000])
def test_docids_are_read_query_by_query(tmp_path, monkeypatch, block):
    monkeypatch.setattr("robustdr.retrieval.trec.BLOCK", block)
    write_run(tmp_path / "run.trec.gz", {"q": [("c", 3.0), ("a", 2.0), ("b", 2.0)], "p": [("a", 1.0)]}, METADATA)
    assert [*read_docids(tmp_path / "run.trec.gz", 2)] == [("q", ["c", "a"]), ("p", ["a"])]
    (tmp_path / "run.trec").write_text("q Q0 a 1 2.0 x\np Q0 a 1 1 x\nq Q0 c 2 1.0 x\n")
    with pytest.raises(UserError, match=r"run\.trec: the lines of query 'q' are not consecutive"):
        [*read_docids(tmp_path / "run.trec", 2)]


@pytest.mark.parametrize("block", [1, 30, 10_000])
def test_a_run_is_read_in_blocks_of_whole_lines(tmp_path, monkeypatch, block):
    """Comments between the lines and other white space too."""
    monkeypatch.setattr("robustdr.retrieval.trec.BLOCK", block)
    monkeypatch.setattr("robustdr.retrieval.runs.QUERIES", 1)  # that are ranked at once
    (tmp_path / "run.trec").write_text("# one\nq Q0 a 1 2 x\n# two\nq\tQ0  ü 2 3 x\np Q0 a 1 1 x\nq Q0 d#5 3 1 x\n")
    assert read_run(tmp_path / "run.trec") == {"q": [("ü", 3.0), ("a", 2.0), ("d#5", 1.0)], "p": [("a", 1.0)]}
    with open(tmp_path / "run.trec", "a") as file:
        file.write("\n")
    with pytest.raises(UserError, match=r"run\.trec:7: not a TREC run"):
        read_run(tmp_path / "run.trec")


def test_runs_of_other_tools_are_put_under_the_tie_rule(tmp_path):
    (tmp_path / "run.txt").write_text("q Q0 a 1 2.0 x\nq Q0 c 2 3.0 x\nq Q0 b 3 2.0 x\n")
    assert read_run(tmp_path / "run.txt") == {"q": [("c", 3.0), ("b", 2.0), ("a", 2.0)]}


@pytest.mark.parametrize("line", ["q Q0 d 1 1.0", "q Q0 d 1 high t", "q Q0 d 1 1.0 t more"])
def test_a_line_that_is_no_run_line(tmp_path, line):
    (tmp_path / "run.txt").write_text(f"q Q0 a 1 2.0 x\n{line}\n")
    with pytest.raises(UserError, match=r"run\.txt:2: not a TREC run"):
        read_run(tmp_path / "run.txt")


@pytest.mark.parametrize("damage", ["half", "all but a byte", "a docid that is not there", "nothing"])
def test_damaged_arrays(tmp_path, damage):
    path = tmp_path / "run.arrow"
    write_run(path, {f"q{i}": [(f"d{j}", float(-j)) for j in range(99)] for i in range(20)}, METADATA)
    whole = path.read_bytes()
    if damage == "a docid that is not there":
        rows = np.arange(99, dtype=np.int32).tobytes()
        assert whole.count(rows) == 20
        path.write_bytes(whole.replace(rows, rows[:-4] + b"\xff\xff\x00\x00", 1))
    else:
        path.write_bytes(whole[: {"half": len(whole) // 2, "all but a byte": -1, "nothing": 0}[damage]])
    for read in (read_run, lambda path: [*read_docids(path, 3)]):
        with pytest.raises(UserError, match=r"run\.arrow: run missing or damaged .* delete the file"):
            read(path)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "no gzip", "not UTF-8"])
def test_a_damaged_file(tmp_path, damage):
    path = tmp_path / "run.trec.gz"
    rng = np.random.default_rng(0)
    write_run(path, {f"q{i}": [(f"d{j}", float(rng.normal())) for j in range(99)] for i in range(20)}, METADATA)
    whole = bytearray(path.read_bytes())
    if damage == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "flipped":
        for at in range(len(whole) // 2, len(whole) // 2 + 40):
            whole[at] ^= 0xFF
        path.write_bytes(whole)
    else:
        path.write_bytes(b"q Q0 d 1 1.0 t\n" if damage == "no gzip" else gzip.compress(b"q Q0 d\xff 1 1.0 t\n"))
    with pytest.raises(UserError, match=r"run\.trec\.gz:\d+: not a TREC run .* correct it, or make it anew"):
        read_run(path)


@FORMS
def test_a_run_that_is_not_there(tmp_path, form):
    with pytest.raises(UserError, match=rf"nothing\.{form}"):
        read_run(tmp_path / f"nothing.{form}")


def test_a_query_id_may_begin_as_comments_do(tmp_path):
    """Also on the first lines, and between comments, plain or with other white space."""
    for number, blank in enumerate((" ", "\t")):
        path = tmp_path / f"{number}.trec"
        lines = ["# a comment", "#1 Q0 d1 1 9 x", "#1 Q0 d2 2 8 x", "# of 5 numbers or 6", "q2 Q0 d1 1 7 x"]
        path.write_text("\n".join([lines[0], *(line.replace(" ", blank) for line in lines[1:])]) + "\n")
        assert read_run(path) == {"#1": [("d1", 9.0), ("d2", 8.0)], "q2": [("d1", 7.0)]}
        assert [*read_docids(path, 1)] == [("#1", ["d1"]), ("q2", ["d1"])]


def test_a_byte_order_mark_is_part_of_no_id(tmp_path):
    (tmp_path / "run.trec").write_text("q1 Q0 d1 1 9 x\n", encoding="utf-8-sig")
    assert [*read_run(tmp_path / "run.trec")] == ["q1"]


@pytest.mark.parametrize("read", [read_run, read_listed, lambda path: [*read_docids(path, 1)]])
@pytest.mark.parametrize(
    "lines, message",
    [
        ("q Q0 a 1 nan x", "query 'q' gives passage 'a' the score nan; a score is a finite number"),
        ("q Q0 b 1 inf x", "query 'q' gives passage 'b' the score inf"),
        ("q Q0 a 1 2 x\nq Q0 b 2 1 x\nq Q0 a 3 0 x", "query 'q' has a passage twice: 'a'"),
    ],
)
def test_every_reader_has_the_same_checks(tmp_path, read, lines, message):
    (tmp_path / "run.trec").write_text(f"p Q0 a 1 1 x\n{lines}\n")
    with pytest.raises(UserError, match=message):
        read(tmp_path / "run.trec")


def test_distances_are_no_scores(tmp_path):
    lines = [f"q{query} Q0 d{rank} {rank} 0.{rank} x\n" for query in range(3) for rank in range(1, 4)]
    (tmp_path / "run.trec").write_text("".join(lines))
    with pytest.raises(UserError, match=r"rank column and the scores disagree in 3 of 3 queries: .* distances"):
        read_run(tmp_path / "run.trec")
    (tmp_path / "run.trec").write_text("".join([*lines[:3], "q1 Q0 d1 1 3 x\nq1 Q0 d2 2 1 x\n"]))
    assert read_trec(tmp_path / "run.trec").notes == [
        "has ranks that disagree with its scores in 1 of 2 queries; scores decide"
    ]


def test_ties_are_told(tmp_path):
    (tmp_path / "run.trec").write_text("q Q0 a 1 1 x\nq Q0 b 2 1 x\np Q0 a 1 2 x\np Q0 b 2 1 x\np Q0 c 3 1 x\n")
    assert read_trec(tmp_path / "run.trec").notes == [
        "has one score for all passages in 1 of 2 queries; their ids decide the order",
        "has ties in 1 of 2 queries; of equal scores, the later id is first",
    ]
    (tmp_path / "run.trec").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\np Q0 a 1 1 x\n")
    assert read_trec(tmp_path / "run.trec").notes == []


@pytest.mark.parametrize(
    "text, note",
    [
        ("q1 Q0 d1 1 2.5\nq1 Q0 d2 2 1.5\n", "has no tags"),
        ("q1\td1\t1\nq1\td2\t2\n", "has no scores; its ranks decide"),  # MS MARCO's
        ("# a comment\n#q1 d1 1\n#q1 d2 2\n", "has no scores; its ranks decide"),
        ("# version 1.5\nq1\td1\t2.5\nq1\td2\t1.25\n", "has no ranks"),
        ("q1 d1 1 2.5\nq1 d2 2 1.5\n", "has no tags"),
    ],
)
def test_a_run_that_lacks_columns_is_read_and_told(tmp_path, text, note):
    path = tmp_path / "run.trec"
    path.write_text(text)
    run, notes = read_listed(path)
    assert notes == [note]
    assert [[docid for docid, _ in ranking] for ranking in run.values()] == [["d1", "d2"]]
    assert [[docid for docid, _ in ranking] for ranking in read_run(path).values()] == [["d1", "d2"]]


@pytest.mark.parametrize("line", ["{qid} Q0 {docid} {rank} {score} t", "{qid}\t{docid}\t{rank}\t{score}"])
def test_ranks_decide_if_they_shall(tmp_path, line):
    """Even where they contradict the scores, as distances do."""
    path, rows = tmp_path / "run.trec", [("q", "b", 2, 0.5), ("q", "a", 1, 0.25), ("p", "c", 1, 3)]
    names = ("qid", "docid", "rank", "score")
    path.write_text("".join(line.format(**dict(zip(names, row, strict=True))) + "\n" for row in rows))
    assert read_run(path, order="rank") == {"q": [("a", -1.0), ("b", -2.0)], "p": [("c", -1.0)]}
    with pytest.raises(UserError, match="runs of a drive: the rank column and the scores disagree"):
        read_run(path, place="runs of a drive")


@pytest.mark.parametrize(
    "text",
    [
        "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5\n",
        "q1 d1 1\nq1 Q0 d2 2 1.5 t\n",
        "q1 d1 x\n",
        "q1 d1 2\nq1 d2 1.5\n",
        "1 0 7 1\n",
    ],
)
def test_all_lines_of_a_run_have_the_form_of_the_first(tmp_path, text):
    (tmp_path / "run.trec").write_text(text)
    with pytest.raises(UserError, match=r"run\.trec:\d: not a TREC run"):
        read_trec(tmp_path / "run.trec")
