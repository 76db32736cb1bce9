"""The report: static pages with every claim, table, finding and query of a scale, readable from disk."""

import json
import re
from collections import Counter
from pathlib import Path
from statistics import NormalDist
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from robustdr.audit.cells import describe
from robustdr.audit.findings import SEVERITIES
from robustdr.audit.verdicts import NOT_PRINTED, POWER, VERDICTS
from robustdr.core.files import write_text
from robustdr.reporting.charts import gains
from robustdr.reporting.settings import PARTS, SHARED, Paper, SiteSettings
from robustdr.reporting.templates import templates, write_shared

COMPARISON = "all_methods"  # the table behind the chart of gains
AGREEMENTS = {"same": "agrees", "worse": "loses more", "better": "loses less", "opposite": "other direction"}
Tree = dict[str, Any]


def _read(path: Path, *parts: str) -> Tree:
    """What a stage wrote; `missing` says why it cannot be shown.

    Args:
        parts: keys that it has where this version wrote it.
    """
    command = f"snakemake --cores 2 {path.with_suffix('.md')}"
    if not path.is_file():
        return {"title": "", "missing": f"{path} was not made. Make it by: {command}"}
    try:
        made = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {"title": "", "missing": f"{path} is cut off or damaged. Delete it, then: {command}"}
    if isinstance(made, list):  # the audit writes one entry a paper
        made = made[0]
    lacking = [part for part in parts if part not in made]
    what = f"{path} was made by another version: it has no {', '.join(lacking)}. Delete it, then: {command}"
    return {"title": "", "missing": what} if lacking else {"missing": "", **made}


def found_in(audit: Tree) -> dict[str, list[Tree]]:
    """The findings about each printed cell, by the name that tables give it; each with its number and its cell."""
    found: dict[str, list[Tree]] = {}
    for number, finding in enumerate(audit.get("findings", [])):
        for cell in finding["cells"]:
            at = f"{finding['table']} [{describe(cell['coordinates'])}]"
            found.setdefault(at, []).append({**finding, "number": number, "cell": cell})
    return found


def _audit(made: Tree | None) -> Tree | None:
    """A paper's audit, with the number of each finding by its name."""
    if made is None or "findings" not in made:
        return made
    numbers = {finding["id"]: number for number, finding in enumerate(made["findings"])}
    # `missing` are the tables that the text of the paper lacks, not what keeps the audit from being shown.
    return {**made, "missing": "", "missing_tables": made["missing"], "numbers": numbers}


def detectable(effect: Tree) -> float | None:
    """The smallest effect that a two-sided test of the effect's level finds with probability `POWER`.

    (z_(1−α/2) + z_POWER) · standard error, which is the half width of the interval over z_(1−α/2) (Cohen, 1988, ch. 2).
    None where the interval has no end.
    """
    if effect["low"] is None or effect["high"] is None:
        return None
    z = NormalDist().inv_cdf(0.5 + effect["confidence"] / 2)
    return (1 + NormalDist().inv_cdf(POWER) / z) * (effect["high"] - effect["low"]) / 2


def span(effects: list[Tree]) -> tuple[float, float]:
    """The ends of the axis on which a claim's effects are drawn: all finite ends and sizes, and 0."""
    ends = [0.0]
    for effect in effects:
        ends += [end for end in (effect.get("size"), effect["low"], effect["high"]) if end is not None]
        ends += [end for part in ("printed", "corrected") for end in effect.get(part) or () if end is not None]
    margin = 0.05 * (max(ends) - min(ends)) or 0.05
    return min(ends) - margin, max(ends) + margin


def _claims(made: Tree) -> Tree:
    """A paper's claims with what is drawn of them, and how many have which verdict."""
    for claim in made.get("claims", []):
        claim["span"] = span(claim["effects"])
        for effect, text in zip(claim["effects"], claim["evidence"], strict=True):
            effect |= {"text": text, "detectable": detectable(effect)}
    records = made.get("claims", [])
    here, said = ([claim["verdict"] for claim in of] for of in (records, [claim["as_printed"] for claim in records]))
    return {**made, "here": Counter(here), "said": Counter(said)}


def query_link(cell: Tree, means: dict[str, dict[str, list[str]]]) -> str:
    """Where the queries behind a cell are shown; empty for a cell that no queries stand behind."""
    if cell["reproduced"] is None or not cell["system"] or not cell["measured"]:
        return ""
    kinds = ",".join(means.get(cell["role"], {}).get(cell["query_set"], [cell["query_set"]]))
    return "/".join((cell["collection"], cell["system"], cell["split"], kinds, cell["measured"], cell["table"]))


def _table(made: Tree, found: dict[str, list[Tree]]) -> Tree:
    """A table with, for each of its cells, the findings about it and where its queries are."""
    for cell in made.get("cells", []):
        cell["findings"] = [finding for at in cell["printed_at"].split("; ") for finding in found.get(at, [])]
        cell["queries_at"] = query_link(cell, made["means"])
    cells = made.get("cells", [])
    counts = Counter(cell["drop_agreement"] for cell in cells if cell["drop_agreement"])
    return {**made, "agreements": counts, "not_run": sum(cell["reproduced"] is None for cell in cells)}


def _svg(path: Path) -> Markup:
    """The drawing itself: an inline SVG has no XML declaration."""
    return Markup(re.sub(r"^.*?(?=<svg)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))


def _environment(settings: SiteSettings, papers: list[Tree]) -> Environment:
    """Templates, with what every page shows."""
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
    """Write the report; what is missing, cut off or of another version is named on its page.

    Args:
        tables, claims, audits: .json files. figures: .svg files. A paper may lack any.
        output: the first page; the others lie beside it.
    """

    def of(paper: Paper, paths: list[Path]) -> list[Path]:
        return [path for path in paths if path.stem.partition("_")[0] == paper.name]

    def one(paper: Paper, paths: list[Path], *parts: str) -> Tree | None:
        return next((_read(path, *parts) for path in of(paper, paths)), None)

    papers: list[Tree] = []
    for paper in settings.papers:
        audit = _audit(one(paper, audits, "paper", "findings"))
        found = found_in(audit or {})
        made = {path.stem: _table(_read(path, "layout", "means"), found) for path in of(paper, tables)}
        drawings = {path.stem: _svg(path) for path in of(paper, figures) if path.is_file()}
        judged = one(paper, claims, "claims")
        shown: Tree = {
            "claims": _claims(judged) if judged else None,
            "audit": audit,
            "tables": made,
            "figures": drawings,
        }
        papers.append({"name": paper.name, "title": paper.title, "reference": paper.reference, **shown})
    environment = _environment(settings, papers)

    def write(page: str, template: str, **about: Any) -> None:
        write_text(output.with_name(page), environment.get_template(template).render(**about))

    for each in papers:
        write(f"{each['name']}.html", "paper.html.j2", paper=each)
        write(f"{each['name']}_audit.html", "audit.html.j2", paper=each)
        for name, table in each["tables"].items():
            write(f"{name}.html", "table.html.j2", paper=each, name=name, table=table)
    for name in ("queries", "provenance"):
        write(f"{name}.html", f"{name}.html.j2")
    write_shared(SHARED, output.parent)
    every = {name: table for each in papers for name, table in each["tables"].items()}
    compared = any(table.get("compared") for table in every.values())
    methods = every.get(COMPARISON, {})
    write(output.name, "index.html.j2", compared=compared, methods=methods, chart=gains(methods))
