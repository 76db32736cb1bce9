"""Answers in passages: DPR's rules on hand-made cases and against a second way to follow them, and Success@k."""

import json
import unicodedata
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.errors import UserError
from robustdr.evaluation.answers import judge, patterns, spaced
from robustdr.evaluation.measures import read_measures, write_measures
from robustdr.evaluation.settings import EvaluateSettings
from robustdr.retrieval.runs import write_run


def contains(text, *answers):
    return any(pattern in spaced(text) for pattern in patterns(answers))


@pytest.mark.parametrize(
    ("text", "answer", "found"),
    [
        ("The capital is Paris.", "paris", True),
        ("comparison", "paris", False),  # whole tokens alone
        ("Parisian", "Paris", False),
        ("a small café", "a small cafe\u0301", True),  # composed and decomposed are the same
        ("a small café", "a small cafe", False),  # an accent is a mark, and a mark is part of a token
        ("a small cafe", "café", False),
        ("STRASSE", "straße", False),  # lower case is no case folding
        ("ΟΔΟΣ", "οδος", True),  # the last sigma
        ("ΟΔΟΣ-ΑΒ", "οδος", True),
        ("İstanbul", "i̇stanbul", True),
        ("in 1,234 days", "1,234", True),  # three tokens: 1 , 234
        ("in 1,234 days", "1234", False),
        ("in 1,234 days", "234 days", True),
        ("U.S. troops", "U.S.", True),
        ("U.S. troops", "US", False),
        ("U . S . troops", "U.S.", True),  # white space between tokens counts for nothing
        ('"Weird Al" Yankovic', '"Weird Al" Yankovic', True),
        ('""Weird Al"" Yankovic', '"Weird Al" Yankovic', False),  # a passage left in CSV's quotes
        ("Scorpio (disambiguation)", "Scorpio", True),
        ("Scorpio", "Scorpio (disambiguation)", False),
        ("one two three", "one three", False),  # next to each other
        ("one two three", "two\n\tthree", True),
        ("two three one", "one two", False),  # in order
        ("no-break\u00a0space", "breakspace", False),
        ("no-break\u00a0space", "break\u2003space", True),  # separators of any width
        ("zero\u200bwidth", "zero width", True),  # a control character ends a token
        ("zero\u200bwidth", "zerowidth", False),
        ("東京都", "東京", False),  # a run of letters is one token
        ("x² + ½", "½", True),  # numbers of every kind
        ("C++ and C#", "C++", True),
        ("C++ and C#", "C+", True),  # every mark of punctuation is a token of its own
        ("anything", "", False),
        ("anything", " \u200b ", False),
        ("", "anything", False),
        ("", "", False),
    ],
)
def test_an_answer_is_a_run_of_tokens(text, answer, found):
    assert contains(text, answer) == found
    assert contains(text, "not there", answer, "nor this") == found  # one of several is enough


def tokens(text):
    """The same rules without a regular expression: by the category of each character."""
    kinds = {"L": "word", "N": "word", "M": "word", "Z": "", "C": ""}
    characters = []
    for kind, run in groupby(unicodedata.normalize("NFD", text), lambda c: kinds.get(unicodedata.category(c)[0], c)):
        if kind == "word":
            characters.append("".join(run).lower())
        elif kind:
            characters += [character.lower() for character in run]
    return characters


ALPHABET = st.characters(exclude_categories=["Cn", "Cs"], max_codepoint=0x2FFF) | st.sampled_from(
    "aB é.,-'\"İΣσß1½ \u200b"
)
TEXT = st.text(ALPHABET, max_size=12)


@given(before=TEXT, answer=TEXT, after=TEXT, other=TEXT)
def test_any_text_is_matched_as_the_rules_say(before, answer, after, other):
    for text, pattern_text in (
        (before + answer + after, answer),
        (f"{before} {answer} {after}", answer),
        (before, other),
    ):
        inside, run = tokens(text), tokens(pattern_text)
        expected = bool(run) and any(
            inside[start : start + len(run)] == run for start in range(len(inside) - len(run) + 1)
        )
        assert contains(text, pattern_text) == expected
        assert spaced(text).split(" ")[1:-1] == (inside or [""])


CORPUS = {
    "d1": ("Nobel Prize", "The first was Wilhelm Conrad Röntgen."),
    "d2": ("Wilhelm Conrad Röntgen", "Nobody is named here."),  # titles are not searched
    "d3": ("", "Curie shared it in 1903."),
    "d4": ("", "WILHELM CONRAD RO\u0308NTGEN again"),
    "d5": ("", "1903"),
}
ANSWERS = {"q1": ["Wilhelm Conrad Röntgen"], "q2": ["Marie Curie", "1903"], "q3": ["1903"], "q4": ["nobody else"]}
# first passage with an answer: q1 at 2, q2 at 1, q3 at 3, q4 nowhere
RUN = {"q1": ["d2", "d1", "d4"], "q2": ["d3", "d2", "d1"], "q3": ["d1", "d2", "d5"], "q4": ["d1", "d2", "d3"]}


