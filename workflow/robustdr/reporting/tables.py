"""A paper's table four times: Markdown and LaTeX to read, CSV and JSON with one row per cell."""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustdr.audit.reported import Reported, load
from robustdr.evaluation.store import MEAN, Source, Store
from robustdr.files import write_text
from robustdr.reporting.cells import ORIGINAL, Cell, make_cell

BAR = r"\|"  # a bar inside a field of a Markdown table
SIGNS = {"same": "=", "larger": "▲", "smaller": "▼", "opposite": "≠", "": ""}
LEGEND = (
    "Each cell: the measure ×100, then its drop against the original queries. Beside a reproduced drop: = same "
    "direction and within 5 points of the reported one, ▲ larger loss than reported, ▼ smaller loss, ≠ the other "
    "direction."
)


@dataclass(frozen=True)
class Grid:
    """A table as the paper lays it out: cells by (row, column), all keys in printed order."""

    corner: str
    rows: list[str]
    columns: list[tuple[str, str]]  # heading, measure
    cells: dict[tuple[str, tuple[str, str]], Cell]
    counts: dict[str, dict[str, tuple[str, str]]]  # row -> reported, reproduced -> (unchanged, changed)


def build(settings: dict[str, Any], store: Store, reported: Reported, statistics: list[Path]) -> Grid:
    """Lay out one table.

    Args:
        settings: `paper`, `table`, `spec` (the table's entry of experiment.yaml), `labels` by system, and `evaluation`:
            by role the collection, split, variations and measures.
        store: measured values. reported: printed values. statistics: of the varied query sets, for their counts.
    """
    spec, paper, table = settings["spec"], settings["paper"], settings["table"]
    labels, evaluation = settings["labels"], settings["evaluation"]
    made = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in statistics}

    def cell(system: str, role: str, query_set: str, measure: str) -> Cell:
        where = evaluation[role]
        place = {
            "system": system,
            "label": labels[system],
            "collection": where["collection"],
            "role": role,
            "split": where["split"],
            "query_set": query_set,
            "measure": measure,
            "measured": settings["measured"][measure],
        }
        return make_cell(spec, paper, table, place, store, reported)

    cells: dict[tuple[str, tuple[str, str]], Cell] = {}
    counts: dict[str, dict[str, tuple[str, str]]] = {}
    if spec["rows"] == "systems":
        rows = [labels[system] for system in spec["systems"]]
        columns = []
        for role in spec["collections"]:
            for query_set in (ORIGINAL, MEAN):
                for measure in evaluation[role]["measures"]:
                    column = (f"{role} {query_set}", measure)
                    columns.append(column)
                    for system in spec["systems"]:
                        cells[labels[system], column] = cell(system, role, query_set, measure)
        return Grid("System", rows, columns, cells, counts)

    (role,) = spec["collections"]
    rows = [ORIGINAL, MEAN, *evaluation[role]["variations"]]
    columns = [(labels[system], measure) for system in spec["systems"] for measure in evaluation[role]["measures"]]
    systems = {labels[system]: system for system in spec["systems"]}
    for query_set in rows:
        for column in columns:
            cells[query_set, column] = cell(systems[column[0]], role, query_set, column[1])
        unchanged, changed = (
            printed.printed if (printed := reported.find(table, query_set=query_set, quantity=quantity)) else "–"
            for quantity in ("unchanged", "changed")
        )
        counts[query_set] = {"reported": (unchanged, changed), "reproduced": ("–", "–")}
        if query_set in made:
            counts[query_set]["reproduced"] = (f"{made[query_set]['unchanged']:,}", f"{made[query_set]['changed']:,}")
    return Grid("Query set", rows, columns, cells, counts)


def reported_text(cell: Cell) -> str:
    """The cell as the paper prints it."""
    if not cell.reported:
        return "–"
    return cell.reported + cell.reported_mark + (f" / {cell.reported_drop}" if cell.reported_drop else "")


def reproduced_text(cell: Cell) -> str:
    """The cell as reproduced; a cell that was not run says so."""
    if cell.reproduced is None or cell.uncertainty is None:
        return "not run"
    text = f"{100 * cell.reproduced:.1f}{cell.mark} ±{100 * cell.uncertainty:.1f}"
    if cell.drop is not None:
        text += f" / {100 * cell.drop:+.1f}% {SIGNS[cell.drop_agreement]}".rstrip()
    return text


def _lines(grid: Grid) -> tuple[list[str], list[list[str]]]:
    """The heading and the lines of a table: two a row, reported and reproduced."""
    head = [grid.corner, ""]
    if grid.counts:
        head += ["unchanged", "changed"]
    head += [f"{heading} {measure}" for heading, measure in grid.columns]
    lines = []
    for row in grid.rows:
        for source, text in (("reported", reported_text), ("reproduced", reproduced_text)):
            line = [row if source == "reported" else "", source]
            if grid.counts:
                line += grid.counts[row][source]
            lines.append(line + [text(grid.cells[row, column]) for column in grid.columns])
    return head, lines


