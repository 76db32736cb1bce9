"""Questions that consumers sent to a health library (TREC 2017, LiveQA), with MedQuAD's judged answers.

Ben Abacha et al., TREC 2017; Ben Abacha and Demner-Fushman, BMC Bioinformatics 20:511, 2019.
"""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from robustdr.collections.faq import read_pairs
from robustdr.collections.located import bring, own_file
from robustdr.collections.problems import Place
from robustdr.collections.reading import queries
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.collections.settings import LiveQa
from robustdr.collections.texts import blanks, distinct_passages, docid
from robustdr.core.bounds import TABLE
from robustdr.core.errors import UserError
from robustdr.core.unpacked import ARCHIVE_DAMAGES, members

WORD = re.compile(r"[^\s.,;:?!\"“”()/]+")  # as the corrections count words, except those of marks alone
MARKS = "'’-"
# How the assessors' grades are written, and the lowest one that answers a question.
GRADES = {"1-Incorrect": 0, "2-Related": 1, "3-Incomplete": 2, "4-Excellent": 3}
RIGHT = 2
ANSWER = "\nAnswer:"
QID = "TQ"  # what the ids of questions begin with, which the judgements leave out


def corpus(source: LiveQa) -> Iterator[Passage]:
    """Yield the different answers of the pairs, then the judged ones that are not among them."""
    path = bring(source["judged"], source.get("sha256", {}))
    judged_answers = ((Place(path, 0), "", text) for text in _read_judged(path)[0].values())
    pairs = read_pairs(bring(source["pairs"], source.get("sha256", {})))
    pair_answers = ((entry.place, entry.question, answer) for entry in pairs for answer in entry.answers)
    yield from distinct_passages(pair for part in (pair_answers, judged_answers) for pair in part)


def split(source: LiveQa, name: str) -> Split:
    """Return the questions that a judged answer answers, with the highest grade of each answer.

    Raises:
        UserError: see `read_questions`; judgements or corrections are missing, damaged or of another form.
    """
    digests = source.get("sha256", {})
    path = bring(source["questions"], digests)
    answers, judgements = _read_judged(bring(source["judged"], digests))
    highest: dict[tuple[str, str], int] = {}
    for qid, answer, grade in judgements:
        pair = qid, docid(answers[answer])
        highest[pair] = max(grade, highest.get(pair, 0))
    answered = {qid for (qid, _), grade in highest.items() if grade >= RIGHT}
    questions = read_questions(path)
    if source["splits"][name]["text"] == "corrected":
        slips = _read_corrections(bring(source["corrections"], digests))
        questions = {qid: without_slips(text, slips[qid]) for qid, text in questions.items() if qid in slips}
    answered_questions = {qid: text for qid, text in questions.items() if qid in answered}
    rows = (
        (Place(path, number, "question"), Query(qid, text))
        for number, (qid, text) in enumerate(answered_questions.items())
    )
    graded = [Judgement(qid, answer, grade) for (qid, answer), grade in highest.items() if qid in answered_questions]
    return Split(list(queries(rows)), graded, removed=len(questions) - len(answered_questions))


def files(source: LiveQa, split: str | None) -> list[Path]:
    """Return the user's files that the passages (None) or a split are made from; none that come from elsewhere."""
    parts = ("judged", "pairs") if split is None else ("questions", "judged", "corrections")
    return [path for part in parts for path in own_file(source[part])]  # type: ignore[literal-required]


def read_questions(path: Path) -> dict[str, str]:
    """Return the questions by id as they were typed: the subject, then the message, with single blanks.

    Raises:
        UserError: the file is no such XML, or has no question.
    """
    try:
        elements = [
            (question.get("qid"), question.find("Original-Question"))
            for question in ElementTree.parse(path).iter("NLM-QUESTION")
        ]
        texts = {
            str(qid): blanks(f"{question.findtext('SUBJECT') or ''} {question.findtext('MESSAGE') or ''}")
            for qid, question in elements
            if question is not None
        }
    except (OSError, ElementTree.ParseError) as error:
        raise UserError(f"{path}: not LiveQA's XML ({type(error).__name__}: {error})") from None
    if not texts:
        raise UserError(f"{path}: not LiveQA's XML: no NLM-QUESTION")
    return texts


def without_slips(text: str, corrections: dict[tuple[int, int], str]) -> str:
    """Return a text with words replaced: by (number of the first, number of the one after the last), the words."""
    words = [match for match in WORD.finditer(text) if match[0].strip(MARKS)]
    for (first, after), corrected in sorted(corrections.items(), reverse=True):  # from the end: the places hold
        text = text[: words[first].start()] + corrected + text[words[after - 1].end() :]
    return text


def _read_corrections(path: Path) -> dict[str, dict[tuple[int, int], str]]:
    corrections: dict[str, dict[tuple[int, int], str]] = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            try:
                if row["source"] == "liveqa":
                    place = int(row["first"]), int(row["after"])
                    corrections.setdefault(row["text"], {})[place] = row["corrected"]
            except (KeyError, TypeError, ValueError) as error:
                raise UserError(f"{path}: not a file of corrections ({type(error).__name__}: {error})") from None
    return corrections


def _read_judged(path: Path) -> tuple[dict[str, str], list[tuple[str, str, int]]]:
    """Return the judged answers by id, and the judgements: a question's id, an answer's, a grade.

    An answer comes as three lines: the question that it belongs to, an address, and the answer with a bracket behind.
    """
    try:
        files = members(path, TABLE)
        texts = {name.rpartition(".")[2]: data for name, data in files.items() if "__MACOSX" not in name}
        answers = {
            row["AnswerID"]: blanks(row["Answer"].partition(ANSWER)[2].rstrip().removesuffix(")"))
            for row in csv.DictReader(io.StringIO(texts["csv"].decode("utf-8"), newline=""))
        }
        rows = [line.split() for line in texts["txt"].decode("utf-8").splitlines()]
        judgements = [(f"{QID}{question}", answer, GRADES[grade]) for question, grade, answer in rows]
    except (OSError, KeyError, ValueError, AttributeError, csv.Error, *ARCHIVE_DAMAGES) as error:
        raise UserError(f"{path}: not MedQuAD's judged answers ({type(error).__name__}: {error})") from None
    if unknown := [answer for _, answer, _ in judgements if not answers.get(answer)]:
        raise UserError(f"{path}: answer {unknown[0]!r} is judged and has no text")
    return answers, judgements
