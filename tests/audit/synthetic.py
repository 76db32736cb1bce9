"""Random papers whose numbers agree with each other before they are rounded, with every kind of relation."""

import math
import random
from collections import defaultdict
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import fmean, median, stdev

from robustdr.audit.reported import Reported, build
from robustdr.audit.transcript import Transcript

CONVENTIONS = {"half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN, "truncation": ROUND_DOWN}
QUERIES = 1000


@dataclass
class Number:
    """One value of a cell: a share of 1 (or a count) and how it is printed."""

    value: float
    decimals: int
    form: str = "percent"  # percent: times 100; percent_sign: the same with %; fraction; count

    def printed(self, rounding: str) -> str:
        if self.form == "count":
            return f"{round(self.value):,}"
        scaled = Decimal(repr(self.value)) * (1 if self.form == "fraction" else 100)
        text = str(scaled.quantize(Decimal(1).scaleb(-self.decimals), rounding))
        return text + ("%" if self.form == "percent_sign" else "")


@dataclass
class Paper:
    """Tables as grids of numbers: `grids[table]` is a list of (label, cells), a cell is a list of numbers."""

    specs: dict[str, dict]
    grids: dict[str, list[tuple[str, list[list[Number]]]]]

    def print(self, rounding: str) -> dict[str, list[tuple[str, list[list[str]]]]]:
        """The grids as printed strings."""
        return {
            table: [(label, [[number.printed(rounding) for number in cell] for cell in cells]) for label, cells in rows]
            for table, rows in self.grids.items()
        }

    def reported(self, printed: dict[str, list[tuple[str, list[list[str]]]]]) -> Reported:
        """The paper as the loader would give it."""
        tables = {
            table: {**spec, "caption": table, "cells": "\n".join(_line(row) for row in printed[table])}
            for table, spec in self.specs.items()
        }
        transcript = Transcript.model_validate({"paper": "random", "title": "random", "tables": tables})
        return build(Path("random.yaml"), transcript, defaultdict(_counter()))


def _counter():
    numbers = iter(range(10**9))
    return lambda: next(numbers) * 1000  # far apart, so that every row has a line of its own


def _line(row: tuple[str, list[list[str]]]) -> str:
    label, cells = row
    return " | ".join([label, *("/".join(cell) for cell in cells)])


def random_paper(rng: random.Random, decimals: int | None = None) -> Paper:
    """A paper with `decimals` decimals on its percentages (1 to 3 at random unless given)."""
    decimals = rng.randint(1, 3) if decimals is None else decimals
    variations = [f"v{index}" for index in range(1, rng.randint(4, 6))]
    specs, grids = {}, {}
    specs["runs"], grids["runs"] = _runs(rng, decimals, variations)
    specs["effect"], grids["effect"] = _effect(rng, decimals, variations)
    specs["restated"], grids["restated"] = _restated(rng, grids["effect"])
    specs["shares"], grids["shares"] = _shares(rng, decimals, variations)
    return Paper(specs, grids)


def _measure(rng: random.Random, decimals: int, low: float, high: float) -> float:
    """A share of 1 with one or two digits more than will be printed, so that ties occur."""
    return round(rng.uniform(low, high), 2 + decimals + rng.randint(1, 2))


def _runs(rng: random.Random, decimals: int, variations: list[str]):
    """Seeds, their median, deviation, confidence interval, bounds, and the mean over the variations."""
    seeds = range(1, rng.randint(4, 6))
    rows = {}
    for variation in variations:
        centre = rng.uniform(0.2, 0.9)
        rows[variation] = [round(rng.gauss(centre, 0.004), 2 + decimals + rng.randint(1, 2)) for _ in seeds]
    rows["mean"] = [fmean(column) for column in zip(*rows.values(), strict=True)]
    grid = []
    for label, values in rows.items():
        half = 1.96 * stdev(values) / math.sqrt(len(values))
        centre = median(values)
        derived = [(stdev(values), 5, "fraction"), (half, 5, "fraction")]
        bounds = [(centre + half, decimals, "percent_sign"), (centre - half, decimals, "percent_sign")]
        numbers = [(value, decimals, "percent_sign") for value in [*values, centre]] + derived + bounds
        grid.append((label, [[Number(*number)] for number in numbers]))
    spec = {
        "where": {"measure": "Success@20"},
        "row": "query_set",
        "columns": [{"seed": seed} for seed in seeds]
        + [{"value": name} for name in ("median", "deviation", "ci", "upper_bound", "lower_bound")],
        "relations": [
            {"for": {"query_set": "mean", "seed": "*"}, "mean_of": {"query_set": variations}},
            {"for": {"value": "median"}, "median_of": {"seed": "*"}},
            {"for": {"value": "deviation"}, "std_of": {"seed": "*"}},
            {"for": {"value": "ci"}, "ci_of": {"seed": "*"}},
            {"for": {"value": "upper_bound"}, "bound_of": {"value": "median"}, "plus": {"value": "ci"}},
            {"for": {"value": "lower_bound"}, "bound_of": {"value": "median"}, "minus": {"value": "ci"}},
        ],
    }
    return spec, grid


def _effect(rng: random.Random, decimals: int, variations: list[str]):
    """Two systems and two measures on the original queries, on variations and on their mean, with drops and counts."""
    drop_decimals = rng.randint(1, 2)
    columns = [(system, measure) for system in ("a", "b") for measure in ("RR@10", "R@1000")]
    values: dict[str, list[float]] = {}
    for label in ["original", *variations]:
        values[label] = []
        for _, measure in columns:
            low = values[label][-1] if measure == "R@1000" else 0.05
            values[label].append(_measure(rng, decimals, low, 0.6 if measure == "RR@10" else 1.0))
    values["mean"] = [fmean(values[variation][index] for variation in variations) for index in range(len(columns))]
    grid = []
    for label, measures in values.items():
        changed = 0 if label == "original" else rng.randint(0, QUERIES)
        row = [[Number(QUERIES - changed, 0, "count")], [Number(changed, 0, "count")]]
        for index, value in enumerate(measures):
            cell = [Number(value, decimals)]
            if label != "original":
                base = values["original"][index]
                cell.append(Number((value - base) / base, drop_decimals, "percent_sign"))
            row.append(cell)
        grid.append((label, row))
    spec = {
        "unit": "percent",
        "row": "query_set",
        "columns": [{"quantity": "unchanged", "unit": "count"}, {"quantity": "changed", "unit": "count"}]
        + [{"system": system, "measure": measure, "and": "drop"} for system, measure in columns],
        "relations": [
            {"for": {"query_set": "mean", "system": "*"}, "mean_of": {"query_set": variations}},
            {"for": {"value": "drop"}, "drop_from": {"query_set": "original"}},
            {
                "for": {"quantity": "unchanged", "query_set": variations},
                "plus": {"quantity": "changed"},
                "sum_is": {"query_set": "original"},
            },
            {"for": {"measure": "RR@10"}, "at_most": {"measure": "R@1000"}},
            {"for": {"measure": "R@1000"}, "at_least": {"measure": "RR@10"}},
        ],
    }
    return spec, grid


def _restated(rng: random.Random, effect) -> tuple[dict, list]:
    """Figures of the prose: cells printed again with other decimals, a gain in points, a drop without its sign."""
    rows = {label: cells for label, cells in effect}
    a, b = rows["mean"][2], rows["mean"][4]
    decimals = rng.randint(0, 2)
    grid = [
        ("again", [[Number(rows["original"][2][0].value, decimals)]]),
        ("gain", [[Number(b[0].value - a[0].value, decimals)]]),
        ("loss", [[Number(abs(a[1].value), decimals, "percent_sign")]]),
    ]
    place = {"table": "effect", "quantity": None, "system": "a", "measure": "RR@10"}
    spec = {
        "unit": "percent",
        "row": "quantity",
        "columns": [{}],
        "relations": [
            {"for": {"quantity": "again"}, "same_as": {**place, "query_set": "original"}},
            {
                "for": {"quantity": "gain"},
                "of": {**place, "query_set": "mean", "system": "b"},
                "points_from": {**place, "query_set": "mean"},
            },
            {
                "for": {"quantity": "loss"},
                "same_as": {**place, "query_set": "mean", "value": "drop"},
                "magnitude": True,
            },
        ],
    }
    return spec, grid


def _shares(rng: random.Random, decimals: int, variations: list[str]) -> tuple[dict, list]:
    """Counts, and the percentages of `total` that they are; a measure of `total` queries; answers from 1 to 7."""
    total = rng.randint(20, 400)
    grid = []
    for variation in variations:
        count = rng.randint(1, total)
        shares = [[Number(count / total, decimals, "percent_sign")] for count in (count, rng.randint(0, total))]
        precision, recall = rng.uniform(0.2, 0.9), rng.uniform(0.2, 0.9)
        scores = (precision, recall, 2 * precision * recall / (precision + recall))
        score_cells = [[Number(score, decimals, "percent_sign")] for score in scores]
        answers = [rng.randint(1, 7) for _ in range(total)]
        rating = [Number(statistic(answers), decimals, "fraction") for statistic in (fmean, stdev)]
        grid.append((variation, [[Number(count, 0, "count")], *shares, *score_cells, rating]))
    spec = {
        "row": "query_set",
        "columns": [
            {"quantity": "valid", "unit": "count"},
            {"quantity": "valid", "value": "share"},
            {"measure": "Success@5"},
            *({"quantity": name} for name in ("precision", "recall", "f1")),
            {"quantity": "rating", "unit": "number", "and": "deviation"},
        ],
        "relations": [
            {"for": {"quantity": "f1"}, "harmonic_mean_of": {"quantity": ["precision", "recall"]}},
            {"for": {"measure": "Success@5"}, "mean_over": total},
            {"for": {"value": "deviation"}, "deviation_over": total},
            {"for": {"value": "share"}, "share_of": total},
            {"for": {"value": "share"}, "counts_match": {"quantity": "valid"}, "out_of": total},
        ],
    }
    return spec, grid
