"""The pages of a PDF file: words, rules and lines of text, column by column."""

import json
import logging
import re
import resource
import signal
import struct
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pdfplumber
from pdfminer.psexceptions import PSException
from pdfplumber.page import Page
from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException
from pdfplumber.utils.text import extract_words

from robustdr.core.errors import UserError
from robustdr_review.grids import script_after

MOST_PAGES, MOST_LETTERS = 500, 50_000  # of a file; of a page
OPENING, PAGE = 10, 2  # processor seconds until a file is open, and more for each page
MEMORY = 1_000_000_000  # bytes of the process that reads a file, on Linux; macOS keeps to no such limit
SPACE, GAP = 0.15, 0.42  # widths in sizes of the letters: of what parts words, and fields
SMALL = 0.85  # size of a raised or lowered word, as a share of its line's
THIN = 2.5  # points: a higher rectangle is no rule
GUTTER = 8.0  # points between the columns of a page
FULL = 0.7  # share of a column that a line of prose fills
PROSE, WORDS = 5, 4  # such lines in a column; words in one
RULES = 3  # rules that stand in a column alone
# What pdfplumber and pdfminer raise for a damaged file, which they hardly check.
BROKEN = (MalformedPDFException, PdfminerException, PSException, ArithmeticError, AssertionError, AttributeError,
          LookupError, MemoryError, OSError, RecursionError, TypeError, ValueError, struct.error,
          zlib.error)  # fmt: skip
logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it warns of fonts that lack a name
_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!um)|cmbx|cmssbx|-bd|semibd|[0-9]b$", re.I)


class Word(NamedTuple):
    """A word and its box, in points from the upper left."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


class Rule(NamedTuple):
    """A horizontal rule."""

    x0: float
    x1: float
    y: float


@dataclass(frozen=True)
class Chunk:
    """Words without a wide gap between them: a field, or a line of prose."""

    words: Sequence[Word]
    size: float  # of the letters of its line
    middle: float  # of its line

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @property
    def bold(self) -> bool:
        """Whether a number in it is bold."""
        return any(word.bold and any(map(str.isdigit, word.text)) for word in self.words)

    @cached_property
    def text(self) -> str:
        """What it prints: raised letters as marks, an error below or above a number as a second value."""
        text, end, small, up = "", self.x0, "", False
        for word in self.words:
            away = word.middle - self.middle
            is_small = bool(text) and word.size < SMALL * self.size and abs(away) > 0.1 * self.size
            space = " " * (word.x0 - end > SPACE * self.size)
            if small and (not is_small or space or up != (away < 0)):
                text, small = text + script_after(text, small, up), ""
            if is_small:
                small, up = small + word.text, away < 0
            else:
                text += space + word.text
            end = word.x1
        return text + (script_after(text, small, up) if small else "")


class Line:
    """A line of text."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = sorted(words, key=lambda word: word.x0)
        self.size = max(word.size for word in words)
        large = [word for word in words if word.size > SMALL * self.size]
        self.top, self.bottom = min(word.top for word in large), max(word.bottom for word in large)
        self.x0, self.x1 = self.words[0].x0, max(word.x1 for word in words)

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @cached_property
    def chunks(self) -> list[Chunk]:
        """Its parts between wide gaps."""
        parts: list[list[Word]] = []
        for word in self.words:
            if parts and word.x0 - max(earlier.x1 for earlier in parts[-1]) <= GAP * self.size:
                parts[-1].append(word)
            else:
                parts.append([word])
        return [Chunk(part, self.size, self.middle) for part in parts]

    @property
    def text(self) -> str:
        return " ".join(chunk.text for chunk in self.chunks)


def text_of(lines: Sequence[Line]) -> str:
    """The text of lines that follow each other, with divided words whole."""
    return re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", "\n".join(line.text for line in lines)).replace("\n", " ")


class Sheet(NamedTuple):
    """What is written in one direction on a page: lines, column by column, and rules."""

    page: int
    columns: list[list[Line]]
    rules: list[Rule]
    problem: str = ""


