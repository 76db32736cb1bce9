"""Base of the kinds whose model is a directory of sentence-transformers that is taken whole, and not trained."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from robustdr.core.errors import UserError
from robustdr.core.settings import STRICT
from robustdr.encoding.directory import WHOLE
from robustdr.experiments.kinds import LENGTHS, Graph, Inputs, Kind, Lineage, Recipe, Split, memory
from robustdr.experiments.models import Config
from robustdr.keys.node import Need, reads
from robustdr.retrieval.settings import LibrarySettings
from robustdr.training.settings import Tokens


@dataclass(frozen=True, kw_only=True, config=STRICT)
class WholeRecipe(Recipe):
    """A recipe that takes a model as it is."""

    initial: str
    """Checkpoint that it is."""
    query_length: Tokens
    """Tokens read of a query."""
    passage_length: Tokens
    """Tokens read of a passage."""


class Whole(Kind):
    """A model that sentence-transformers runs; passages are encoded when they are ranked.

    Attributes:
        model: its class in sentence-transformers.
    """

    model: ClassVar[Literal["SparseEncoder", "MultiVectorEncoder"]]
    ranks = "robustdr.retrieval.library"

    def check(self, config: Config, name: str, message_place: str) -> None:
        recipe: WholeRecipe = config.systems[name]
        config.check_bound(f"{message_place}.initial", recipe.initial, "checkpoints")
        bound = (scale.checkpoints.get(recipe.initial) for scale in config.scales.values())
        if WHOLE not in (forms := sorted({entry.form for entry in bound if entry})):
            has = f"the checkpoint {recipe.initial!r} has the form {', '.join(forms)}"
            raise UserError(f"{message_place}.initial: {has}; allowed: {WHOLE}")

    def lacking(self, lineage: Lineage, system: str) -> str:
        initial = lineage.recipe(system).initial
        entry = lineage.scale.checkpoints.get(initial)
        return "" if entry and entry.form == WHOLE else f"checkpoints.{initial}"

    def unavailable(self, lineage: Lineage, system: str) -> str:
        return lineage.scale.checkpoints[lineage.recipe(system).initial].unavailable

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> LibrarySettings:
        recipe = graph.lineage.recipe(system)
        token_lengths = {length: getattr(recipe, length) for length in LENGTHS}
        return LibrarySettings(model=self.model, **token_lengths, depth=depth, **graph.computing)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        return {"model": reads(graph.model(system, seed))}

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 1440, gpus=1, cores=graph.threads)
