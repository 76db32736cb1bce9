"""The headline of a scale: one measure of each system, on the original queries and the mean of the variations."""

import csv
import io
from pathlib import Path

from pydantic import TypeAdapter

from robustdr.core.files import write_json, write_text
from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.evaluation.statistics import drop
from robustdr.reporting.artifacts import Table
from robustdr.reporting.cells import Cell

Headline = dict[str, dict[str, dict[str, dict[str, dict[str, float]]]]]


def headline(measures: dict[str, dict[str, str]], cells: list[Cell]) -> Headline:
    """Means over queries and seeds, shares of 1, by paper, role, measure, system and query set.

    Systems that were not run are left out.

    Args:
        measures: one measure by paper and role.
        cells: of tables, as `reporting.tables` writes them.
    """
    headline_means: Headline = {}
    for cell in cells:
        paper, role, measure = cell.table.partition("_")[0], cell.role, cell.measure
        is_mean = cell.value == "value" and not cell.seed and cell.query_set in (ORIGINAL, MEAN)
        if is_mean and measure == measures[paper][role] and cell.reproduced is not None:
            systems = headline_means.setdefault(paper, {}).setdefault(role, {}).setdefault(measure, {})
            systems.setdefault(cell.system, {})[cell.query_set] = cell.reproduced
    return headline_means


def drops(headline_means: Headline) -> list[tuple[str, float]]:
    """(`<paper> <role> <system>`, drop of the mean over variations from the system's original queries) pairs."""
    return [
        (f"{paper} {role} {system}", mean_drop)
        for paper, roles in headline_means.items()
        for role, of_measure in roles.items()
        for systems in of_measure.values()
        for system, values in systems.items()
        if len(values) == 2 and (mean_drop := drop(values[MEAN], values[ORIGINAL])) is not None
    ]


def write_headline(measures: dict[str, dict[str, str]], tables: list[Path], output: Path, drops_output: Path) -> None:
    """Write the headline as JSON, and its drops as CSV with the columns `system` and `drop`.

    Args:
        measures: see `headline`. tables: .json files of tables.
    """
    read_table = TypeAdapter(Table).validate_json
    cells = [cell for path in tables for cell in read_table(path.read_bytes())["cells"]]
    headline_means = headline(measures, cells)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([("system", "drop"), *drops(headline_means)])
    write_text(drops_output, buffer.getvalue())
    write_json(output, headline_means)
