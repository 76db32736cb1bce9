"""Tables of LaTeX: tabular and similar environments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import (
    LatexCharsNode,
    LatexEnvironmentNode,
    LatexGroupNode,
    LatexMacroNode,
    LatexMathNode,
    LatexSpecialsNode,
    LatexWalker,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import EnvironmentSpec, MacroSpec

from robustdr.transcribe.grids import Field, Grid, Span, covered, filled_down, raised, spread, titled

Nodes = Sequence[Any]
FLOATS = ("table", "table*", "wraptable", "sidewaystable", "longtable", "longtable*")
TABULARS = {"tabular": "[{", "tabular*": "{[{", "tabularx": "{[{", "tabulary": "{[{", "longtable": "[{", "tblr": "[{"}
_PRINTED = (  # macros that print their last argument
    "textbf mathbf boldsymbol bm textit emph textsc textrm texttt textsf text mathrm underline uline mbox textcolor "
    "colorbox makecell shortstack thead resizebox scalebox num ensuremath textnormal textsubscript mathit mathcal"
)
_SILENT = (
    "hline toprule midrule bottomrule centering small footnotesize scriptsize tiny normalsize large bf bfseries it "
    "itshape rm sc sl label vspace hspace rowcolor cellcolor setlength tabcolsep arraystretch renewcommand newcommand "
    "def color providecommand noindent quad qquad arrayrulecolor hfill phantom hphantom vphantom caption left right "
    "displaystyle arraybackslash xspace cite citep citet citealp citeauthor ref footnote"
)
PRINTED, SILENT = frozenset(_PRINTED.split()), frozenset(_SILENT.split())
SIGNS = {"ddagger": "‡", "ddag": "‡", "checkmark": "✓", "cmark": "✓", "xmark": "✗", "blacktriangle": "▲"}
RULES = ("midrule", "hline")
BOLD = ("textbf", "mathbf", "boldsymbol", "bm", "bf", "bfseries")
RAISED = ("textsuperscript", "tnote", "footnotemark")
_LINES = re.compile(r"\\(?:cmidrule|cline|specialrule|addlinespace|morecmidrules)\s*(?:\([^)]*\)|\[[^]]*\]|\{[^}]*\})*")
_UNCERTAIN = re.compile(r"(\d*\.(\d+))\((\d+)\)")
_DEF = re.compile(r"\\def\s*\\([A-Za-z]+)(?=\{)")
_WRAPPER = re.compile(r"\\(?:re)?newcommand\*?\s*\{?\\([A-Za-z]+)\}?\s*\[1\]\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_SPECS = {
    **dict.fromkeys(("citep", "citet", "citealp"), "*[[{"),
    **dict.fromkeys(("phantom", "hphantom", "vphantom"), "{"),
    "multicolumn": "{{{",
    "multirow": "[{[{[{",
    "caption": "[{",
    "textcolor": "[{{",
    "rowcolor": "[{",
    "cellcolor": "[{",
    "resizebox": "{{{",
    "scalebox": "{{",
    "makecell": "[{",
    "shortstack": "[{",
    "thead": "[{",
    "tnote": "{",
    "num": "[{",
    "footnotemark": "[",
    "color": "{",
    "setlength": "{{",
    "bm": "{",
    "uline": "{",
    "textsuperscript": "{",
    "textsubscript": "{",
}


@dataclass
class _Said:
    """The text of nodes, whether a number in it is bold, and a macro that could not be read."""

    text: str = ""
    bold: bool = False
    problem: str = ""
    columns: int = 1
    rows: int = 1


def read_latex(text: str) -> list[Grid]:
    """The tables of a LaTeX file, in order; those with a caption are numbered from 1."""
    context = get_default_latex_context_db()
    macros = [MacroSpec(name, arguments) for name, arguments in _SPECS.items()]
    environments = [EnvironmentSpec(name, arguments) for name, arguments in TABULARS.items()]
    environments += [EnvironmentSpec(name, "[") for name in FLOATS if name not in TABULARS]
    context.add_context_category("tables", prepend=True, macros=macros, environments=environments)
    plain = _expanded(_DEF.sub(r"\\newcommand{\\\1}", _LINES.sub("", text)))
    nodes, _, _ = LatexWalker(plain, latex_context=context, tolerant_parsing=True).get_latex_nodes()
    reader = _Reader(dict(_definitions(nodes)))
    grids: list[Grid] = []
    floats = 0
    for caption, tabulars in _tables(nodes):
        floats += bool(caption)
        number, words = str(floats) if caption else "", titled(reader.said(caption).text)[1]
        grids += [reader.grid(number, words, tabular) for tabular in tabulars]
        if not tabulars:
            grids.append(
                Grid(number, words, [], 0, ["it holds no tabular, perhaps a picture; nothing of it can be read"])
            )
    return grids


def _expanded(text: str) -> str:
    """The text with its own macros of one argument expanded, if the argument has no braces."""
    for name, body in _WRAPPER.findall(text):
        use = re.compile(rf"\\{name}\s*\{{([^{{}}]*)\}}")
        text = use.sub(lambda match, body=body: body.replace("#1", match[1]), text)  # type: ignore[misc]
    return text


def _walk(nodes: Nodes) -> Iterator[Any]:
    for node in nodes or ():
        if node is not None:
            yield node
            yield from _walk(_inside(node))


def _inside(node: Any) -> Nodes:
    arguments = node.nodeargd.argnlist if getattr(node, "nodeargd", None) else None
    return [*(arguments or ()), *(getattr(node, "nodelist", None) or ())]


def _definitions(nodes: Nodes) -> Iterator[tuple[str, Nodes]]:
    """Yield (name, body) of the macros without arguments that the file defines."""
    for node in _walk(nodes):
        if isinstance(node, LatexMacroNode) and node.macroname in (
            "newcommand",
            "renewcommand",
            "providecommand",
            "def",
        ):
            groups = _groups(node)
            names = [part for part in _walk(groups[:1]) if isinstance(part, LatexMacroNode)]
            if len(groups) == 2 and names:
                yield names[0].macroname, groups[1].nodelist


def _tables(nodes: Nodes) -> Iterator[tuple[Nodes, list[Any]]]:
    """Yield (caption, tabulars) of every table; a tabular outside a table comes with its own."""
    for node in nodes or ():
        if isinstance(node, LatexEnvironmentNode) and node.environmentname in (*FLOATS, *TABULARS):
            within = list(_walk([node]))
            captions = [part for part in within if isinstance(part, LatexMacroNode) and part.macroname == "caption"]
            caption = _groups(captions[0]) if captions else []
            environments = [part for part in within if isinstance(part, LatexEnvironmentNode)]
            yield caption, [part for part in environments if part.environmentname in TABULARS]
        elif node is not None:
            yield from _tables(_inside(node))


def _groups(node: Any) -> list[Any]:
    """The arguments of a node in braces."""
    return [part for part in _inside(node) if isinstance(part, LatexGroupNode) and part.delimiters[0] == "{"]


def _has_siunitx(tabular: Any) -> bool:
    """Whether the tabular has a column of siunitx's type S."""
    columns = tabular.nodeargd.argnlist[-1].latex_verbatim()
    return "S" in re.sub(r"[@!<>pmb]\{[^{}]*\}|\[[^]]*\]", "", columns)


