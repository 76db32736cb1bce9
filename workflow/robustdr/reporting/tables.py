"""Writes a paper's table as Markdown, LaTeX, CSV and JSON; CSV and JSON have one row per cell."""

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from robustdr.audit.reported import Reported, load
from robustdr.claims.intervals import bounds
from robustdr.core.files import from_json, write_text
from robustdr.core.markup import plain, prose, table_row, tex
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.evaluation.store import open_store
from robustdr.keys.integrity import hardware, recorded
from robustdr.reporting.artifacts import TableLayout
from robustdr.reporting.cells import Cell
from robustdr.reporting.grid import AGREEMENTS, Grid, Maker
from robustdr.reporting.layouts import LAYOUTS
from robustdr.reporting.marks import OURS, MarkTest
from robustdr.reporting.naming import replace_names
from robustdr.reporting.released_numbers import ReleasedNumber, beside_printed, section
from robustdr.reporting.settings import TableSettings
from robustdr.reporting.sources import set_sources, source_marks, source_notes

AGREEMENT = (  # legend of the words
    ". Beside a reproduced drop: as printed, it agrees with the reported one within the error of both (95 %); drops "
    "more, a larger loss or a smaller gain than reported; drops less, a smaller loss or a larger gain; opposite, the "
    "other direction"
)
DIGITS = 16  # of the SHA-256 of a file of measures


def reported_text(cell: Cell) -> str:
    """The cell as the paper prints it."""
    return " / ".join(filter(None, (cell.reported + cell.reported_mark, cell.reported_drop))) or "–"


def reproduced_text(cell: Cell, unit: str) -> str:
    """The cell as reproduced, in a `unit` of `TableSpec.unit_of_cells`; `not run` if it has no number."""
    if cell.reproduced is None:
        return "not run"
    if unit == "count" and cell.value.endswith("similarity"):
        return f"{100 * cell.reproduced:.2f}%"
    if unit == "count":
        return f"{cell.reproduced:,.2f}".removesuffix(".00")
    if unit == "number":
        return f"{cell.reproduced:.3f}{cell.mark} ±{cell.uncertainty:.3f}"
    if cell.value == "difference":
        return f"{100 * cell.reproduced:+.1f} {bounds(cell.difference_low, cell.difference_high)}"
    if cell.value.endswith("drop"):
        change = f"{100 * cell.reproduced:+.1f}% {bounds(cell.drop_low, cell.drop_high)}"
        return f"{change} {AGREEMENTS.get(cell.drop_agreement, '')}".rstrip()
    text = f"{100 * cell.reproduced:.{2 if cell.value in ('deviation', 'ci') else 1}f}{cell.mark}"
    if cell.uncertainty is not None:
        text += f" ±{100 * cell.uncertainty:.1f}"
    if cell.drop is not None:
        text += f" / {100 * cell.drop:+.1f}% {AGREEMENTS.get(cell.drop_agreement, '')}".rstrip()
    return text


def laid_out(settings: TableSettings, grid: Grid) -> TableLayout:
    """The layout of the table; its `fields`, by row and column, are (reported, reproduced, number of the cell)."""
    unit = settings.spec.unit_of_cells
    numbers, marked = {place: number for number, place in enumerate(grid.cells)}, source_marks(grid)

    def field(row: str, column: str) -> tuple[str, str, int | None]:
        if column in grid.facts:
            return *grid.facts[column][row], None
        if (cell := grid.cells.get((row, column))) is None:
            return "–", "–", None
        reproduced = f"{reproduced_text(cell, unit)} {marked.cells[row, column]}".rstrip()
        return reported_text(cell), reproduced, numbers[row, column]

    fields = [[field(row, column) for column in grid.columns] for row in grid.rows]
    words = {name: replace_names(name, settings.display_names) for name in (*grid.rows, *grid.columns)}
    return {
        "corner": grid.corner,
        "rows": [words[row] for row in grid.rows],
        "columns": [words[column] for column in grid.columns],
        "marks": {words[name]: marked.headings.get(name, "") for name in words},
        "fields": fields,
        "printed_at": {
            words[row]: {words[column]: cell_name for column, cell_name in names_by_column.items()}
            for row, names_by_column in grid.printed_at.items()
        },
        "unit": unit,
    }


Differences = Mapping[tuple[str, str], Sequence[ReleasedNumber]]