def footnotes(settings: dict[str, Any], grid: Grid) -> list[str]:
    """What a reader must know to read the table right."""
    cells = list(grid.cells.values())
    several = max((cell.seeds for cell in cells), default=0) > 1
    notes = [LEGEND]
    notes.append(
        "± is the standard deviation over seeds."
        if several
        else "± is half the 95 % confidence interval over queries (one seed)."
    )
    test = settings["spec"].get("significance")
    if test:
        pairs = ", ".join(
            f"{settings['labels'][a]} against {settings['labels'][b]}" for a, b in test["against"].items()
        )
        notes.append(
            f"{test['mark']}: paired two-tailed t-test at p < {test['level']}, uncorrected as in the paper: {pairs}."
        )
    notes += [f"{a} is measured as {b} here." for a, b in settings["measured"].items() if a != b]
    notes += [f"Not run: {reason}" for reason in dict.fromkeys(cell.not_run for cell in cells) if reason]
    notes += settings["stand_ins"] + settings["notes"]
    notes.append(f"Made by `{settings['command']}`; keys in the JSON beside this file.")
    return notes


def _row(fields: list[str]) -> str:
    """A line of a Markdown table; a label may hold the bar that separates fields, as in L_p|q."""
    return f"| {' | '.join(field.replace('|', BAR) for field in fields)} |"


def markdown(settings: dict[str, Any], grid: Grid) -> str:
    head, lines = _lines(grid)
    number = settings["table"].removeprefix("table")
    text = [f"# {settings['title']}, Table {number}: {settings['spec']['title']}", ""]
    if settings["miniature"]:
        text += [f"> **Miniature.** {settings['miniature']}", ""]
    text += [_row(head), f"|{'|'.join([' --- '] * 2 + [' ---: '] * (len(head) - 2))}|", *map(_row, lines)]
    text += ["", *(f"- {' '.join(note.split())}" for note in footnotes(settings, grid)), ""]
    return "\n".join(text)


TEX = str.maketrans(
    {"%": r"\%", "_": r"\_", "&": r"\&", "#": r"\#", "±": r"$\pm$", "–": "--", "†": r"$^\dagger$", "↓": r"$\downarrow$"}
    | {"▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "≠": r"$\neq$", "→": r"$\rightarrow$", "×": r"$\times$"}
    | {"|": "$|$"}
)


def latex(settings: dict[str, Any], grid: Grid) -> str:
    head, lines = _lines(grid)
    rows = [" & ".join(field.translate(TEX) for field in line) for line in lines]
    caption = settings["spec"]["title"] + (f". Miniature: {settings['miniature']}" if settings["miniature"] else "")
    body = " \\\\\n".join(rows)
    columns = "ll" + "r" * (len(head) - 2)
    heading = " & ".join(field.translate(TEX) for field in head)
    return (
        "% needs booktabs and amssymb\n\\begin{table}\n\\caption{" + caption.translate(TEX) + "}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heading} \\\\\n\\midrule\n{body} \\\\\n\\bottomrule\n"
        "\\end{tabular}\n\\end{table}\n"
    )


def records(settings: dict[str, Any], grid: Grid) -> list[dict[str, Any]]:
    """One row per cell: reported, reproduced, uncertainty, agreement, command and environment."""
    shared = {"scale": settings["scale"], "command": settings["command"], "environment": settings["environment"]}
    keys = settings["keys"]
    rows = []
    for cell in grid.cells.values():
        made = [key for path, key in keys.items() if f"/{cell.collection}/{cell.system}/" in path]
        rows.append({**cell.as_row(), "keys": " ".join(made), **shared})
    return rows


def write_table(
    settings: dict[str, Any], measures: list[Path], statistics: list[Path], reported: Path, output: Path
) -> None:
    """Write a table as .md, .csv, .json and .tex beside each other.

    Args:
        settings: see `build`; further `title`, `miniature`, `scale`, `command`, `environment`, `notes`, `stand_ins`,
            `reasons` (why a system is not there) and `keys` (by measures file, in the order of `measures`).
        measures: measures files. statistics: of the varied query sets. reported: reported.yaml. output: the .md file.
    """
    sources = [Source(path, settings["keys"][str(path)]) for path in measures]
    grid = build(settings, Store(sources, dict(settings["reasons"])), load(reported), statistics)
    rows = records(settings, grid)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, rows[0].keys(), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "environment": json.dumps(row["environment"])} for row in rows)
    write_text(output.with_suffix(".csv"), buffer.getvalue())
    about = {"table": f"{settings['paper']}_{settings['table']}", "footnotes": footnotes(settings, grid), "cells": rows}
    write_text(output.with_suffix(".json"), json.dumps(about, indent=1, ensure_ascii=False) + "\n")
    write_text(output.with_suffix(".tex"), latex(settings, grid))
    write_text(output, markdown(settings, grid))
