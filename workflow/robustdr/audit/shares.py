"""Ranges of shares, correlations and p; recall at growing depth; F1 of P and R; confusion matrices; parts of 100."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from robustdr.audit import rounding
from robustdr.audit.cells import Cell
from robustdr.audit.findings import Broken, are_exceptions
from robustdr.audit.heads import CHANGE, is_of_labels, is_share, lines, role
from robustdr.audit.relations import interval_text
from robustdr.audit.reported import Table
from robustdr.claims.intervals import Interval

UNITS = ("percent", "fraction", "number", "count", "")  # of cells that a range is about: no seconds, no millions
PARTS = 3  # shares of one whole, at least
OTHERS = 2  # lines that have a sum of 100
NEAR = 2  # factor by which a wrong sum is off, at most; others are no sums of shares
_RISING = re.compile(r"(RR|R|Success|Recall|Hits?|HR|SR|pass|MRR)@(\d+)", re.I)
_DEEP = re.compile(r"@|^top[-\s]?(?:1|3|5|10|20)\b", re.I)
_NOT_RISING = re.compile(r"rouge|capped|r_?cap|\bIoU\b|threshold|\bR-L\b", re.I)
_OF_CHANGES = re.compile(
    r"\W*(?:the |relative |average )*(?:(?:de|in)crease|drop|reduction|improvement|gain|change|difference)s?\b", re.I
)
_MACRO = re.compile(r"macro|micro|overall|weighted|averag|\bavg\b|mean|best", re.I)
ALONE = ("n", "t", "f", "chi2", "z", "df", "se", "sd", "low")  # roles beside which `r` and `p` are sure


def broken(table: Table, words: Mapping[str, Sequence[str]]) -> Iterator[Broken]:
    """Yield the numbers of a table that are outside of their range, order or formula.

    Args:
        words: by label, how the paper words it.
    """
    yield from _out_of_range(table)
    yield from _out_of_order(table, words)
    yield from _f1_of_p_and_r(table)
    yield from _rate_of_counts(table)
    yield from _not_to_100(table)


def _limits(cell: Cell, roles: Sequence[str]) -> tuple[str, float, float]:
    """The range of a cell, with its name; it is empty if there is none."""
    labels = cell.labels
    if any(CHANGE.search(text) for text in labels):
        return "", 0, 0
    for text in labels:
        if is_share(text):
            return f"{text}, a share,", 0, 100
        name = role(text)
        if name in ("r", "agreement", "p") and (len(text) > 1 or any(line_role in ALONE for line_role in roles)):
            return {"p": (f"{text}, a probability,", 0, 1)}.get(name, (f"{text}, a coefficient,", -1, 1))
    return "", 0, 0


def _out_of_range(table: Table) -> Iterator[Broken]:
    roles: defaultdict[int, list[str]] = defaultdict(list)
    for line in lines(table):
        for entry in line.entries:
            roles[entry.cell.line].append(entry.role)
    columns: defaultdict[tuple[int, str, float, float], list[Cell]] = defaultdict(list)
    for cell in table.cells:
        if cell.coordinates["value"] == "value" and is_of_labels(cell) and cell.unit in UNITS:
            name, lowest, highest = _limits(cell, roles[cell.line])
            if name:
                highest *= 100 if highest == 1 and cell.printed.endswith("%") else 1
                columns[cell.column, name, lowest, highest].append(cell)
    outside: list[tuple[str, float, float, Cell]] = []
    for (_, name, lowest, highest), cells in columns.items():
        wrong = [cell for cell in cells if not lowest <= cell.number <= highest]
        if len(wrong) == 1:  # several, in a column or in a line, are a measure of another definition, or changes
            outside.append((name, lowest, highest, wrong[0]))
    neighbours = Counter(place for *_, cell in outside for place in (("line", cell.line), ("column", cell.column)))
    for name, lowest, highest, cell in outside:
        if neighbours["line", cell.line] == neighbours["column", cell.column] == 1:
            words = f"{name} lies between {lowest} and {highest}; {cell.printed} does not, however it was rounded"
            yield Broken("out_of_range", [cell], words, "impossible")


def _out_of_order(table: Table, words: Mapping[str, Sequence[str]]) -> Iterator[Broken]:
    """More depth finds no less: recall, success and the reciprocal rank of one system and one set."""
    if (
        _NOT_RISING.search(table.caption)
        or _OF_CHANGES.match(table.caption)
        or any(_NOT_RISING.search(text) for c in table.cells[:200] for text in c.labels)
    ):
        return
    by_depth: defaultdict[tuple[object, ...], dict[int, Cell]] = defaultdict(dict)
    for cell in table.cells:
        is_plain = cell.coordinates["value"] == "value" and not cell.hedge and not cell.printed.startswith("+")
        for name, text in cell.coordinates.items() if is_plain else ():
            match = _RISING.fullmatch(text)
            is_spelled = all(_DEEP.search(spelled) for spelled in words.get(text, ()))  # R50 is no recall
            if match and is_spelled and not any(CHANGE.search(label) for label in cell.labels):
                rest = cell.place_without(name)
                by_depth[cell.unit, name, match[1].casefold(), rest].setdefault(int(match[2]), cell)
    pairs = [
        (cells[depth], cells[deeper], depth, deeper)
        for cells in by_depth.values()
        for depth in sorted(cells)
        for deeper in sorted(cells)
        if depth < deeper
    ]
    wrong = [pair for pair in pairs if pair[0].interval.low > pair[1].interval.high]
    if len(wrong) > 1 and 2 * len(wrong) > len(pairs):
        return
    for cell, deep, depth, deeper in wrong:
        words_ = f"{cell.printed} at depth {depth} is above {deep.printed} at depth {deeper}, however both were rounded"
        yield Broken("out_of_order", [cell, deep], f"{words_}: a greater depth finds no less", "inconsistent")


def _f1_of_p_and_r(table: Table) -> Iterator[Broken]:
    """F1 is 2PR/(P+R); an average of many is at most the mean of P and R."""
    groups = [
        (line, group)
        for line in lines(table)
        for group in line.groups()
        if {"precision", "recall", "f1"} <= group.keys()
    ]
    tested = [(group["recall"], group["accuracy"]) for _, group in groups if "accuracy" in group]
    if len(tested) > 1 and all(recall.interval.meets(accuracy.interval) for recall, accuracy in tested):
        return  # P, R and F1 are averages over classes: such a recall is the accuracy
    judged = []
    for line, group in groups:
        triple = precision, recall, f1 = group["precision"], group["recall"], group["f1"]
        first, last = min((cell.line, cell.column) for cell in triple), max((cell.line, cell.column) for cell in triple)
        other_f1 = [entry.cell for entry in line.entries if entry.role == "f1" and entry.cell is not f1]
        if (
            _mixed(triple)
            or any(first < (cell.line, cell.column) < last for cell in other_f1)  # one of their heads was not read
            or any(map(CHANGE.search, f1.labels))
        ):
            continue
        harmonic = rounding.harmonic_mean([precision.interval, recall.interval])
        mean = rounding.mean([precision.interval, recall.interval])
        if harmonic is not None:
            judged.append((precision, recall, f1, harmonic, mean, harmonic.meets(f1.interval)))
    too_high = [entry for entry in judged if entry[2].interval.low > entry[4].high]
    fits = sum(entry[-1] for entry in judged)
    if len(too_high) > 1 and 2 * len(too_high) >= len(judged):
        return
    text = " ".join([table.caption, *(label for place in table.columns for label in place.values())])
    near_misses = sum(not fit and rounding.is_near(f1.interval, harmonic) for _, _, f1, harmonic, _, fit in judged)
    is_plain = not _MACRO.search(text)
    for precision, recall, f1, harmonic, mean, fit in judged:
        inputs = f"P = {precision.printed} and R = {recall.printed}"
        if f1.interval.low > mean.high:
            words = f"F1 is at most the mean of {inputs}, {interval_text(mean, f1)}, however they were rounded"
            yield Broken("f1_of_p_and_r", [f1], words, "inconsistent")
        elif near_misses > 1 and rounding.is_near(f1.interval, harmonic):
            continue  # several that are only near are averages of runs
        elif not fit and fits * 2 >= len(judged) and is_plain and not any(map(_MACRO.search, f1.labels)):
            words = f"2PR/(P+R) of {inputs} is {interval_text(harmonic, f1)}, however they were rounded"
            yield Broken("f1_of_p_and_r", [f1], f"{words}; so it is in {fits} other lines")


def _mixed(cells: Sequence[Cell]) -> bool:
    return len({cell.unit for cell in cells}) > 1 or not all(map(is_of_labels, cells))


RATES = (  # a rate, its numerator, and the whole
    ("precision", ("tp",), ("tp", "fp")),
    ("recall", ("tp",), ("tp", "fn")),
    ("sensitivity", ("tp",), ("tp", "fn")),
    ("specificity", ("tn",), ("tn", "fp")),
    ("accuracy", ("tp", "tn"), ("tp", "fp", "fn", "tn")),
    *((name, ("correct",), (whole,)) for name in ("accuracy", "share") for whole in ("total", "n")),
)


def _rate_of_counts(table: Table) -> Iterator[Broken]:
    """Precision, recall and the like are quotients of the counts beside them."""
    judged = [
        (group[name], [group[n] for n in counted], [group[n] for n in whole])
        for line in lines(table)
        for group in line.groups()
        for name, counted, whole in RATES
        if {name, *counted, *whole} <= group.keys()
        and not any(group[n].decimals or group[n].hedge for n in (*counted, *whole))
        and sum(group[n].number for n in whole) > 0
    ]
    wrong = []
    for cell, counts, parts in judged:
        share = sum(int(count.number) for count in counts) / sum(int(count.number) for count in parts)
        if not any(cell.printed_interval.meets(Interval(share * factor, share * factor)) for factor in (1, 100)):
            wrong.append((cell, counts, parts, share))
    for cell, counts, parts, share in wrong if are_exceptions(wrong, judged) else ():
        numerator, whole = (" + ".join(cell.printed for cell in cells) for cells in (counts, parts))
        words = f"{numerator} of {whole} is {100 * share:.2f} %; no rounding of it is {cell.printed}"
        yield Broken("rate_of_counts", [cell], words, "inconsistent")


def _not_to_100(table: Table) -> Iterator[Broken]:
    """The shares of a line add up to 100, as those of all other lines do.

    Parts of a whole are never negative, and a line in which one number alone is the whole is no evidence of parts.
    """
    for key in ("line", "column"):
        by_line: defaultdict[int, list[Cell]] = defaultdict(list)
        for cell in table.cells:
            if cell.coordinates["value"] == "value":
                by_line[getattr(cell, key)].append(cell)
        width = max(map(len, by_line.values()), default=0)
        full = [cells for cells in by_line.values() if len(cells) == width and not _mixed(cells)]
        if any(cell.number < 0 for cells in full for cell in cells):
            continue
        for whole in (100.0, 1.0):
            sums = [(cells, rounding.mean([cell.printed_interval for cell in cells]).scaled(width)) for cells in full]
            fitting = [
                cells
                for cells, total in sums
                if total.meets(Interval(whole, whole))
                and any(c.decimals for c in cells)
                and not any(c.printed_interval.meets(Interval(whole, whole)) for c in cells)
            ]
            plausible = Interval(whole / NEAR, whole * NEAR)
            wrong = [
                (cells, total)
                for cells, total in sums
                if not total.meets(Interval(whole, whole)) and total.meets(plausible) and any(c.decimals for c in cells)
            ]
            if width < PARTS or len(fitting) < OTHERS or len(wrong) * OTHERS > len(fitting):
                continue
            for cells, total in wrong:
                words = f"the shares add up to {total.low:.2f} to {total.high:.2f} with any rounding, not to {whole:g}"
                words += f", as those of {len(fitting)} other lines do"
                yield Broken("not_to_100", cells, words, "inconsistent")
