"""An existing system behind its runs, such as a search engine in production: what it ranked is read, not made."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.retrieval.settings import RunSettings
from robustdr.systems.kind import At, Kind, Need, Reads, Tree, memory

if TYPE_CHECKING:
    from robustdr.experiments.config import Config
    from robustdr.graph.plan import Plan

SUFFIXES = (".trec.gz", ".trec")


class Existing(Kind):
    """One TREC run per query set: `runs`/<collection>/<split>.<variation>.trec.gz, or .trec."""

    name = "existing"
    keys: ClassVar[Tree] = {"runs": {"type": "string", "minLength": 1}}
    rules: ClassVar[Tree] = {"required": ["label", *keys]}
    ranks = "robustdr.retrieval.existing"

    def check(self, config: "Config", name: str, where: str) -> None:
        folder = config.systems[name]["runs"]
        if not Path(folder).is_dir():
            raise UserError(f"{where}.runs: {folder!r} is no folder; needed: <collection>/<split>.<variation>.trec.gz")

    def note(self, recipe: Tree) -> str:
        return f"{recipe['label']}: the rankings in {recipe['runs']}, which were not made here."

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> RunSettings:
        return RunSettings(depth)

    def reads(self, plan: "Plan", system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        collection, split = at
        folder = Path(plan.recipe(system)["runs"], collection)
        runs = []
        for kind in kinds:
            places = [folder / f"{split}.{kind}{suffix}" for suffix in SUFFIXES]
            if not (found := [place for place in places if place.is_file()]):
                raise UserError(f"systems.{system}.runs: {places[0]} is missing; {places[1].name} would be read too")
            runs.append(found[0])
        paths = list(map(str, runs))
        return Reads({"candidates": paths}, [], {"candidates": list(map(sha256, runs))})  # no job makes them

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        return Need(memory(plan), 60)
