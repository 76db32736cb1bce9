"""Tables of LaTeX: tabular and similar environments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from robustdr.transcribe.commands import (
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
from robustdr.transcribe.grids import Field, Grid, Span, covered, filled_down, raised, spread, titled
from robustdr.transcribe.tex import DEFINES, Budget, Macro, Stream, TooMuch, bare

FLOATS = ("table", "wraptable", "sidewaystable", "threeparttable", "margintable", "SCtable")
TABULARS = {  # the arguments before the rows: b in brackets, a in braces; the last one describes the columns
    "tabular": "ba", "tabularx": "aba", "tabulary": "aba", "longtable": "ba", "tblr": "ba", "longtblr": "ba",
    "xltabular": "baa", "tabu": "ba", "longtabu": "ba", "NiceTabular": "ba", "supertabular": "ba", "xtabular": "ba",
    "mpsupertabular": "ba", "deluxetable": "a", "array": "ba",
}  # fmt: skip
STARRED = {"tabular": "aba"}
_EVENT = re.compile(rf"\\(begin|end)\s*\{{({'|'.join((*FLOATS, *TABULARS))})(\*?)\}}")
_DEFINED = re.compile(rf"\\({'|'.join(DEFINES)})(?![A-Za-z@])")
_CAPTION = re.compile(r"\\(?:caption|captionof\s*\{table\}|tablecaption|tbl)(?![A-Za-z@])")
_UNCERTAIN = re.compile(r"(\d*\.(\d+))\((\d+)\)")
_SIGNED = re.compile(r"\(?[+\-−±]\s*\d*\.?\d+%?\)?|\(?\d+\.\d+%?\)?")  # a change or an error, raised or lowered
RAISED = ("textsuperscript", "tnote", "footnotemark", "sp")
LOWERED = ("textsubscript", "sb")
HEADS = ("endfirsthead", "endhead", "endfoot", "endlastfoot")
BOOKTABS = ("toprule", "midrule", "bottomrule", "addlinespace", "cmidrule")
DEEPEST = 30  # commands inside each other that are read one inside the other


@dataclass
class _Said:
    """The text of a field, whether a number in it is bold, what could not be read, and the fields that it covers."""

    text: str = ""
    bold: bool = False
    problem: str = ""
    columns: int = 1
    rows: int = 1


@dataclass
class _Environment:
    """A float or a tabular: where it stands, and what stands inside it."""

    name: str
    start: int
    inside: int  # where its content begins
    end: int = -1
    tabulars: list["_Environment"] = field(default_factory=list)


def read_latex(text: str) -> list[Grid]:
    """The tables of a LaTeX file, in order; those with a caption are numbered from 1."""
    text = bare(text)
    macros: dict[str, Macro] = {}
    budget = Budget()
    definitions = _DEFINED.finditer(text)
    ahead = next(definitions, None)
    grids: list[Grid] = []
    floats = line = at = 0
    for one in _environments(text):
        while ahead is not None and ahead.start() < one.start:
            _define(text, ahead, macros, budget)
            ahead = next(definitions, None)
        line, at = line + text.count("\n", at, one.start), one.start
        caption = _caption(text, one, macros, budget)
        floats += caption is not None
        number, words = str(floats) if caption is not None else "", titled(caption or "")[1]
        for tabular in one.tabulars:
            first = line + 1 + text.count("\n", one.start, tabular.start)
            try:
                budget.renew()
                grids.append(_grid(text, tabular, first, dict(macros), budget))
            except TooMuch as error:
                grids.append(Grid("", "", [], 0, [f"line {first}: the table cannot be read: {error}"]))
            grids[-1].number, grids[-1].caption, grids[-1].line = number, words, first
        if not one.tabulars and caption is not None:
            problem = "it holds no tabular, perhaps a picture; nothing of it can be read"
            grids.append(Grid(number, words, [], 0, [problem], line=line + 1))
    return grids


def _define(text: str, match: re.Match[str], macros: dict[str, Macro], budget: Budget) -> None:
    try:
        budget.renew()
        budget.spend(1)
        Stream(text, macros, budget, match.end()).define(match[1])
    except TooMuch:
        return


def _environments(text: str) -> list[_Environment]:
    """The floats and tabulars outside of each other, with the tabulars inside the floats; nested ones are not told."""
    found: list[_Environment] = []
    opened: list[_Environment] = []
    for match in _EVENT.finditer(text):
        name = match[2] + match[3]
        if match[1] == "begin":
            opened.append(_Environment(name, match.start(), match.end()))
            continue
        place = next((at for at in range(len(opened) - 1, max(-1, len(opened) - 20), -1) if opened[at].name == name), -1)
        if place < 0:
            continue
        one = opened[place]
        one.end = match.start()
        if one.name.rstrip("*") in TABULARS:
            one.tabulars = [one]
            outer = [other for other in opened[:place][-20:] if other.name.rstrip("*") in TABULARS]
        else:
            outer = []
        del opened[place:]
        if outer:
            continue  # it is text of a field
        holder = next((other for other in opened[-20:] if other.name.rstrip("*") in FLOATS), None)
        if holder is None:
            found.append(one)
        elif one.tabulars:
            holder.tabulars += one.tabulars
    unclosed = [one for one in opened[:1] if one.tabulars or one.name.rstrip("*") in TABULARS]
    for one in unclosed:
        one.end = len(text)
        found.append(one)
        one.tabulars = one.tabulars or [one]
    found.sort(key=lambda one: one.start)
    return [one for one in found if one.name.rstrip("*") != "array" or re.search(r"\\hline", text[one.inside : one.end])]


def _caption(text: str, one: _Environment, macros: dict[str, Macro], budget: Budget) -> str | None:
    """The caption inside an environment; None if it has none."""
    match = _CAPTION.search(text, one.inside, one.end)
    if match is None:
        return None
    try:
        budget.renew()
        stream = Stream(text[match.end() : one.end], dict(macros), budget)
        stream.star()
        stream.optional()
        return _Cells(stream, 0).words(stream.argument()).text
    except TooMuch:
        return ""


def _grid(text: str, tabular: _Environment, line: int, macros: dict[str, Macro], budget: Budget) -> Grid:
    name = tabular.name.rstrip("*")
    stream = Stream(text[tabular.inside : tabular.end], macros, budget, 0, line)
    described = ""
    for kind in STARRED.get(name, TABULARS[name]) if tabular.name.endswith("*") else TABULARS[name]:
        described = "".join((stream.optional() if kind == "b" else stream.argument()) or ())
    written = _with_uncertainty if _has_siunitx(described) else str
    cells = _Cells(stream, 0)
    lines: list[list[_Said]] = []
    places: list[int] = []
    heads = 0
    for said, ruled, number in cells.rows():
        heads = heads or (len(lines) if ruled else 0)
        if said:
            lines.append(said)
            places.append(number)
    heads = cells.heads or heads
    spans = [[Span(Field(written(one.text), one.bold, one.problem), one.columns) for one in said] for said in lines]
    rows, problems = spread(spans, padded=True)
    covers = {}
    for row, said in enumerate(lines):
        column = 0
        for one in said:
            if one.rows > 1:
                covers[row, column] = one.rows
            column += one.columns
    filled = filled_down(rows, covers)
    return Grid("", "", filled, heads if heads < len(rows) else 0, [*problems, *cells.problems], lines=places)


def _has_siunitx(columns: str) -> bool:
    """Whether a column is of siunitx's type S."""
    return "S" in re.sub(r"[@!<>pmbX]\{[^{}]*\}|\[[^]]*\]", "", columns)


