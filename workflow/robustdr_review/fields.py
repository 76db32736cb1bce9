"""The fields of a tabular of LaTeX, from its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from robustdr_review.grids import covered, script_after
from robustdr_review.latex_commands import (
    ACCENTS,
    BOLD,
    DROPPED,
    NO_RULES,
    RULES,
    SKIPPED,
    SPACES,
    UNITS,
    accented,
    sign,
)
from robustdr_review.tex import Stream, TooMuch

TABULARS = {  # the arguments before the rows: b in brackets, a in braces; the last one describes the columns
    "tabular": "ba", "tabularx": "aba", "tabulary": "aba", "longtable": "ba", "tblr": "ba", "longtblr": "ba",
    "xltabular": "baa", "tabu": "ba", "longtabu": "ba", "NiceTabular": "ba", "supertabular": "ba", "xtabular": "ba",
    "mpsupertabular": "ba", "deluxetable": "a", "array": "ba",
}  # fmt: skip
RAISED = ("textsuperscript", "tnote", "footnotemark", "sp")
LOWERED = ("textsubscript", "sb")
HEADS = ("endfirsthead", "endhead", "endfoot", "endlastfoot")
BOOKTABS = ("toprule", "midrule", "bottomrule", "addlinespace", "cmidrule")
DEEPEST = 30  # commands inside each other that are read one inside the other


@dataclass
class Printed:
    """The text of a field, whether a number in it is bold, what could not be read, and the fields that it covers."""

    text: str = ""
    bold: bool = False
    problem: str = ""
    columns: int = 1
    rows: int = 1


class Cells:
    """Reads the fields of a tabular from its tokens."""

    def __init__(self, stream: Stream, depth: int) -> None:
        if depth > DEEPEST:
            raise TooMuch(f"more than {DEEPEST} commands inside each other")
        self._stream, self._depth = stream, depth
        self._bold: list[bool] = [False]  # of the groups that are open
        self._coming = False  # whether the next group is bold
        self.heads = 0

    def rows(self) -> list[tuple[list[Printed], bool, int]]:
        """(fields, whether a rule that ends a head is above, line) of every row; the foot of a longtable comes last."""
        rows: list[tuple[list[Printed], bool, int]] = []
        foot: list[tuple[list[Printed], bool, int]] = []
        fields, printed = [], Printed()
        ruled, line, start = False, self._stream.line, 0
        while (token := self._stream.next()) is not None:
            if len(self._bold) == 1 and token == "&":
                fields.append(printed)
                printed = Printed()
                self._bold = [False]
            elif len(self._bold) == 1 and token in ("\\\\", "\\tabularnewline", "\\cr"):
                self._stream.star()
                self._stream.optional()
                if row := self._row([*fields, printed]):
                    rows.append((row, ruled, line))
                    ruled = False
                fields, printed, line = [], Printed(), self._stream.line
                self._bold = [False]
            elif token[1:] in HEADS and token[0] == "\\":
                if not token.endswith("head"):
                    foot += [row for row in rows[start:] if any(any(map(str.isdigit, field.text)) for field in row[0])]
                if self.heads or not token.endswith("head"):
                    del rows[start:]
                else:
                    self.heads = len(rows)
                start, fields, printed = len(rows), [], Printed()
            else:
                if token[0] == "\\" and token[1:] in RULES:
                    ruled = ruled or (token[1:] not in NO_RULES and bool(rows))
                if not printed.text.strip() and not fields:
                    line = self._stream.line - token.lstrip().count("\n")
                self._add_token(token, printed)
        if row := self._row([*fields, printed]):
            rows.append((row, ruled, line))
        return [*rows, *foot]

    def _row(self, fields: Sequence[Printed]) -> list[Printed]:
        for printed in fields:
            printed.text = " ".join(printed.text.split())
        return list(fields) if len(fields) > 1 or fields[0].text else []

    def words(self, tokens: Sequence[str]) -> Printed:
        """What an argument prints."""
        stream = Stream("", self._stream.macros, self._stream.budget)
        stream.push(tokens)
        inner = Cells(stream, self._depth + 1)
        inner._bold = [self._bold[-1]]
        return inner.everything()

    def everything(self) -> Printed:
        """What all tokens print, as one field."""
        printed = Printed()
        while (token := self._stream.next()) is not None:
            self._add_token(token, printed)
        printed.text = " ".join(printed.text.split())
        return printed

    def _add_token(self, token: str, printed: Printed) -> None:
        """Add what one token prints."""
        if token == "{":
            self._bold.append(self._bold[-1] or self._coming)
            self._coming = False
        elif token == "}":
            if len(self._bold) > 1:
                self._bold.pop()
        elif token == "^":
            self._add_script(printed, True, self._stream.argument())
        elif token == "_":
            self._add_script(printed, False, self._stream.argument())
        elif token in ("~", "&"):
            printed.text += " "
        elif token[0] == "\\":
            self._command(token[1:], printed)
        elif token not in "$#":
            self._add(token.replace("---", "—").replace("--", "–"), printed)

    def _add(self, text: str, printed: Printed) -> None:
        printed.text += text
        if (self._bold[-1] or self._coming) and any(character.isdigit() for character in text):
            printed.bold = True
        if text.strip():
            self._coming = False

    def _add_script(self, printed: Printed, is_raised: bool, tokens: Sequence[str]) -> None:
        """Add a superscript or a subscript."""
        inner = self.words(tokens)
        printed.problem = printed.problem or inner.problem
        printed.text += script_after(printed.text, inner.text, is_raised)

    def _command(self, name: str, printed: Printed) -> None:
        stream = self._stream
        if name in BOLD:
            if name in ("bf", "bfseries"):
                self._bold[-1] = True
            else:
                self._coming = True
        elif name == "ifmmode":  # of a note outside of formulas, the part after \else is printed
            stream.skip_to("\\else", "\\fi")
        elif name in ("multicolumn", "multirow"):
            self._spanning(name, printed)
        elif name in RAISED:
            tokens = stream.optional() or [] if name == "footnotemark" else stream.argument()
            self._add_script(printed, True, tokens)
        elif name in LOWERED:
            self._add_script(printed, False, stream.argument())
        elif name in ("frac", "tfrac", "dfrac", "nicefrac", "sfrac"):
            numerator, denominator = self.words(stream.argument()).text, self.words(stream.argument()).text
            printed.text += f"{numerator}/{denominator}"
        elif name in ("SI", "qty", "unit", "si"):
            stream.optional()
            number = self.words(stream.argument()).text if name in ("SI", "qty") else ""
            unit = "".join(UNITS.get(part.strip("\\ "), part if part[0] != "\\" else "") for part in stream.argument())
            self._add(f"{number} {unit}".strip() if unit != "%" else f"{number}%", printed)
        elif name == "begin":
            environment = "".join(stream.argument())
            for kind in TABULARS.get(environment.rstrip("*"), "b"):
                stream.optional() if kind == "b" else stream.argument()
            self._bold.append(self._bold[-1])
        elif name == "end":
            stream.argument()
            self._bold = self._bold[:-1] or [False]
        elif name in SKIPPED or name in DROPPED:
            self._passed(name, printed)
        elif name in ACCENTS and (not name.isalpha() or name in "cvuHkr"):
            printed.text += accented(name, self.words(stream.argument()).text)
        elif name in SPACES:
            printed.text += SPACES[name]
        elif name in ("\\", "newline", "tabularnewline", "linebreak"):
            stream.optional()
            printed.text += " "
        elif text := sign(name) if name else " ":
            printed.text += text
        else:
            printed.text += f"\\{name}"
            printed.problem = printed.problem or f"the macro \\{name}, which the file does not define"

    def _passed(self, name: str, printed: Printed) -> None:
        """Read a command that prints nothing, or its last argument alone."""
        stream = self._stream
        stream.star()
        arguments = SKIPPED[name] if name in SKIPPED else DROPPED[name]
        if arguments or name in SKIPPED or name in BOOKTABS:
            while stream.optional() is not None:
                pass
        if name == "cmidrule":
            stream.optional("(")
        for _ in range(arguments):
            stream.argument()
            if name in ("raisebox", "parbox", "rowcolor", "makebox"):
                while stream.optional() is not None:
                    pass
        if name == "includegraphics":
            printed.problem = "a picture"

    def _spanning(self, name: str, printed: Printed) -> None:
        stream = self._stream
        stream.optional()
        number = covered(self.words(stream.argument()).text.lstrip("-"))
        stream.optional()
        stream.argument()  # the column's form, or the width
        stream.optional()
        if name == "multicolumn":
            printed.columns = number
        else:
            printed.rows = max(printed.rows, number)
