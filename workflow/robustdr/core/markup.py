"""Texts of users in Markdown and TeX, escaped so that no character acts as markup."""

import re
from collections.abc import Collection, Iterable, Sequence

BREAKS = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")  # where some reader ends a line
BAR = r"\|"  # a bar inside a field of a Markdown table
# Where CommonMark, or GitHub's form of it, may read a character as markup.
MARKUP = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])"  # a backslash before punctuation
    r"|`"
    r"|\*+(?=[^\s*])|~+(?=[^\s~])"  # that opens an emphasis
    r"|(?<![^\W_])_+(?=[^\s_])"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=#?\w+;)"
    r"|\[(?=\^|.*\][(\[])|^\[(?=.*\]:)"  # a link or an image
)
CODE = re.compile(r"(`[^`]+`)")
TEX = str.maketrans(
    {"%": r"\%", "_": r"\_", "&": r"\&", "#": r"\#", "±": r"$\pm$", "–": "--", "†": r"$^\dagger$", "↓": r"$\downarrow$"}
    | {"≠": r"$\neq$", "→": r"$\rightarrow$", "×": r"$\times$"}
    | {"|": "$|$", "↑": r"$\uparrow$", "{": r"\{", "}": r"\}", "$": r"\$", "\\": r"\textbackslash{}"}
    | {
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "‡": r"$^\ddagger$",
        "§": r"\textsection{}",
        "°": r"$^\circ$",
    }
)


def one_line(text: str) -> str:
    """Return a text with a blank for each line break of any kind."""
    return BREAKS.sub(" ", text)


def plain(text: str) -> str:
    """Return a text as one line of Markdown, with backslashes only where a character would be markup."""
    return MARKUP.sub(lambda match: "".join(f"\\{character}" for character in match[0]), one_line(text))


def prose(text: str) -> str:
    """As `plain`, but text between backticks is code."""
    return "".join(part if CODE.fullmatch(part) else plain(part) for part in CODE.split(text))


def code(text: str) -> str:
    """Return a text as Markdown code; backticks become apostrophes."""
    return f"`{one_line(text).replace('`', chr(39))}`"


def table_row(fields: Iterable[str]) -> str:
    """Return a row of a Markdown table; bars inside fields, as in L_p|q, are escaped."""
    return f"| {' | '.join(field.replace('|', BAR) for field in fields)} |"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Return a Markdown table; the columns at the places `left` are aligned left, the others right."""
    alignment = [":---" if place in left else "---:" for place in range(len(head))]
    return "\n".join(map(table_row, [head, alignment, *rows]))


def tex(text: str) -> str:
    """Return a text as TeX that prints it."""
    return one_line(text).translate(TEX)