def _lines(settings: TableSettings, grid: Grid, differences: Differences) -> tuple[list[str], list[list[str]]]:
    """The heading and the lines of a table: two lines per row, reported and reproduced; one if none is reported.

    A third one has the difference of what authors released (`differences`) from what they print.
    """
    laid = laid_out(settings, grid)
    names, columns = ([name + laid["marks"][name] for name in headings] for headings in (laid["rows"], laid["columns"]))
    rows = zip(names, laid["fields"], strict=True)
    if not settings.compared:
        return [grid.corner, *columns], [[row, *(reproduced for _, reproduced, _ in fields)] for row, fields in rows]
    lines = []
    for key, (row, fields) in zip(grid.rows, rows, strict=True):
        lines += [
            [row, "reported", *(reported for reported, *_ in fields)],
            ["", "theirs" if settings.theirs else "reproduced", *(reproduced for _, reproduced, _ in fields)],
        ]
        if settings.theirs:
            pairs = [differences.get((key, column), ()) for column in grid.columns]
            lines.append(
                ["", "difference", *(" / ".join(pair.difference for pair in cell_pairs) or "–" for cell_pairs in pairs)]
            )
    return [grid.corner, "", *columns], lines


def _legend(settings: TableSettings, cells: list[Cell]) -> str:
    """The footnote that says what a cell contains."""
    if settings.spec.about_data:
        return "Each cell: a number, or a mean over queries."
    if drops := [cell.value.endswith("drop") for cell in cells if cell.value]:
        quantity = "a drop" if all(drops) else "the measure ×100, or its drop"
        if any(drops):
            return f"Each cell: {quantity} against the original queries, in brackets its 95 % interval{AGREEMENT}."
    if any(cell.value == "difference" for cell in cells):
        runs = sorted({cell.seeds for cell in cells if cell.seeds})
        seed_note = " (one training run)" if runs == [1] else ", and over seeds where there are several"
        return f"Each cell: a difference of the measure ×100, in brackets its 95 % interval over queries{seed_note}."
    if settings.spec.unit_of_cells == "number":
        return "Each cell: the measure."
    legend = "Each cell: the measure ×100"
    if any(cell.drop is not None for cell in cells):
        references = {settings.labels[cell.drop_from] for cell in cells if cell.drop_from not in ("", cell.system)}
        whose = f" of {', '.join(sorted(references))}" if references else ""
        legend += f", then its drop against the original queries{whose}"
    return legend + (f"{AGREEMENT}." if any(cell.drop_agreement for cell in cells) else ".")


def _means(settings: TableSettings, cells: list[Cell]) -> list[str]:
    """Footnotes: which variations the means average, and which `variations_mean` must leave out."""
    query_sets = {cell.query_set for cell in cells}
    notes = []
    for role_evaluation in (settings.evaluation[role] for role in dict.fromkeys(cell.role for cell in cells)):
        averaged = role_evaluation["means"]
        notes += [f"{mean}: mean of {', '.join(averaged[mean])}." for mean in averaged if mean in query_sets - {MEAN}]
        left_out = [kind for kind in role_evaluation["variations"] if kind not in averaged[MEAN]]
        notes += [f"The means leave out {kind}: {settings.reasons[kind]}." for kind in left_out]
    return list(dict.fromkeys(notes))


def _uncertainty(settings: TableSettings, cells: list[Cell]) -> list[str]:
    """Footnotes: the meaning of ±, by system if it differs."""
    systems: dict[str, list[str]] = {}
    for cell in (cell for cell in cells if cell.seeds):
        spread = f"the standard deviation over {cell.seeds} seeds"
        spread = spread if cell.seeds > 1 else "half the 95 % confidence interval over queries (one training run)"
        systems.setdefault(spread, []).append(settings.labels[cell.system])
    notes = [f"± is {spread}: {', '.join(dict.fromkeys(labels))}." for spread, labels in systems.items()]
    return notes if len(notes) > 1 else [f"± is {spread}." for spread in systems]


