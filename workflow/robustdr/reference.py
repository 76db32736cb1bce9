"""The reference pages of the documentation: keys and commands, made from the models, plug-ins and options.

A page has marks. `<!-- keys of Scale -->` begins a table of the keys of a model. `<!-- every loss -->` begins a section
for each loss. `<!-- end -->` ends what is made.
"""

import argparse
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import partial
from inspect import getdoc
from pathlib import Path
from typing import Any, get_args

import Stemmer
from typing_extensions import is_typeddict

from robustdr import variations
from robustdr.audit import released, transcript
from robustdr.claims import claim
from robustdr.claims.tests import AnyTest
from robustdr.collections import settings as sources
from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.core.languages import NAMES, UNSPACED
from robustdr.core.plugins import Plugins, module_named
from robustdr.experiments import models
from robustdr.experiments.kinds import KINDS, Recipe
from robustdr.experiments.schemas import Schema, schema_of
from robustdr.experiments.sources import Source
from robustdr.losses import LOSSES
from robustdr.rankers import RANKERS
from robustdr.reporting import people
from robustdr.reporting.figures import FIGURES
from robustdr.reporting.layouts import LAYOUTS
from robustdr.reporting.spec import FigureSpec, Significance, TableSpec
from robustdr.variations.phonetic import PhoneticSlip
from robustdr.variations.surface import NoStopwords, SwapWords
from robustdr.variations.synonyms import SwapSynonymOmw, SwapSynonymWordnet
from robustdr.variations.typos import SwapAdjacentKey

