"""The configuration as typed models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustdr.claims.claim import Claims
from robustdr.collections import judged_candidates
from robustdr.core.errors import UserError, unknown
from robustdr.encoding.settings import Checkpoint
from robustdr.evaluation.names import ORIGINAL
from robustdr.experiments.experiment import Evaluation, Experiment, Settings
from robustdr.experiments.scale import (
    Cut,
    Embeddings,
    Negatives,
    Place,
    Published,
    ReleasedSystem,
    Retrieval,
    Scale,
    ScaleVariation,
)
from robustdr.experiments.sources import Source
from robustdr.pretraining.settings import PretrainingBudget, PretrainingRecipe
from robustdr.retrieval.settings import BM25IndexSettings, Index, ReleasedRuns
from robustdr.training.settings import Budget
from robustdr.variations.settings import Release

__all__ = [
    "ORIGINAL",
    "BM25IndexSettings",
    "Budget",
    "Checkpoint",
    "Config",
    "Cut",
    "Embeddings",
    "Evaluation",
    "Experiment",
    "Index",
    "Negatives",
    "Place",
    "PretrainingBudget",
    "PretrainingRecipe",
    "Published",
    "Release",
    "ReleasedRuns",
    "ReleasedSystem",
    "Retrieval",
    "Scale",
    "ScaleVariation",
    "Settings",
    "Source",
]


@dataclass(frozen=True, eq=False)
class Config:
    """The whole configuration.

    Attributes:
        collections: sources by name. scales: scales by name. papers: experiments by paper.
        systems: recipes by system; exactly one paper declares each.
        claims: claims and controls by paper; none for a paper without claims.yaml.
        pretraining: recipes of pre-training by name; exactly one paper declares each.
        scale_files: file of each scale. folders: folder of each paper.
        sources: of the values of trainings by paper; none for a paper without sources.yaml.
        overlay: the second folder, if there is one.
    """

    collections: Mapping[str, Mapping[str, Any]]
    scales: dict[str, Scale]
    papers: dict[str, Experiment]
    systems: dict[str, Any]
    claims: dict[str, Claims]
    pretraining: dict[str, PretrainingRecipe]
    scale_files: dict[str, Path]
    folders: dict[str, Path]
    sources: dict[str, list[Source]]
    overlay: Path | None

    def command(self, target: str) -> str:
        """Return the command line that makes a target, for readers."""
        overlay = f"--config overlay={self.overlay} -- " if self.overlay else ""
        return f"snakemake {overlay}{target}"

    def paper_of(self, name: str) -> str:
        """Return the paper that declares a system, the system of a snapshot, or a pre-training."""
        base_name = name.partition(".")[0]
        return next(
            paper
            for paper, experiment in self.papers.items()
            if base_name in experiment.systems or base_name in experiment.pretraining
        )

    def part_of(self, name: str) -> tuple[str, str]:
        """Return (paper, table or figure) of `<paper>_<part>`, and (paper, '') of a paper.

        Raises:
            UserError: no paper, or no table or figure of one, has this name.
        """
        if name in self.papers:
            return name, ""
        parts = {
            f"{paper}_{part}": (paper, part)
            for paper, experiment in self.papers.items()
            for part in (*experiment.tables, *experiment.figures)
        }
        if name not in parts:
            raise unknown("config/config.yaml: papers", name, [*self.papers, *parts])
        return parts[name]

    def group_by_paper(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return by paper which of `names`, papers or tables and figures of papers, ask for it."""
        names_by_paper: dict[str, tuple[str, ...]] = {}
        for name in names:
            paper, _ = self.part_of(name)
            names_by_paper[paper] = (*names_by_paper.get(paper, ()), name)
        return names_by_paper

    def shows(self, names: Sequence[str], paper: str, part: str) -> bool:
        """Whether `names` ask for a table or figure of a paper."""
        return paper in names or f"{paper}_{part}" in names

    def folder_of(self, system: str) -> Path:
        """Return the folder of the paper that declares a system."""
        return self.folders[self.paper_of(system)]

    def bound(self, key: str) -> dict[str, Any]:
        """Return the scales' entries under `collections`, `checkpoints`, `budgets` or `pretraining`, by name."""
        return {name: value for scale in self.scales.values() for name, value in getattr(scale, key).items()}

    def check_bound(self, place: str, name: str, part: str) -> None:
        """Check that a scale has `name` under `part`, a key of `bound`.

        Raises:
            UserError: no scale has it; the message begins with `place`.
        """
        if name not in (allowed := self.bound(part)):
            raise UserError(f"{unknown(place, name, allowed)}; a new one stands in a scale, under `{part}`")

    def scales_of(self, recipe: Any) -> dict[str, Scale]:
        """Return the scales with a recipe's budget; at others, a target that needs the system is an error."""
        needed = getattr(recipe, "budget", None)
        return {name: scale for name, scale in self.scales.items() if not needed or needed in scale.budgets}

    def split_of(self, scale: str, role: str, split: str) -> str:
        """Return the split that a scale evaluates for a role: its own, or `split`, that of the experiment."""
        return self.scales[scale].collections[role].split or split

    def judged_by(self, collection: str, split: str) -> list[str]:
        """Return what judges a split: `qrels`, `answers`, or both; then the first judges runs, the second negatives.

        Empty for a query log.
        """
        source = self.collections[collection]
        if source.get("log"):
            return []
        part: dict[str, Any] = {**source["splits"][split]}
        if part.get("kind") == "questions":
            return ["answers"]
        return ["qrels", "answers"] if part.get("answers") else ["qrels"]

    def judged_candidates(self, collection: str, split: str) -> bool:
        """Whether each query of a split ranks the passages that its qrels judge, and no others."""
        return judged_candidates(self.collections[collection], split)

    def check_searchable(self, scale: str, role: str, message_place: str) -> None:
        """Raise a `UserError` if the scale has a query log for a role whose passages are searched."""
        place = self.scales[scale].collections.get(role)
        if place and self.collections[place.collection].get("log"):
            name = place.collection
            raise UserError(f"{message_place}: {name!r} of scale {scale} is a query log: it has no passages to search")

    def check_trainable(self, scale: str, role: str, message_place: str) -> None:
        """Raise a `UserError` if a scale's training questions have no judged passages."""
        place = self.scales[scale].collections.get(role)
        if place is None or "train" not in self.collections[place.collection]["splits"]:
            return
        if "qrels" not in self.judged_by(place.collection, "train"):
            raise UserError(
                f"{message_place}: 'train' of {place.collection} (scale {scale}) has only answers; positives need qrels"
            )
