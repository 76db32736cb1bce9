"""An existing system, e.g. a search engine in production: its runs are read, not made."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from robustdr.core.errors import UserError
from robustdr.core.settings import STRICT
from robustdr.experiments.kinds import Graph, Inputs, Kind, Recipe, Split, memory
from robustdr.experiments.models import Config
from robustdr.keys.node import Input, Need
from robustdr.retrieval.settings import RunSettings

SUFFIXES = (".trec.gz", ".trec")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(Recipe):
    """A system that ran elsewhere."""

    runs: Annotated[str, Field(min_length=1)]
    """Folder of its runs: <collection>/<split>.<variation>.trec.gz, or .trec."""


class Existing(Kind):
    """One TREC run for each query set."""

    ranks = "robustdr.retrieval.existing"

    def check(self, config: Config, name: str, message_place: str) -> None:
        folder = config.systems[name].runs
        if not Path(folder).is_dir():
            raise UserError(
                f"{message_place}.runs: {folder!r} is not a folder of <collection>/<split>.<variation>.trec.gz"
            )

    def note(self, recipe: Settings) -> str:
        return f"{recipe.label}: the rankings in {recipe.runs}, which were not made here."

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> RunSettings:
        return RunSettings(depth)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        folder = Path(graph.lineage.recipe(system).runs, split[0])
        runs = []
        for variation in variations:
            places = [folder / f"{split[1]}.{variation}{suffix}" for suffix in SUFFIXES]
            if not (run_files := [place for place in places if place.is_file()]):
                raise UserError(f"systems.{system}.runs: {places[0]} is missing; {places[1].name} is allowed too")
            runs.append(run_files[0])
        return {"candidates": Input(files=runs)}

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 60)
