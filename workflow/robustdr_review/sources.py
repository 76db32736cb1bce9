"""The text of a LaTeX paper: its main file with all that it inputs, from a folder or a zip file."""

import re
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from posixpath import dirname, normpath

from robustdr.core.errors import UserError
from robustdr.core.unpacked import ARCHIVE_DAMAGES, members
from robustdr_review.tex import uncommented

MOST = 10_000_000  # characters of a paper with all that it inputs
DEEPEST = 10  # files that input each other
LIKELY = 5  # files of a zip file that may be its main file
_INPUT = re.compile(
    r"\\(?:(?:input|include|subfile)\s*\{([^{}\n]+)\}|input[ \t]+([^\s{}\\]+)"
    r"|(?:sub)?import\s*\{([^{}\n]*)\}\s*\{([^{}\n]+)\})"
)


class Paper:
    """The joined text of a paper, and where each of its lines comes from."""

    def __init__(self, main: str, read_input: Callable[[str], str | None]) -> None:
        self.problems: list[str] = []
        self._read_input = read_input
        self._parts: list[str] = []
        self._lines = 1
        self._starts: list[int] = []
        self._from: list[tuple[str, int]] = []
        self._size = 0
        self._add(main, read_input(main) or "", 0)
        self.text = "".join(self._parts)

    def _add(self, name: str, text: str, depth: int) -> None:
        self._size += len(text)
        if self._size > MOST:
            raise UserError(f"{name}: more than {MOST:,} characters with all that it inputs; save only its tables")
        offset, line = 0, 1
        text = uncommented(text)
        if depth:  # of a file that can stand alone, its document, on the same lines
            start = max(0, text.find("\\begin{document}"))
            stop = text.find("\\end{document}", start)
            text = "\n" * text.count("\n", 0, start) + text[start : stop if stop >= 0 else None]
        for match in _INPUT.finditer(text):
            self._piece(name, line, text[offset : match.start()])
            target = (match[1] or match[2] or f"{match[3]}/{match[4]}").strip()
            line += text.count("\n", offset, match.end())
            offset = match.end()
            input_text = None
            in_folder = f"{dirname(name)}/{target}"
            for candidate in (target, f"{target}.tex", in_folder, f"{in_folder}.tex"):
                input_text = (
                    self._read_input(normpath(candidate)) if depth < DEEPEST and not candidate.startswith("/") else None
                )
                if input_text is not None:
                    self._add(normpath(candidate), input_text, depth + 1)
                    break
            if input_text is None:
                message = "no such file below the folder of the paper's main file, or too deep"
                self.problems.append(f"{name}, line {line}: \\input{{{target}}}: {message}")
        self._piece(name, line, text[offset:])

    def _piece(self, name: str, line: int, text: str) -> None:
        self._starts.append(self._lines)
        self._from.append((name, line))
        self._parts.append(text)
        self._lines += text.count("\n")

    def place(self, line: int) -> str:
        """The file and line of a line of the joined text; the line alone if there is one file."""
        part = max(0, bisect_right(self._starts, line) - 1)
        name, first = self._from[part]
        number = first + line - self._starts[part]
        return f"{name}, line {number}" if len({name for name, _ in self._from}) > 1 else at_line(number)


def at_line(number: int) -> str:
    """The place of a line in a paper of one file."""
    return f"line {number}"


def at_page(number: int) -> str:
    """The place of a table or a sentence in a PDF file."""
    return f"page {number}"


def read_utf8(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises:
        UserError: not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8; save it as UTF-8") from None


def from_folder(path: Path) -> Paper:
    """The paper whose main file this is. What it inputs must lie in its folder or below.

    Raises:
        UserError: not UTF-8, or too much.
    """

    def read_input(name: str) -> str | None:
        file = (path.parent / name).resolve()
        if not file.is_relative_to(path.parent.resolve()) or not file.is_file():
            return None
        return read_utf8(file)

    return Paper(path.name, read_input)


def from_zip(path: Path) -> Paper:
    """The paper in a zip file of its sources; its main file has \\documentclass, and is the longest with all inputs.

    Raises:
        UserError: no zip file, no LaTeX in it, or too much.
    """
    try:
        texts = {name: data.decode("utf-8-sig", "replace") for name, data in members(path, MOST, ".tex").items()}
    except (OSError, RuntimeError, *ARCHIVE_DAMAGES) as error:
        raise UserError(f"{path}: not a zip file that can be read: {error}") from None
    if not texts:
        raise UserError(f"{path}: no .tex file in it")
    likely = sorted(texts, key=lambda name: ("\\documentclass" in texts[name], len(texts[name]), name))[-LIKELY:]

    def paper(main: str) -> Paper:
        folder = str(PurePosixPath(main).parent)
        return Paper(main, lambda name: texts.get(name) or texts.get(normpath(f"{folder}/{name}")))

    return max(map(paper, likely), key=lambda candidate: ("\\documentclass" in candidate.text, len(candidate.text)))
