"""Questions and passages in two files, line by line, as SQuAD's questions and their sentences (Du et al., 2017)."""

import re
from collections.abc import Iterator
from pathlib import Path

from robustdr.collections.located import bring, own_file
from robustdr.collections.problems import Place
from robustdr.collections.reading import lines
from robustdr.collections.records import Passage, Split
from robustdr.collections.settings import Aligned
from robustdr.collections.texts import Pair, blanks, distinct_passages, split_of_pairs
from robustdr.core.errors import UserError

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
    names = {str(part["passages"]): name for name, part in source["splits"].items()}  # splits may share their files
    return distinct_passages(pair for name in names.values() for pair in _pairs(source, name))


def split(source: Aligned, name: str) -> Split:
    """Return the questions; each has one relevant passage, or several if it is asked about several.

    `lines` leaves questions out, then `queries` draws some.

    Raises:
        UserError: see `_pairs`.
    """
    part = source["splits"][name]
    first, last = part.get("lines", (1, None))
    return split_of_pairs(list(_pairs(source, name))[first - 1 : last], part.get("queries"))


def files(source: Aligned, split: str | None) -> list[Path]:
    """Return the user's files, for the corpus (None) those of all splits; none that come from elsewhere."""
    parts = source["splits"].values() if split is None else [source["splits"][split]]
    paths = [path for part in parts for key in ("questions", "passages") for path in own_file(part[key])]
    return list(dict.fromkeys(paths))


def _pairs(source: Aligned, name: str) -> Iterator[Pair]:
    """Yield the question and the passage of each line of a split's files.

    Raises:
        UserError: a file is missing or damaged, a line has a text in one file alone, or `lines` names more.
    """
    part = source["splits"][name]
    clean = untokenised if source.get("treebank") else blanks
    paths = [bring(part[key], source.get("sha256", {})) for key in ("questions", "passages")]
    questions, texts = (dict(lines(path)) for path in paths)
    if lone := questions.keys() ^ texts.keys():
        raise UserError(
            f"{paths[0]} has {len(questions):,} lines, {paths[1]} {len(texts):,}; they go together, and line "
            f"{min(lone)} is in one of them alone"
        )
    first, last = part.get("lines", (1, len(questions)))
    if not first <= last <= len(questions):
        raise UserError(
            f"collections.yaml: splits: {name}: lines: [{first}, {last}]; {paths[0]} has {len(questions):,}"
        )
    for number, question in questions.items():
        yield Place(paths[0], number), clean(question), clean(texts[number])


def untokenised(text: str) -> str:
    """Return a text of the Penn Treebank's tokens as people write it: brackets, quotes, and no blanks before commas."""
    text = " ".join(BRACKETS.get(token, token) for token in text.split())
    for pattern, replacement in JOINED:
        text = pattern.sub(replacement, text)
    return text