def _with_uncertainty(text: str) -> str:
    """The text with siunitx's 95.1(3) as 95.1±0.3: the digits in brackets belong to the last decimals."""
    return _UNCERTAIN.sub(lambda match: f"{match[1]}±{Decimal(match[3]).scaleb(-len(match[2]))}", text)


class _Cells:
    """Reads the fields of a tabular from its tokens."""

    def __init__(self, stream: Stream, depth: int) -> None:
        if depth > DEEPEST:
            raise TooMuch(f"more than {DEEPEST} commands inside each other")
        self._stream, self._depth = stream, depth
        self._bold: list[bool] = [False]  # of the groups that are open
        self._coming = False  # whether the next group is bold
        self.heads = 0
        self.problems: list[str] = []

    def rows(self) -> Iterator[tuple[list[_Said], bool, int]]:
        """Yield (fields, whether a rule that ends a head is above, line) of every row."""
        fields, said = [], _Said()
        ruled, line, count, marker = False, self._stream.line, 0, ""
        while (token := self._stream.next()) is not None:
            if len(self._bold) == 1 and token == "&":
                fields.append(said)
                said = _Said()
                self._bold = [False]
            elif len(self._bold) == 1 and token in ("\\\\", "\\tabularnewline", "\\cr"):
                self._stream.star()
                self._stream.optional()
                if row := self._row([*fields, said]):
                    if not (marker == "endfirsthead"):
                        yield row, ruled, line
                        count += 1
                    ruled = False
                fields, said, line = [], _Said(), self._stream.line
                self._bold = [False]
            elif token[1:] in HEADS and token[0] == "\\":
                if token[1:] in ("endfirsthead", "endhead") and not self.heads:
                    self.heads = count
                marker = "endfirsthead" if token[1:] == "endfirsthead" else ""
                fields, said = [], _Said()
            else:
                if token[0] == "\\" and token[1:] in RULES:
                    ruled = ruled or (token[1:] not in NO_RULES and count > 0)
                self._one(token, said)
                if not said.text and not fields:
                    line = self._stream.line
        if row := self._row([*fields, said]):
            yield row, ruled, line

    def _row(self, fields: Sequence[_Said]) -> list[_Said]:
        for said in fields:
            said.text = " ".join(said.text.split())
        return list(fields) if len(fields) > 1 or fields[0].text else []

    def words(self, tokens: Sequence[str]) -> _Said:
        """What an argument prints."""
        stream = Stream("", self._stream.macros, self._stream.budget)
        stream.push(tokens)
        inner, said = _Cells(stream, self._depth + 1), _Said()
        inner._bold = [self._bold[-1]]
        while (token := stream.next()) is not None:
            inner._one(token, said)
        said.text = " ".join(said.text.split())
        return said

    def _one(self, token: str, said: _Said) -> None:
        """Add what one token prints."""
        if token == "{":
            self._bold.append(self._bold[-1] or self._coming)
            self._coming = False
        elif token == "}":
            if len(self._bold) > 1:
                self._bold.pop()
        elif token == "^":
            self._beside(said, raised, self._stream.argument())
        elif token == "_":
            self._beside(said, None, self._stream.argument())
        elif token in ("~", "&"):
            said.text += " "
        elif token[0] == "\\":
            self._command(token[1:], said)
        elif token not in "$#":
            self._add(token.replace("---", "—").replace("--", "–"), said)

    def _add(self, text: str, said: _Said) -> None:
        said.text += text
        if (self._bold[-1] or self._coming) and any(character.isdigit() for character in text):
            said.bold = True
        if text.strip():
            self._coming = False

    def _beside(self, said: _Said, form: type[str] | object, tokens: Sequence[str]) -> None:
        """Add a superscript (form `raised`) or a subscript; a change or an error becomes a second value."""
        inner = self.words(tokens)
        text = inner.text
        said.problem = said.problem or inner.problem
        if _SIGNED.fullmatch(text) and said.text.rstrip()[-1:].isdigit() and (form is None or text[0] in "(+-−±"):
            said.text += f" ({text.strip('()').lstrip('±').strip()})" if text[0] != "±" else f" ± {text[1:].strip()}"
        else:
            said.text += raised(text) if form is raised else f" {text}" if text else ""

    def _command(self, name: str, said: _Said) -> None:
        stream = self._stream
        if name in BOLD:
            if name in ("bf", "bfseries"):
                self._bold[-1] = True
            else:
                self._coming = True
        elif name in ("multicolumn", "multirow"):
            self._spanning(name, said)
        elif name in RAISED:
            tokens = stream.optional() or [] if name == "footnotemark" else stream.argument()
            self._beside(said, raised, tokens)
        elif name in LOWERED:
            self._beside(said, None, stream.argument())
        elif name in ("frac", "tfrac", "dfrac", "nicefrac", "sfrac"):
            over, under = self.words(stream.argument()).text, self.words(stream.argument()).text
            said.text += f"{over}/{under}"
        elif name in ("SI", "qty", "unit", "si"):
            stream.optional()
            number = self.words(stream.argument()).text if name in ("SI", "qty") else ""
            unit = "".join(UNITS.get(part.strip("\\ "), part if part[0] != "\\" else "") for part in stream.argument())
            self._add(f"{number} {unit}".strip() if unit != "%" else f"{number}%", said)
        elif name == "begin":
            environment = "".join(stream.argument())
            for kind in TABULARS.get(environment.rstrip("*"), "b"):
                stream.optional() if kind == "b" else stream.argument()
            self._bold.append(self._bold[-1])
        elif name == "end":
            stream.argument()
            self._bold = self._bold[:-1] or [False]
        elif name in SKIPPED or name in DROPPED:
            self._passed(name, said)
        elif name in ACCENTS and (not name.isalpha() or name in "cvuHkr"):
            said.text += accented(name, self.words(stream.argument()).text)
        elif name in SPACES:
            said.text += SPACES[name]
        elif name in ("\\", "newline", "tabularnewline", "linebreak"):
            stream.optional()
            said.text += " "
        elif text := sign(name) if name else " ":
            said.text += text
        else:
            said.text += f"\\{name}"
            said.problem = said.problem or f"the macro \\{name}, which the file does not define"

    def _passed(self, name: str, said: _Said) -> None:
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
            said.problem = "a picture"

    def _spanning(self, name: str, said: _Said) -> None:
        stream = self._stream
        stream.optional()
        number = covered(self.words(stream.argument()).text.lstrip("-"))
        stream.optional()
        stream.argument()  # the column's form, or the width
        stream.optional()
        if name == "multicolumn":
            said.columns = number
        else:
            said.rows = max(said.rows, number)
