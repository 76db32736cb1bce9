"""What commands of LaTeX and of its table packages print: nothing, all but some arguments, or a sign."""

import logging
import unicodedata
from functools import cache


def _by_number(text: str) -> dict[str, int]:
    """{command: arguments} of lines `number: commands`."""
    lines = (line.split(":") for line in text.strip().splitlines())
    return {name: int(number) for number, names in lines for name in names.split()}


# Commands that print nothing, by their number of arguments in braces. Arguments in brackets before these are skipped.
DROPPED = _by_number("""
0: hline toprule midrule bottomrule botrule Hline firsthline lasthline thickhline tophline middlehline bottomhline
0: colrule Midrule Toprule Bottomrule hdashline morecmidrules addlinespace centering small footnotesize scriptsize
0: tiny normalsize large Large raggedright raggedleft it itshape rm rmfamily sc scshape sl sf tt ttfamily md
0: mdseries em upshape normalfont noindent hfill hfil vfill hss displaystyle textstyle scriptstyle arraybackslash
0: xspace left right big Big bigl bigr protect relax leavevmode null strut unskip ignorespaces limits bgroup egroup
0: hbox vbox ensuremath par newpage pagebreak smallskip medskip bigskip unboldmath nobreak allowbreak boldmath
0: selectfont sffamily expandafter linebreak global fi
1: label vspace hspace phantom hphantom vphantom cite citep citet citealp citealt citeauthor citeyear parencite
1: textcite autocite footcite ref eqref cref Cref autoref pageref footnote footnotetext thanks rowcolor cellcolor
1: columncolor color arrayrulecolor doublerulesep includegraphics cmidrule cline cdashline Xhline Xcline hhline
1: noalign bibitem hypertarget input caption tablefootnote vskip pagestyle index todo
2: setlength addtolength setcounter fontsize rowcolors
3: specialrule rule
""")
DROPPED["rule"] = 2
# Commands that print their last argument: the number of arguments before it, which are skipped.
SKIPPED = _by_number("""
0: textbf mathbf boldsymbol bm pmb textit emph textsc textrm texttt textsf textmd textup textsl text mathrm mathit
0: mathsf mathtt mathcal mathbb mathfrak operatorname underline uline ul uwave dashuline mbox hbox fbox makecell
0: shortstack thead num textnormal makebox framebox rlap llap clap mathrlap smash centerline adjustbox hl st sout
0: tcbox overline widehat widetilde bar hat tilde vec dot underbar textlf mathop mathbin mathrel mathord ensuremath
0: nolinkurl url path tablenum enquote ac acs acl acp gls glspl xrightarrow xleftarrow xleftrightarrow
0: overrightarrow overleftarrow overleftrightarrow
1: stackrel overset underset
1: textcolor colorbox scalebox rotatebox raisebox parbox href hyperref hyperlink foreignlanguage diagbox
2: fcolorbox resizebox
""")
SKIPPED["hyperref"] = 0
RULES = {
    *("hline", "Hline", "Xhline", "hhline", "firsthline", "lasthline", "thickhline", "hdashline", "cline", "cdashline"),
    *("toprule", "midrule", "bottomrule", "botrule", "cmidrule", "specialrule", "Toprule", "Midrule", "Bottomrule"),
    *("tophline", "middlehline", "bottomhline", "colrule"),
}
NO_RULES = ("cmidrule", "cline", "cdashline", "toprule", "tophline", "Toprule")  # they end no head
SPACES = {
    **dict.fromkeys((",", "!", "/", "-", "@", "(", ")", "[", "]", "thinspace"), ""),
    **dict.fromkeys((";", ":", " ", "\n", ">", "quad", "qquad", "enspace"), " "),
}
SIGNS = {
    "ddagger": "‡", "ddag": "‡", "dagger": "†", "dag": "†", "checkmark": "✓", "cmark": "✓", "xmark": "✗", "ding": "✓",
    "blacktriangle": "▲", "triangle": "△", "triangledown": "▽", "blacktriangledown": "▼", "bigtriangleup": "△",
    "%": "%", "$": "$", "#": "#", "&": "&", "_": "_", "{": "{", "}": "}", "pm": "±", "mp": "∓", "times": "×",
    "ast": "*",
    "star": "⋆", "bigstar": "★", "sim": "~", "approx": "≈", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "lt": "<",
    "gt": ">", "ll": "≪", "gg": "≫", "textless": "<", "textgreater": ">", "textasciitilde": "~", "textpm": "±",
    "textpercent": "%", "percent": "%", "uparrow": "↑", "downarrow": "↓", "Uparrow": "↑", "Downarrow": "↓",
    "rightarrow": "→", "to": "→", "leftarrow": "←", "textuparrow": "↑", "textdownarrow": "↓", "nearrow": "↗",
    "searrow": "↘", "Delta": "Δ", "ldots": "…", "dots": "…", "cdots": "…", "cdot": "·", "circ": "∘", "degree": "°",
    "infty": "∞", "textdagger": "†", "textdaggerdbl": "‡", "textasteriskcentered": "*", "textendash": "–",
    "textemdash": "—", "textminus": "−", "minus": "-", "slash": "/", "textbackslash": "\\", "backslash": "\\",
    "bullet": "•", "textbullet": "•", "diamond": "◇", "S": "§", "P": "¶", "euro": "€", "texteuro": "€", "pounds": "£",
    "textdollar": "$", "mid": "|", "vert": "|", "textbar": "|", "lvert": "|", "rvert": "|", "textunderscore": "_",
    "gets": "←", "ne": "≠", "neq": "≠",
    "negthinspace": "", "LaTeX": "LaTeX", "TeX": "TeX", "langle": "⟨", "rangle": "⟩", "log": "log", "max": "max",
}  # fmt: skip
ACCENTS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
           "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a"}  # fmt: skip
BOLD = {"textbf", "mathbf", "boldsymbol", "bm", "pmb", "bf", "bfseries"}
UNITS = {"percent": "%", "second": "s", "milli": "m", "giga": "G", "mega": "M", "kilo": "k", "byte": "B", "hour": "h"}


def accented(accent: str, letter: str) -> str:
    """The letter with an accent of TeX."""
    return unicodedata.normalize("NFC", letter[:1] + ACCENTS[accent]) + letter[1:] if letter else ""


@cache
def sign(name: str) -> str:
    """What a command without arguments prints; '' if it is not known."""
    if name in SIGNS:
        return SIGNS[name]
    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)  # it warns of commands that lack their arguments
    try:
        return str(LatexNodes2Text().latex_to_text(f"\\{name}")).strip()
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):  # it prints its arguments
        return ""
