"""TeX as far as tables need it: tokens, definitions and macros, expanded within bounds."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(r"\\[A-Za-z@]+|\\.?|[{}&$^_~#]|[^\\{}&$^_~#]+", re.S)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_HIDDEN = re.compile(r"\\begin\{((?:comment|verbatim|lstlisting|filecontents)\*?)\}|\\iffalse(?![A-Za-z])")
DEFINES = (
    *("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand", "newrobustcmd", "DeclareMathOperator"),
    *("def", "gdef", "edef", "xdef", "let", "NewDocumentCommand", "RenewDocumentCommand"),
)
EXPANDED = 200_000  # tokens that the macros of one table may make
EXPANDED_IN_ALL = 3_000_000  # and those of one file
LONGEST = 20_000  # tokens of one argument


class TooMuch(Exception):
    """A bound is reached; the message says which, in words."""


class Macro(NamedTuple):
    """A macro of the file: its number of arguments, the value of an optional first one, its body."""

    arguments: int
    optional: list[str] | None
    body: list[str]


class Budget:
    """How many tokens macros may still make: of one table, and of the whole file."""

    def __init__(self) -> None:
        self._all, self._here = EXPANDED_IN_ALL, EXPANDED

    def renew(self) -> None:
        """Begin another table."""
        self._here = EXPANDED

    def spend(self, tokens: int) -> None:
        """Count tokens.

        Raises:
            TooMuch: no more are left.
        """
        self._here -= tokens
        self._all -= tokens
        if self._here < 0 or self._all < 0:
            raise TooMuch("its macros expand without an end, or to too much")


def uncommented(text: str) -> str:
    """The text without comments, on the same lines."""
    return _COMMENT.sub(r"\1", text)


def bare(text: str) -> str:
    """The text without comments and what is not printed, on the same lines."""
    text = uncommented(text).partition("\\end{document}")[0]
    return without(text, _HIDDEN, lambda match: f"\\end{{{match[1]}}}" if match[1] else "\\fi")


def without(text: str, begin: re.Pattern[str], end_of: Callable[[re.Match[str]], str]) -> str:
    """The text with empty lines for what stands from one match of `begin` to its end; one without an end stays."""
    pieces, offset, missing = [], 0, set()
    for match in begin.finditer(text):
        end = end_of(match)
        stop = text.find(end, match.end()) if match.start() >= offset and end not in missing else -1
        if stop >= 0:
            pieces += [text[offset : match.start()], "\n" * text.count("\n", match.start(), stop)]
            offset = stop + len(end)
        elif match.start() >= offset:
            missing.add(end)
    return "".join([*pieces, text[offset:]])


class Stream:
    """The tokens of a text, with its macros expanded. `line`: of the last token that was read from the text."""

    def __init__(self, text: str, macros: dict[str, Macro], budget: Budget, start: int = 0, line: int = 1) -> None:
        self._tokens: Iterator[re.Match[str]] = _TOKEN.finditer(text, start)
        self._pushed: list[str] = []
        self.macros, self.budget, self.line = macros, budget, line

    def raw(self) -> str | None:
        """The next token as it is written; None at the end."""
        if self._pushed:
            return self._pushed.pop()
        match = next(self._tokens, None)
        if match is None:
            return None
        self.line += match[0].count("\n")
        return match[0]

    def push(self, tokens: Sequence[str]) -> None:
        """Read these tokens next."""
        self._pushed += reversed(tokens)

    def next(self) -> str | None:
        """The next token that is no macro of the file; definitions are taken in.

        Raises:
            TooMuch: macros expand to more than the budget.
        """
        while (token := self.raw()) is not None:
            if token[0] != "\\":
                return token
            name = token[1:]
            if name in self.macros:
                self._expand(self.macros[name])
            elif name in DEFINES:
                self.define(name)
            else:
                return token
        return None

    def _expand(self, macro: Macro) -> None:
        arguments: list[list[str]] = []
        if macro.optional is not None:
            optional = self.optional()
            arguments.append(macro.optional if optional is None else optional)
        while len(arguments) < macro.arguments:
            arguments.append(self.argument())
        expanded: list[str] = []
        place = 0
        while place < len(macro.body):
            token = macro.body[place]
            if token == "#" and place + 1 < len(macro.body) and macro.body[place + 1][:1].isdigit():
                number, rest = int(macro.body[place + 1][0]), macro.body[place + 1][1:]
                expanded += arguments[number - 1] if 0 < number <= len(arguments) else []
                expanded += [rest] if rest else []
                place += 1
            else:
                expanded.append(token)
            place += 1
        self.budget.spend(len(expanded) + 1)
        self.push(expanded)

    def argument(self) -> list[str]:
        """The next argument: a group without its braces, or one character or command."""
        token = self.raw()
        while token is not None and not token.strip():
            token = self.raw()
        if token is None:
            return []
        if token != "{":
            stripped = token.lstrip()
            if token[0] != "\\" and len(stripped) > 1:
                self.push([stripped[1:]])
                return [stripped[0]]
            if token == "}":  # an argument is missing
                self.push([token])
                return []
            return [token]
        return self._until("}")

    def _until(self, end: str) -> list[str]:
        tokens: list[str] = []
        depth = 0
        while (token := self.raw()) is not None:
            if token == "}" and depth == 0 and end == "}":
                return tokens
            if depth == 0 and end == "]" and "]" in token and token[0] != "\\":
                inside, _, after = token.partition("]")
                self.push([after] if after else [])
                return [*tokens, inside] if inside else tokens
            depth += (token == "{") - (token == "}")
            tokens.append(token)
            self.budget.spend(1)
            if len(tokens) > LONGEST:
                raise TooMuch(f"an argument of more than {LONGEST:,} tokens, or a brace that is not closed")
        return tokens

    def optional(self, opening: str = "[") -> list[str] | None:
        """The next argument in brackets, or None if there is none."""
        token = self.raw()
        spaces = []
        while token is not None and not token.strip():
            spaces.append(token)
            token = self.raw()
        if token is None or not token.lstrip().startswith(opening):
            self.push([*spaces, token] if token is not None else spaces)
            return None
        rest = token.lstrip()[1:]
        self.push([rest] if rest else [])
        if opening == "(":  # as of \cmidrule(lr){2-3}
            inside, _, after = (self.raw() or "").partition(")")
            self.push([after] if after else [])
            return [inside]
        return self._until("]")

    def skip_to(self, *ends: str) -> None:
        """Skip what stands before one of some tokens, and this token."""
        while (token := self.raw()) is not None and token not in ends:
            self.budget.spend(1)

    def star(self) -> None:
        """Skip a star after a command."""
        token = self.raw()
        if token is not None:
            self.push([token[1:]] if token.startswith("*") and len(token) > 1 else [] if token == "*" else [token])

    def define(self, command: str) -> None:
        """Take in the definition that follows one of `DEFINES`; one in a form that is not known is passed over."""
        self.star()
        name = "".join(self.argument()).strip()
        if not name.startswith("\\"):
            return
        name = name[1:]
        if command == "let":
            target = "".join(self.argument()).strip()
            if target == "=":
                target = "".join(self.argument()).strip()
            body = self.macros[target[1:]] if target[1:] in self.macros else Macro(0, None, [target])
            if target and target != f"\\{name}":
                self.macros[name] = body
            return
        optional: list[str] | None = None
        if command.endswith("def"):
            pattern: list[str] = []
            while (token := self.raw()) not in (None, "{") and len(pattern) < 40:
                pattern.append(str(token))
            if token != "{":
                return
            arguments = len(re.findall("#[0-9]", "".join(pattern)))
            body_tokens = self._until("}")
            if re.sub(r"#[0-9]", "", "".join(pattern)).strip():
                return  # its arguments end at other texts
        elif command.endswith("DocumentCommand"):
            argument_types = re.findall(r"[mso]|O\{[^}]*\}", "".join(self.argument()))
            arguments = len(argument_types)
            optional = [] if argument_types[:1] and argument_types[0][0] in "oO" else None
            body_tokens = self.argument()
            if any(kind[0] in "soO" for kind in argument_types[1:]) or argument_types[:1] == ["s"]:
                return
        else:
            count = "".join(self.optional() or ()).strip() if command != "DeclareMathOperator" else ""
            arguments = int(count) if re.fullmatch("[0-9]", count) else 0
            optional = self.optional() if arguments else None
            body_tokens = self.argument()
        self.macros[name] = Macro(arguments, optional, body_tokens)
