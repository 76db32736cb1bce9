"""Dual encoders: a checkpoint as it is, or trained by a recipe."""

from typing import TYPE_CHECKING, ClassVar

from robustdr import losses
from robustdr.core.errors import UserError
from robustdr.encoding.directory import ABOUT, CHARACTER, ENCODER, QUERY, ROUTER_FILES, SHARED_FILES, WHOLE
from robustdr.retrieval.settings import Index, SearchSettings
from robustdr.systems.kind import At, Need, Reads, Tree, memory
from robustdr.systems.trained import Trained
from robustdr.training.settings import DenseTraining

if TYPE_CHECKING:
    from robustdr.experiments.config import Config
    from robustdr.graph.plan import Plan
    from robustdr.graph.structure import Structure


class Dense(Trained):
    """One encoder for queries and passages, or two."""

    name = "dense"
    keys: ClassVar[Tree] = {**Trained.keys, "encoders": {"enum": ["shared", "separate"]}}
    rules: ClassVar[Tree] = {
        **Trained.rules,
        "dependentRequired": {**Trained.rules["dependentRequired"], "encoders": ["loss"]},
    }
    sources: ClassVar[dict[str, set[str]]] = {
        "variations": {"variation", "variations"},
        "negatives": {"passages", "groups", "positive"},
        "teacher": {"teacher_query", "teacher_passages", "teacher_scores"},
    }
    given: ClassVar[set[str]] = {*Trained.given, "anchor", "negative", "vectors"}
    ranks = "robustdr.retrieval.search"
    trains = "robustdr.training.dense"

    def forms(self, recipe: Tree) -> tuple[str, ...]:
        return (ENCODER, CHARACTER, WHOLE)

    def teaches(self, recipe: Tree) -> set[str]:
        return {"teacher_query", "teacher_passages"}

    def check(self, config: "Config", name: str, where: str) -> None:
        super().check(config, name, where)
        recipe = config.systems[name]
        for scale, bound in config.scales_of(recipe).items():
            if "new_layers_learning_rate" in bound["budgets"].get(recipe.get("budget"), {}):
                raise UserError(f"{where}.budget (scale {scale}): a dual encoder has no new_layers_learning_rate")
        parent = config.systems.get(recipe["initial"], {})
        if parent.get("encoders") == "separate" and recipe.get("encoders") != "separate":
            raise UserError(f"{where}: continues from {recipe['initial']}: add `encoders: separate`")

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> SearchSettings:
        index = Index(**plan.bound["retrieval"]["index"])
        shards = plan.bound["embeddings"]["shards"] if plan.keeps_embeddings(system, collection) else 0
        return SearchSettings(**plan.lengths(system), depth=depth, index=index, shards=shards, **plan.computing)

    def reads(self, plan: "Plan", system: str, seed: int, at: At, kinds: list[str]) -> Reads:
        place = system, seed, at[0]
        vectors = plan.embeddings(*place)
        name, searched, files, key = "embeddings", {"embeddings": vectors}, vectors, plan.embeddings_key
        if plan.compresses() and not plan.config.judged_candidates(*at):  # of single passages, vectors are read
            name, files, key = "compressed", plan.compressed(*place), plan.compressed_key
            searched = {"compressed": files, "vectors": vectors}  # these may be gone by then: nothing waits for them
        keys = {"model": plan.model_key(system, seed), **({name: key(*place)} if files else {})}
        model = plan.model_folder(system, seed)
        return Reads({"model": [model], **searched}, [plan.weights(system, seed, QUERY), *files], keys)

    def model_files(self, structure: "Structure", system: str) -> list[str]:
        if structure.is_whole(system):
            return ABOUT
        return ROUTER_FILES if structure.is_router(system) else SHARED_FILES

    def training(self, plan: "Plan", system: str) -> DenseTraining:
        return DenseTraining(**plan.budgeted(system), encoders=plan.recipe(system).get("encoders", "shared"))

    def learns_from(self, plan: "Plan", system: str, seed: int) -> Reads:
        recipe, passages = plan.recipe(system), super().learns_from(plan, system, seed)
        if "teacher" not in recipe:
            return passages
        if "teacher_scores" in losses.check(**recipe["loss"]):
            scores, key = plan.teacher_scores(system, seed), plan.teacher_scores_key(system, seed)
            return passages.beside(Reads({"teacher_scores": [scores]}, [scores], {"teacher_scores": key}))
        teacher, (collection, _) = recipe["teacher"], plan.train_split(system)
        vectors = plan.embeddings(teacher, seed, collection)
        made = plan.embeddings_key(teacher, seed, collection)
        keys = {"teacher": plan.model_key(teacher, seed), "teacher_embeddings": made}
        paths = {"teacher": [plan.model_folder(teacher, seed)], "teacher_embeddings": vectors}
        return passages.beside(Reads(paths, [*plan.model(teacher, seed), *vectors], keys))

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        return Need(memory(plan), 120, gpus=1, cores=0)
