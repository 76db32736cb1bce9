"""Settings of the stages that write tables, figures, claims and the page."""

from dataclasses import field
from pathlib import Path
from typing import Annotated

from pydantic import PlainValidator
from pydantic.dataclasses import dataclass

from robustdr.core.settings import LATER, STRICT, UNSEEN, Named
from robustdr.evaluation.settings import Averaged, Evaluated
from robustdr.reporting import figures, layouts
from robustdr.reporting.spec import FigureSpec, TableSpec

PAGES = Path(__file__).with_name("pages")  # templates of the report, and files that its pages share:
SHARED = ("site.css", "site.js", "table.js", "queries.js", "provenance.js")
PARTS = 16  # scripts per collection's passages: a page loads only those that it shows
MOST = 30  # queries of a query set whose passages are stored: those whose measures change most


@dataclass(frozen=True, config=STRICT)
class Paper:
    """A paper, or the comparison of all methods, in the report.

    Attributes:
        url, code: addresses of the paper and of its authors' code, '' if there is none. claims: their number.
    """

    name: str
    title: str
    reference: str
    tables: list[str]
    figures: list[str]
    url: str = ""
    code: str = ""
    claims: int = 0

    @property
    def pages(self) -> list[str]:
        """File names of its pages: the paper's own, audit, tables, claims."""
        names = (self.name, f"{self.name}_audit", *(f"{self.name}_{table}" for table in self.tables))
        return [f"{name}.html" for name in names] + [self.page_of(number) for number in range(1, self.claims + 1)]

    def page_of(self, claim: int) -> str:
        """File name of the page of a claim, numbered from 1."""
        return f"claims/{self.name}/{claim}.html"


@dataclass(frozen=True, config=STRICT)
class Difference:
    """What differs between the papers and this scale, and why it matters."""

    what: str
    paper: str
    here: str
    why: str


@dataclass(frozen=True, config=STRICT)
class ReportSettings:
    """Settings of every table, figure and claims page of a paper.

    Attributes:
        paper, title, scale: names. miniature: the banner of a scale whose numbers cannot be compared, else ''.
        command: the command that makes the file.
        evaluation: by role: `collection`, `split`, `variations`, `measures`, and the available variations of each mean.
        measured: the measure taken, by the paper's measure.
        labels, names: of systems: labels for readers, and names in reported.yaml.
        reasons: why a system, a collection or a query set is missing.
        keys: the keys that measures files must have, by path. Their measures decide bytes, keys do not.
        trained: systems that a training run decides. variance_from: the scale whose priors say how much runs vary.
        paper_queries: number of queries behind what is printed, by role.
        display_names: the paper's names of query sets and measures.
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
    keys: dict[str, str] = field(metadata=UNSEEN)
    trained: list[str]
    variance_from: str
    paper_queries: dict[str, int]
    display_names: dict[str, str]


@dataclass(frozen=True, config=STRICT)
class TableSettings(ReportSettings):
    """A table.

    Attributes:
        table: its name. spec: its entry in experiment.yaml.
        losses: of the systems shown and of their lineages. stand_ins, notes: footnotes.
        environment: pinned versions.
        seeds: for a table of seeds: those of the `paper` and of the `scale`.
        lineage: for a table of methods: the files of costs of each system's lineage. reindexes: whether its passage
            vectors differ from the base system's.
        released: by role, variations whose query sets are those that authors released, and where.
        checkpoints: systems that are, or rank with, models as their authors released them, without training here.
        theirs: by system and role: `run` or `model`, where what authors released of a trained system stands for it.
        compared: whether a paper prints the table.
        approximate: how near the searches are to exact ones; '' if they are exact.
    """

    table: str
    spec: Annotated[TableSpec, PlainValidator(lambda entry: layouts.read_layout(entry))]
    losses: dict[str, Named]
    stand_ins: list[str]
    notes: list[str]
    environment: dict[str, str]
    seeds: dict[str, list[int]] = field(default_factory=dict)
    lineage: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    reindexes: dict[str, bool] = field(default_factory=dict)
    released: dict[str, dict[str, str]] = field(default_factory=dict)
    checkpoints: list[str] = field(default_factory=list)
    theirs: dict[str, dict[str, str]] = field(default_factory=dict, metadata=LATER)
    compared: bool = True
    approximate: str = ""


@dataclass(frozen=True, config=STRICT)
class FigureSettings(ReportSettings):
    """A figure; `spec`: its entry in experiment.yaml."""

    spec: Annotated[FigureSpec, PlainValidator(lambda entry: figures.read_figure(entry))]


@dataclass(frozen=True, config=STRICT)
class ClaimsSettings(ReportSettings):
    """A paper's claims.

    Attributes:
        printed: by role, all `variations` and `means` of the paper, also those not made here.
        lacking: systems that the scale does not have.
        untestable: by the claim's key in the file: why this scale cannot test it, whatever was run.
    """

    printed: dict[str, Averaged]
    lacking: list[str]
    untestable: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, config=STRICT)
class Step:
    """A job behind a system's measures (`robustdr.graph.site.steps`).

    Attributes:
        name: of the rule. what: its subject, in words. path, key: of the artifact that it made.
        benchmark: the file with its seconds and memory.
        query_set: `<split>.<variation>` if it belongs to one evaluated query set; empty if to all.
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
        label: of the system, for readers. seeds: its measures average them; its rankings are of the first one.
        measures: by query set, `<split>.<variation>`. relevance_level: the lowest grade that counts as relevant.
        steps: the jobs behind its measures.
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
        papers: the papers in it.
        explored: by collection, the systems whose queries have pages.
        differences: what a miniature has instead of the papers' data, models and training.
        command: what makes a file of the results, up to its path.
    """

    scale: str
    root: str
    miniature: str
    papers: list[Paper]
    explored: dict[str, list[str]]
    differences: list[Difference]
    command: str
