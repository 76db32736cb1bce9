"""Means, medians, deviations, errors, intervals and samples of one thing: what each says of the others.

GRIM (Brown and Heathers, 2017) and GRIMMER (Anaya, 2016) say which means and deviations whole numbers have; DEBIT
(Heathers and Brown, 2019) says which deviation a share of yes and no has. Ratings on a scale have the deviations that
some sample on it has: all sums of its numbers and of their squares are listed, what SPRITE (Heathers and others, 2018)
looks for by search.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt

from robustdr.audit.cells import Cell
from robustdr.audit.chance import chance_bound, odds
from robustdr.audit.findings import Broken, are_exceptions
from robustdr.audit.grains import deviations, is_whole, rated
from robustdr.audit.heads import RATIO, caption_size, lines, size_of
from robustdr.audit.relations import interval_text
from robustdr.audit.reported import Table
from robustdr.audit.rounding import deviation, mean
from robustdr.claims.intervals import SLACK, Interval

ORDER = ("min", "q1", "median", "q3", "max")  # each is at most the next ones
HELD = ("estimate", "mean", "median", "r", "accuracy", "f1", "share", "sensitivity", "specificity")  # by an interval
SMALL = 0.05  # chance below which means are believed to be those of whole numbers
LARGEST = 400  # numbers of a sample up to which a mean of two decimals says anything
WHOLE = re.compile(
    r"\blikert|\bratings?\b|\brated\b|\bpoint scale|\bitems?\b|number of|\bcounts?\b|\berrors made\b", re.I
)
_SCALE = re.compile(
    r"\b(?:scale|likert|rat(?:ed|ings?)|score[sd]?)\b[^.;]{0,40}?\b(\d{1,2})\s*(?:-|–|—|to)\s*(\d{1,3})\b"
    r"|\b(\d{1,2})\s*(?:-|–|—|to)\s*(\d{1,3})\s+(?:likert|rating|scale)",
    re.I,
)
BINARY = re.compile(r"\bbinary\b|\byes\b.{0,8}\bno\b|\b0\s*=.{1,20}\b1\s*=|\b1\s*=.{1,20}\b0\s*=|dummy|dichotom", re.I)
Group = Mapping[str, Cell]


def broken(table: Table) -> Iterator[Broken]:
    """Yield the numbers of a table that no data have together."""
    groups = [group for line in lines(table) for group in line.groups() if len(group) > 1]
    for rule in (
        _not_between,
        _mean_and_median,
        _too_wide,
        _error_of_mean,
        _outside_of_interval,
        _not_in_the_middle,
        _estimate_over_error,
        _absolute_and_squared,
    ):
        pairs = [(group, violations) for group in groups if (violations := rule(group, table)) is not None]
        wrong = [violations for _, violations in pairs if violations]
        if are_exceptions(wrong, pairs):
            for violations in wrong:
                yield from violations
    yield from _no_such_mean(groups, table)
    yield from _deviation_of_share(groups, table)
    yield from _deviation_of_runs(table)


def _same_unit(*cells: Cell) -> bool:
    """Whether numbers are printed in one unit, as far as they print any."""
    return len({cell.printed.endswith("%") for cell in cells}) == 1 and not any(cell.hedge for cell in cells)


def _not_between(group: Group, _: Table) -> list[Broken] | None:
    """The smallest, the quarters and the largest are in this order; the mean is inside."""
    names = [name for name in ORDER if name in group]
    pairs = [*combinations(names, 2)] if names != ["q1", "q3"] else []  # 25% and 75% of the data, without a middle
    pairs += [(a, b) for a, b in (("min", "mean"), ("mean", "max")) if {a, b} <= group.keys()]
    pairs = [(a, b) for a, b in pairs if _same_unit(group[a], group[b])]
    return (
        [
            Broken(
                "not_between",
                [group[a], group[b]],
                f"the {a}, {group[a].printed}, is above the {b}, {group[b].printed}, however both were rounded",
                "impossible",
            )
            for a, b in pairs
            if group[a].printed_interval.low > group[b].printed_interval.high + SLACK
        ]
        if pairs
        else None
    )


def _mean_and_median(group: Group, _: Table) -> list[Broken] | None:
    """Mean and median are at most a standard deviation apart."""
    if not {"mean", "median", "sd"} <= group.keys() or not _same_unit(group["mean"], group["median"], group["sd"]):
        return None
    mean, median, sd = (group[name].printed_interval for name in ("mean", "median", "sd"))
    gap = (mean - median).magnitude().low
    words = (
        f"mean {group['mean'].printed} and median {group['median'].printed} are over {gap:.3g} apart; "
        f"they are at most the deviation apart, {group['sd'].printed}"
    )
    is_wide = gap > sd.high + SLACK
    return [Broken("mean_and_median", [group["mean"], group["median"]], words, "impossible")] if is_wide else []


def _too_wide(group: Group, table: Table) -> list[Broken] | None:
    """A deviation is at most what half of the numbers at each end give; and a mean lies on its scale."""
    violations = []
    ends = _ends_of_scale(table)
    if {"min", "max"} <= group.keys() and _same_unit(group["min"], group["max"]):
        lowest, highest = group["min"].printed_interval.low, group["max"].printed_interval.high
    elif ends and "mean" in group:
        lowest, highest = ends
        if group["mean"].printed_interval.low > highest or group["mean"].printed_interval.high < lowest:
            words = f"a mean on a scale from {lowest:g} to {highest:g} is not {group['mean'].printed}"
            return [Broken("off_the_scale", [group["mean"]], words, "impossible")]
    else:
        return None
    if "sd" not in group or group["sd"].hedge:
        return None
    n = _size(group, table)
    factor = sqrt(n / (n - 1)) if n > 1 else sqrt(2)
    limit = (highest - lowest) / 2 * factor
    if "mean" in group:
        low, high = group["mean"].printed_interval
        nearest = min(max((lowest + highest) / 2, low), high)
        limit = min(limit, sqrt(max(0.0, (highest - nearest) * (nearest - lowest))) * factor)
    if group["sd"].printed_interval.low > limit + SLACK:
        mean = f" with the mean {group['mean'].printed}" if "mean" in group else ""
        words = f"numbers from {lowest:g} to {highest:g}{mean} have a deviation of at most {limit:.3f}"
        violations = [
            Broken("too_wide", [group["sd"]], f"{words}; no rounding of it is {group['sd'].printed}", "impossible")
        ]
    return violations


def _ends_of_scale(table: Table) -> tuple[int, ...]:
    """The ends of the scale on which people rated, as the caption or a head names it; none if none does."""
    scale = _SCALE.search(" ".join([table.caption, *(text for place in table.columns for text in place.values())]))
    ends = sorted(int(end) for end in scale.groups() if end) if scale else []
    return (*ends,) if ends and ends[0] < ends[1] else ()


def _error_of_mean(group: Group, table: Table) -> list[Broken] | None:
    """A standard error is the deviation over the root of the size."""
    n = _size(group, table)
    if not {"sd", "se"} <= group.keys() or not _same_unit(group["sd"], group["se"]):
        return None
    sd, se = group["sd"].printed_interval, group["se"].printed_interval
    if n < 2:
        words = f"a standard error is no larger than its deviation, {group['sd'].printed}"
        is_larger = se.low > sd.high + SLACK
        return [Broken("error_of_mean", [group["se"]], words, "impossible")] if is_larger else []
    expected = sd.scaled(1 / sqrt(n))
    words = f"{group['sd'].printed} / √{n} is {expected.low:.4g} to {expected.high:.4g} with any rounding"
    is_other = not expected.meets(se)
    return [Broken("error_of_mean", [group["se"], group["sd"]], words, "inconsistent")] if is_other else []


def _outside_of_interval(group: Group, _: Table) -> list[Broken] | None:
    """An interval begins below its end, and holds its estimate."""
    if not {"low", "high"} <= group.keys() or any(group[name].hedge for name in ("low", "high")):
        return None
    low, high = group["low"].printed_interval, group["high"].printed_interval
    text = f"[{group['low'].printed}, {group['high'].printed}]"
    if low.low > high.high + SLACK:
        words = f"the interval {text} begins above its end"
        return [Broken("limits_reversed", [group["low"], group["high"]], words, "impossible")]
    violations = []
    for name in HELD:
        cell = group.get(name)
        if cell and _same_unit(cell, group["low"]) and cell.decimals >= min(1, group["low"].decimals):
            value = cell.printed_interval
            if value.high < low.low - SLACK or value.low > high.high + SLACK:
                words = f"{cell.printed} is outside of its interval {text}, however they were rounded"
                violations.append(Broken("outside_of_interval", [cell], words, "inconsistent"))
            break
    return violations


def _not_in_the_middle(group: Group, _: Table) -> list[Broken] | None:
    """An estimate with its standard error is in the middle of its interval, unless that is one of a ratio."""
    if not {"estimate", "se", "low", "high"} <= group.keys() or any(
        group[name].hedge for name in ("estimate", "low", "high")
    ):
        return None
    value, low, high = (group[name].printed_interval for name in ("estimate", "low", "high"))
    if RATIO.search(" ".join(group["estimate"].coordinates.values()).casefold()) or low.low > high.high + SLACK:
        return None
    middle = mean([low, high])
    if middle.meets(value) or not low.low <= value.low <= high.high:
        return []
    text = f"[{group['low'].printed}, {group['high'].printed}]"
    words = f"the middle of {text} is {middle.low:.4g} to {middle.high:.4g} with any rounding, not {value.low:.4g}"
    cells = [group["estimate"], group["low"], group["high"]]
    return [Broken("not_in_the_middle", cells, f"{words}: a limit or the estimate is wrong")]


def _absolute_and_squared(group: Group, _: Table) -> list[Broken] | None:
    """The root of the mean squared error is no smaller than the mean absolute error."""
    if not {"mae", "rmse"} <= group.keys() or not _same_unit(group["mae"], group["rmse"]):
        return None
    mae, rmse = group["mae"], group["rmse"]
    words = f"the mean absolute error, {mae.printed}, is above the root of the mean squared one, {rmse.printed}"
    is_above = mae.printed_interval.low > rmse.printed_interval.high + SLACK
    return (
        [Broken("absolute_and_squared", [mae, rmse], f"{words}, however both were rounded", "impossible")]
        if is_above
        else []
    )


def _estimate_over_error(group: Group, _: Table) -> list[Broken] | None:
    """t (or z) is the estimate over its standard error."""
    name = "t" if "t" in group else "z"
    if not {"estimate", "se", name} <= group.keys() or any(group[n].hedge for n in ("estimate", "se", name)):
        return None
    value, error, printed = (group[n].printed_interval for n in ("estimate", "se", name))
    if error.low <= 0 or RATIO.search(" ".join(group["estimate"].coordinates.values()).casefold()):
        return None
    quotient = value / error
    ends = f"{quotient.low:.3g} to {quotient.high:.3g}"
    words = f"{group['estimate'].printed} / {group['se'].printed} is {ends} with any rounding"
    fits = quotient.magnitude().meets(printed.magnitude())
    return [Broken("estimate_over_error", [group[name]], words, "inconsistent")] if not fits else []


def _size(group: Group, table: Table) -> int:
    """The size of the sample of a group: beside it, in its labels, or in the caption; 0 if none is known."""
    if "n" in group and not group["n"].decimals and not group["n"].hedge:
        return int(group["n"].number)
    labels = [text for cell in group.values() for text in cell.coordinates.values()]
    return size_of(labels) or caption_size(table)


def _no_such_mean(groups: Sequence[Group], table: Table) -> Iterator[Broken]:
    """Means and deviations that whole numbers do not have, where the others are theirs (GRIM, GRIMMER)."""
    tested = []
    for group in groups:
        n = _size(group, table)
        mean = group.get("mean")
        if mean and 1 < n <= LARGEST and mean.decimals > 1 and not mean.hedge and not mean.printed.endswith("%"):
            tested.append((group, n))
    wrong = [(group, n) for group, n in tested if not is_whole(group["mean"].printed_interval, n)]
    fitting = {(group["mean"].number, n): min(1.0, 1.5 * n / 10 ** group["mean"].decimals) for group, n in tested}
    for group, n in wrong:
        fitting.pop((group["mean"].number, n), None)
    labels = [text for group, _ in tested for cell in group.values() for text in cell.coordinates.values()]
    counted = bool(WHOLE.search(" ".join([table.caption, *labels])))
    chance = chance_bound([*fitting.values()], len(fitting) + len(wrong), 1)
    if (
        not tested
        or 2 * len(wrong) > len(tested)
        or not (chance < SMALL or (counted and len(wrong) <= max(1, len(fitting))))
    ):
        return
    why = "" if counted else f"; the other {len(fitting)} means are, by chance {odds(chance)}"
    for group, n in wrong:
        words = f"no {n} whole numbers have a mean that is printed {group['mean'].printed}"
        yield Broken("no_such_mean", [group["mean"]], words + why, "impossible" if counted else "suspicious")
    ends = _ends_of_scale(table) if counted else ()
    for group, n in tested:
        if "sd" not in group or (group, n) in wrong or group["sd"].hedge or group["sd"].decimals < 2:
            continue
        printed, average = group["sd"].printed_interval, group["mean"].printed_interval
        possible = rated(n, ends[0], ends[1], average, printed) if ends else deviations(n, average, printed)
        if possible and not any(printed.meets(deviation) for deviation in possible):
            candidates = " or ".join(
                interval_text(deviation.scaled(group["sd"].scale), group["sd"]) for deviation in possible
            )
            words = f"{n} whole numbers with the mean {group['mean'].printed} have the deviation {candidates}"
            yield Broken("no_such_deviation", [group["sd"]], words + why, "impossible" if counted else "suspicious")


def _deviation_of_share(groups: Sequence[Group], table: Table) -> Iterator[Broken]:
    """The deviation of answers yes or no is that of their share (DEBIT), where words or the other lines say so."""
    judged = []
    for group in groups:
        share, sd = group.get("mean"), group.get("sd")
        if share and sd and not share.hedge and not sd.hedge and share.decimals > 1 and sd.decimals > 1:
            low, high = share.printed_interval
            if low >= 0 and high <= 1:
                n = _size(group, table)
                ends = [sqrt(end * (1 - end)) for end in (low, high)] + [0.5] * (low < 0.5 < high)
                factor = sqrt(n / (n - 1)) if n > 1 else 1.0
                possible = Interval(min(ends), max(ends) * factor)
                judged.append((share, sd, possible, possible.meets(sd.printed_interval)))
    wrong = [entry for entry in judged if not entry[-1]]
    fit = len(judged) - len(wrong)
    if len(wrong) == 1 and (fit > 1 or BINARY.search(table.caption)):
        share, sd, possible, _ = wrong[0]
        words = f"answers yes or no with the share {share.printed} have the deviation {interval_text(possible, sd)}"
        yield Broken("deviation_of_share", [sd, share], words, "inconsistent")


def _deviation_of_runs(table: Table) -> Iterator[Broken]:
    """The deviation beside the numbers of runs is theirs, over all of them or over one less."""
    runs: defaultdict[tuple[int, tuple[tuple[str, str], ...]], list[Cell]] = defaultdict(list)
    for cell in table.cells:
        if "seed" in cell.coordinates and cell.coordinates["value"] == "value" and not cell.hedge:
            runs[cell.line, cell.place_without("seed", "value")].append(cell)
    judged = []
    for sd in table.cells:
        siblings = runs.get((sd.line, sd.place_without("value")), [])
        if sd.coordinates["value"] == "deviation" and "seed" not in sd.coordinates and len(siblings) > 1:
            parts = [cell.interval for cell in siblings]
            possible = [deviation(parts, population=population) for population in (False, True)]
            judged.append((sd, possible, any(candidate.meets(sd.interval) for candidate in possible)))
    wrong = [entry for entry in judged if not entry[-1]]
    for sd, possible, _ in wrong if 2 * len(wrong) < len(judged) else ():
        candidates = " or ".join(interval_text(candidate, sd) for candidate in possible)
        yield Broken("deviation_of_runs", [sd], f"the deviation of the runs is {candidates}", "inconsistent")