def _significance(settings: TableSettings, cells: list[Cell]) -> list[str]:
    """Footnotes: the meaning of marks; for tests against the original queries, also the number of marks."""
    test, labels = settings.spec.test, settings.labels
    if not test:
        return []
    tested = [cell for cell in cells if cell.p is not None]
    flags = {
        "means": any(cell.query_set in settings.evaluation[cell.role]["means"] for cell in tested),
        "trained": any({cell.system, cell.against} & {*settings.trained} for cell in tested),
        "runs_known": any(cell.p_runs is not None for cell in tested),
    }
    if test.against != ORIGINAL:
        pairs = ", ".join(f"{labels[a]} against {labels[b]}" for a, b in test.pairs.items())
        return MarkTest(test).footnotes(pairs, "those in a column that were run", **flags)
    compared = "worse or better than the same system on the original queries; means are not tested"
    notes = MarkTest(test).footnotes(compared, "all variations of the collection", **flags)
    for role in dict.fromkeys(cell.role for cell in cells):
        of_role = [cell for cell in tested if cell.role == role]
        marks = Counter(cell.mark.removesuffix(OURS) for cell in of_role)
        number = ", ".join(f"{marks[mark]} {mark}" for mark in (test.mark, test.gain or ""))
        notes.append(
            f"{role}: {number} of {len(of_role)} comparisons, {len(settings.evaluation[role]['means'][MEAN])} a system."
        )
    return notes


def _losses(settings: TableSettings) -> list[str]:
    """Footnotes: each loss with its settings, which a paper may not give; systems with equal labels get their names."""
    labels, notes = settings.labels, []
    for system, loss in settings.losses.items():
        label = labels[system] if list(labels.values()).count(labels[system]) == 1 else f"{labels[system]} ({system})"
        chosen = ", ".join(f"{name} {value}" for name, value in loss.items() if name != "name")
        notes.append(f"Loss of {label}: {loss['name']}" + (f" with {chosen}." if chosen else "."))
    return notes


def _left_out(settings: TableSettings, grid: Grid, reported: Reported) -> list[str]:
    """Footnote: how many numbers the paper prints in this table that no row and column here has."""
    here = {name for cell in grid.cells.values() for name in cell.printed_at.split("; ")}
    here |= {name for names in grid.printed_at.values() for name in names.values()}
    printed = [str(cell) for cell in reported.tables[settings.table].cells] if settings.table in reported.tables else []
    if not (left_out := [name for name in printed if name not in here]):
        return []
    return [f"This table leaves out {len(left_out)} of the {len(printed)} printed numbers, such as {left_out[0]}."]


def footnotes(settings: TableSettings, grid: Grid) -> list[str]:
    """All footnotes of the table."""
    cells = list(grid.cells.values())
    notes = [_legend(settings, cells), *source_notes(settings, cells)]
    if settings.spec.explains_uncertainty and not settings.spec.about_data:
        notes += _uncertainty(settings, cells)
    notes += _significance(settings, cells) + grid.notes + _means(settings, cells)
    scale_measures = {cell.measure: cell.measured for cell in cells}
    notes += [
        f"{measure} is measured as {measured} here."
        for measure, measured in scale_measures.items()
        if measure != measured
    ]
    notes += [f"Not run: {reason}" for reason in dict.fromkeys(cell.not_run for cell in cells) if reason]
    notes += _losses(settings) + settings.stand_ins + settings.notes
    notes.append(f"Made by `{settings.command}`; the JSON file has the digests of its measures.")
    return list(dict.fromkeys(notes))


def heading(settings: TableSettings) -> str:
    """`Table <number>: <title>`; only the title if no paper numbers the table."""
    number = f"Table {settings.table.removeprefix('table')}: " if settings.table.startswith("table") else ""
    return number + settings.spec.title


def markdown(settings: TableSettings, grid: Grid, differences: Differences) -> str:
    head, lines = _lines(settings, grid, differences)
    joined = ", " if settings.table.startswith("table") else ": "
    text = [f"# {plain(f'{settings.title}{joined}{heading(settings)}')}", ""]
    if settings.miniature:
        text += [f"> **Miniature.** {prose(settings.miniature)}", ""]
    if settings.approximate:
        text += [f"> **Approximate search.** {prose(settings.approximate)}", ""]
    names = len(head) - len(grid.columns)
    first, *rows = [table_row(map(plain, line)) for line in (head, *lines)]
    text += [first, f"|{'|'.join([' --- '] * names + [' ---: '] * len(grid.columns))}|", *rows]
    text += ["", *(f"- {prose(' '.join(note.split()))}" for note in footnotes(settings, grid)), ""]
    text += section([pair for pairs in differences.values() for pair in pairs])
    return "\n".join(text)


