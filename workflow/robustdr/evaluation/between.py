"""How much training runs of one system differ that differ in their seed alone, pooled over the systems of a ledger."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr

from robustdr.evaluation.names import AND, ORIGINAL, over
from robustdr.evaluation.runs import Spread, Spreads
from robustdr.evaluation.settled import RUN, newest, one_run_a_seed

LEVEL = 0.05  # of the tests of two runs of one system
MOST = 0.9  # of the variance that systems are taken to have in common
SURE = 8  # degrees of freedom from which a collection or variation has a deviation of its own
SYSTEM = ("scale", "system")
QUERIES = ["collection", "query_set"]


@dataclass(frozen=True)
class Part:
    """Mean squares of one system's runs, for the mean over queries.

    Attributes:
        seen: variance of the means of runs. left: its part that queries alone make, from the query × run residual.
        runs: degrees of freedom of `seen`. rest: those of `left`.
    """

    seen: float
    left: float
    runs: int
    rest: int


def part(values: np.ndarray) -> Part:
    """Return the mean squares of values [runs, queries], two runs at least, in a two-way random-effects model."""
    runs, queries = values.shape
    by_run = values.mean(axis=1)
    rest = values - by_run[:, None] - values.mean(axis=0) + values.mean()
    degrees = (runs - 1) * (queries - 1)
    return Part(float(by_run.var(ddof=1)), float((rest**2).sum()) / degrees / queries, runs - 1, degrees)


def pooled(systems: Iterable[list[Part]], common: float = 0.0) -> Spread | None:
    """Return the deviation between runs over systems (degrees of freedom: Satterthwaite); None without a system.

    Each system's parts are its query sets: one training stands behind all of them, so its runs count once.
    """
    found = [
        Part(
            float(np.mean([of.seen for of in parts])),
            float(np.mean([of.left for of in parts])),
            parts[0].runs,
            parts[0].rest,
        )
        for parts in systems
    ]
    if not found:
        return None
    runs, rest = (np.array([getattr(of, name) for of in found], float) for name in ("runs", "rest"))
    seen = float(np.average([of.seen for of in found], weights=runs))
    left = float(np.average([of.left for of in found], weights=runs))
    between = max(seen - left, 0.0)
    if not between:
        return Spread(sd=0.0, df=float(runs.sum()))
    lost = seen**2 / runs.sum() + left**2 / rest.sum()
    return Spread(sd=sqrt(between), df=max(float(between**2 / lost), 1.0), common=common)


def in_common(panels: Iterable[np.ndarray]) -> float:
    """Return the share of the variance between runs that systems of one seed have in common.

    Of S systems with variance V each and covariance C, the mean has the variance (V + (S − 1)·C) / S, so that
    C = (S · that − V) / (S − 1): an intraclass correlation. What queries alone make of a variance is left in it, so
    that the share is rather too low than too high; and it is at most `MOST`.

    Args:
        panels: values [systems, runs, queries] of several systems on one query set, the same seeds in the same order.
    """
    of_one = of_all = 0.0
    for values in panels:
        number, runs, _ = values.shape
        if number < 2:
            continue
        by_run = values.mean(axis=2)
        variance = float(by_run.var(axis=1, ddof=1).mean())
        covariance = (number * float(by_run.mean(axis=0).var(ddof=1)) - variance) / (number - 1)
        weight = (runs - 1) * (number - 1)
        of_one, of_all = of_one + weight * variance, of_all + weight * covariance
    return min(max(of_all / of_one, 0.0), MOST) if of_one > 0 else 0.0


@dataclass(frozen=True)
class Trained:
    """The runs of one system on one query set under one measure.

    Attributes:
        values: [runs, queries], in the order of `runs`. original: those of the original queries; None if the query set
            is these. variation: '' for the original queries. place: scale, collection and query set. runs: seeds, or
            names of hardware.
    """

    values: np.ndarray
    original: np.ndarray | None
    variation: str
    place: tuple[str, ...]
    runs: tuple[int | str, ...]

    @cached_property
    def shifted(self) -> np.ndarray:
        """What makes up what a training shifts [runs, queries]: the mean of the original queries, as a share of it.

        Of a varied query set it is the drop against the original queries, by the delta method.
        """
        if self.original is None:
            return self.values / self.values.mean()
        base = self.original.mean()
        return (self.values - self.values.mean() / base * self.original) / base

    @cached_property
    def squares(self) -> Part:
        return part(self.shifted)


Systems = dict[str, dict[tuple[str, ...], list[Trained]]]  # by measure, then by system
QuerySets = dict[tuple[str, str], dict[Any, np.ndarray]]  # by collection and query set, then by run: [queries]
Means = Mapping[tuple[str, str], Collection[Sequence[str]]]  # by collection and split: variations that are averaged


def several(rows: pd.DataFrame, means: Means, runs: str = "seed", system: Sequence[str] = SYSTEM) -> Systems:
    """Return what was run twice or more: query sets, and the means over variations that are asked for.

    Args:
        rows: of a ledger; see `ledger.read`. All have the settings of the configuration.
        runs: the column in which runs of one system differ. system: the columns in which they agree.
    """
    found: Systems = {}
    for (measure, *of_system), of in rows.groupby(["measure", *system]):
        made = {at: dict(zip(same[runs], same["values"], strict=True)) for at, same in of.groupby(QUERIES)}
        for (collection, query_set), values in (made | _averaged(made, means)).items():
            split, _, variation = query_set.partition(".")
            varied = variation != ORIGINAL
            originals = made.get((collection, f"{split}.{ORIGINAL}"), {})
            both = sorted(values.keys() & originals.keys())
            own, base = (np.array([of[run] for run in both]) for of in (values, originals))
            if len(both) > 1 and own.any() and base.any():
                place = (of_system[0], collection, query_set)
                run = Trained(own, base if varied else None, variation if varied else "", place, tuple(both))
                found.setdefault(measure, {}).setdefault(tuple(of_system), []).append(run)
    return found


def _averaged(made: QuerySets, means: Means) -> QuerySets:
    """Return each query's mean over variations, of the runs that have all of them."""
    found: QuerySets = {}
    for (collection, split), lists in means.items():
        for variations in lists:
            sets = [made.get((collection, f"{split}.{name}"), {}) for name in variations]
            averages = {run: np.mean([of[run] for of in sets], axis=0) for run in set.intersection(*map(set, sets))}
            found[collection, f"{split}.{over(variations)}"] = averages
    return found


