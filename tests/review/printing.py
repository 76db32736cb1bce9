"""The tables of a reported.yaml printed as HTML, LaTeX and Markdown, as a paper would."""

from dataclasses import dataclass
from html import escape
from itertools import groupby

import yaml

LATEX = {"%": r"\%", "#": r"\#", "_": r"\_", "&": r"\&", "†": r"$^{\dagger}$", "↓": r"$\downarrow$", "±": r"$\pm$"}
ORDER = ("collection", "split", "category", "query_set", "system", "seed", "measure", "quantity", "value")


@dataclass
class Printed:
    """Head rows, label columns and fields of one table."""

    number: int
    caption: str
    heads: list[list[str]]
    rows: list[tuple[list[str], list[str]]]


def printed(path):
    """The tables of a reported.yaml that papers lay out as tables."""
    made = []
    for id, table in yaml.safe_load(path.read_text(encoding="utf-8"))["tables"].items():
        rows = table["row"] if isinstance(table["row"], list) else [table["row"]]
        lines = [[field.strip() for field in line.split("|")] for line in table["cells"].splitlines() if line.strip()]
        names = [name for name in ORDER if any(name in column for column in table["columns"])]
        heads = [["" for _ in rows] + [str(column.get(name, "")) for column in table["columns"]] for name in names]
        if id.startswith("table") and heads:
            body = [(line[: len(rows)], line[len(rows) :]) for line in lines]
            made.append(Printed(int(id.removeprefix("table")), table["caption"], heads, body))
    return made


def as_html(tables):
    parts = []
    for table in tables:
        head = "".join(
            "<tr>"
            + "".join(f"<th colspan={len(list(run))}>{escape(text)}</th>" for text, run in groupby(row))
            + "</tr>"
            for row in table.heads
        )
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in [*labels, *fields]) + "</tr>"
            for labels, fields in table.rows
        )
        caption = f"<caption>Table {table.number}: {escape(table.caption)}</caption>"
        parts.append(f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>")
    return "<html><body>" + "\n<p>Some text.</p>\n".join(parts) + "</body></html>"


def as_markdown(tables):
    parts = []
    for table in tables:
        first, *further = table.heads
        lines = [first, ["---"] * len(first), *further, *([*labels, *fields] for labels, fields in table.rows)]
        rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"Table {table.number}: {table.caption}\n\n{rows}\n\nSome text.\n")
    return "\n".join(parts)


def as_latex(tables):
    parts = [r"\documentclass{article}\begin{document}"]
    for table in tables:
        width = len(table.heads[0])
        heads = "\n".join(
            " & ".join(
                _tex(text) if (number := len(list(run))) == 1 else rf"\multicolumn{{{number}}}{{c}}{{{_tex(text)}}}"
                for text, run in groupby(row)
            )
            + r" \\ \cmidrule(lr){2-3}"
            for row in table.heads
        )
        body = "\n".join(" & ".join(map(_tex, [*labels, *fields])) + r" \\[1pt]" for labels, fields in table.rows)
        parts.append(
            rf"\begin{{table*}}[t]\centering\caption{{{_tex(table.caption)}}}\begin{{tabular}}{{{'l' * width}}}\toprule"
            f"\n{heads}\n\\midrule\n{body}\n\\bottomrule\\end{{tabular}}\\end{{table*}}\nSome text.\n"
        )
    return "\n".join([*parts, r"\end{document}"])


def _tex(text):
    return "".join(LATEX.get(character, character) for character in text)