def sheets(path: Path) -> Iterator[Sheet]:
    """Yield the sheets of a PDF file, page by page; a page that cannot be read has a problem in place of lines.

    A process of its own reads the file. A page for which it needs too much time or memory cannot be read.

    Raises:
        UserError: no PDF file, one with a password, too many pages, or one that needs too much to be opened.
    """
    command = [sys.executable, "-P", "-m", __name__, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
        assert reader.stdout
        try:
            for line in reader.stdout:
                message, page, columns, rules, problem = json.loads(line)
                if message:
                    raise UserError(f"{path}: {message}")
                lines = [[Line([Word(*word) for word in words]) for words in column] for column in columns]
                yield Sheet(page, lines, [Rule(*rule) for rule in rules], problem)
        except BaseException:
            reader.kill()
            raise
    if reader.returncode:
        raise UserError(
            f"{path}: its reader ended early; does it need too much memory? Save only the pages with tables"
        )


def _print_sheets(path: Path) -> None:
    """Print the sheets of a PDF file as `sheets` reads them, within the limits of time and memory."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    try:
        for sheet in _read_sheets(path):
            columns = [[line.words for line in column] for column in sheet.columns]
            print(json.dumps(["", sheet.page, columns, sheet.rules, sheet.problem]), flush=True)
    except UserError as error:
        print(json.dumps([str(error), 0, [], [], ""]))


def _read_sheets(path: Path) -> Iterator[Sheet]:
    try:
        _limit_seconds(OPENING)
        with pdfplumber.open(BytesIO(path.read_bytes()), unicode_norm="NFKC") as pdf:
            if len(pdf.pages) > MOST_PAGES:
                raise UserError(f"{len(pdf.pages):,} pages; save those with tables, at most {MOST_PAGES}")
            for number, page in enumerate(pdf.pages, 1):
                _limit_seconds(OPENING + number * PAGE)
                try:
                    yield from _of_page(page, number)
                except BROKEN as error:
                    yield Sheet(number, [], [], f"the page cannot be read ({_reason(error)})"[:200])
                page.close()
    except BROKEN as error:
        message = f"not a PDF file that can be read, or one with a password ({_reason(error)[:100]})"
        raise UserError(message) from None


def _limit_seconds(seconds: int) -> None:
    """Let this process raise a TimeoutError after so many processor seconds in all, and again after each more."""

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(f"more than {seconds} processor seconds")

    signal.signal(signal.SIGXCPU, stop)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _reason(error: BaseException) -> str:
    """The kind and the words of an error, or of the one that pdfplumber put into its own."""
    inner = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    return f"{type(inner).__name__} {inner}".strip()


def _of_page(page: Page, number: int) -> Iterator[Sheet]:
    for is_upright in (True, False):
        letters = [letter for letter in page.chars if letter["upright"] == is_upright]
        if not letters or (not is_upright and not any(letter["text"].isdigit() for letter in letters)):
            continue
        if len(letters) > MOST_LETTERS:
            yield Sheet(number, [], [], f"the page has more than {MOST_LETTERS:,} letters; it is not read")
            return
        shapes = [*page.lines, *page.rects, *page.curves]
        if not is_upright:
            up = sum(letter["matrix"][1] > 0 for letter in letters) * 2 > len(letters)
            letters, shapes = ([_turned(item, up, page) for item in items] for items in (letters, shapes))
        extracted = extract_words(letters, x_tolerance_ratio=SPACE, y_tolerance=1, extra_attrs=["fontname", "size"])
        words = []
        for item in extracted:
            text, bold = unicodedata.normalize("NFKC", item["text"]), bool(_BOLD.search(item["fontname"]))
            words.append(Word(text, item["x0"], item["x1"], item["top"], item["bottom"], item["size"], bold))
        flat = [item for item in shapes if item["bottom"] - item["top"] <= THIN]
        rules = _joined([Rule(item["x0"], item["x1"], (item["top"] + item["bottom"]) / 2) for item in flat])
        width = float(page.width if is_upright else page.height)
        yield Sheet(number, _columns([*words, *_underscores(words, flat)], rules, width), rules)


def _turned(item: dict[str, Any], up: bool, page: Page) -> dict[str, Any]:
    """The box of what is written upwards or downwards, as if the page was turned."""
    x0, x1, top, bottom = item["x0"], item["x1"], item["top"], item["bottom"]
    if up:
        box = {"x0": page.height - bottom, "x1": page.height - top, "top": x0, "bottom": x1}
    else:
        box = {"x0": top, "x1": bottom, "top": page.width - x1, "bottom": page.width - x0}
    return {**item, **box, "doctop": box["top"], "upright": True}


def _underscores(words: Sequence[Word], shapes: Sequence[dict[str, Any]]) -> Iterator[Word]:
    """Yield the underscores that TeX draws as short rules behind a word."""
    ends = {(round(word.x1), round(word.bottom / 3)): word for word in words}
    for shape in shapes:
        if 1 < shape["x1"] - shape["x0"] < 8:
            corners = [(round(shape["x0"]) + x, round(shape["bottom"] / 3) + y) for x in (0, -1, 1) for y in (0, 1, -1)]
            if word := next((ends[place] for place in corners if place in ends), None):
                yield word._replace(text="_", x0=shape["x0"], x1=shape["x1"])


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """The rules, those that touch as one, from the top."""
    joined: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.y), rule.x0)):
        last = joined[-1] if joined else None
        if last and abs(last.y - rule.y) < 1.5 and rule.x0 <= last.x1 + 1:
            joined[-1] = Rule(last.x0, max(last.x1, rule.x1), last.y)
        else:
            joined.append(rule)
    return [rule for rule in joined if rule.x1 - rule.x0 > 8]


def _lines(words: Sequence[Word]) -> list[Line]:
    """The lines, from the top: the largest words make them, and small ones join that around their middle."""
    groups: list[list[Word]] = []
    boxes: list[tuple[float, float]] = []
    for word in sorted(words, key=lambda word: (-round(word.size), word.top, word.x0)):
        fitting = [
            (abs(word.middle - (top + bottom) / 2), index)
            for index, (top, bottom) in enumerate(boxes)
            if top < word.middle < bottom
        ]
        if fitting:
            groups[min(fitting)[1]].append(word)
        else:
            groups.append([word])
            boxes.append((word.top, word.bottom))
    return sorted((Line(group) for group in groups), key=lambda line: line.top)


def _columns(words: Sequence[Word], rules: Sequence[Rule], width: float) -> list[list[Line]]:
    """The lines of the page's columns: left, right, and those over both; or one column."""
    lines = _lines(words)
    if not lines:
        return []
    leftmost, rightmost = min(line.x0 for line in lines), max(line.x1 for line in lines)
    middle = _gutter(lines, rules, 0.4 * width, 0.6 * width)
    across = [rule for rule in rules if rule.x0 < middle - 2 * GUTTER and rule.x1 > middle + 2 * GUTTER]
    parts: tuple[list[Word], ...] = [], [], []
    for line in lines:
        is_open = _is_open(line, middle) and not _is_between(line, across)
        for word in line.words:
            parts[(word.x0 > middle) if is_open else 2].append(word)
    columns = [_lines(part) for part in parts]
    filled = [sum(_is_full(line, (rightmost - leftmost) / 2) for line in column) for column in columns[:2]]
    column_rules = [rule for rule in rules if not _is_between(rule, across)]
    sides = [rule.x1 < middle for rule in column_rules], [rule.x0 > middle for rule in column_rules]
    is_parted = max(filled) >= PROSE or min(map(sum, sides)) >= RULES
    return columns if is_parted and all(columns[:2]) else [lines]


def _gutter(lines: Sequence[Line], rules: Sequence[Rule], leftmost: float, rightmost: float) -> float:
    """The place that most lines with words on both sides leave open, and the fewest rules cross; the middle one."""
    places = [leftmost + step * (rightmost - leftmost) / 40 for step in range(41)]
    full_lines = [line for line in lines if line.x0 < leftmost and line.x1 > rightmost]

    def order(x: float) -> tuple[int, float]:
        crossing = sum(rule.x0 < x < rule.x1 for rule in rules)
        return sum(_is_open(line, x) for line in full_lines) - crossing, -abs(x - (leftmost + rightmost) / 2)

    return max(places, key=order)


def _is_open(line: Line, x: float) -> bool:
    """Whether a line leaves the gutter around a place open."""
    return all(word.x1 < x - GUTTER / 2 or word.x0 > x + GUTTER / 2 for word in line.words)


def _is_between(item: Line | Rule, across: Sequence[Rule]) -> bool:
    """Whether rules over both columns stand above and below, of the same length: those of one table."""
    top, bottom = (item.y, item.y) if isinstance(item, Rule) else (item.top, item.bottom)
    upper = max((rule for rule in across if rule.y < top), key=lambda rule: rule.y, default=None)
    lower = min((rule for rule in across if rule.y > bottom), key=lambda rule: rule.y, default=None)
    if upper is None or lower is None:
        return False
    return abs(upper.x0 - lower.x0) < GUTTER and abs(upper.x1 - lower.x1) < GUTTER


def _is_full(line: Line, width: float) -> bool:
    """Whether a line is one of prose: words, nearly as wide as their column."""
    words = sum(word.text.isalpha() for word in line.words)
    return words >= WORDS and len(line.chunks) < WORDS and line.x1 - line.x0 > FULL * width


if __name__ == "__main__":
    _print_sheets(Path(sys.argv[1]))
