"""Questions with candidates of their own, as WikiQA is released: Parquet and TSV, what is kept, and what is refused."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robustdr.collections import local_files, write_corpus, write_split
from robustdr.collections.card import write_card
from robustdr.collections.settings import Collections
from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels, read_queries, sha256
from robustdr.core.yaml_files import checked

ROOT = Path(__file__).parents[2]
WIKIQA = yaml.safe_load((ROOT / "config/collections.yaml").read_text(encoding="utf-8"))["wikiqa"]
HUB = ("question_id", "question", "document_title", "answer", "label")
TSV = ("QuestionID", "Question", "DocumentTitle", "Sentence", "Label")
ROWS = [  # three questions of whose candidates one, none and all are relevant
    ("Q1", "how are  glacier caves formed", "Glacier cave", "A glacier cave is formed in ice .", 1),
    ("Q1", "how are  glacier caves formed", "Glacier cave", 'They are called "ice caves" , wrongly .', 0),
    ("Q2", "how much is 1 tablespoon", "Tablespoon", "A unit of measure .", 0),
    ("Q1", "how are  glacier caves formed", "Glacier cave", "Most are in moving ice .", 0),
    ("Q9", "what is the sun", "Sun", "A star .", 1),
]


def parquet(folder, rows=ROWS, names=HUB):
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), path := folder / "pairs.parquet")
    return path


def tsv(folder, rows=ROWS, names=TSV):
    path = folder / "pairs.tsv"
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in (names, *rows)), encoding="utf-8")
    return path


def source(path, names=HUB, **keys):
    columns = dict(zip(("qid", "query", "text", "grade"), (names[0], names[1], *names[3:]), strict=True))
    return {
        "kind": "pairs",
        "columns": columns,
        "splits": {"test": {"path": str(path), "candidates": "judged"}},
        **keys,
    }


def written(made, folder):
    """Counts of corpus and split, and their files."""
    files = [folder / "corpus.jsonl", folder / "test/queries.tsv", folder / "test/qrels.txt"]
    return {**write_corpus(made, files[0]), **write_split(made, "test", files[1:])}, files


@pytest.mark.parametrize(("write", "names"), [(parquet, HUB), (tsv, TSV)])
def test_a_row_is_a_passage_and_questions_without_an_answer_are_removed_and_counted(tmp_path, write, names):
    made = source(write(tmp_path), names)
    counts, (corpus, queries, qrels) = written(made, tmp_path)
    assert counts == {"passages": 5, "queries": 2, "qrels": 4, "removed": 1}
    assert queries.read_text() == "Q1\thow are glacier caves formed\nQ9\twhat is the sun\n"
    assert qrels.read_text() == "Q1 0 Q1-0 1\nQ1 0 Q1-1 0\nQ1 0 Q1-2 0\nQ9 0 Q9-0 1\n"
    passages = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    assert [(passage["docid"], passage["text"]) for passage in passages] == [
        (docid, row[3]) for docid, row in zip(("Q1-0", "Q1-1", "Q2-0", "Q1-2", "Q9-0"), ROWS, strict=True)
    ]
    assert local_files(made) == [Path(made["splits"]["test"]["path"])]
    write_card(made, corpus, {"test": [queries, qrels]}, tmp_path / "card.json")
    card = json.loads((tmp_path / "card.json").read_text())
    assert card["splits"]["test"]["grades"] == {"0": 2, "1": 2} and card["passages"]["count"] == 5


def test_a_carriage_return_in_a_tsv_splits_no_row(tmp_path):
    written(source(tsv(tmp_path), TSV), tmp_path)
    before = (tmp_path / "test/queries.tsv").read_text()
    path = tmp_path / "pairs.tsv"
    path.write_bytes(path.read_bytes().replace(b"glacier caves", b"glacier\rcaves").replace(b"\n", b"\r\n"))
    written(source(path, TSV), tmp_path)
    assert (tmp_path / "test/queries.tsv").read_text() == before


def test_filtered_leaves_no_question_whose_candidates_are_all_relevant(tmp_path):
    counts, (_, queries, _) = written(source(parquet(tmp_path), filtered=True), tmp_path)
    assert read_queries(queries).keys() == {"Q1"}
    assert counts == {"passages": 5, "queries": 1, "qrels": 3, "removed": 2}


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6)


@given(st.lists(st.tuples(st.integers(0, 4), TEXT, st.integers(0, 1)), min_size=1, max_size=20), st.booleans())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_forms_give_the_same_and_nothing_of_a_kept_question_is_lost(tmp_path, drawn, filtered):
    rows = [(f"Q{number}", f"question {number}", "", text, grade) for number, text, grade in drawn]
    grades = {row[0]: [other[4] for other in rows if other[0] == row[0]] for row in rows}
    kept = {qid for qid, of in grades.items() if 1 in of and (0 in of or not filtered)}
    results = []
    for write, names in ((parquet, HUB), (tsv, TSV)):
        made = source(write(tmp_path, rows), names, filtered=filtered)
        if not kept:
            with pytest.raises(UserError, match="none may be 0"):
                written(made, tmp_path)
            continue
        counts, files = written(made, tmp_path)
        results.append([path.read_bytes() for path in files])
        assert counts.get("removed", 0) == len(grades) - len(kept)
        assert read_queries(files[1]).keys() == kept
        assert {qid: list(of.values()) for qid, of in read_qrels(files[2]).items()} == {q: grades[q] for q in kept}
    assert not kept or results[0] == results[1]


def changed(row, column, value):
    rows = [list(line) for line in ROWS]
    rows[row][column] = value
    return [tuple(line) for line in rows]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (changed(3, 1, "how else"), r"row 3: question 'Q1' is 'how else' here and 'how are  glacier caves formed' "),
        (changed(1, 0, None), r"row 1: nothing in the column 'question_id'"),
        (changed(1, 4, None), r"row 1: nothing in the column 'label'"),
        (changed(2, 3, None), r"row 2: passage 'Q2-0' is empty"),
        (changed(2, 3, " "), r"row 2: passage 'Q2-0' is empty"),
        (changed(0, 0, "Q 1"), r"row 0: docid 'Q 1-0' is empty or has white space"),
    ],
)
def test_a_row_that_does_not_fit_is_one_error(tmp_path, rows, message):
    with pytest.raises(UserError, match=rf"pairs\.parquet: {message}"):
        written(source(parquet(tmp_path, rows)), tmp_path)


def test_columns_that_are_not_there_or_of_another_type(tmp_path):
    with pytest.raises(UserError, match=r"column: 'QuestionID' is unknown \(did you mean question, question_id\?\)"):
        written(source(parquet(tmp_path), TSV), tmp_path)
    with pytest.raises(UserError, match=r"column 'Label' of string gives no int64"):
        written(source(tsv(tmp_path, changed(0, 4, "yes")), TSV), tmp_path)


def test_a_tsv_that_is_none(tmp_path):
    for text in ("", "a\tb\n1\t2\t3\n"):
        (tmp_path / "pairs.tsv").write_text(text)
        with pytest.raises(UserError, match=r"pairs\.tsv: no TSV file"):
            written(source(tmp_path / "pairs.tsv", TSV), tmp_path)


def test_own_files_are_pinned_and_the_hub_is_not_asked_offline(tmp_path):
    path = parquet(tmp_path)
    with pytest.raises(UserError, match=r"sha256 is [0-9a-f]{64}, collections\.yaml says"):
        written(source(path, sha256={str(path): "0" * 64}), tmp_path)
    written(source(path, sha256={str(path): sha256(path)}), tmp_path)
    assert local_files(WIKIQA) == []
    with pytest.raises(
        UserError, match=r"microsoft/wiki_qa@3f10\w{36}: data/train-\S+ could not be fetched .* `path:`"
    ):
        write_corpus(WIKIQA, tmp_path / "corpus.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": {"qid": "a", "query": "b", "text": "c"}}, "'grade' is missing"),
        ({"filtered": False}, "filtered: 'False' is unknown; allowed: True"),
        ({"binary_from": 1, "relevance_level": 2}, "relevance_level: with `binary_from`"),
        ({"splits": {"test": {"hub": "a/b", "file": "c"}}}, "revision: missing"),
        ({"splits": {"test": {"path": "a", "candidates": "all"}}}, "candidates: 'all' is unknown; allowed: judged"),
    ],
)
def test_an_entry_that_is_wrong_is_refused_when_it_is_read(change, message):
    checked(Collections, {"wikiqa": WIKIQA}, Path("collections.yaml"))
    with pytest.raises(UserError, match=message):
        checked(Collections, {"wikiqa": WIKIQA | change}, Path("collections.yaml"))


def test_the_published_counts(wikiqa_release, tmp_path):
    """Of the release's own files: 29,258 sentences, and questions with an answer, some with answers alone."""
    names = ("QuestionID", "Question", "DocumentTitle", "Sentence", "Label")
    for split, answered, filtered in (("train", 873, 857), ("dev", 126, 122), ("test", 243, 237)):
        made = source(wikiqa_release / f"WikiQA-{split}.tsv", names)
        assert written(made, tmp_path)[0]["queries"] == answered
        assert written(made | {"filtered": True}, tmp_path)[0]["queries"] == filtered


@pytest.fixture()
def wikiqa_release():
    folder = ROOT / "data/WikiQACorpus"
    if not (folder / "WikiQA-test.tsv").is_file():
        pytest.skip(f"the release's files are not in {folder}")
    return folder


def test_a_table_without_header_and_ids_gives_the_same_pairs(tmp_path):
    """As WikiQA's training file: question, sentence and label alone. A question's id is its split and its first row."""
    path = tmp_path / "pairs.txt"
    path.write_text("".join(f"{row[1]}\t{row[3]}\t{row[4]}\n" for row in ROWS), encoding="utf-8")
    named = source(tsv(tmp_path), TSV)
    plain = source(path)
    plain["splits"]["test"] |= {"header": False, "columns": {"query": "f0", "text": "f1", "grade": "f2"}}
    counts, files = written(plain, tmp_path / "plain")
    assert counts == written(named, tmp_path / "named")[0]
    assert list(read_queries(files[1]).values()) == ["how are glacier caves formed", "what is the sun"]
    assert {qid: set(grades.values()) for qid, grades in read_qrels(files[2]).items()} == {
        "test-0": {0, 1},
        "test-4": {1},
    }
