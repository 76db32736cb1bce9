"""Settings of the stages that write tables, figures, claims and the page."""

from dataclasses import field
from typing import Any

from pydantic.dataclasses import dataclass

from robustdr.settings import STRICT


@dataclass(frozen=True, config=STRICT)
class ReportSettings:
    """What every table, figure and page of claims of a paper is told.

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
    evaluation: dict[str, dict[str, Any]]
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
    spec: dict[str, Any]
    losses: dict[str, dict[str, Any]]
    stand_ins: list[str]
    notes: list[str]
    environment: dict[str, str]
    seeds: dict[str, list[int]] = field(default_factory=dict)
    lineage: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    reindexes: dict[str, bool] = field(default_factory=dict)
    compared: bool = True


@dataclass(frozen=True, config=STRICT)
class FigureSettings(ReportSettings):
    """A figure; `spec` is its entry in experiment.yaml."""

    spec: dict[str, Any]


@dataclass(frozen=True, config=STRICT)
class ClaimsSettings(ReportSettings):
    """A paper's claims; `printed`: by role, all `variations` and `means` of the paper, also those that are not made."""

    printed: dict[str, dict[str, Any]]


@dataclass(frozen=True, config=STRICT)
class PageSettings:
    """The page; `papers`: `name`, `title` and `reference` of each."""

    scale: str
    miniature: str
    papers: list[dict[str, str]]
