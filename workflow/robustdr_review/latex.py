"""Tables of LaTeX: tabular and similar environments."""

import re
from dataclasses import dataclass, field
from decimal import Decimal

from robustdr_review.fields import TABULARS, Cells, Printed
from robustdr_review.grids import Field, Grid, Problem, Span, filled_down, spread, titled
from robustdr_review.tex import DEFINES, Budget, Macro, Stream, TooMuch, bare

FLOATS = ("table", "wraptable", "sidewaystable", "threeparttable", "margintable", "SCtable")
STARRED = {"tabular": "aba"}
NEAR = 20  # environments inside each other that are looked at
_EVENT = re.compile(rf"\\(begin|end)\s*\{{({'|'.join((*FLOATS, *TABULARS))})(\*?)\}}")
_DEFINED = re.compile(rf"\\({'|'.join(DEFINES)})(?![A-Za-z@])")
_CAPTION = re.compile(r"\\(?:caption|captionof\s*\{table\}|tablecaption|tbl)(?![A-Za-z@])")
CAPTIONED = "\\caption"
_PARAMETER = re.compile(r"(?<!\\)#[1-9]")
_UNCERTAIN = re.compile(r"(\d*\.(\d+))\((\d+)\)")


@dataclass
class _Environment:
    """A float or a tabular: where it stands, and what stands inside it."""

    name: str
    start: int
    inside: int  # where its content begins
    end: int = -1
    tabulars: list["_Environment"] = field(default_factory=list)

    @property
    def is_tabular(self) -> bool:
        return self.name.rstrip("*") in TABULARS


def read_latex(text: str) -> list[Grid]:
    """The tables of a LaTeX file, in order; those with a caption are numbered from 1."""
    text = bare(text)
    macros: dict[str, Macro] = {}
    budget, of_definitions = Budget(), Budget()
    definitions = _DEFINED.finditer(text)
    ahead = next(definitions, None)
    grids: list[Grid] = []
    floats = line = offset = 0

    def define_before(place: int) -> None:
        nonlocal ahead
        while ahead is not None and ahead.start() < place:
            _define(text, ahead, macros, of_definitions)
            ahead = next(definitions, None)

    for environment in _environments(text):
        define_before(environment.start)
        line, offset = line + text.count("\n", offset, environment.start), environment.start
        caption = _caption(text, environment, macros, budget)
        floats += caption is not None
        number, words = str(floats) if caption is not None else "", titled(caption or "")[1]
        for tabular in environment.tabulars:
            first = line + 1 + text.count("\n", environment.start, tabular.start)
            define_before(tabular.start)
            try:
                if _PARAMETER.search(text, tabular.inside, tabular.end):
                    raise TooMuch("it stands in the definition of a macro")
                budget.renew()
                grids.append(_grid(text, tabular, first, dict(macros), budget))
            except TooMuch as error:
                grids.append(Grid("", "", [], 0, [Problem(f"the table cannot be read: {error}", first)]))
            grids[-1].number, grids[-1].caption, grids[-1].line = number, words, first
        if not environment.tabulars and caption is not None:
            problem = Problem("it holds no tabular, perhaps a picture; nothing of it can be read", line + 1)
            grids.append(Grid(number, words, [], 0, [problem], line=line + 1))
    return grids


def definitions(text: str) -> dict[str, Macro]:
    """The macros that a file defines; of one that is defined again, the last definition."""
    macros: dict[str, Macro] = {}
    budget = Budget()
    for match in _DEFINED.finditer(text):
        _define(text, match, macros, budget)
    return macros


def _define(text: str, match: re.Match[str], macros: dict[str, Macro], budget: Budget) -> None:
    try:
        budget.renew()
        budget.spend(1)
        Stream(text, macros, budget, match.end()).define(match[1])
    except TooMuch:
        return


