"""The report: static pages with every claim, table, finding and query of a scale; no server is needed."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from jinja2 import Environment
from markupsafe import Markup

from robustdr.audit.cells import describe
from robustdr.audit.findings import SEVERITIES
from robustdr.audit.formats import CAUSES
from robustdr.audit.page import shown
from robustdr.audit.record import FindingRecord, Record
from robustdr.claims.measured import detectable
from robustdr.claims.verdicts import NOT_PRINTED, POWER, VERDICTS
from robustdr.core.files import write_text
from robustdr.reporting.cells import AGREEMENTS
from robustdr.reporting.charts import gains
from robustdr.reporting.claims import counted
from robustdr.reporting.settings import PARTS, SHARED, Paper, SiteSettings
from robustdr.reporting.templates import templates, write_shared
from robustdr.reporting.written import Claims, Effect, Means, Row, Table

COMPARISON = "all_methods"  # table for the chart of gains
Shown = Mapping[str, object]  # a template's input
Made = TypeVar("Made")


class _Page(NamedTuple):
    """The content of a paper's pages; None for parts that the paper lacks."""

    name: str
    title: str
    reference: str
    claims: Shown | None
    audit: Shown | None
    tables: dict[str, Shown | None]
    figures: dict[str, Markup]


def _read(path: Path, kind: type[Made], *parts: str) -> tuple[Made | None, str]:
    """(what a stage wrote, why it cannot be shown); one of them is None or ''.

    Args:
        parts: keys that this version writes.
    """
    command = f"snakemake --cores 2 {path.with_suffix('.md')}"
    if not path.is_file():
        return None, f"{path} was not made. Make it by: {command}"
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None, f"{path} is cut off or damaged. Delete it, then: {command}"
    if isinstance(made, list):  # the audit writes one entry per paper
        made = made[0]
    if lacking := ", ".join(part for part in parts if part not in made):
        return None, f"{path} was made by another version: it has no {lacking}. Delete it, then: {command}"
    return made, ""


def _missing(why: str) -> Shown | None:
    return {"title": "", "missing": why} if why else None


def found_in(findings: Iterable[FindingRecord]) -> dict[str, list[Shown]]:
    """The findings about each printed cell, by the cell's name in tables; each with its number and its cell."""
    found: dict[str, list[Shown]] = {}
    for number, finding in enumerate(findings):
        for cell in finding["cells"]:
            at = f"{finding['table']} [{describe(cell['coordinates'])}]"
            found.setdefault(at, []).append({**finding, "number": number, "cell": cell})
    return found


def span(effects: Iterable[Effect]) -> tuple[float, float]:
    """The ends of the axis for a claim's effects: it covers 0 and all finite sizes and ends, with a margin."""
    ends = [0.0]
    for effect in effects:
        every = (
            effect["size"],
            effect["low"],
            effect["high"],
            *(effect["printed"] or ()),
            *(effect["corrected"] or ()),
        )
        ends += [end for end in every if end is not None]
    margin = 0.05 * (max(ends) - min(ends)) or 0.05
    return min(ends) - margin, max(ends) + margin


def _effect(effect: Effect, text: str) -> Shown:
    low, high = effect["low"], effect["high"]
    smallest = None if low is None or high is None else detectable((high - low) / 2, effect["confidence"])
    return {**effect, "text": text, "detectable": smallest}


def _claims(made: Claims) -> Shown:
    """A paper's claims with the data for drawing, and their number by verdict, with and without hypotheses."""
    claims = [
        {
            **claim,
            "span": span(claim["effects"]),
            "effects": [_effect(*of) for of in zip(claim["effects"], claim["evidence"], strict=True)],
        }
        for claim in made["claims"]
    ]
    here, said = counted(made["claims"])
    every = Counter(claim["verdict"] for claim in made["claims"])
    return {**made, "missing": "", "claims": claims, "here": here, "said": said, "every": every}


def query_link(cell: Row, means: Means) -> str:
    """The link to the queries behind a cell; '' if there are none."""
    if cell["reproduced"] is None or not cell["system"] or not cell["measured"]:
        return ""
    kinds = ",".join(means.get(cell["role"], {}).get(cell["query_set"], [cell["query_set"]]))
    return "/".join((cell["collection"], cell["system"], cell["split"], kinds, cell["measured"], cell["table"]))


