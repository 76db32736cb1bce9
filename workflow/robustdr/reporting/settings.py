"""Settings of the stages that write tables, figures, claims and the page."""

from dataclasses import field
from pathlib import Path
from typing import Annotated

from pydantic import PlainValidator
from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT, Named
from robustdr.evaluation.settings import Averaged, Evaluated
from robustdr.reporting import figures, layouts
from robustdr.reporting.spec import FigureSpec, TableSpec

PAGES = Path(__file__).with_name("pages")  # templates of the report, and the files that its pages share:
SHARED = ("site.css", "site.js", "table.js", "queries.js", "provenance.js")
PARTS = 16  # scripts that share a collection's passages: a page loads those that it shows


@dataclass(frozen=True, config=STRICT)
class Paper:
    """A paper, or the comparison of all methods, in the report."""

    name: str
    title: str
    reference: str
    tables: list[str]
    figures: list[str]

    @property
    def pages(self) -> list[str]:
        """File names: its claims, its audit, its tables."""
        names = (self.name, f"{self.name}_audit", *(f"{self.name}_{table}" for table in self.tables))
        return [f"{name}.html" for name in names]


@dataclass(frozen=True, config=STRICT)
class ReportSettings:
    """Settings that every table, figure and page of claims of a paper gets.

    Attributes:
        paper, title, scale: names; `miniature` is the banner of a scale whose numbers do not compare, else empty.
        command: what makes the file.
        evaluation: by role: `collection`, `split`, `variations`, `measures`, and the variations at hand of each mean.
        measured: the measure that is taken, by the paper's.
        labels, names: of systems, for people and in reported.yaml.
        reasons: why a system, a collection or a query set is not there.
        keys: those that measures files must carry, by path.
    """

    paper: str
    title: str
    scale: str
    miniature: str
    command: str
    evaluation: dict[str, Evaluated]
    measured: dict[str, str]
    labels: dict[str, str]
    names: dict[str, str]
    reasons: dict[str, str]
    keys: dict[str, str]


@dataclass(frozen=True, config=STRICT)
class TableSettings(ReportSettings):
    """A table.

    Attributes:
        table: its name. spec: its entry in experiment.yaml.
        losses: of the systems shown and of their ancestors. stand_ins, notes: footnotes.
        environment: pinned versions.
        seeds: of a table of seeds, those of the `paper` and of the `scale`.
        lineage: of a table of methods, the cost.json files behind each system. reindexes: whether its passage vectors
            are others than the base system's.
        compared: whether a paper prints the table.
    """

    table: str
    spec: Annotated[TableSpec, PlainValidator(lambda entry: layouts.read(entry))]
    losses: dict[str, Named]
    stand_ins: list[str]
    notes: list[str]
    environment: dict[str, str]
    seeds: dict[str, list[int]] = field(default_factory=dict)
    lineage: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    reindexes: dict[str, bool] = field(default_factory=dict)
    compared: bool = True


@dataclass(frozen=True, config=STRICT)
class FigureSettings(ReportSettings):
    """A figure; `spec`: its entry in experiment.yaml."""

    spec: Annotated[FigureSpec, PlainValidator(lambda entry: figures.read(entry))]


@dataclass(frozen=True, config=STRICT)
class ClaimsSettings(ReportSettings):
    """A paper's claims; `printed`: by role, all `variations` and `means` of the paper, also those that are not made."""

    printed: dict[str, Averaged]


@dataclass(frozen=True, config=STRICT)
class Step:
    """A job that a system's measures rest on (`robustdr.graph.site.steps`).

    Attributes:
        name: of the rule. what: what it is about, in words. path: what it made. key: of what it made.
        benchmark: the file with its seconds and memory.
        query_set: `<split>.<variation>` where it is about one that is evaluated; empty for all.
    """

    name: str
    what: str
    path: str
    key: str
    benchmark: str
    query_set: str = ""


@dataclass(frozen=True, config=STRICT)
class QueriesSettings:
    """The queries behind a system's cells on one collection.

    Attributes:
        label: of the system, for people. seeds: those that its measures average; its rankings are those of the first.
        measures: by query set, `<split>.<variation>`. relevance_level: the lowest grade that counts as relevant.
        steps: what leads to its measures.
    """

    system: str
    label: str
    collection: str
    seeds: list[int]
    measures: dict[str, list[str]]
    relevance_level: int
    steps: list[Step]


@dataclass(frozen=True, config=STRICT)
class SiteSettings:
    """The report.

    Attributes:
        papers: `name`, `title`, `reference`, names of `tables` and `figures` of each.
        explored: by collection, the systems whose queries can be looked at.
        stand_ins: what stands at this scale for something of the papers', by name.
    """

    scale: str
    root: str
    miniature: str
    papers: list[Paper]
    explored: dict[str, list[str]]
    stand_ins: dict[str, str]