@pytest.fixture()
def corpus(tmp_path):
    lines = [json.dumps({"docid": docid, "title": title, "text": text}) for docid, (title, text) in CORPUS.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join([*lines, ""]))
    return tmp_path / "corpus.jsonl"


def ranked(run):
    return {qid: [(docid, -float(rank)) for rank, docid in enumerate(docids)] for qid, docids in run.items()}


def test_qrels_are_made_of_what_runs_retrieve(corpus):
    qrels = judge(ANSWERS, [ranked(RUN)], 3, corpus)
    assert qrels == {"q1": {"d1": 1, "d4": 1}, "q2": {"d3": 1}, "q3": {"d5": 1}, "q4": {}}
    # d5 is in no run of q2; a second run brings it, and the depth cuts q1's and q3's
    second = ranked({"q2": ["d5"], "q9": ["d1"]})
    assert judge(ANSWERS, [ranked(RUN), second], 2, corpus) == {
        "q1": {"d1": 1},
        "q2": {"d3": 1, "d5": 1},
        "q3": {},
        "q4": {},
    }


def test_a_passage_that_is_not_in_the_corpus_is_an_error(corpus):
    with pytest.raises(UserError, match=r"corpus\.jsonl: no passage 'd9', which a run has"):
        judge(ANSWERS, [ranked({"q1": ["d9"]})], 3, corpus)


def evaluated(tmp_path, corpus, measures, **runs):
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps({"qid": qid, "answers": texts}) + "\n" for qid, texts in ANSWERS.items()))
    for name, run in runs.items():
        write_run(tmp_path / f"{name}.gz", ranked(run), {"tag": "t"})
    query_sets = {f"test.{name}": (tmp_path / f"{name}.gz", answers) for name in runs}
    # a level that no grade of these reaches: answers have none
    settings = EvaluateSettings(dict.fromkeys(query_sets, measures), relevance_level=2)
    write_measures(settings, query_sets, tmp_path / "m.parquet", corpus)
    frame = read_measures(tmp_path / "m.parquet")
    return {
        place: dict(zip(rows["qid"], rows["value"], strict=True))
        for place, rows in frame.groupby(["query_set", "measure"])
    }


def test_success_counts_the_first_passage_with_an_answer(tmp_path, corpus):
    """A question without a ranking counts 0, and a run is not judged by what another one retrieved."""
    varied = {"q1": ["d4"], "q3": ["d1"]}
    values_by_place = evaluated(tmp_path, corpus, ["Success@1", "Success@2", "Success@3"], original=RUN, varied=varied)
    ones = {
        place: sorted(qid for qid, value in values.items() if value == 1) for place, values in values_by_place.items()
    }
    assert ones == {
        ("test.original", "Success@1"): ["q2"],
        ("test.original", "Success@2"): ["q1", "q2"],
        ("test.original", "Success@3"): ["q1", "q2", "q3"],
        **{("test.varied", f"Success@{k}"): ["q1"] for k in (1, 2, 3)},
    }
    assert all(
        values.keys() == ANSWERS.keys() and set(values.values()) <= {0.0, 1.0} for values in values_by_place.values()
    )


def test_answers_need_a_corpus_and_cuts(tmp_path, corpus):
    for measures, searched in ((["Success@1"], None), (["AP"], corpus)):
        with pytest.raises(UserError, match=r"answers\.jsonl: answers are looked for in a corpus"):
            evaluated(tmp_path, searched, measures, original=RUN)


def test_answers_judge_their_own_split_alone(tmp_path, corpus):
    """Beside it lies one with qrels, a measure without a cut, and a run of passages that the corpus lacks."""
    runs = {}
    for name, run in {"test.original": RUN, "dev.original": {"q1": ["d8", "d9"]}}.items():
        write_run(tmp_path / f"{name}.gz", ranked(run), {"tag": "t"})
        runs[name] = (tmp_path / f"{name}.gz", tmp_path / ("answers.jsonl" if run is RUN else "qrels.txt"))
    (tmp_path / "answers.jsonl").write_text(json.dumps({"qid": "q1", "answers": ANSWERS["q1"]}) + "\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d9 1\n")
    settings = EvaluateSettings({"test.original": ["Success@1", "Success@2"], "dev.original": ["AP"]}, 1)
    write_measures(settings, runs, tmp_path / "m.parquet", corpus)
    frame = read_measures(tmp_path / "m.parquet")
    assert list(frame["measure"]) == ["Success@1", "Success@2", "AP"]
    assert list(frame["value"]) == [0, 1, 1 / 2]
