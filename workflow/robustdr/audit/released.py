"""`robustdr released PAPER FOLDER`: what authors released, counted beside what their paper prints of it.

A misspelled query differs from its original by one slip of the keyboard, of some kind, or by more than one.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from robustdr.audit import counted
from robustdr.audit.counted import COUNT, SHARE, Entry, elsewhere
from robustdr.audit.reported import PAPERS, Reported, as_text, load
from robustdr.audit.transcript import Coordinates, Id
from robustdr.core import paths
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import read_qrels, read_queries
from robustdr.core.names import Text
from robustdr.core.yaml_files import Document, checked, read_numbered

NEIGHBOUR, OTHER, CASE = "neighbouring key", "another character", "letter case"
INSERTED, DELETED, SWAPPED, MORE = "inserted", "deleted", "swapped", "more than one"
SLIPS = (NEIGHBOUR, OTHER, CASE, INSERTED, DELETED, SWAPPED, MORE)
# A US keyboard, row by row, without and with the shift key.
_ROWS = ("`1234567890-=", " qwertyuiop[]\\", " asdfghjkl;'", " zxcvbnm,./")
_SHIFTED = ("~!@#$%^&*()_+", " QWERTYUIOP{}|", ' ASDFGHJKL:"', " ZXCVBNM<>?")
_PLACES = {
    key: (row, column)
    for rows in (_ROWS, _SHIFTED)
    for row, keys in enumerate(rows)
    for column, key in enumerate(keys)
    if key != " "
}


def are_neighbours(first: str, second: str) -> bool:
    """Whether two characters are typed with keys next to each other, at most a row and a column apart."""
    if first not in _PLACES or second not in _PLACES:
        return False
    (row, column), (other_row, other_column) = _PLACES[first], _PLACES[second]
    return max(abs(row - other_row), abs(column - other_column)) == 1


def slip(original: str, typed: str) -> str:
    """The kind of the one slip between two texts that differ, blanks aside; `MORE` if there are several."""
    from robustdr.variations.slips import common_prefix_length  # slow to import

    a, b = ("".join(text.split()) for text in (original, typed))
    start = common_prefix_length(a, b)
    end = common_prefix_length(a[start:][::-1], b[start:][::-1])
    was, now = a[start : len(a) - end], b[start : len(b) - end]
    match len(was), len(now):
        case 1, 1:
            return CASE if was.lower() == now.lower() else NEIGHBOUR if are_neighbours(was, now) else OTHER
        case 0, 1:
            return INSERTED
        case 1, 0:
            return DELETED
        case 2, 2 if was == now[::-1]:
            return SWAPPED
    return MORE


class QuerySets(Document):
    """The released variations of one set of queries."""

    title: Text
    """Description of the sets, in words."""
    original: Text
    """File of the original queries."""
    variations: Annotated[dict[str, Text], Field(min_length=1)]
    """By query set, the file of its queries."""
    slips: bool = False
    """Whether the changed queries are counted by the kind of slip, too."""
    qrels: Text | None = None
    """File of their judgements."""
    paper: Id | None = None
    """The paper that prints their counts, if it is another one."""
    table: Id
    """Its table."""
    where: Coordinates
    """Coordinates of all their counts in it."""
    quantities: dict[str, str]
    """By what is counted (queries, unchanged, changed, judged_per_query), the quantity that the table has for it."""
    note: str = ""
    """What the paper says of them without a number."""


class Released(Document):
    """The files that the authors of a paper released."""

    url: Text
    """Address of the files."""
    sets: Annotated[list[QuerySets], Field(min_length=1)]
    """The sets of queries among them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("paper", help=f"one of {', '.join(_papers())}")
    parser.add_argument("folder", type=paths.named_path, help="a copy of what its authors released")
    parser.add_argument(
        "-o", "--output", type=paths.output_path, required=True, help=".md file; .csv and .json beside it"
    )


def run(arguments: argparse.Namespace) -> None:
    """Count what a paper's authors released and write it beside what the paper prints.

    Raises:
        UserError: an unknown paper, a file that is missing or cannot be read.
    """
    declared = _papers()
    if arguments.paper not in declared:
        raise unknown("released: paper", arguments.paper, declared)
    path = declared[arguments.paper]
    released = checked(Released, read_numbered(path)[0], path)
    entries: list[Entry] = []
    notes = [f"Counted in the files of {released.url}."]
    for query_sets in released.sets:
        reported = load(PAPERS / (query_sets.paper or arguments.paper) / "reported.yaml")
        entries += count(query_sets, arguments.folder, reported)
        notes += [f"{query_sets.title}: {query_sets.note}"] if query_sets.note else []
    title = f"{arguments.paper}: the released files beside the paper"
    counted.write(f"{arguments.paper}_released", title, entries, [*notes, *elsewhere(entries)], arguments.output)


def _papers() -> Mapping[str, Path]:
    return {path.parent.name: path for path in sorted(PAPERS.glob("*/released.yaml"))}


def count(sets: QuerySets, folder: Path, reported: Reported) -> Iterator[Entry]:
    """Yield the counts of the sets, each with the cell that prints it.

    Raises:
        UserError: a file that is missing or cannot be read, or queries that the original set lacks.
    """
    original = read_queries(folder / sets.original)

    def entry(row: str, column: str, value: float, form: str = COUNT) -> Entry:
        quantity = sets.quantities.get(column)
        place = as_text(sets.where) | ({"query_set": row} if row in sets.variations else {})
        cell = reported.find(sets.table, **place, quantity=quantity) if quantity else None
        return Entry(sets.title, row, column.replace("_", " "), value, form, cell)

    yield entry("original", "queries", len(original))
    if sets.qrels:
        grades = [grade for judged in read_qrels(folder / sets.qrels).values() for grade in judged.values()]
        yield entry("original", "judged_per_query", len(grades) / len(original), ".2f")
    for name, file in sets.variations.items():
        queries = read_queries(folder / file)
        if strange := queries.keys() - original.keys():
            raise UserError(f"{folder / file}: query {min(strange)!r} is not in {sets.original}")
        pairs = [(original[id], text) for id, text in queries.items()]
        yield entry(name, "queries", len(pairs))
        unchanged = sum(before == after for before, after in pairs)
        yield entry(name, "unchanged", unchanged)
        yield entry(name, "changed", len(pairs) - unchanged)
        changed_pairs = [(before, after) for before, after in pairs if before != after]
        yield entry(
            name, "changed in blanks alone", sum(before.split() == after.split() for before, after in changed_pairs)
        )
        yield entry(
            name, "changed in case alone", sum(before.casefold() == after.casefold() for before, after in changed_pairs)
        )
        slips = Counter(slip(*pair) for pair in changed_pairs) if sets.slips else Counter()
        for kind in SLIPS if sets.slips else ():
            yield Entry(f"{sets.title}, slips", kind, name, slips[kind], COUNT)
            yield Entry(f"{sets.title}, slips", kind, "share", slips[kind] / max(1, len(changed_pairs)), SHARE)
