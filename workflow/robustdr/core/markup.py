"""Texts of users in Markdown and TeX: what they say, without what their characters would do there."""

import re
from collections.abc import Iterable

BREAKS = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")  # where some reader ends a line
BAR = r"\|"  # a bar inside a field of a Markdown table
# Where CommonMark, and GitHub's form of it, may see more than a character.
MARKUP = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])"  # a backslash before punctuation
    r"|`"
    r"|(?:\*+|~+)(?=[^\s*~])"  # that opens an emphasis
    r"|(?<![^\W_])_+(?=[^\s_])"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w+;)"
    r"|\[(?=\^|.*\][(\[])|^\[(?=.*\]:)"  # a link or an image
)
CODE = re.compile(r"(`[^`]+`)")
TEX = str.maketrans(
    {"%": r"\%", "_": r"\_", "&": r"\&", "#": r"\#", "±": r"$\pm$", "–": "--", "†": r"$^\dagger$", "↓": r"$\downarrow$"}
    | {"▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "≠": r"$\neq$", "→": r"$\rightarrow$", "×": r"$\times$"}
    | {"|": "$|$", "↑": r"$\uparrow$", "{": r"\{", "}": r"\}", "$": r"\$", "\\": r"\textbackslash{}"}
    | {"^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
)


def one_line(text: str) -> str:
    """A text with a blank for line breaks of every kind."""
    return BREAKS.sub(" ", text)


def plain(text: str) -> str:
    """A text as Markdown that shows it: one line, with backslashes only where a character would be markup."""
    return MARKUP.sub(lambda found: "".join(f"\\{character}" for character in found[0]), one_line(text))


def prose(text: str) -> str:
    """As `plain`, but what stands between backticks is code."""
    return "".join(part if CODE.fullmatch(part) else plain(part) for part in CODE.split(text))


def code(text: str) -> str:
    """A text as Markdown's code; backticks become apostrophes."""
    return f"`{one_line(text).replace('`', chr(39))}`"


def table_row(fields: Iterable[str]) -> str:
    """A line of a Markdown table; a label may hold the bar that separates fields, as in L_p|q."""
    return f"| {' | '.join(field.replace('|', BAR) for field in fields)} |"


def tex(text: str) -> str:
    """A text as TeX that prints it; needs amssymb."""
    return one_line(text).translate(TEX)