def latex(settings: TableSettings, grid: Grid, differences: Differences) -> str:
    head, lines = _lines(settings, grid, differences)
    rows = [" & ".join(map(tex, line)) for line in lines]
    caption = settings.spec.title + (f". Miniature: {settings.miniature}" if settings.miniature else "")
    caption += f" {settings.approximate}" if settings.approximate else ""
    body = " \\\\\n".join(rows)
    columns = "l" * (len(head) - len(grid.columns)) + "r" * len(grid.columns)
    heading = " & ".join(map(tex, head))
    return (
        "% needs booktabs\n\\begin{table}\n\\caption{" + tex(caption) + "}\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heading} \\\\\n\\midrule\n{body} \\\\\n\\bottomrule\n"
        "\\end{tabular}\n\\end{table}\n"
    )


def records(settings: TableSettings, grid: Grid) -> list[dict[str, object]]:
    """One record per cell: reported, reproduced, uncertainty, agreement, the facts of its row, command, environment."""
    shared = {"scale": settings.scale, "command": settings.command, "environment": settings.environment}
    digests = {path: (recorded(Path(path)) or "")[:DIGITS] for path in settings.keys}
    rows = []
    for (row, _), cell in grid.cells.items():
        used_digests = [digest for path, digest in digests.items() if f"/{cell.collection}/{cell.system}/" in path]
        cell.facts = {heading.replace(" ", "_"): of_rows[row][1] for heading, of_rows in grid.facts.items()}
        rows.append({**asdict(cell), "measures": " ".join(used_digests), **shared})
    return rows


def _approximate(recalls: Sequence[Path]) -> str:
    """How much of an exact search compressed indexes find, over the systems of a table; '' if none were searched."""
    recall_shares = [from_json(path.read_bytes())["recall"] for path in recalls]
    if not recall_shares:
        return ""
    shares = {depth: [system_shares[depth] for system_shares in recall_shares] for depth in recall_shares[0]}
    depth_texts = [f"{min(values):.1%} to {max(values):.1%} of the best {depth}" for depth, values in shares.items()]
    return f"Compressed indexes were searched. Of what an exact search finds they have {', '.join(depth_texts)}."


def write_table(
    settings: TableSettings,
    measures: list[Path],
    statistics: list[Path],
    queries: list[Path],
    reported: Path | None,
    costs: list[Path],
    priors: Path | None,
    output: Path,
    recalls: Sequence[Path] = (),
) -> None:
    """Write a table as .md, .csv, .json and .tex.

    Args:
        measures: measures files, in the order of the settings' keys. statistics: see `Maker`.
        queries: original and varied queries, if the layout reads them. costs: files of costs of the lineages.
        reported: reported.yaml; None if no paper prints the table. priors: evidence/priors.json; None if there is none.
        output: the .md file. recalls: of the compressed indexes that were searched.
    """
    settings = replace(settings, compared=reported is not None, approximate=_approximate(recalls))
    if len(kinds := sorted(hardware(measures))) > 1:
        mixed = f"Computed on different hardware, which decides last digits: {'; '.join(kinds)}."
        settings = replace(settings, notes=[*settings.notes, mixed])
    store, printed = open_store(settings, measures, priors), load(reported) if reported else None
    layout = LAYOUTS.load(settings.spec.rows)
    grid = layout(Maker(settings, settings.spec, store, printed, statistics, queries, costs))
    if printed:
        settings = replace(settings, notes=[*settings.notes, *_left_out(settings, grid, printed)])
    set_sources(settings, list(grid.cells.values()))
    differences = beside_printed(grid, printed.cells, settings.theirs) if printed and settings.theirs else {}
    rows = records(settings, grid)
    buffer = io.StringIO()
    flat = [
        {**row, **cell.facts, "environment": json.dumps(row["environment"])}
        for row, cell in zip(rows, grid.cells.values(), strict=True)
    ]
    columns = [column for column in flat[0] if column != "facts"]
    writer = csv.DictWriter(buffer, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    write_text(output.with_suffix(".csv"), buffer.getvalue())
    artifact: dict[str, object] = {"table": f"{settings.paper}_{settings.table}", "title": heading(settings)}
    means = {cell.role: settings.evaluation[cell.role]["means"] for cell in grid.cells.values()}
    artifact |= {"compared": settings.compared, "layout": laid_out(settings, grid), "means": means}
    artifact |= {"footnotes": footnotes(settings, grid), "cells": rows}
    if settings.theirs:
        artifact["findings"] = [pair.finding for pairs in differences.values() for pair in pairs if not pair.agrees]
    write_text(output.with_suffix(".json"), json.dumps(artifact, indent=1, ensure_ascii=False) + "\n")
    write_text(output.with_suffix(".tex"), latex(settings, grid, differences))
    write_text(output, markdown(settings, grid, differences))
