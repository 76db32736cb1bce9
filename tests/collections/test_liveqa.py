"""Consumers' questions with judged answers: typed and corrected, answers that MedQuAD lacks, and judgements by two."""

import csv
import io
import json
import zipfile

import pytest

from robustdr.collections import keys_of_passages, write_corpus, write_split
from robustdr.collections.liveqa import read_questions, without_slips
from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels, read_queries

XML = """<?xml version="1.0" encoding="UTF-8"?>
<LiveQA2017-Medical-Test-Set-Full>
  <NLM-QUESTION qid="TQ1">
    <Original-Question qfile="71.txt">
      <SUBJECT>Gout &amp; diet</SUBJECT>
      <MESSAGE>What is "gowt" ?
        I have - it; is itcatching?</MESSAGE>
    </Original-Question>
    <NLM-Summary>What is gout?</NLM-Summary>
  </NLM-QUESTION>
  <NLM-QUESTION qid="TQ2">
    <Original-Question><SUBJECT></SUBJECT><MESSAGE>Is flu new</MESSAGE></Original-Question>
  </NLM-QUESTION>
  <NLM-QUESTION qid="TQ3"><Original-Question><MESSAGE>And colds</MESSAGE></Original-Question></NLM-QUESTION>
  <NLM-QUESTION qid="TQ4"><Original-Question><MESSAGE>Nobody judgd this</MESSAGE></Original-Question></NLM-QUESTION>
</LiveQA2017-Medical-Test-Set-Full>
"""
ANSWERS = {  # the first one is MedQuAD's too
    "GARD_1_Sec1.txt": "Gout is\n a disease.",
    "ADAM_1_Sec1.txt": "It hurts (at night)",
    "ADAM_2_Sec1.txt": "Flu is old.",
    "ADAM_2_Sec2.txt": "Colds too.",
}
GRADES = [
    "1 2-Related GARD_1_Sec1.txt",
    "1 4-Excellent GARD_1_Sec1.txt",  # another assessor
    "1 1-Incorrect ADAM_1_Sec1.txt",
    "2 3-Incomplete ADAM_2_Sec1.txt",
    "3 2-Related ADAM_2_Sec2.txt",  # no answer
]
CORRECTIONS = [
    "source\ttext\tfirst\tafter\tcorrected",
    "liveqa\tTQ1\t5\t6\tgout",
    "liveqa\tTQ1\t10\t11\tit catching",
    "liveqa\tTQ4\t1\t2\tjudged",
    "stackfaq\tTQ2\t0\t1\tno",
]
PAIRS = [
    {"question": "What is Gout ?", "answer": "Gout is a disease."},
    {"question": "What is Mumps ?", "answer": "Mumps is another."},
]


def zipped(path, answers, grades):
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["AnswerID", "Answer"])
    for id, text in answers.items():
        rows.writerow([id, f"Question: What is it ? (Also called: that)\nURL: https://example.org\nAnswer: {text}) \n"])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("QA/All-Answers.csv", table.getvalue())
        archive.writestr("QA/All-qrels.txt", "".join(f"{line}\n" for line in grades))
        archive.writestr("__MACOSX/QA/._All-Answers.csv", b"\x00\x05")


@pytest.fixture()
def source(tmp_path):
    (tmp_path / "questions.xml").write_text(XML, encoding="utf-8")
    zipped(tmp_path / "judged.zip", ANSWERS, GRADES)
    (tmp_path / "corrections.tsv").write_text("".join(f"{line}\n" for line in CORRECTIONS), encoding="utf-8")
    (tmp_path / "medquad.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    names = {"questions": "questions.xml", "judged": "judged.zip", "corrections": "corrections.tsv"}
    names["pairs"] = "medquad.jsonl"
    return {
        "kind": "liveqa",
        **{key: {"path": str(tmp_path / name)} for key, name in names.items()},
        "splits": {"test": {"text": "typed"}, "slips": {"text": "corrected"}},
    }


def made(source, folder, split="test"):
    """The queries by id, the grades by query and text of the answer, and the texts of all passages."""
    outputs = [folder / split / "queries.tsv", folder / split / "qrels.txt"]
    write_corpus(source, folder / "corpus.jsonl")
    counts = write_split(source, split, outputs)
    texts = {p["docid"]: p["text"] for p in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))}
    grades = {qid: {texts[docid]: grade for docid, grade in of.items()} for qid, of in read_qrels(outputs[1]).items()}
    return read_queries(outputs[0]), grades, list(texts.values()), counts


