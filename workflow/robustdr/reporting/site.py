"""The report: static pages with every claim, table, finding and query of a scale; no server is needed."""

import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from markupsafe import Markup

from robustdr.audit.cells import describe
from robustdr.audit.findings import SEVERITIES
from robustdr.audit.formats import CAUSES
from robustdr.audit.page import template_record
from robustdr.audit.record import FindingRecord, Record
from robustdr.claims.controls import PASSES
from robustdr.claims.verdicts import NOT_PRINTED, NOT_RUN, OPEN, POWER, VERDICTS
from robustdr.core.files import from_json, write_text
from robustdr.keys.integrity import hardware
from robustdr.reporting.artifacts import Claims, Means, Table, TableLayout, averaged, opened
from robustdr.reporting.artifacts import Record as Claim
from robustdr.reporting.cells import Cell
from robustdr.reporting.charts import Drop, drops, embedded, rank, scatter
from robustdr.reporting.claim_pages import Shown, headlines, judged
from robustdr.reporting.claims import SIGN
from robustdr.reporting.deciding_queries import Explored
from robustdr.reporting.forest import Axis
from robustdr.reporting.grid import AGREEMENTS
from robustdr.reporting.method_choice import advice, compared, gains
from robustdr.reporting.sentences import of_scale, percent
from robustdr.reporting.settings import MOST, PARTS, SHARED, Paper, SiteSettings
from robustdr.reporting.templates import templates, write_shared

COMPARISON = "all_methods"  # table of the methods to choose from
REASONS = {
    "missing": "was not made. Make it by",
    "cut off": "is cut off or damaged. Delete it, then",
    "other version": "was made by another version. Delete it, then",
}
Made = TypeVar("Made")


class _Page(NamedTuple):
    """The content of a paper's pages; None for parts that the paper lacks."""

    entry: Paper
    claims: Shown | None
    audit: Shown | None
    tables: dict[str, Shown | None]
    figures: dict[str, Markup]
    drops: list[Drop]

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def title(self) -> str:
        return self.entry.title

    @property
    def rank(self) -> float | None:
        return rank(self.drops)

    @property
    def scatter(self) -> Markup:
        return scatter(self.drops)

    @property
    def decided(self) -> int:
        """How many of its claims are decided."""
        counts: Any = (self.claims or {}).get("here") or {}
        return sum(count for verdict, count in counts.items() if verdict not in OPEN)


def _read_artifact(path: Path, kind: type[Made], command: str) -> tuple[Made | None, str]:
    """(what a stage wrote, why it cannot be shown and what to do); one of them is None or ''."""
    artifact, why = opened(path, kind)
    return artifact, f"{path} {REASONS[why]}: {command}{path.with_suffix('.md')}" if why else ""


def _missing(why: str) -> Shown | None:
    return {"title": "", "missing": why} if why else None


def found_in(findings: Iterable[FindingRecord]) -> dict[str, list[Shown]]:
    """The findings about each printed cell, by the cell's name in tables; each with its number and its cell."""
    findings_by_cell: dict[str, list[Shown]] = {}
    for number, finding in enumerate(findings):
        for cell in finding["cells"]:
            cell_name = f"{finding['table']} [{describe(cell['coordinates'])}]"
            findings_by_cell.setdefault(cell_name, []).append({**finding, "number": number, "cell": cell})
    return findings_by_cell


def query_link(cell: Cell, means: Means) -> str:
    """The link to the queries behind a cell; '' if there are none."""
    if cell.reproduced is None or not cell.system or not cell.measured:
        return ""
    kinds = ",".join(averaged(cell, means))
    return "/".join((cell.collection, cell.system, cell.split, kinds, cell.measured, cell.table))


def _ordered(layout: TableLayout, cells: list[Cell], paper: str) -> TableLayout:
    """The layout with the columns of the paper's own method first: of the systems that are named after it."""

    def is_paper_method(column: int) -> bool:
        numbers = [fields[column][2] for fields in layout["fields"]]
        return any(paper in cells[number].system.split("_") for number in numbers if number is not None)

    order = sorted(range(len(layout["columns"])), key=lambda column: not is_paper_method(column))
    fields = [[row_fields[column] for column in order] for row_fields in layout["fields"]]
    return {**layout, "columns": [layout["columns"][column] for column in order], "fields": fields}


