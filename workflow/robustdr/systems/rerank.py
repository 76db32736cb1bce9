"""A ranker of another system's passages, or of a collection's judged candidates."""

from collections.abc import Collection, Sequence
from typing import Any, ClassVar, Literal

from pydantic import PositiveInt
from pydantic.dataclasses import dataclass

from robustdr import losses
from robustdr.core.checks import prefixed_errors as within
from robustdr.core.errors import UserError
from robustdr.core.settings import STRICT
from robustdr.core.validation import wrong
from robustdr.experiments.kinds import Graph, Inputs, Lineage, Split, kind_of, memory
from robustdr.experiments.models import ORIGINAL, Config
from robustdr.keys.node import Need, reads
from robustdr.rankers import RANKERS
from robustdr.retrieval.settings import RerankSettings
from robustdr.systems.trained import Trained, TrainedRecipe, lengths, training
from robustdr.training.settings import RankerTraining


@dataclass(frozen=True, kw_only=True, config=STRICT)
class FirstStage:
    """A first stage."""

    system: str
    """System whose passages are reranked."""
    depth: PositiveInt
    """Number of its best passages to rerank."""
    queries: Literal["own", "original"]
    """Queries for the first stage: the ranker's `own`, or always the `original`."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(TrainedRecipe):
    """A ranker of candidates."""

    candidates: Literal["judged"] | FirstStage
    """`judged`: the passages in a split's qrels; or `system`, `depth` and `queries` of a first stage."""
    ranker: dict[str, Any]
    """`name` of the ranker and its settings."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.ranker.get("name"), str):
            raise wrong("ranker", "'name' is missing")

    @property
    def first(self) -> str | None:
        """The system whose passages are reranked; None if only judged candidates are ranked."""
        return None if isinstance(self.candidates, str) else self.candidates.system


class Rerank(Trained):
    """Reranks the `depth` best passages of `candidates.system`; a scale may replace the papers' depths.

    With `queries: original`, the first stage always reads the original query; the ranker reads the variation. If a
    split has judged candidates, these are ranked, without a first stage. With `candidates: judged`, every split needs
    them.
    """

    sources: ClassVar[dict[str, set[str]]] = {
        "variations": {"variation", "variations"},
        "negatives": {"groups"},
        "teacher": {"teacher_scores"},
    }
    keyless_fields: ClassVar[set[str]] = {*Trained.keyless_fields, "vectors"}
    refused: ClassVar[tuple[str, ...]] = ("gradient_cache", "temperature")
    ranks = "robustdr.retrieval.rerank"
    rule = "rerank"
    trains = "robustdr.training.rerank"

    def systems_named_by(self, recipe: Settings) -> dict[str, str]:
        return super().systems_named_by(recipe) | ({"candidates.system": recipe.first} if recipe.first else {})

    def teaches(self, recipe: Settings) -> set[str]:
        """Teacher scores; none from a ranker that counts the words of a collection."""
        return set() if RANKERS.facts(recipe.ranker["name"]).counts else {"teacher_scores"}

    def check(self, config: Config, name: str, message_place: str) -> None:
        recipe: Settings = config.systems[name]
        with within(f"{message_place}.ranker"):
            RANKERS.settings(recipe.ranker["name"], {key: v for key, v in recipe.ranker.items() if key != "name"})
        super().check(config, name, message_place)
        if first := recipe.first:
            for scale in config.scales_of(recipe):
                first_depth = kind_of(config.systems[first]).depth(config, scale, first)
                depth = self.depth(config, scale, name)
                if depth > first_depth:
                    raise UserError(
                        f"{message_place}.candidates.depth: {depth} (scale {scale}); "
                        f"{first} ranks {first_depth} passages"
                    )
        if recipe.loss and "vectors" in losses.check(**recipe.loss):
            able = [ranker for ranker in RANKERS.names() if RANKERS.facts(ranker).represents]
            if (ranker := recipe.ranker["name"]) not in able:
                needs = f"the loss {recipe.loss['name']} needs vectors of queries"
                raise UserError(f"{message_place}.ranker: {ranker!r}; {needs}; allowed: {', '.join(able)}")
        parent = config.systems.get(recipe.initial)
        if parent and parent.kind == self.name and parent.ranker != recipe.ranker:
            raise UserError(
                f"{message_place}.initial: {recipe.initial!r} has the ranker {parent.ranker}; this system must have "
                f"the same, not {recipe.ranker}"
            )

    def forms(self, recipe: Settings) -> Collection[str]:
        return RANKERS.facts(recipe.ranker["name"]).initial

    def parents(self, lineage: Lineage, system: str) -> list[str]:
        first = lineage.recipe(system).first
        return [*super().parents(lineage, system), *([first] if first else [])]

    def depth(self, config: Config, scale: str, system: str) -> int:
        recipe: Settings = config.systems[system.partition(".")[0]]
        if isinstance(recipe.candidates, str):
            return super().depth(config, scale, system)
        return config.scales[scale].depths.get(str(recipe.candidates.depth), recipe.candidates.depth)

    def modules(self, lineage: Lineage, system: str) -> list[str]:
        return [f"robustdr.rankers.{lineage.recipe(system).ranker['name']}"]

    def candidates(
        self, lineage: Lineage, system: str, split: Split, variations: Sequence[str]
    ) -> dict[str, list[str]]:
        recipe: Settings = lineage.recipe(system)
        if lineage.config.judged_candidates(*split):
            return {}
        if isinstance(recipe.candidates, str):
            collection, name = split
            raise UserError(
                f"{lineage.config.folder_of(system)}/experiment.yaml: systems.{system}.candidates: 'judged', "
                f"but {name!r} of {collection} (scale {lineage.scale_name}) has none; name a first stage, or set "
                "`candidates: judged` for that split in collections.yaml"
            )
        return {recipe.candidates.system: [*variations] if recipe.candidates.queries == "own" else [ORIGINAL]}

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> RerankSettings:
        lineage = graph.lineage
        ranked = self.depth(lineage.config, lineage.scale_name, system)  # its full depth, even if a reader needs less
        return RerankSettings(
            lineage.recipe(system).ranker, **lengths(lineage, system), depth=ranked, **graph.computing
        )

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        runs = []
        for first, first_variations in self.candidates(graph.lineage, system, split, variations).items():
            its_seed = graph.lineage.seed_of(first, seed)
            run_variations = [variation if variation in first_variations else ORIGINAL for variation in variations]
            runs = [graph.run(first, its_seed, split, variation) for variation in run_variations]
        return {"model": reads(graph.model(system, seed)), "candidates": reads(*runs)}

    def training(self, graph: Graph, system: str) -> RankerTraining:
        return RankerTraining(**training(graph, system, self.refused), ranker=graph.lineage.recipe(system).ranker)

    def learns_from(self, graph: Graph, system: str, seed: int) -> Inputs:
        passages = super().learns_from(graph, system, seed)
        if not graph.lineage.recipe(system).teacher:
            return passages
        return {**passages, "teacher_scores": reads(graph.teacher_scores(system, seed))}

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 240, gpus=1, cores=graph.threads)
