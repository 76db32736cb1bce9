"""Whether a machine computes what others did: its runs beside those of the ledger."""

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as students

from robustdr.core.errors import UserError
from robustdr.core.files import write_json, write_text
from robustdr.core.markup import code, plain, table_row
from robustdr.evaluation import ledger
from robustdr.evaluation.measures import read_measures
from robustdr.evaluation.settled import one_run_a_seed, settled_rows
from robustdr.evidence.adding import stale
from robustdr.evidence.identity import expected, runs
from robustdr.graph.graph import Graph
from robustdr.keys.integrity import damaged, hardware

LEVEL = 0.95
FEWEST = 3  # training runs of the ledger that an interval is made from
EXACT = 1e-6  # the ledger keeps values in single precision
PLACE = ["system", "collection", "query_set", "measure"]


@dataclass(frozen=True)
class Compared:
    """A machine's runs beside the ledger's.

    Attributes:
        cells: a row for each system, collection, query set and measure: `value` here, `mean` over the ledger's `runs`,
            and `half`, the half width of the interval in which another training run lies. All intervals together hold
            in 95 % of machines. `half` is 0 for a system without training, whose value must be the same. `same_seed`
            is the mean over the ledger's machines of the run with the seed that ran here; NaN if there is none.
        without: systems measured here of which the ledger has too few runs.
        computed_on: the hardware of the runs here.
    """

    cells: pd.DataFrame
    without: list[str]
    computed_on: list[str]

    @property
    def inside(self) -> pd.Series:
        return (self.cells["value"] - self.cells["mean"]).abs() <= self.cells["half"] + EXACT

    @property
    def trained(self) -> pd.DataFrame:
        return self.cells[self.cells["half"] > 0]

    def distance(self, column: str) -> float | None:
        """Root mean square distance of trained systems from a column; None if there is none."""
        squares = (self.trained["value"] - self.trained[column]).dropna() ** 2
        return float(np.sqrt(squares.mean())) if len(squares) else None

    @property
    def lines(self) -> str:
        """The result in one sentence or three, for the end of a run."""
        lines = f"{self.inside.sum()} of {len(self.cells)} values of your runs agree with the ledger."
        if not self.trained.empty:
            visible = 100 * self.trained["half"].median()
            lines += f" A difference of {visible:.1f} points would be seen in half of those of trained systems."
        return lines if self.inside.all() else f"{lines} The others differ by more than another run would."


def compare(graph: Graph, evidence: Path) -> Compared:
    """Compare the measures of a scale's folder with the ledger's runs of the same settings and data.

    An interval of one more training run is mean ± t · s · √(1 + 1/n) over n runs with other seeds. The deviation s is
    pooled over the systems of a collection, query set and measure. t is at the level 1 − 5 % / cells (Bonferroni).

    Raises:
        UserError: a measures file is damaged, stale or missing; the ledger has no such runs.
    """
    measured, paths = _measured(graph)
    scale = graph.lineage.variance_scale
    rows = settled_rows(ledger.read_ledger(evidence), scale, expected(graph))
    rows = rows.assign(value=[values.mean() for values in rows["values"]])
    same_seed = rows.groupby([*PLACE, "seed"])["value"].mean().rename("same_seed").reset_index()
    ledger_means = (
        one_run_a_seed(rows).groupby(PLACE)["value"].agg(mean="mean", variance="var", runs="count").reset_index()
    )
    trained = {name for name in ledger_means["system"].unique() if graph.lineage.is_random(name)}
    ledger_means = ledger_means[~ledger_means["system"].isin(trained) | (ledger_means["runs"] >= FEWEST)]
    cells = measured.merge(ledger_means, on=PLACE).merge(same_seed, on=[*PLACE, "seed"], how="left")
    if cells.empty:
        raise UserError(f"{evidence}: the ledger has no runs with the settings of {graph.root}")
    is_trained = cells["system"].isin(trained)
    pooled = ledger_means[ledger_means["system"].isin(trained)].assign(degrees=lambda frame: frame["runs"] - 1)
    pooled = pooled.assign(squares=pooled["variance"] * pooled["degrees"])
    sums = pooled.groupby(PLACE[1:])[["squares", "degrees"]].sum().reset_index()
    cells = cells.merge(sums, on=PLACE[1:], how="left")
    error = np.sqrt(cells["squares"] / cells["degrees"] * (1 + 1 / cells["runs"])).where(is_trained, 0.0)
    level = 1 - (1 - LEVEL) / (2 * max(is_trained.sum(), 1))
    cells["half"] = (error * students.ppf(level, cells["degrees"])).where(is_trained, 0.0)
    return Compared(
        cells[[*PLACE, "value", "mean", "half", "runs", "same_seed"]].sort_values(PLACE).reset_index(drop=True),
        sorted(set(measured["system"]) - set(cells["system"])),
        sorted(hardware(paths)),
    )


