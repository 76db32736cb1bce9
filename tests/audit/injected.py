"""Consistent tables with one error each, and whether anyone could see it: the arithmetic here is not the audit's."""

import random
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median, pstdev, stdev

import yaml

from robustdr.audit.reported import Reported, build
from robustdr.audit.transcript import Transcript

SEEDS = ["1", "2", "3", "4", "5"]
ROWS = ["v1", "v2", "v3", "v4"]
COLUMNS = [*SEEDS, "median", "deviation", "drop"]
DECIMALS = {"deviation": 3, "drop": 1}  # of percentages; all others have 2
Grid = dict[tuple[str, str], str]  # (row, column) -> what is printed
Error = tuple[Grid, Callable[[str], bool]]  # the wrong table, and whether a hypothesis is the right one
RELATIONS = f"""\
- {{for: {{query_set: mean, seed: "*"}}, mean_of: {{query_set: [{", ".join(ROWS)}]}}}}
- {{for: {{value: median}}, median_of: {{seed: "*"}}}}
- {{for: {{value: deviation}}, std_of: {{seed: "*"}}}}
- {{for: {{value: drop}}, drop_from: {{query_set: original, value: median}}, of: {{value: median}}}}
"""


def printed(column: str, value: float) -> str:
    return str(Decimal(repr(value)).quantize(Decimal(1).scaleb(-DECIMALS.get(column, 2)), ROUND_HALF_UP))


def table(rng: random.Random) -> tuple[dict[tuple[str, str], float], Grid]:
    """Five runs of an original query set, of four variations and of their mean, with median, deviation and drop."""
    values: dict[tuple[str, str], float] = {}
    for row in ["original", *ROWS, "mean"]:
        centre = rng.uniform(70, 90) if row == "original" else rng.uniform(20, 65)
        for seed in SEEDS:
            drawn = rng.gauss(centre, 0.6)
            values[row, seed] = fmean(values[part, seed] for part in ROWS) if row == "mean" else drawn
        runs = [values[row, seed] for seed in SEEDS]
        values[row, "median"], values[row, "deviation"] = median(runs), stdev(runs)
        if row != "original":
            values[row, "drop"] = 100 * (values[row, "median"] / values["original", "median"] - 1)
    return values, {place: printed(place[1], value) for place, value in values.items()}


def reported(grid: Grid) -> Reported:
    """The table as the loader would give it."""
    lines = [
        " | ".join([row, *(grid.get((row, column), "-") for column in COLUMNS)]) for row in ["original", *ROWS, "mean"]
    ]
    columns = [{"seed": name} if name in SEEDS else {"value": name} for name in COLUMNS]
    relations = yaml.safe_load(RELATIONS)
    one = {"caption": "t", "unit": "percent", "where": {"measure": "RR@10"}, "row": "query_set", "columns": columns}
    one |= {"cells": "\n".join(lines), "relations": relations}
    lines_of_keys = {
        ("tables", "t", "cells"): 1,
        **{("tables", "t", "relations", i): 100 + i for i in range(len(relations))},
    }
    return build(
        Path("t.yaml"), Transcript.model_validate({"paper": "t", "title": "t", "tables": {"t": one}}), lines_of_keys
    )


def copied_cell(rng: random.Random, values, grid: Grid) -> Error:
    """A run's value is that of the next row."""
    (source, target), seed = rng.choice(list(pairwise(ROWS))), rng.choice(SEEDS)
    wrong = {**grid, (target, seed): grid[source, seed]}
    return wrong, lambda words: ("copied from" in words or "the value of" in words) and source in words


def swapped_digits(rng: random.Random, values, grid: Grid) -> Error:
    """Two neighbouring digits of one number have changed places."""
    place = rng.choice(list(grid))
    text = grid[place]
    digits = [position for position, character in enumerate(text) if character.isdigit()]
    first, second = rng.choice([pair for pair in pairwise(digits) if text[pair[0]] != text[pair[1]]] or [digits[:2]])
    swapped = text[:first] + text[second] + text[first + 1 : second] + text[first] + text[second + 1 :]
    return {**grid, place: swapped}, lambda words: "two digits of" in words and str(Decimal(text)) in words


