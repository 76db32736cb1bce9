"""Compares two results folders, paper by paper: the verdict on every claim, and the cells of every table."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from robustdr.core.errors import UserError
from robustdr.core.files import write_text
from robustdr.reporting.artifacts import Claims, Record, Table, opened
from robustdr.reporting.origins import origins
from robustdr.reporting.side_by_side import SIDES, SideBySide, numbered, side_by_side
from robustdr.reporting.templates import templates, write_shared

SHARED = ("site.css", "site.js", "table.js")
Made = TypeVar("Made")
Words = dict[str, str]  # by side: why an artifact cannot be shown; '' if it can


class ClaimPair(NamedTuple):
    """A claim in each folder, None if the folder lacks it, and whether the verdict changed."""

    claim: str
    source: str
    sides: tuple[Record | None, Record | None]
    changed: bool


@dataclass(frozen=True)
class TablePair:
    """A table of both folders; `cells` is None if one of them cannot be shown."""

    name: str
    title: str
    words: Words
    cells: SideBySide | None

    @property
    def counts(self) -> Counter[str]:
        """How many cells there are of each word of a pair."""
        pairs = self.cells.pairs.values() if self.cells else ()
        return Counter(pair.word for pair in pairs if pair.cell and pair.cell.label)


@dataclass
class Paper:
    """What the two folders have of a paper."""

    name: str
    title: str
    words: Words = field(default_factory=dict)
    claims: list[ClaimPair] = field(default_factory=list)
    tables: list[TablePair] = field(default_factory=list)


def compared_claims(first_claims: list[Record], second_claims: list[Record]) -> list[ClaimPair]:
    """The claims of a paper in both folders: first changed verdicts, then claims that one folder lacks, then others."""
    ours, theirs = (
        dict(numbered(claims, lambda claim: (claim["claim"], claim["source"])))
        for claims in (first_claims, second_claims)
    )
    comparisons = []
    for claim_key in dict.fromkeys([*ours, *theirs]):
        a, b = ours.get(claim_key), theirs.get(claim_key)
        claim, source, _ = map(str, claim_key)
        comparisons.append(ClaimPair(claim, source, (a, b), not a or not b or a["verdict"] != b["verdict"]))
    return sorted(comparisons, key=lambda pair: (not pair.changed, None in pair.sides))


def _names(roots: tuple[Path, Path], part: str) -> list[str]:
    """The sorted names of the artifacts in either folder."""
    return sorted({path.stem for root in roots for path in (root / part).glob("*.json")})


def _open_both(
    roots: tuple[Path, Path], folder: str, name: str, kind: type[Made]
) -> tuple[Made | None, Made | None, Words]:
    """An artifact of both folders, and by side why it cannot be shown; '' if it can."""
    (first, word), (second, its_word) = (opened(root / folder / f"{name}.json", kind) for root in roots)
    return first, second, dict(zip(SIDES, (word, its_word), strict=True))


def _table(roots: tuple[Path, Path], name: str) -> TablePair:
    """A table.

    Raises:
        UserError: a number of it is over more queries in one folder than in the other.
    """
    first, second, words = _open_both(roots, "tables", name, Table)
    title = first["title"] if first else second["title"] if second else name
    cells = side_by_side(roots, (first, second)) if first and second else None
    for (row, column), pair in cells.pairs.items() if cells else ():
        if len({*pair.queries}) > 1:
            a, b = pair.queries
            raise UserError(
                f"compare: {name}: {row}, {column}: {a:,} queries in A and {b:,} in B; scores on samples of other "
                "sizes do not compare; allowed: folders with as many queries, or --claims, which compares only verdicts"
            )
    return TablePair(name, title, words, cells)


def papers(roots: tuple[Path, Path], claims_alone: bool) -> list[Paper]:
    """What the folders have, by paper: those with claims, and then those with tables alone."""
    paper_by_name: dict[str, Paper] = {}
    for name in _names(roots, "claims"):
        first, second, words = _open_both(roots, "claims", name, Claims)
        title = first["title"] if first else second["title"] if second else name
        claims = compared_claims(first["claims"] if first else [], second["claims"] if second else [])
        paper_by_name[name] = Paper(name, title, words, claims)
    for table in () if claims_alone else _names(roots, "tables"):
        paper_names = [name for name in paper_by_name if table.startswith(f"{name}_")]
        name = max(paper_names, key=len, default=table.partition("_")[0])
        paper_by_name.setdefault(name, Paper(name, name)).tables.append(_table(roots, table))
    return list(paper_by_name.values())


def write_comparison(first: Path, second: Path, output: Path, claims_alone: bool = False) -> Path:
    """Write pages that show two results folders side by side.

    Args:
        first, second: folders such as results/mini, A and B on the pages. output: the folder of the pages.
        claims_alone: leave tables out.

    Returns:
        The path of the first page.

    Raises:
        UserError: a folder has no tables, or the scores of a table are over other numbers of queries.
    """
    roots = first, second
    for root in roots:
        if not (root / "tables").is_dir():
            raise UserError(f"compare: {root}: no results: it has no tables; allowed: a folder such as results/mini")
    compared_papers = papers(roots, claims_alone)
    environment = templates(roots=dict(zip(SIDES, roots, strict=True)), site={"scale": "", "miniature": ""}, papers=[])
    for paper in compared_papers:
        for table in (table for table in paper.tables if table.cells):
            page = environment.get_template("compared_table.html.j2").render(paper=paper, table=table)
            write_text(output / f"{table.name}.html", page)
    page = environment.get_template("comparison.html.j2").render(compared=compared_papers, origins=origins(*roots))
    write_text(output / "index.html", page)
    write_shared(SHARED, output)
    return output / "index.html"