def test_questions_are_subject_and_message_as_typed_and_the_higher_grade_counts(source, tmp_path):
    queries, grades, _, counts = made(source, tmp_path)
    assert queries == {"TQ1": 'Gout & diet What is "gowt" ? I have - it; is itcatching?', "TQ2": "Is flu new"}
    assert grades == {"TQ1": {"Gout is a disease.": 3, "It hurts (at night)": 0}, "TQ2": {"Flu is old.": 2}}
    assert counts["removed"] == 2  # one has a related answer alone, one has none


def test_judged_answers_that_medquad_lacks_are_passages_too_and_equal_ones_are_one(source, tmp_path):
    assert made(source, tmp_path)[2] == [
        "Gout is a disease.",
        "Mumps is another.",
        "It hurts (at night)",
        "Flu is old.",
        "Colds too.",
    ]


def test_corrected_questions_are_those_with_slips_without_them(source, tmp_path):
    """Words are counted without marks that stand alone; the marks around a word stay."""
    queries, grades, _, _ = made(source, tmp_path, "slips")
    assert queries == {"TQ1": 'Gout & diet What is "gout" ? I have - it; is it catching?'}
    assert grades["TQ1"]["Gout is a disease."] == 3


def test_one_word_may_become_two_and_two_one():
    assert without_slips("a (lot; of) it", {(1, 3): "lotof"}) == "a (lotof) it"
    assert without_slips("alot of it", {(0, 1): "a lot", (2, 3): "them"}) == "a lot of them"


def test_typed_and_corrected_collections_share_their_passages(source):
    other = {**source, "splits": {"test": {"text": "corrected"}}, "description": "Others."}
    assert keys_of_passages(source) == keys_of_passages(other)


@pytest.mark.parametrize("text", ["", "<LiveQA", "<LiveQA><NLM-QUESTION/></LiveQA>"])
def test_another_xml_is_one_error(tmp_path, text):
    (tmp_path / "questions.xml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"questions\.xml: not LiveQA's XML"):
        read_questions(tmp_path / "questions.xml")


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        (["1 5-Perfect GARD_1_Sec1.txt"], r"judged\.zip: not MedQuAD's judged answers \(KeyError: '5-Perfect'\)"),
        (["1 4-Excellent"], r"not MedQuAD's judged answers \(ValueError"),
        (["1 4-Excellent GARD_9_Sec1.txt"], r"judged\.zip: answer 'GARD_9_Sec1\.txt' is judged and has no text"),
    ],
)
def test_other_judgements_are_one_error(source, tmp_path, grades, message):
    zipped(tmp_path / "judged.zip", ANSWERS, grades)
    with pytest.raises(UserError, match=message):
        write_split(source, "test", [tmp_path / "test/queries.tsv"])


def test_a_damaged_zip_and_other_corrections_are_one_error(source, tmp_path):
    (tmp_path / "corrections.tsv").write_text("source\ttext\nliveqa\tTQ1\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"corrections\.tsv: not a file of corrections \(KeyError: 'first'\)"):
        write_split(source, "slips", [tmp_path / "slips/queries.tsv"])
    (tmp_path / "judged.zip").write_bytes((tmp_path / "judged.zip").read_bytes()[:60])
    with pytest.raises(UserError, match=r"judged\.zip: not MedQuAD's judged answers \(BadZipFile"):
        write_corpus(source, tmp_path / "corpus.jsonl")