def spreads(systems: Sequence[list[Trained]]) -> Spreads:
    """Return the deviations between runs under one measure, pooled over systems: over all, and on each collection.

    A deviation is sure if it has `SURE` degrees of freedom and is not 0, which few runs give as often as not. A mean
    over variations has its own if that is sure, else that of all means. A family of variations, which differ in share
    or draw alone (`typo.share20`), has its own, else that of all unsure ones together. If this is not sure either, it
    has `drop`, that of all variations. In each case an unsure one stays if it is larger. What drops have in common is
    estimated over all variations.
    """
    found = _spreads(systems)
    for collection in sorted({run.place[1] for runs in systems for run in runs}):
        there = [[run for run in runs if run.place[1] == collection] for runs in systems]
        if sum(runs[0].squares.runs for runs in there if runs) >= SURE:
            found.collections[collection] = _spreads(there)
    return found


def _spreads(systems: Sequence[list[Trained]]) -> Spreads:
    def those(names: Collection[str]) -> list[list[Trained]]:
        return [[run for run in runs if run.variation in names] for runs in systems]

    def pool(names: Collection[str], common: float) -> Spread | None:
        return pooled(([run.squares for run in runs] for runs in those(names) if runs), common)

    names = sorted({run.variation for runs in systems for run in runs} - {""})
    means, single = ([name for name in names if (AND in name) == wanted] for wanted in (True, False))
    of_means, of_drops = (in_common(_panels(those(of))) for of in ([""], single))
    families = {name: [one for one in single if _family(one) == _family(name)] for name in single}
    alone = {name: pool(families.get(name, [name]), of_drops) for name in names}
    drop = pool(single, of_drops)
    drops = {name: of for name, of in alone.items() if of and _sure(of)}
    for group, alike in ((means, means), (single, set(single) - drops.keys())):
        together = pool(alike, of_drops)
        shared = together if together and _sure(together) else drop
        unsure = [name for name in group if name not in drops]
        larger = {name: max(filter(None, (shared, alone[name])), key=lambda of: of.sd) for name in unsure}
        drops |= {name: of for name, of in larger.items() if of is not drop}
    return Spreads(mean=pool([""], of_means), drop=drop, drops=drops)


def _family(variation: str) -> str:
    """Return the name of a variation without its share or draw."""
    return re.sub(r"\.(share|draw)\d+", "", variation)