def _environments(text: str) -> list[_Environment]:
    """The floats and tabulars outside of each other, with the tabulars inside the floats; nested ones are not told.

    A tabular whose end is missing ends where its float does, or the next one begins.
    """
    outermost: list[_Environment] = []
    opened: list[_Environment] = []

    def close(place: int, end: int) -> None:
        closed, *inside = opened[place:]
        del opened[place:]
        closed.end = end
        if closed.is_tabular:
            closed.tabulars = [closed]
            if any(nested.is_tabular for nested in opened[-NEAR:]):
                return  # it is text of a field
        elif unclosed := next((nested for nested in inside[:NEAR] if nested.is_tabular), None):
            unclosed.end = end
            closed.tabulars.append(unclosed)
        holder = next((nested for nested in opened[-NEAR:] if not nested.is_tabular), None)
        if holder is None:
            outermost.append(closed)
        else:
            holder.tabulars += closed.tabulars

    for match in _EVENT.finditer(text):
        name = match[2] + match[3]
        if match[1] == "begin":
            environment = _Environment(name, match.start(), match.end())
            outer = next(
                (index for index in range(max(0, len(opened) - NEAR), len(opened)) if opened[index].is_tabular), -1
            )
            if outer >= 0 and not environment.is_tabular:
                close(outer, match.start())
            opened.append(environment)
            continue
        last = range(len(opened) - 1, max(-1, len(opened) - NEAR), -1)
        place = next((index for index in last if opened[index].name == name), -1)
        if place >= 0:
            close(place, match.start())
    if opened and (opened[0].tabulars or opened[0].is_tabular):
        close(0, len(text))
    outermost.sort(key=lambda environment: environment.start)
    return [
        environment
        for environment in outermost
        if environment.name.rstrip("*") != "array" or re.search(r"\\hline", text[environment.inside : environment.end])
    ]


def _caption(text: str, environment: _Environment, macros: dict[str, Macro], budget: Budget) -> str | None:
    """The caption inside an environment, of a command or of a macro that uses one; None if it has none."""
    names = "".join(rf"|\\{re.escape(name)}(?![A-Za-z@])" for name, macro in macros.items() if CAPTIONED in macro.body)
    match = re.compile(_CAPTION.pattern + names).search(text, environment.inside, environment.end)
    if match is None:
        return None
    try:
        budget.renew()
        is_macro = match[0][1:] in macros
        stream = Stream(text[match.start() if is_macro else match.end() : environment.end], dict(macros), budget)
        while is_macro and stream.next() not in (CAPTIONED, None):
            pass
        stream.star()
        stream.optional()
        return Cells(stream, 0).words(stream.argument()).text
    except TooMuch:
        return ""


def _grid(text: str, tabular: _Environment, line: int, macros: dict[str, Macro], budget: Budget) -> Grid:
    name = tabular.name.rstrip("*")
    stream = Stream(text[tabular.inside : tabular.end], macros, budget, 0, line)
    described = ""
    for kind in STARRED.get(name, TABULARS[name]) if tabular.name.endswith("*") else TABULARS[name]:
        described = "".join((stream.optional() if kind == "b" else stream.argument()) or ())
    has_siunitx = "S" in re.sub(r"[@!<>pmbX]\{[^{}]*\}|\[[^]]*\]", "", described)
    cells = Cells(stream, 0)
    lines: list[list[Printed]] = []
    places: list[int] = []
    heads = 0
    for fields, ruled, number in cells.rows():
        heads = heads or (len(lines) if ruled else 0)
        if fields:
            lines.append(fields)
            places.append(number)
        for printed in fields if has_siunitx else ():  # 95.1(3) is 95.1±0.3: the last decimals may be off by 3
            printed.text = _UNCERTAIN.sub(
                lambda match: f"{match[1]}±{Decimal(match[3]).scaleb(-len(match[2]))}", printed.text
            )
    heads = cells.heads or heads
    spans = [
        [Span(Field(printed.text, printed.bold, printed.problem), printed.columns) for printed in fields]
        for fields in lines
    ]
    rows, problems = spread(spans, padded=True)
    covers = {}
    for row, fields in enumerate(lines):
        column = 0
        for printed in fields:
            if printed.rows > 1:
                covers[row, column] = printed.rows
            column += printed.columns
    filled = filled_down(rows, covers)
    return Grid("", "", filled, heads if heads < len(rows) else 0, problems, lines=places)
