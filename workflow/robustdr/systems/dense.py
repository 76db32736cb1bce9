"""Dual encoders: an untrained checkpoint, or one trained by a recipe."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic.dataclasses import dataclass

from robustdr import losses
from robustdr.core.errors import UserError
from robustdr.core.settings import STRICT
from robustdr.core.validation import wrong
from robustdr.encoding.directory import CHARACTER, ENCODER, ENTIRE
from robustdr.experiments.kinds import Graph, Inputs, Split, memory
from robustdr.experiments.models import Config
from robustdr.keys.node import Need, reads
from robustdr.retrieval.settings import FLAT, SearchSettings
from robustdr.systems.trained import Trained, TrainedRecipe, lengths, training
from robustdr.training.settings import DenseTraining


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(TrainedRecipe):
    """A dual encoder."""

    encoders: Literal["shared", "separate"] | None = None
    """One encoder for queries and passages, or two; default: one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.encoders and not self.loss:
            raise wrong("loss", "missing; `encoders` needs it")


class Dense(Trained):
    """One encoder for queries and passages, or two."""

    sources: ClassVar[dict[str, set[str]]] = {
        "variations": {"variation", "variations"},
        "negatives": {"passages", "groups", "positive"},
        "teacher": {"teacher_query", "teacher_passages", "teacher_scores"},
    }
    keyless_fields: ClassVar[set[str]] = {*Trained.keyless_fields, "anchor", "negative", "vectors"}
    refused: ClassVar[tuple[str, ...]] = ("new_layers_learning_rate",)
    ranks = "robustdr.retrieval.search"
    trains = "robustdr.training.dense"

    def forms(self, recipe: Settings) -> tuple[str, ...]:
        return (ENCODER, CHARACTER, *ENTIRE)

    def teaches(self, recipe: Settings) -> set[str]:
        return {"teacher_query", "teacher_passages"}

    def check(self, config: Config, name: str, message_place: str) -> None:
        super().check(config, name, message_place)
        recipe = config.systems[name]
        parent = config.systems.get(recipe.initial)
        if parent and parent.kind == self.name and parent.encoders == "separate" != recipe.encoders:
            raise UserError(f"{message_place}: {recipe.initial} has two encoders: add `encoders: separate`")

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> SearchSettings:
        scale, shards = graph.lineage.scale, len(graph.embeddings(system, 0, collection))
        token_lengths = lengths(graph.lineage, system)
        return SearchSettings(
            **token_lengths, depth=depth, index=scale.retrieval.index, shards=shards, **graph.computing
        )

    def _searches_compressed(self, graph: Graph, split: Split) -> bool:
        """Whether compressed indexes are searched; for judged candidates the vectors are read instead."""
        flat = graph.lineage.scale.retrieval.index.factory == FLAT
        return not flat and not graph.lineage.config.judged_candidates(*split)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        inputs = {"model": reads(graph.model(system, seed))}
        if self._searches_compressed(graph, split):
            return {**inputs, "compressed": reads(*graph.compressed(system, seed, split[0]))}
        return {**inputs, "embeddings": reads(*graph.embeddings(system, seed, split[0]))}

    def mentions(self, graph: Graph, system: str, seed: int, split: Split) -> dict[str, list[str]]:
        """The vectors of the compressed indexes; they may be deleted when the search runs."""
        if not self._searches_compressed(graph, split):
            return {}
        return {"vectors": [vectors.path for vectors in graph.embeddings(system, seed, split[0])]}

    def training(self, graph: Graph, system: str) -> DenseTraining:
        encoders: Any = graph.lineage.recipe(system).encoders or "shared"
        return DenseTraining(**training(graph, system, self.refused), encoders=encoders)

    def learns_from(self, graph: Graph, system: str, seed: int) -> Inputs:
        recipe, passages = graph.lineage.recipe(system), super().learns_from(graph, system, seed)
        if not recipe.teacher:
            return passages
        if "teacher_scores" in losses.check(**recipe.loss):
            return {**passages, "teacher_scores": reads(graph.teacher_scores(system, seed))}
        vectors = graph.embeddings(recipe.teacher, seed, graph.lineage.train_split(system)[0])
        model = graph.model(recipe.teacher, seed)
        return {**passages, "teacher": reads(model), "teacher_embeddings": reads(*vectors)}

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 120, gpus=1, cores=graph.threads)