def _table(table: Table, findings: Mapping[str, list[Shown]], paper: str) -> Shown:
    """A table; each cell has the findings about it and the link to its queries."""
    cells = [
        {
            **asdict(cell),
            "findings": [
                finding for cell_name in cell.printed_at.split("; ") for finding in findings.get(cell_name, [])
            ],
            "queries_at": query_link(cell, table["means"]),
        }
        for cell in table["cells"]
    ]
    counts = Counter(cell.drop_agreement for cell in table["cells"] if cell.drop_agreement)
    not_run = sum(cell.reproduced is None for cell in table["cells"])
    cell_names = table["layout"].get("printed_at", {}).items()  # a table of an older version has none
    facts = {
        row: {column: findings.get(cell_name, []) for column, cell_name in names_by_column.items()}
        for row, names_by_column in cell_names
    }
    table_parts = {"layout": _ordered(table["layout"], table["cells"], paper), "cells": cells, "facts": facts}
    return {**table, **table_parts, "missing": "", "agreements": counts, "not_run": not_run}


def stamp(scale: str, root: Path) -> str:
    """Return what stands on every page: scale, commit with its day, and the hardware behind the measures in `root`."""
    try:
        command = ["git", "log", "-1", "--format=commit %h of %cs"]
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        commit = "unknown commit"
    computed = sorted(hardware(root.glob("measures/*/*/seed*/*.parquet")))
    return " · ".join([f"scale {scale}", commit, *computed])


def links(paper: Paper, tables: Mapping[str, Shown | None], claim: Claim) -> list[tuple[str, str]]:
    """(address, words) of the cells that a claim rests on, one a system and table that shows it."""
    addresses = []
    for name in (f"{paper.name}_{table}" for table in claim["tables"]):
        cells: list[Any] = (tables.get(name) or {}).get("cells", [])  # type: ignore[assignment]
        labels = dict.fromkeys(cell["label"] for cell in cells if cell["system"] in claim["systems"])
        title = name.partition("_")[2].replace("table", "Table ")
        addresses += [(f"{name}.html#system={quote(label)}", f"{title}, {label}") for label in labels]
    return addresses


