"""The papers' collections as ir_datasets and the hub cache them, and as their authors' repositories hold them.

Names, layouts and formats are upstream's, blanks and quotes included; the texts are invented. What a key pins by its
SHA-256 is of other bytes here: `digests` has those.
"""

import gzip
import io
import json
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from ir_datasets.datasets.antique import VALIDATION_QIDS
from tests.full.texts import Fact, facts

from audit.labelled import write_sheets, write_variations
from robustdr.variations import labels

TRAIN, DEV = 48, 20
PASSAGES, PAGES, ANSWERS, ARTICLES, SENTENCES = (
    facts(*of) for of in ((240, 1), (120, 3), (160, 4), (260, 5), (120, 6))
)
MISSPELT = str.maketrans("aeiou", "eioua")


def put(path: Path, data: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def packed(path: Path, text: str) -> None:
    put(path, gzip.compress(text.encode(), mtime=0))


def archive(path: Path, files: dict[str, str]) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(text.encode())
            tar.addfile(about, io.BytesIO(text.encode()))
    put(path, buffer.getvalue())


def tsv(rows) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def msmarco(home: Path) -> dict[str, list[tuple[str, str]]]:
    """Passages, the judged queries of their splits, and queries that nobody judged; return the queries by split."""
    folder, told = home / "msmarco-passage", PASSAGES
    qids = {"train": range(1, 1 + TRAIN), "dev": range(1048585, 1048585 + DEV), "2019": range(19335, 19343)}
    qids["2020"] = range(23849, 23855)
    at, queries = 0, {}
    judged: dict[str, list[tuple[int, int, int]]] = {}
    for split, numbers in qids.items():
        queries[split] = [(str(qid), told[at + n].question) for n, qid in enumerate(numbers)]
        judged[split] = [(qid, at + n, 1) for n, qid in enumerate(numbers)]
        at += len(numbers)
    text = {split: tsv(rows) for split, rows in queries.items()}
    unjudged = tsv([(900000 + n, fact.question) for n, fact in enumerate(facts(9, 2))])
    archive(
        folder / "collectionandqueries.tar.gz",
        {
            "collection.tsv": tsv([(n, f"{fact.text} Itâ\x80\x99s so.") for n, fact in enumerate(told)] + [(240, "")]),
            "qrels.dev.small.tsv": tsv([(qid, 0, docid, grade) for qid, docid, grade in judged["dev"]]),
            "qrels.train.tsv": tsv([(qid, 0, docid, grade) for qid, docid, grade in judged["train"]]),
            "queries.dev.small.tsv": text["dev"],
            "queries.train.tsv": text["train"] + unjudged,
        },
    )
    archive(folder / "queries.tar.gz", {"queries.dev.tsv": text["dev"], "queries.train.tsv": text["train"] + unjudged})
    put(folder / "train/qrels", tsv([(qid, 0, docid, grade) for qid, docid, grade in judged["train"]]))
    for year, form in (("2019", "{} Q0 {} {}\n"), ("2020", "{} 0 {} {}\n")):
        rows = [form.format(qid, docid + more, grade) for qid, docid, _ in judged[year] for more, grade in GRADES]
        put(folder / f"trec-dl-{year}/qrels", "".join(rows))
    put(folder / "trec-dl-2019/queries.tsv", text["2019"] + unjudged)
    packed(folder / "trec-dl-2020/queries.tsv.gz", text["2020"] + unjudged)
    return queries


GRADES = ((0, 3), (1, 2), (2, 1), (3, 0))


ROWS = {"train": range(TRAIN), "dev": range(TRAIN, TRAIN + DEV)}


def documents(home: Path) -> list[tuple[str, str]]:
    """Documents in TREC's markup, and ORCAS, whose queries have blanks in odd places and pages that are clicked.

    Returns:
        the queries of `dev`.
    """
    folder, told = home / "msmarco-document", PAGES
    page = "<DOC>\n<DOCNO>D{}</DOCNO>\n<TEXT>\nhttps://example.org/{}?a=1&b=2\n{}\n{} &amp; <b>more</b>\n\n{}\n"
    page += "</TEXT>\n</DOC>\n"
    pages = [page.format(n, n, fact.title, fact.text, told[n - 1].text) for n, fact in enumerate(told)]
    packed(folder / "collection.tsv.gz", "".join(pages) + page.format(999, 999, "", "", ""))
    for split, rows in ROWS.items():
        packed(folder / split / "queries.tsv.gz", tsv(asked_of_pages(split)))
        packed(folder / split / "qrels.gz", "".join(f"{1185868 + n} 0 D{n} 1\n" for n in rows))
    asked = [
        (10103699 + n, f" {fact.question}  " if n % 7 == 0 else fact.question) for n, fact in enumerate(told[:TRAIN])
    ]
    packed(folder / "orcas/queries.tsv.gz", tsv([*asked, (10999999, "unclicked")]))
    packed(folder / "orcas/qrels.gz", "".join(f"{qid} 0 D{n} 1\n" for n, (qid, _) in enumerate(asked)))
    return asked_of_pages("dev")


def asked_of_pages(split: str) -> list[tuple[str, str]]:
    """Return the queries of a split of the documents."""
    return [(str(1185868 + n), PAGES[n].question) for n in ROWS[split]]


def antique(home: Path) -> list[tuple[str, str]]:
    """Answers with grades 1 to 4; return the training queries that are held out, whose variations people checked."""
    folder, told = home / "antique", ANSWERS
    names = [f"{2000000 + n}_{n % 3}" for n in range(len(told))]
    put(folder / "collection.tsv", tsv(zip(names, [fact.text for fact in told], strict=True)) + "1971899_0\t\n")
    held = sorted(VALIDATION_QIDS)[:10]
    training = [str(3097310 + n) for n in range(TRAIN)] + held
    testing = [str(1880028 + n) for n in range(8)]
    for split, qids, first in (("train", training, 0), ("test", testing, len(training))):
        put(folder / split / "queries.txt", tsv([(qid, told[first + n].question) for n, qid in enumerate(qids)]))
        rows = [
            f"{qid} {'U0' if grade == 4 else 'Q0'} {names[(first + n + more) % len(names)]} {grade}\n"
            for n, qid in enumerate(qids)
            for more, grade in ((0, 4), (1, 3), (2, 2), (3, 1), (3, 1))  # some judgements are there twice
        ]
        put(folder / split / "qrels", "".join(rows))
    return [(qid, told[TRAIN + n].question) for n, qid in enumerate(held)]


def dpr(home: Path) -> tuple[list[Fact], list[Fact]]:
    """Wikipedia in CSV's quotes, and DPR's training files; return what NQ's and TriviaQA's test questions ask."""
    folder, told = home / "dpr-w100", ARTICLES
    quoted = ['"' + fact.text.replace("boats", '""boats""') + '"' for fact in told]
    titles = ['"""' + fact.title + '"""' if n % 9 == 0 else fact.title for n, fact in enumerate(told)]
    packed(folder / "docs.tsv.gz", "id\ttext\ttitle\n" + tsv(zip(range(1, 261), quoted, titles, strict=True)))

    def context(number: int, key: str, score: float):
        more = {"title_score": 1} if key == "passage_id" else {"has_answer": False}
        at = number % len(told)
        return {"title": told[at].title, "text": told[at].text, "score": score, key: str(at + 1), **more}

    for name, key, first, many in (
        ("nq-train", "passage_id", 0, TRAIN),
        ("nq-dev", "passage_id", 50, 8),
        ("tqa-train", "psg_id", 60, TRAIN),
        ("tqa-dev", "psg_id", 110, 8),
    ):
        records = [
            {
                "question": told[first + n].question,
                "answers": [told[first + n].answer, f"the {told[first + n].answer}"],
                "positive_ctxs": [context(first + n, key, 1000 if n % 2 else 13.4)],
                "negative_ctxs": [context(first + n + 9, key, 0)],
                "hard_negative_ctxs": [context(first + n + more, key, 14.6) for more in range(1, 6)],
            }
            for n in range(many)
        ]
        packed(folder / f"{name}.json.gz", json.dumps(records, indent=4))
    return told[120:140], told[140:160]


def table(columns: dict[str, list]) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def questions(told: list[Fact], aliases: bool) -> bytes:
    """A Parquet file of questions: answers as NQ-open's, or with their aliases in a field, as TriviaQA's."""
    answers = [[fact.answer, f"the {fact.answer}"] for fact in told]
    held = [{"aliases": names, "value": names[0]} for names in answers] if aliases else answers
    return table({"question": [fact.question for fact in told], "answer": held})


def wikiqa(first: int, many: int) -> bytes:
    """A Parquet file of questions with candidate sentences; of every fifth question none is an answer."""
    told, rows = SENTENCES, []
    for n in range(first, first + many):
        for more in range(5):
            about = told[(n + more) % len(told)]
            rows.append((f"Q{n}", told[n].question, about.title, about.text, int(more == 0 and n % 5 > 0)))
    names = ("question_id", "question", "document_title", "answer", "label")
    return table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def hub_files(nq: list[Fact], trivia: list[Fact]) -> dict[str, dict[str, bytes]]:
    """The files of the hub's data sets, by data set and name."""
    return {
        "microsoft/wiki_qa": {
            f"data/{split}-00000-of-00001.parquet": wikiqa(first, many)
            for split, first, many in (("train", 0, TRAIN), ("validation", 50, 10), ("test", 60, 20))
        },
        "google-research-datasets/nq_open": {"nq_open/validation-00000-of-00001.parquet": questions(nq, False)},
        "mandarjoshi/trivia_qa": {"unfiltered.nocontext/validation-00000-of-00001.parquet": questions(trivia, True)},
    }


def dl_typo(folder: Path) -> list[tuple[str, str]]:
    """DL-Typo's three files, as they lie in its repository; return its queries."""
    asked = [(103970 + n, fact.question) for n, fact in enumerate(PASSAGES[100:112])]
    put(folder / "query.tsv", tsv(asked))
    put(folder / "query.typo.tsv", tsv([(qid, text.translate(MISSPELT)) for qid, text in asked]))
    rows = [f"{qid} Q0 {100 + n + more} {grade}\n" for n, (qid, _) in enumerate(asked) for more, grade in GRADES]
    put(folder / "qrels.txt", "".join(rows))
    return [(str(qid), text) for qid, text in asked]


def qvg(folder: Path, trec: list[tuple[str, str]], checked: list[tuple[str, str]]) -> None:
    """A clone of qvg's repository: annotators' sheets, and the labelled variations of both collections' queries."""
    pairs = {str(n): ["paraphrasing"] if n % 2 else ["ordering"] for n in range(6)}
    write_sheets(folder, [pairs, pairs, pairs])
    for name, dataset, queries in zip(labels.LABELLED, ("msmarco", "antique"), (trec, checked), strict=True):
        rows = [
            [dataset, qid, method, f"{text} {number}", str((at + number) % 3 > 0), "True"]
            for number, method in enumerate(labels.GENERATORS)
            for at, (qid, text) in enumerate(queries)
        ]
        write_variations(folder / name, rows)
    by_hand = [[*row[:4], "TRUE", "FALSE"] for row in rows[:3]]
    for name in labels.VARIATION_SHEETS:
        write_variations(folder / name, by_hand)
