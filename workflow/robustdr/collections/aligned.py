"""Questions and passages in two files, line by line, as SQuAD's questions and their sentences (Du et al., 2017)."""

import re
from collections.abc import Iterator
from pathlib import Path

from robustdr.collections.cut import cut_split
from robustdr.collections.located import bring, own_file
from robustdr.collections.problems import Place
from robustdr.collections.reading import lines, passages, queries
from robustdr.collections.records import Judgement, Passage, Query, Split
from robustdr.collections.settings import Aligned
from robustdr.core.errors import UserError
from robustdr.core.seeds import digest

TOGETHER = ("corpus",)

BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
# Tokens that stand beside others without a blank, in the order in which blanks are removed.
JOINED = [
    (re.compile(r"`` ?"), '"'),
    (re.compile(r" ?''(?!\w)"), '"'),
    (re.compile(r" (?=(?:[,.;:?!%)\]}]|\.\.\.)(?:\s|$|[\")\]}]))"), ""),
    (re.compile(r"(?<=[(\[{$#£€]) "), ""),
    (re.compile(r" (?='(?:s|re|ve|ll|d|m|t)?(?:\s|$|[,.;:?!)\"]))"), ""),
    (re.compile(r"(\w) (?=n't\b)"), r"\1"),
    (re.compile(r"(\w) - (?=\w)"), r"\1-"),
    (re.compile(r"(\d) -- (?=\d)"), r"\1–"),
]


def corpus(source: Aligned) -> Iterator[Passage]:
    """Yield the different passages of all files, also of lines that no split reads, in the order of the files."""
    rows: dict[str, tuple[Place, Passage]] = {}
    for name in source["splits"]:
        for place, _, passage in _pairs(source, name, every_line=True):
            rows.setdefault(passage.docid, (place, passage))
    return passages(rows.values())


def split(source: Aligned, name: str) -> Split:
    """Return the questions; each has one relevant passage, or several if it is asked about several.

    Equal questions are one. `longest` leaves longer questions out, then `queries` draws some.
    """
    part = source["splits"][name]
    asked: dict[str, tuple[Place, Query]] = {}
    relevant: dict[tuple[str, str], Judgement] = {}
    for place, query, passage in _pairs(source, name):
        if len(query.text.split()) <= part.get("longest", len(query.text)):
            asked.setdefault(query.qid, (place, query))
            relevant.setdefault((query.qid, passage.docid), Judgement(query.qid, passage.docid, 1))
    questions = Split(list(queries(asked.values())), list(relevant.values()))
    return cut_split(questions, part["queries"]) if "queries" in part else questions


def files(source: Aligned, split: str | None) -> list[Path]:
    """Return the user's files, for the corpus (None) those of all splits; none that come from elsewhere."""
    parts = source["splits"].values() if split is None else [source["splits"][split]]
    paths = [path for part in parts for key in ("questions", "passages") for path in own_file(part[key])]
    return list(dict.fromkeys(paths))


def _pairs(source: Aligned, name: str, every_line: bool = False) -> Iterator[tuple[Place, Query, Passage]]:
    """Yield the place, the question and the passage of each line of a split; ids are digests of the texts.

    Raises:
        UserError: a file is missing or damaged, or one of the two has more lines.
    """
    part = source["splits"][name]
    paths = [bring(part[key], source.get("sha256", {})) for key in ("questions", "passages")]
    questions, texts = (list(lines(path)) for path in paths)
    if len(questions) != len(texts):
        raise UserError(f"{paths[0]} has {len(questions):,} lines, {paths[1]} {len(texts):,}; they go together")
    first, last = part.get("lines", (1, len(questions)))
    if not first <= last <= len(questions):
        raise UserError(
            f"collections.yaml: splits: {name}: lines: [{first}, {last}]; {paths[0]} has {len(questions):,}"
        )
    if every_line:
        first, last = 1, len(questions)
    for (number, question), (_, text) in zip(questions[first - 1 : last], texts[first - 1 : last], strict=True):
        query, passage = (
            untokenised(text) if source.get("treebank") else " ".join(text.split()) for text in (question, text)
        )
        yield (
            Place(paths[0], number),
            Query(f"q{digest(query):016x}", query),
            Passage(f"p{digest(passage):016x}", "", passage),
        )


def untokenised(text: str) -> str:
    """Return a text of the Penn Treebank's tokens as people write it: brackets, quotes, and no blanks before commas."""
    text = " ".join(BRACKETS.get(token, token) for token in text.split())
    for pattern, replacement in JOINED:
        text = pattern.sub(replacement, text)
    return text
