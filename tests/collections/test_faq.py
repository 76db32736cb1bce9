"""Questions with their answers: both forms of the file, what is one, and splits that share no topic."""

import json
import lzma

import pytest

from robustdr.collections import write_corpus, write_split
from robustdr.collections.faq import read_pairs
from robustdr.core.errors import UserError
from robustdr.core.files import read_qrels, read_queries

MEDQUAD = [
    {"id": "1-1", "focus": "Gout", "question": "What is (are) Gout ?", "answer": "Gout is\n  a disease."},
    {"id": "2-1", "focus": "Gout", "question": "What is (are) Gout ?", "answer": "Gout hurts."},
    {"id": "2-2", "focus": "Gout", "question": "How many have Gout ?", "answer": "Gout hurts."},
    *(
        {"id": f"{name}", "focus": name, "question": f"Who has {name} ?", "answer": f"{name} is rare."}
        for name in ("Cri-du-chat", "cri du chat", "Cri du Chat", "CRI DU CHAT")
    ),
    *(
        {"id": f"{n}", "focus": f"Focus {n}", "question": f"What is Focus {n} ?", "answer": f"It is {n}."}
        for n in range(9)
    ),
]
STACKFAQ = {
    "root": {
        "qapair": [
            {
                "question": "Delete  my account?",
                "answer": ["Go to settings.", "You can not."],
                "rephr": ["Remove it?", "*"],
            },
            {"question": "What to do?", "answer": "Nothing.", "rephr": []},
        ]
    }
}


def medquad(folder, **splits):
    path = folder / "medquad.jsonl.xz"
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(pair) + "\n" for pair in MEDQUAD)
    return {
        "kind": "faq",
        "pairs": {"path": str(path)},
        "splits": {name: {"topics": part} for name, part in splits.items()},
    }


def stackfaq(folder):
    path = folder / "faq.json"
    path.write_text(json.dumps(STACKFAQ), encoding="utf-8")
    return {"kind": "faq", "pairs": {"path": str(path)}, "splits": {"test": {"topics": [0.0, 1.0]}}}


def answers(entry, folder, split="test"):
    """The texts of each question's relevant answers, by the question's text."""
    outputs = [folder / split / "queries.tsv", folder / split / "qrels.txt"]
    write_corpus(entry, folder / "corpus.jsonl")
    write_split(entry, split, outputs)
    texts = {p["docid"]: p["text"] for p in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))}
    questions, qrels = read_queries(outputs[0]), read_qrels(outputs[1])
    return {text: sorted(texts[docid] for docid in qrels[qid]) for qid, text in questions.items()}


def test_equal_questions_are_one_and_have_the_answers_of_all(tmp_path):
    pairs = answers(medquad(tmp_path, test=[0.0, 1.0]), tmp_path)
    assert pairs["What is (are) Gout ?"] == ["Gout hurts.", "Gout is a disease."]
    assert pairs["How many have Gout ?"] == ["Gout hurts."] and len(pairs) == 15


def test_splits_share_no_topic_and_have_all_questions(tmp_path):
    entry = medquad(tmp_path, train=[0.0, 0.5], test=[0.5, 1.0])
    train, test = answers(entry, tmp_path, "train"), answers(entry, tmp_path)
    assert len(train) + len(test) == 15 and not set(train) & set(test)
    assert ("What is (are) Gout ?" in train) == ("How many have Gout ?" in train)


def test_a_topic_is_the_same_with_other_capitals_and_hyphens(tmp_path):
    entry = medquad(tmp_path, train=[0.0, 0.5], test=[0.5, 1.0])
    numbers = [sum(text.startswith("Who has") for text in answers(entry, tmp_path, name)) for name in entry["splits"]]
    assert sorted(numbers) == [0, 4]


def test_stackfaq_gives_answers_and_the_rewordings_of_people(tmp_path):
    entry = stackfaq(tmp_path)
    assert answers(entry, tmp_path) == {
        "Delete my account?": ["Go to settings.", "You can not."],
        "What to do?": ["Nothing."],
    }
    assert [pair.rewordings for pair in read_pairs(tmp_path / "faq.json")] == [("Remove it?",), ()]


@pytest.mark.parametrize("text", ["{", "[]", '{"root": {"qapair": [{"question": "no answer"}]}}', '{"root": 1}'])
def test_another_form_is_one_error(tmp_path, text):
    path = tmp_path / "faq.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"faq\.json: not StackFAQ's JSON"):
        list(read_pairs(path))


def test_a_question_without_an_answer_is_refused(tmp_path):
    entry = stackfaq(tmp_path)
    (tmp_path / "faq.json").write_text(
        '{"root": {"qapair": [{"question": "Who?", "answer": [], "rephr": []}]}}', encoding="utf-8"
    )
    with pytest.raises(UserError, match=r"faq\.json:.*: a question without an answer"):
        write_split(entry, "test", [tmp_path / "test/queries.tsv"])


def test_a_file_that_is_cut_off_is_one_error(tmp_path):
    stackfaq(tmp_path)
    packed = lzma.compress((tmp_path / "faq.json").read_bytes())
    (tmp_path / "faq.json.xz").write_bytes(packed[:-20])
    with pytest.raises(UserError, match=r"faq\.json\.xz: not StackFAQ's JSON"):
        list(read_pairs(tmp_path / "faq.json.xz"))
