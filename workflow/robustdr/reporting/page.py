"""The report: one static page with every table, figure and claim of a scale, readable without a network."""

import json
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment

from robustdr.audit.verdicts import NOT_RUN
from robustdr.files import write_text
from robustdr.reporting.claims import SHOWN
from robustdr.reporting.settings import PageSettings
from robustdr.reporting.tables import BAR

TEMPLATE = Path(__file__).with_name("page.html.j2")


def _table(path: Path, paper: str) -> dict[str, Any]:
    """Heading, lines and notes of a table of the paper with this title, from its Markdown."""
    lines = path.read_text(encoding="utf-8").splitlines()
    split = (re.split(r"(?<!\\)\|", line)[1:-1] for line in lines if line.startswith("|"))
    rows = [[field.strip().replace(BAR, "|") for field in fields] for fields in split]
    return {
        "id": path.stem,
        "title": lines[0].removeprefix(f"# {paper}").lstrip(",: "),
        "head": rows[0],
        "lines": rows[2:],
        "notes": [line.removeprefix("- ") for line in lines if line.startswith("- ")],
    }


def _claims(path: Path) -> dict[str, Any]:
    """The claims of a paper, those that were run apart from those that were not."""
    made = json.loads(path.read_text(encoding="utf-8"))
    run = [claim for claim in made["claims"] if claim["verdict"] != NOT_RUN]
    return {**made, "run": run, "not_run": [claim for claim in made["claims"] if claim not in run], "shown": SHOWN}


def _svg(path: Path) -> str:
    """The drawing itself: an inline SVG has no XML declaration."""
    return re.sub(r"^.*?(?=<svg)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def write_page(
    settings: PageSettings, tables: list[Path], figures: list[Path], claims: list[Path], output: Path
) -> None:
    """Write the page.

    Args:
        tables: .md files. figures: .svg files. claims: .json files. output: the .html file. A paper may lack any.
    """

    def of(paper: str, paths: list[Path]) -> list[Path]:
        return [path for path in paths if path.stem.partition("_")[0] == paper]

    papers = [
        {
            **paper,
            "tables": [_table(path, paper["title"]) for path in of(paper["name"], tables)],
            "figures": [
                {"id": path.stem, "name": path.stem.partition("_")[2].replace("figure", "Figure "), "svg": _svg(path)}
                for path in of(paper["name"], figures)
            ],
            "claims": next((_claims(path) for path in of(paper["name"], claims)), None),
        }
        for paper in settings.papers
    ]
    template = Environment(autoescape=True).from_string(TEMPLATE.read_text(encoding="utf-8"))
    write_text(output, template.render(scale=settings.scale, miniature=settings.miniature, papers=papers))