SOURCES = [kind for name, kind in vars(sources).items() if is_typeddict(kind) and not name.startswith("_")]
PRINTED = (
    *(transcript.Transcript, transcript.PrintedTable, transcript.Column, transcript.Relation),
    *(released.Released, released.QuerySets),
)
RUNS = (transcript.RunFiles, transcript.MarkTest)
CLAIMS = (claim.Claims, claim.Claim, claim.Control)
SHARED = (Source, Recipe, TableSpec, FigureSpec, Significance)
TABLES: dict[str, type] = {kind.__name__: kind for kind in (*SOURCES, *PRINTED, *RUNS, *CLAIMS, *SHARED)}
TABLES |= {name: kind for name, kind in vars(models).items() if name in models.__all__ and isinstance(kind, type)}
MARKED = re.compile(r"(<!-- (keys of|every) (\w+) -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)
PAGES = Path("docs/reference")


def pages(folder: Path, parser: argparse.ArgumentParser) -> dict[Path, str]:
    """Return the pages of a folder that have marks, with everything between these made again.

    Args:
        parser: the options of `robustdr`.

    Raises:
        UserError: the folder has no marks, or a mark names nothing.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    if not any(map(MARKED.search, texts.values())):
        raise UserError(f"{folder}: no page has a line like '<!-- keys of Scale -->'; allowed: docs/reference")
    return {path: filled(text, str(path), parser) for path, text in texts.items() if MARKED.search(text)}


def write(folder: Path, parser: argparse.ArgumentParser) -> list[Path]:
    """Write the pages of a folder that have marks; return them.

    Raises:
        UserError: see `pages`.
    """
    new_pages = pages(folder, parser)
    for path, text in new_pages.items():
        write_text(path, text)
    return [*new_pages]


def filled(text: str, place: str, parser: argparse.ArgumentParser) -> str:
    """Return a page with everything between its marks made again.

    Args:
        place: the start of messages. parser: the options of `robustdr`.

    Raises:
        UserError: a mark names nothing.
    """
    makers_by_mark: dict[str, dict[str, Callable[[], str]]] = {
        "keys of": {name: partial(table_of, kind) for name, kind in TABLES.items()},
        "every": {
            "command": partial(_commands, parser),
            "variation": _variations,
            "language": _languages,
            "slip": people.slips_of_people,
            "rewording": people.rewordings_of_people,
            "test": _tests,
            "loss": partial(_plugins, LOSSES),
            "ranker": _rankers,
            "kind": partial(_plugins, KINDS),
            "layout": partial(_plugins, LAYOUTS),
            "figure": partial(_plugins, FIGURES),
        },
    }

    def fill_mark(mark: re.Match[str]) -> str:
        makers = makers_by_mark[mark[2]]
        if mark[3] not in makers:
            raise UserError(f"{place}: {mark[2]} {mark[3]}: unknown; allowed: {', '.join(sorted(makers))}")
        return f"{mark[1]}\n{makers[mark[3]]()}\n{mark[4]}"

    return MARKED.sub(fill_mark, text)


def table_of(kind: Any, without: tuple[str, ...] = ()) -> str:
    """Return the keys of a model as a Markdown table: the allowed values, the default and the meaning of each key.

    Args:
        without: keys to leave out.
    """
    schema = schema_of(kind)
    definitions = schema.get("$defs", {})
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    rows = []
    for name, property_schema in schema["properties"].items():
        if name in without:
            continue
        needed = name in schema.get("required", ())
        default = property_schema.get("default")
        default_text = "" if default in (None, "", {}, []) else f"; default `{json.dumps(default).strip(chr(34))}`"
        allowed = (
            _value(property_schema, definitions)
            if needed
            else _value(property_schema, definitions).removesuffix(" or null")
        )
        if not needed:
            allowed += default_text or "; optional"
        rows.append((f"`{name}`", allowed, property_schema.get("description", "")))
    return _table(("key", "value", "meaning"), rows) if rows else "It has no keys of its own.\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *(tuple(map(_cell, row)) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    """Return a text on one line, without what Markdown takes for a tag or for the border of a cell."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()).replace("|", "\\|"))
    return "".join(part if part.startswith("`") else part.replace("<", "&lt;") for part in parts)


def _value(schema: Schema, definitions: Schema) -> str:
    """Return the allowed values in words."""
    if "$ref" in schema:
        return _value(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "const" in schema or "enum" in schema:
        return ", ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema or "oneOf" in schema:
        options = [_value(option, definitions) for option in schema.get("anyOf") or schema["oneOf"]]
        return " or ".join(dict.fromkeys(options))
    kind = schema.get("type")
    limits = {"minimum": "≥ ", "exclusiveMinimum": "> ", "maximum": "≤ ", "exclusiveMaximum": "< "}
    bounds = " ".join(f"{sign}{schema[limit]:g}" for limit, sign in limits.items() if limit in schema)
    if kind == "array":
        return f"list of {_value(schema.get('items', {}), definitions)}"
    names = {
        "integer": "whole number",
        "number": "number",
        "string": "text",
        "boolean": "true or false",
        "null": "null",
    }
    return f"{names.get(str(kind), 'mapping')}{f' {bounds}' if bounds else ''}"


def _section(name: str, described: object, body: str) -> str:
    summary, _, _ = (getdoc(described) or "").partition("\n\n")
    return f"### {name}\n\n{_cell(summary)}\n\n{body}"


def _plugins(plugins: Plugins[Any]) -> str:
    """Return a section for each plug-in, without the keys that all of them have."""
    common = tuple(getattr(plugins.base, "__dataclass_fields__", ()))
    return "\n".join(
        _section(f"`{name}`", plugins.load(name), table_of(plugins.facts(name), common)) for name in plugins.names()
    )


def _rankers() -> str:
    """Return a table of what each ranker is and starts from, and a section for each."""
    rows = []
    for name in RANKERS.names():
        summary, _, _ = (module_named(RANKERS.module(name)).__doc__ or "").partition("\n")
        rows.append((f"`{name}`", " or ".join(f"`{form}`" for form in RANKERS.facts(name).initial), summary))
    return f"{_table(('ranker', 'form of `initial`', 'what it is'), rows)}\n{_plugins(RANKERS)}"


def _tests() -> str:
    """Return a section for each test of a claim."""
    sections = []
    for kind in get_args(get_args(AnyTest)[0]):
        names = get_args(kind.model_fields["name"].annotation)
        title = ", ".join(f"`{name}`" for name in names)
        sections.append(_section(title, kind, table_of(kind, ("name", "system", "query_sets"))))
    return "\n".join(sections)


def _variations() -> str:
    rows = []
    for kind in map(variations.kind, variations.names()):
        summary, _, _ = (getdoc(kind) or "").partition("\n\n")
        field_texts = [f"{field.name}: {field.default}".removesuffix(": ") for field in fields(kind) if field.init]
        parameters = f" Parameters: {', '.join(f'`{text}`' for text in field_texts)}." if field_texts else ""
        category = f"{kind.category} ({', '.join(kind.papers)})" if kind.papers else kind.category
        rows.append((f"`{kind.name}`", category, f"{summary}{parameters} Needs {kind.needs}."))
    return _table(("variation", "category and papers", "rule"), rows)


def _languages() -> str:
    """Return a table of what is varied in queries of each language, and how BM25 reads them."""
    rules = {
        "keyboard": SwapAdjacentKey.speaks,
        "stop words": NoStopwords.speaks,
        "order, blanks": SwapWords.speaks,
        "sound": PhoneticSlip.speaks,
        "synonyms": lambda code: SwapSynonymWordnet.speaks(code) or (SwapSynonymOmw.speaks(code) and "`--wordnet`"),
    }
    marks: dict[str | bool, str | bool] = {True: "yes", False: "–"}
    rows = []
    for code, name in NAMES.items():
        cells = [marks.get(answer, answer) for answer in (speaks(code) for speaks in rules.values())]
        stemmer = "Snowball's stemmer" if name.lower() in Stemmer.algorithms() else "no stemmer"
        rows.append((f"{name} (`{code}`)", *map(str, cells), "n-grams" if code in {*UNSPACED, "ko"} else stemmer))
    return _table(("language", *rules, "BM25"), rows)


def _commands(parser: argparse.ArgumentParser) -> str:
    """Return a section for each command, and for each command below one."""
    sections = []
    for command in _leaf_commands(parser):
        rows = [(_argument(action), action.help or "") for action in command._actions if action.dest != "help"]
        table = _table(("argument", "meaning"), rows) if rows else "It takes no arguments.\n"
        sections.append(f"### `{command.prog}`\n\n{_cell(command.description or '')}\n\n{table}")
    return "\n".join(sections)


def _leaf_commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the commands that take arguments."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for command in groups[0].choices.values() if groups else ():
        yield from _leaf_commands(command)
    if not groups:
        yield parser


def _argument(action: argparse.Action) -> str:
    """Return how an argument is written, and whether it must be given."""
    choices = ", ".join(f"`{choice}`" for choice in action.choices or ())
    if not action.option_strings:
        argument_text, needed = f"`{action.metavar or action.dest}`", action.nargs not in ("*", "?")
    else:
        value = "" if action.nargs == 0 or choices else f" {action.metavar or action.dest.upper()}"
        argument_text, needed = ", ".join(f"`{option}{value}`" for option in action.option_strings), action.required
    argument_text = argument_text.replace("|", " or ")  # in code, no sign for it suits every reader of Markdown
    return f"{argument_text}{': ' + choices if choices else ''}{'; required' if needed else ''}"