def wrong_baseline(rng: random.Random, values, grid: Grid) -> Error:
    """A drop is relative to another row than the original queries."""
    row, base = rng.sample(ROWS, 2)
    drop = printed("drop", 100 * (values[row, "median"] / values[base, "median"] - 1))
    return {**grid, (row, "drop"): drop}, lambda words: f"{base} (" in words and "in place of original" in words


def mean_for_median(rng: random.Random, values, grid: Grid) -> Error:
    """The mean of the runs is printed as their median."""
    row = rng.choice(ROWS)
    wrong = {**grid, (row, "median"): printed("median", fmean(values[row, seed] for seed in SEEDS))}
    return wrong, lambda words: "it is the mean of the same cells" in words


def population_deviation(rng: random.Random, values, grid: Grid) -> Error:
    """The deviation is that of a population."""
    row = rng.choice(ROWS)
    wrong = {**grid, (row, "deviation"): printed("deviation", pstdev(values[row, seed] for seed in SEEDS))}
    return wrong, lambda words: "it is the population deviation" in words


def row_left_out(rng: random.Random, values, grid: Grid) -> Error:
    """A mean is taken without one of the rows."""
    left_out, seed = rng.choice(ROWS), rng.choice(SEEDS)
    mean = printed("mean", fmean(values[row, seed] for row in ROWS if row != left_out))
    return {**grid, ("mean", seed): mean}, lambda words: f"{left_out} is left out" in words


ERRORS = (copied_cell, swapped_digits, wrong_baseline, mean_for_median, population_deviation, row_left_out)


def _range(text: str) -> tuple[float, float]:
    """What may be printed so: rounded to the nearest, or truncated."""
    value, unit = float(text), 10.0 ** int(Decimal(text).as_tuple().exponent)
    return value - (unit if value < 0 else unit / 2), value + (unit / 2 if value < 0 else unit)


def _least_deviation(ranges: list[tuple[float, float]]) -> float:
    """The least sample deviation of one number from each range: all as near to one centre as they can be."""
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    for _ in range(60):
        centre = (low + high) / 2
        nearest = [min(max(centre, a), b) for a, b in ranges]
        low, high = (centre, high) if fmean(nearest) > centre else (low, centre)
    return stdev(nearest)


def _greatest_deviation(ranges: list[tuple[float, float]]) -> float:
    """The greatest: at a corner, as the deviation is convex."""
    corners = [()]
    for ends in ranges:
        corners = [(*corner, end) for corner in corners for end in ends]
    return max(map(stdev, corners))


def visible(grid: Grid) -> bool:
    """Whether no numbers that are printed so obey every relation one by one."""
    ranges = {place: _range(text) for place, text in grid.items()}
    wanted: dict[tuple[str, str], tuple[float, float]] = {}
    for seed in SEEDS:
        parts = [ranges[row, seed] for row in ROWS]
        wanted["mean", seed] = fmean(low for low, _ in parts), fmean(high for _, high in parts)
    base = ranges["original", "median"]
    for row in ["original", *ROWS, "mean"]:
        runs = [ranges[row, seed] for seed in SEEDS]
        wanted[row, "median"] = median(low for low, _ in runs), median(high for _, high in runs)
        wanted[row, "deviation"] = _least_deviation(runs), _greatest_deviation(runs)
        if row != "original":
            low, high = ranges[row, "median"]
            wanted[row, "drop"] = 100 * (low / base[1] - 1), 100 * (high / base[0] - 1)
    return any(ranges[place][1] < low - 1e-9 or high + 1e-9 < ranges[place][0] for place, (low, high) in wanted.items())