def _measured(graph: Graph) -> tuple[pd.DataFrame, list[Path]]:
    """Return the means over queries of the first seed of all finished runs, and their files."""
    folder = Path(graph.root, "measures")
    fault = next(damaged(folder), "") if folder.is_dir() else f"{folder}: no measures; run snakemake first"
    if fault:
        raise UserError(fault)
    means, paths = [], []
    for run in runs(graph):
        for node in run.nodes if run.seed == graph.lineage.seeds(run.system)[0] else ():
            path = Path(node.path)
            if not path.is_file():
                continue
            if fault := stale(node.path, node):
                raise UserError(fault)
            frame = read_measures(path).groupby(["query_set", "measure"])["value"].mean().reset_index()
            means.append(frame.assign(system=run.system, collection=run.collection, seed=run.seed))
            paths.append(path)
    return pd.concat(means) if means else pd.DataFrame(columns=[*PLACE, "seed", "value"]), paths


def write(compared: Compared, folder: Path) -> list[Path]:
    """Write `machine.md`, for people, and `machine.json`, in the folder of a scale."""
    page, record = folder / "machine.md", folder / "machine.json"
    write_text(page, "\n".join(_page(compared)) + "\n")
    cells = compared.cells.assign(inside=compared.inside).astype(object)
    write_json(record, {**_summary(compared), "cells": cells.where(cells.notna(), None).to_dict("records")})
    return [page, record]


def _summary(compared: Compared) -> dict[str, Any]:
    import torch

    return {
        "hardware": compared.computed_on,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "values": len(compared.cells),
        "inside": int(compared.inside.sum()),
        "rms_from_mean": compared.distance("mean"),
        "rms_from_same_seed": compared.distance("same_seed"),
        "without": compared.without,
    }


def _page(compared: Compared) -> Iterator[str]:
    summary = _summary(compared)
    yield "# This machine beside the ledger\n"
    yield f"{compared.lines}\n"
    yield (
        f"Computed on {'; '.join(compared.computed_on)}, with Python {summary['python']} and torch {summary['torch']}. "
        "A system without training must have the same values.\n"
    )
    for column, meaning in (("mean", "mean of the ledger's runs"), ("same_seed", "ledger's runs with the same seed")):
        if (distance := compared.distance(column)) is not None:
            yield f"Values of trained systems lie {100 * distance:.2f} points (root mean square) from the {meaning}.\n"
    if compared.without:
        yield f"The ledger has fewer than {FEWEST} runs with these settings of: {', '.join(compared.without)}.\n"
    names = ["System", "Collection", "Query set", "Measure"]
    yield table_row([*names, "Here", "Same seed", "Mean of runs", "± for one run", "Runs", ""])
    yield table_row(["---"] * 4 + ["---:"] * 5 + ["---"])
    for cell, inside in zip(compared.cells.itertuples(), compared.inside, strict=True):
        numbers = [
            "–" if np.isnan(number) else f"{100 * number:.1f}"
            for number in (cell.value, cell.same_seed, cell.mean, cell.half)
        ]
        names = [
            code(str(cell.system)),
            plain(str(cell.collection)),
            code(str(cell.query_set)),
            plain(str(cell.measure)),
        ]
        yield table_row([*names, *numbers, str(cell.runs), "" if inside else "**outside**"])