def _table(made: Table, found: Mapping[str, list[Shown]]) -> Shown:
    """A table; each cell has the findings about it and the link to its queries."""
    cells = [
        {
            **cell,
            "findings": [finding for at in cell["printed_at"].split("; ") for finding in found.get(at, [])],
            "queries_at": query_link(cell, made["means"]),
        }
        for cell in made["cells"]
    ]
    counts = Counter(cell["drop_agreement"] for cell in made["cells"] if cell["drop_agreement"])
    not_run = sum(cell["reproduced"] is None for cell in made["cells"])
    return {**made, "missing": "", "cells": cells, "agreements": counts, "not_run": not_run}


def _svg(path: Path) -> Markup:
    """The SVG of a figure without its XML declaration, to put into a page."""
    return Markup(re.sub(r"^.*?(?=<svg)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))


def _environment(settings: SiteSettings, papers: list[_Page]) -> Environment:
    """The templates, with the values that every page needs."""
    made = templates(site=settings, papers=papers, verdicts=VERDICTS, not_printed=NOT_PRINTED)
    made.globals |= {"parts": PARTS, "severities": SEVERITIES, "agreement_words": AGREEMENTS, "power": POWER}
    made.filters["percent"] = lambda value: "–" if value is None else f"{100 * value:+.1f}%"
    return made


def write_site(
    settings: SiteSettings,
    tables: list[Path],
    figures: list[Path],
    claims: list[Path],
    audits: list[Path],
    output: Path,
) -> None:
    """Write the report; a page says so if its data is missing, damaged or of another version.

    Args:
        tables, claims, audits: .json files. figures: .svg files. A paper may lack any of them.
        output: the first page; the others are in the same folder.
    """

    def of(paper: Paper, paths: list[Path]) -> list[Path]:
        return [path for path in paths if path.stem.partition("_")[0] == paper.name]

    def one(paper: Paper, paths: list[Path], kind: type[Made], *parts: str) -> tuple[Made | None, str]:
        return next((_read(path, kind, *parts) for path in of(paper, paths)), (None, ""))

    read = {path.stem: _read(path, Table, "layout", "means") for path in tables}
    papers: list[_Page] = []
    for paper in settings.papers:
        audit, no_audit = one(paper, audits, Record, "paper", "findings")
        judged, no_claims = one(paper, claims, Claims, "claims", "controls", "chance", "aa")
        found = found_in(audit["findings"] if audit else ())
        made = {path.stem: read[path.stem] for path in of(paper, tables)}
        about = paper.name, paper.title, paper.reference
        said = _claims(judged) if judged else _missing(no_claims)
        drawings = {path.stem: _svg(path) for path in of(paper, figures) if path.is_file()}
        shown_audit = (
            # The audit's `missing` lists tables that the paper's text lacks; a page's `missing` is a reason.
            {**shown(audit, tables=made), "missing": "", "missing_tables": audit["missing"]}
            if audit
            else _missing(no_audit)
        )
        its_tables = {name: _table(table, found) if table else _missing(why) for name, (table, why) in made.items()}
        papers.append(_Page(*about, said, shown_audit, its_tables, drawings))
    environment = _environment(settings, papers)

    def write(page: str, template: str, **about: Any) -> None:
        write_text(output.with_name(page), environment.get_template(template).render(**about))

    for each in papers:
        write(f"{each.name}.html", "paper.html.j2", paper=each)
        write(f"{each.name}_audit.html", "audit.html.j2", paper=each, opening=CAUSES)
        for name, table in each.tables.items():
            write(f"{name}.html", "table.html.j2", paper=each, name=name, table=table)
    for name in ("queries", "provenance"):
        write(f"{name}.html", f"{name}.html.j2")
    write_shared(SHARED, output.parent)
    compared = any(table and table.get("compared") for table, _ in read.values())
    methods, _ = read.get(COMPARISON, (None, ""))
    chart = gains(methods["cells"]) if methods else None
    readable = [of for path in claims for of, _ in [_read(path, Claims, "claims", "chance")] if of]
    occurring = {claim["verdict"] for of in readable for claim in of["claims"] if not claim["hypothesis"]}
    about_start = {"compared": compared, "methods": COMPARISON in read, "chart": chart, "occurring": occurring}
    write(output.name, "index.html.j2", **about_start)