def write_site(
    settings: SiteSettings,
    tables: list[Path],
    figures: list[Path],
    claims: list[Path],
    audits: list[Path],
    output: Path,
    replicates: Path | None = None,
    stamp: str = "",
) -> None:
    """Write the report; a page says so if its data is missing, damaged or of another version.

    Args:
        tables, claims, audits: .json files. figures: .svg files. A paper may lack any of them.
        output: the first page; the others are in the same folder, those of claims in `claims/<paper>`, and `data` has
            the queries of systems and collections.
        replicates: `evidence/replicates.json`. stamp: what the report was made from, and on what.
    """

    def paths_of(paper: Paper, paths: list[Path]) -> list[Path]:
        return [path for path in paths if path.stem.partition("_")[0] == paper.name]

    def read_first(paper: Paper, paths: list[Path], kind: type[Made]) -> tuple[Made | None, str]:
        return next((_read_artifact(path, kind, settings.command) for path in paths_of(paper, paths)), (None, ""))

    tables_by_name = {path.stem: _read_artifact(path, Table, settings.command) for path in tables}
    singles = from_json(replicates.read_bytes()) if replicates else {}  # by paper and claim
    explored = Explored(output.parent / "data")
    papers: list[_Page] = []
    judged_claims: list[Claims] = []
    for paper in settings.papers:
        records, no_audit = read_first(paper, audits, list[Record])
        audit = records[0] if records else None  # the audit writes one entry per paper
        paper_claims, no_claims = read_first(paper, claims, Claims)
        findings = found_in(audit["findings"] if audit else ())
        its_tables = {path.stem: tables_by_name[path.stem] for path in paths_of(paper, tables)}
        drawn = [path for path in paths_of(paper, figures) if path.is_file()]
        drawings = {path.stem: embedded(path.read_text(encoding="utf-8"), path.stem) for path in drawn}
        shown_audit = (
            # The audit's `missing` lists tables that the paper's text lacks; a page's `missing` is a reason.
            {**template_record(audit, tables=its_tables), "missing": "", "missing_tables": audit["missing"]}
            if audit
            else _missing(no_audit)
        )
        shown_tables = {
            name: _table(table, findings, paper.name) if table else _missing(why)
            for name, (table, why) in its_tables.items()
        }
        cells = partial(links, paper, shown_tables)
        claims_view = (
            judged(paper, paper_claims, singles.get(paper.name, {}), cells, explored)
            if paper_claims
            else _missing(no_claims)
        )
        judged_claims += [paper_claims] if paper_claims else []
        all_drops = [
            drop for table, _ in its_tables.values() if table for drop in drops(table["cells"], table["means"])
        ]
        papers.append(_Page(paper, claims_view, shown_audit, shown_tables, drawings, list(dict.fromkeys(all_drops))))
    environment = templates(
        site=settings,
        papers=papers,
        verdicts=VERDICTS,
        not_printed=NOT_PRINTED,
        stamp=stamp,
        parts=PARTS,
        most=MOST,
        severities=SEVERITIES,
        agreement_words=AGREEMENTS,
        power=POWER,
        sign=SIGN,
    )
    environment.filters["percent"] = percent

    def write(page: str, template: str, **values: Any) -> None:
        up = "../" * page.count("/")
        write_text(output.parent / page, environment.get_template(template).render(up=up, **values))

    for paper_page in papers:
        write(f"{paper_page.name}.html", "paper.html.j2", paper=paper_page)
        write(f"{paper_page.name}_audit.html", "audit.html.j2", paper=paper_page, opening=CAUSES)
        for name, table in paper_page.tables.items():
            write(f"{name}.html", "table.html.j2", paper=paper_page, name=name, table=table)
        for number in range(paper_page.entry.claims):
            write(paper_page.entry.page_of(number + 1), "claim.html.j2", paper=paper_page, number=number)
    for name in ("queries", "provenance"):
        write(f"{name}.html", f"{name}.html.j2")
    write_shared(SHARED, output.parent)
    write(output.name, "index.html.j2", **_start(settings, papers, judged_claims, tables_by_name))


def _start(
    settings: SiteSettings, papers: list[_Page], judged: list[Claims], tables: Mapping[str, tuple[Table | None, str]]
) -> dict[str, Any]:
    """What the first page shows besides the papers."""
    methods, _ = tables.get(COMPARISON, (None, ""))
    chosen = compared(methods["cells"]) if methods else []
    drawn = [drop for paper in papers for drop in paper.drops]
    claims = [claim for paper in judged for claim in paper["claims"]]
    effects = [effect for claim in claims for effect in claim["effects"]]
    states = Counter(control["state"] for paper in judged for control in paper["controls"])
    counts = [headlines(paper["claims"]) for paper in judged]
    cards = [paper for paper in papers if paper.claims and (paper.claims["missing"] or paper.claims["here"])]
    return {
        "cards": sorted(cards, key=lambda paper: paper.decided, reverse=True),
        "compared": any(table and table.get("compared") for table, _ in tables.values()),
        "methods": COMPARISON in tables,
        "chosen": chosen,
        "advice": advice(chosen),
        "axis": Axis.from_effects([method.effect for method in chosen]),
        "answer": of_scale(settings.scale, counts, gains(chosen), rank(drawn)) if any(counts) else "",
        "judged": sum(map(bool, counts)),
        "effects": len(effects),
        "queries": max((effect["queries"] for effect in effects), default=0),
        "seeds": max((effect["seeds"] for effect in effects), default=0),
        "passing": states[PASSES],
        "controls": states.total() - states[NOT_RUN],
    }