def _with_uncertainty(text: str) -> str:
    """The text with siunitx's 95.1(3) as 95.1±0.3: the digits in brackets belong to the last decimals."""
    return _UNCERTAIN.sub(lambda match: f"{match[1]}±{Decimal(match[3]).scaleb(-len(match[2]))}", text)


class _Reader:
    def __init__(self, definitions: Mapping[str, Nodes]) -> None:
        self._definitions = definitions
        self._plain = LatexNodes2Text()

    def grid(self, number: str, caption: str, tabular: Any) -> Grid:
        lines: list[list[_Said]] = []
        heads = 0
        for line, ruled in self._lines(tabular.nodelist):
            if ruled and lines:
                heads = heads or len(lines)
            if line:
                lines.append(line)
        written = _with_uncertainty if _has_siunitx(tabular) else str
        spans = [
            [Span(Field(written(said.text), said.bold, said.problem), said.columns) for said in line] for line in lines
        ]
        rows, problems = spread(spans)
        covers = {}
        for row, line in enumerate(lines):
            column = 0
            for said in line:
                if said.rows > 1:
                    covers[row, column] = said.rows
                column += said.columns
        return Grid(number, caption, filled_down(rows, covers), heads if heads < len(rows) else 0, problems)

    def _lines(self, nodes: Nodes) -> Iterator[tuple[list[_Said], bool]]:
        """Yield (fields, whether a rule is above) of every row."""
        fields: list[list[Any]] = [[]]
        ruled = False
        for node in [*nodes, None]:
            if node is None or (isinstance(node, LatexMacroNode) and node.macroname in ("\\", "tabularnewline")):
                said = [self.said(field) for field in fields]
                if len(said) > 1 or said[0].text:
                    yield said, ruled
                    ruled = False
                fields = [[]]
            elif isinstance(node, LatexMacroNode) and node.macroname in RULES:
                ruled = True
            elif isinstance(node, LatexSpecialsNode) and node.specials_chars == "&":
                fields.append([])
            else:
                fields[-1].append(node)

    def said(self, nodes: Nodes) -> _Said:
        """The text of nodes, with bold, problem and span."""
        made = _Said()
        self._say(nodes, made, bold=False)
        made.text = " ".join(made.text.replace("\u2009", "").split())
        return made

    def _say(self, nodes: Nodes, made: _Said, bold: bool) -> None:
        up = False  # after a ^
        for node in nodes or ():
            if node is None:
                continue
            if isinstance(node, LatexMacroNode) and node.macroname in ("bf", "bfseries"):
                bold = True
            before = len(made.text)
            self._say_one(node, made, bold)
            if up:
                made.text = made.text[:before] + raised(made.text[before:].strip())
            up = made.text.endswith("^")
            made.text = made.text.removesuffix("^")
            if made.text.endswith("_"):
                made.text = made.text[:-1] + " "
            made.bold = made.bold or (bold and any(character.isdigit() for character in made.text[before:]))

    def _say_one(self, node: Any, made: _Said, bold: bool) -> None:
        if isinstance(node, LatexCharsNode):
            made.text += re.sub(r"\^(\w|[*†‡])", lambda match: raised(match[1]), node.chars).replace("--", "–")
        elif isinstance(node, LatexSpecialsNode):
            made.text += " " if node.specials_chars == "~" else self._plain.node_to_text(node)
        elif isinstance(node, LatexGroupNode | LatexMathNode):
            self._say(node.nodelist, made, bold)
        elif isinstance(node, LatexMacroNode):
            self._macro(node, made, bold)

    def _macro(self, node: Any, made: _Said, bold: bool) -> None:
        name, arguments = node.macroname, [part for part in _inside(node) if part is not None]
        bold = bold or name in BOLD
        if name in self._definitions:
            self._say(self._definitions[name], made, bold)
        elif name in ("multicolumn", "multirow") and len(_groups(node)) == 3:
            number = self.said(_groups(node)[:1]).text
            setattr(made, "columns" if name == "multicolumn" else "rows", covered(number))
            self._say(arguments[-1:], made, bold)
        elif name in PRINTED and arguments:
            self._say(arguments[-1:], made, bold)
        elif name in RAISED and arguments:
            made.text += raised(self.said(arguments[-1:]).text)
        elif name in (",", ":", ";", "!", " "):
            made.text += "" if name in ",!" else " "
        elif name not in SILENT:
            text = SIGNS.get(name) or self._plain.node_to_text(node)
            made.text += text or f"\\{name}"
            made.problem = made.problem or (f"the macro \\{name}, which the file does not define" if not text else "")
