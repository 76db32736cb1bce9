"""The experiment of a paper, config/papers/<paper>/experiment.yaml, and config/config.yaml."""

import re
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.names import Figure, Identifier, Mean, Names, SomeNames, Table, Text
from robustdr.core.settings import STRICT
from robustdr.core.validation import Distinct
from robustdr.pretraining.settings import PretrainingRecipe


@dataclass(frozen=True, config=STRICT)
class Settings:
    """What `snakemake` makes without a target."""

    scale: str
    """A file of `scales/`; results go to `results/<scale>/`, those of `full` to `results/`."""
    papers: SomeNames
    """What is made and shown in the report: names of papers, or of single tables and figures (`rodr_table2`). A paper
    is a folder of `papers/`; it brings all its tables, figures and claims. A table or figure brings the claims that its
    cells test, and the controls of these claims. Every other file can still be named as a target."""
    preflight: bool = True
    """Whether `snakemake --profile slurm` begins with `robustdr preflight`, and stops if something is missing."""
    stage: Text | None = None
    """What `snakemake stage` makes: a stage of the chain, as in `dvc.yaml`."""
    overlay: Text | None = None
    """Second configuration folder that adds to this one, see below."""
    qvg_labels: Text | None = None
    """Folder of qvg's released repository (a clone, or its `anotations/` and `data/`), not part of the project.
    With it, `results/tables/qvg_table2.md` and `qvg_table3.md` count qvg's human validation from the labels."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Evaluation:
    """What a paper evaluates on a collection."""

    split: str
    """Split of the collection."""
    variations: Names
    """Variations of its queries. `<variation>.draw<n>` is another draw. `<variation>.share<percent>` varies that share
    of a query's words (generators with the parameter `share`). `llm.version1` to `llm.version4` are the four of five
    versions that are not used to evaluate."""
    measures: SomeNames
    """Measures, by their ir_measures names."""
    means: dict[Mean, SomeNames] = field(default_factory=dict)
    """By name: the variations that a mean averages. `variations_mean`, over all of them, always exists."""
    paper_queries: PositiveInt | None = None
    """Number of queries behind the paper's means. The error of a printed number depends on it. Default: as many as
    here."""
    judged_by: Literal["qrels", "answers"] = "qrels"
    """How the paper judges passages: by qrels or by answers. A table says if the data here differ."""
    validated: bool = False
    """Whether the paper uses only variations that people judged valid. A table says if the data here differ."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Experiment:
    """What the tables of one paper need, by role."""

    title: str
    """Title of the paper."""
    reference: str
    """Authors, year, place of publication."""
    url: str = ""
    """Address of the paper."""
    code: str = ""
    """Address of its authors' code."""
    seeds: Annotated[list[NonNegativeInt], Field(min_length=1), Distinct]
    """Seeds of training; a scale may run fewer."""
    evaluation: dict[str, Evaluation]
    """By role of a collection: what is evaluated on it, see below."""
    systems: dict[Identifier, Any]
    """By name: recipes; their `kind` decides their keys, see below."""
    pretraining: dict[Identifier, PretrainingRecipe] = field(default_factory=dict)
    """By name: checkpoints made from a checkpoint and a corpus without queries, see below."""
    tables: dict[Table, Any]
    """By name: `table1`, `table2`, …, `methods`, `decomposition` or `study_<name>`, see below."""
    figures: dict[Figure, Any] = field(default_factory=dict)
    """By name: `figure1`, `figure2_left`, …, or `methods`, see below."""
    left_out: dict[Annotated[str, Field(pattern=r"^(table|figure)\d+$")], Text] = field(default_factory=dict)
    """By table or figure of the paper that neither `tables` nor `figures` have: why it is not made from runs here."""
    names: dict[str, str] = field(default_factory=dict)
    """By system that another paper declares: its name in this paper's tables."""
    display_names: dict[str, str] = field(default_factory=dict)
    """By query set, or measure without its depth: its name in the paper."""
    notes: list[str] = field(default_factory=list)
    """Printed under every table: differences between paper and released code, and the choice made."""

    def printed(self) -> dict[str, str]:
        """Return all tables and figures of the paper, those made from runs first. The value is the reason why it is not
        made from runs; '' if it is."""
        matches = (re.match(r"(table|figure)\d+(?=_|$)", name) for name in (*self.tables, *self.figures))
        return dict.fromkeys((match[0] for match in matches if match), "") | self.left_out

    def specs(self, part: str = "") -> list[Any]:
        """Return the entries of all tables and figures, or of those named `part`."""
        return [spec for entries in (self.tables, self.figures) for name, spec in entries.items() if part in ("", name)]