def _sure(spread: Spread) -> bool:
    return spread.df >= SURE and spread.sd > 0


def _panels(systems: Iterable[list[Trained]]) -> list[np.ndarray]:
    """Return the values of each query set, systems with the same seeds together."""
    panels: dict[object, list[np.ndarray]] = {}
    for run in chain.from_iterable(systems):
        panels.setdefault((run.place, run.runs), []).append(run.shifted)
    return [np.stack(values) for values in panels.values()]


def moved(run: Trained, by: Spreads) -> list[Spread]:
    """Return the deviations of a mean of runs, in units of the measure."""
    original = float((run.values if run.original is None else run.original).mean())
    of_drop = by.of(run.place[1], run.variation) if run.variation else None
    known = [(by.of(run.place[1]), float(run.values.mean())), (of_drop, original)]
    return [Spread(sd=of.sd * unit, df=of.df) for of, unit in known if of]


def differ(a: np.ndarray, b: np.ndarray, by: Iterable[Spread] = ()) -> bool:
    """Whether two runs [queries] are called different at `LEVEL`: a paired t-test over queries.

    Args:
        by: deviations of a mean between runs, in units of the measure: their variances are added, once for each run.
    """
    difference = a - b
    over_queries = float(difference.var(ddof=1)) / len(difference)
    variances = [(over_queries, len(difference) - 1.0), *((2 * of.sd**2, of.df) for of in by)]
    total = sum(variance for variance, _ in variances)
    if not total:
        return False
    lost = sum(variance**2 / degrees for variance, degrees in variances)
    return bool(2 * stdtr(total**2 / lost, -abs(difference.mean()) / sqrt(total)) < LEVEL)


def _written(found: Spreads) -> dict[str, object]:
    def rounded(spread: Spread) -> dict[str, float]:
        return {"sd": round(spread.sd, 6), "df": round(spread.df, 1), "common": round(spread.common, 2)}

    made: dict[str, object] = {what: rounded(of) for what, of in (("mean", found.mean), ("drop", found.drop)) if of}
    made |= {"drops": {name: rounded(of) for name, of in found.drops.items()}} if found.drops else {}
    alone = {name: of for name, at in found.collections.items() if (of := _written(at))}
    return made | ({"collections": alone} if alone else {})


def summary(rows: pd.DataFrame, means: Means | None = None) -> dict[str, object]:
    """Return the deviations between runs by measure, and how often two runs of one system are called different.

    Args:
        rows: of a ledger, all with the settings of the configuration; see `settled`.
        means: the means over variations that papers take.

    Returns:
        by measure `{"mean": {"sd", "df", "common"}, "drop": {…}, "drops": {variation: …}, "collections": {name: …}}`:
        sd is a share of the mean on the original queries, and a collection has the same keys. `seeds` has the rates of
        two seeds by measure; `processors` those of one seed on two kinds of hardware. A rate is the share of `pairs` of
        runs on a query set or a mean, of so many `systems`, that a test calls different: `ignoring` the variance
        between runs, and `with` that of the other systems.
    """
    by_seed = several(one_run_a_seed(rows), means or {})
    random = rows[rows["seed"] > 0]  # seed 0: nothing in the run is random
    by_hardware = several(newest(random, [*RUN, "hardware"]), means or {}, "hardware", (*SYSTEM, "seed"))
    made = {measure: _written(spreads([*systems.values()])) for measure, systems in by_seed.items()}
    rates = {"seeds": _rates(by_seed, by_seed), "processors": _rates(by_hardware, by_seed)}
    return {**made, **{name: of for name, of in rates.items() if of}}


def _rates(twice: Systems, by_seed: Systems) -> dict[str, dict[str, float]]:
    """Return by measure how often two runs are called different, with the deviations of systems between seeds."""
    rates = {}
    for measure, systems in twice.items():
        seeds = by_seed.get(measure, {})
        others = {one: spreads([of for at, of in seeds.items() if at[1] != one]) for one in {at[1] for at in systems}}
        told = [
            (differ(a, b), differ(a, b, moved(run, others[name[1]])))
            for name, runs in systems.items()
            for run in runs
            for a, b in combinations(run.values, 2)
        ]
        ignoring, aware = np.mean(told, axis=0)
        rates[measure] = {"pairs": len(told), "systems": len(others), "ignoring": round(float(ignoring), 4)}
        if len({name[1] for name in seeds}) > 1:
            rates[measure]["with"] = round(float(aware), 4)
    return rates
