"""What is true of a printed number by definition, cell by cell: no neighbour and no chance is needed.

Each family of rules has a module: `shares` (ranges, depths, F1, confusion matrices, parts of 100), `spreads` (means,
medians, deviations, errors, intervals, samples), `tallies` (n (%) and its whole), `inference` (statistics and
p). `heads` says what numbers are.

A rule is broken only if no rounding of the printed numbers obeys it. If most numbers of a table break a rule, the
heads were misread: nothing is said.
"""

from collections.abc import Iterator, Mapping, Sequence

from robustdr.audit import inference, shares, spreads, tallies
from robustdr.audit.findings import Broken
from robustdr.audit.reported import Table


def impossible(table: Table, words: Mapping[str, Sequence[str]]) -> Iterator[Broken]:
    """Yield what breaks a definition in one table.

    Args:
        words: by label, how the paper words it.
    """
    yield from shares.broken(table, words)
    yield from inference.broken(table)
    yield from spreads.broken(table)
    yield from tallies.broken(table)
