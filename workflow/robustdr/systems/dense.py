"""Dual encoders: a checkpoint as it is, or trained by a recipe."""

from typing import TYPE_CHECKING, ClassVar

from robustdr import losses, variations
from robustdr.checks import at, known
from robustdr.encoding.directory import QUERY
from robustdr.errors import UserError
from robustdr.retrieval.settings import Index, SearchSettings
from robustdr.systems.kind import Kind, Need, Tree, memory

if TYPE_CHECKING:
    from robustdr.config import Config
    from robustdr.plan import Plan
    from robustdr.structure import Structure

# What gives a loss the fields of a batch that it reads.
SOURCES = {
    "variations": {"variation"},
    "negatives": {"passages"},
    "teacher": {"teacher_query", "teacher_passages"},
}


class Dense(Kind):
    """Trained where its recipe has a loss."""

    name = "dense"
    keys: ClassVar[Tree] = {
        "collection": {"type": "string"},
        "initial": {"type": "string"},
        "negatives": {"type": "string"},
        "variations": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
        "assign": {"enum": ["one", "all", "fresh"]},
        "augmentation": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "encoders": {"enum": ["shared", "separate"]},
        "teacher": {"type": "string"},
        "loss": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
        "budget": {"type": "string"},
    }
    rules: ClassVar[Tree] = {
        "required": ["label", "collection", "initial", "budget"],
        "dependentRequired": {
            **{key: ["loss"] for key in ("teacher", "negatives", "variations", "encoders")},
            **{key: ["variations"] for key in ("assign", "augmentation")},
        },
    }
    ranks = "robustdr.retrieval.search"

    def named(self, recipe: Tree) -> dict[str, str]:
        # Without a loss nothing is made: the initial checkpoint may bear the name of the system that evaluates it.
        return {key: recipe[key] for key in ("initial", "negatives", "teacher") if "loss" in recipe and key in recipe}

    def check(self, config: "Config", name: str, where: str) -> None:
        recipe = config.systems[name]
        for key in ("negatives", "teacher"):
            if key in recipe:
                known(f"{where}.{key}", recipe[key], config.systems)
        parent = config.systems.get(recipe["initial"], {})
        if parent.get("encoders") == "separate" and recipe.get("encoders") != "separate":
            raise UserError(f"{where}: continues from {recipe['initial']}: add `encoders: separate`")
        for variation in recipe.get("variations", []):
            known(f"{where}.variations", variation, variations.names())
        for scale_name, scale in config.scales.items():
            here = f"(scale {scale_name})"
            known(f"{where}.budget {here}", recipe["budget"], scale["budgets"])
            known(f"{where}.collection {here}", recipe["collection"], scale["collections"])
            known(f"{where}.initial {here}", recipe["initial"], {**scale["checkpoints"], **config.systems})
            missing = [kind for kind, entry in scale["variations"].items() if "unavailable" in entry]
            if "variations" in recipe and set(recipe["variations"]) <= set(missing):
                raise UserError(f"{where}.variations: scale {scale_name} can generate none of them")
            if "negatives" in recipe:
                config.check_searchable(scale_name, recipe["collection"], f"{where}.negatives")
                config.check_trainable(scale_name, recipe["collection"], f"{where}.collection")
        if "loss" in recipe:
            _check_loss(recipe, where)

    def parents(self, structure: "Structure", system: str) -> list[str]:
        if not structure.is_trained(system):
            return []
        teacher = structure.recipe(system).get("teacher")
        return list(filter(None, (structure.initial_of(system), structure.miner_of(system), teacher)))

    def lacks(self, structure: "Structure", system: str) -> str:
        return structure.bound["checkpoints"][structure.checkpoint_of(system)].get("unavailable", "")

    def settings(self, plan: "Plan", system: str, collection: str) -> SearchSettings:
        lengths = {length: plan.budget(system)[length] for length in ("query_length", "passage_length")}
        depth, index = plan.bound["retrieval"]["depth"], Index(**plan.bound["retrieval"]["index"])
        shards = plan.bound["embeddings"]["shards"] if plan.keeps_embeddings(system, collection) else 0
        return SearchSettings(**lengths, depth=depth, index=index, shards=shards, **plan.computing)

    def reads(self, plan: "Plan", system: str, seed: int, collection: str) -> dict[str, list[str]]:
        return {
            "model": [plan.model_folder(system, seed)],
            "embeddings": plan.embeddings(system, seed, collection),
        }

    def files(self, plan: "Plan", system: str, seed: int, collection: str) -> list[str]:
        return [plan.weights(system, seed, QUERY), *plan.embeddings(system, seed, collection)]

    def made_of(self, plan: "Plan", system: str, seed: int, collection: str) -> list[str]:
        kept = plan.keeps_embeddings(system, collection)
        return [plan.model_key(system, seed), *([plan.embeddings_key(system, seed, collection)] if kept else [])]

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        return Need(memory(plan, split), 120, gpus=1, cores=0)


def _check_loss(recipe: Tree, where: str) -> None:
    """A recipe has what its loss reads, and its loss, or its augmentation, reads what the recipe has."""
    with at(f"{where}.loss"):
        needs = losses.check(**recipe["loss"])
    loss = recipe["loss"]["name"]
    if "teacher_scores" in needs:
        raise UserError(f"{where}.loss: {loss} needs a cross-encoder's scores, which no stage makes yet")
    if "augmentation" in recipe and "query" not in needs:
        raise UserError(f"{where}.augmentation: the loss {loss} never reads the queries that it would replace")
    for field, fields in SOURCES.items():
        if needs & fields and field not in recipe:
            raise UserError(f"{where}: the loss {loss} needs {field}; add `{field}`")
        if field in recipe and not needs & fields and not (field == "variations" and "augmentation" in recipe):
            raise UserError(f"{where}.{field}: the loss {loss} never reads them; remove `{field}`")
