"""A dual encoder behind a server that speaks OpenAI's embeddings: its vectors are asked for, and searched here."""

from typing import TYPE_CHECKING, ClassVar

from robustdr.core.checks import at
from robustdr.core.client import check_variable
from robustdr.retrieval.settings import ServedSettings
from robustdr.systems.kind import Kind, Need, Tree, memory

if TYPE_CHECKING:
    from robustdr.experiments.config import Config
    from robustdr.graph.plan import Plan

DEFAULTS: Tree = {
    "similarity": "cosine",
    "dimension": None,
    "key": "",
    "cache": "served-vectors.sqlite",
    "batch": 64,
    "concurrency": 8,
    "attempts": 5,
    "timeout": 60.0,
}
PROMPTS = {"query": "", "passage": ""}


class Served(Kind):
    """The model `model` of the server at `url`. Nobody here knows its weights: nothing is trained from it."""

    name = "served"
    keys: ClassVar[Tree] = {
        "url": {"type": "string", "pattern": "^https?://."},
        "model": {"type": "string", "minLength": 1},
        "prompts": {
            "type": "object",
            "additionalProperties": False,
            "properties": {role: {"type": "string"} for role in PROMPTS},
        },
        "similarity": {"enum": ["cosine", "dot"]},
        "key": {"type": "string"},
        "cache": {"type": "string", "minLength": 1},
        **{name: {"type": "integer", "minimum": 1} for name in ("dimension", "batch", "concurrency", "attempts")},
        "timeout": {"type": "number", "exclusiveMinimum": 0},
    }
    rules: ClassVar[Tree] = {"required": ["label", "url", "model"]}
    ranks = "robustdr.retrieval.served"

    def check(self, config: "Config", name: str, where: str) -> None:
        if "key" in config.systems[name]:
            with at(where):
                check_variable(config.systems[name]["key"])

    def settings(self, plan: "Plan", system: str, collection: str, depth: int) -> ServedSettings:
        recipe = plan.recipe(system)
        how: Tree = {key: recipe.get(key, default) for key, default in DEFAULTS.items()}
        how |= {"prompts": PROMPTS | recipe.get("prompts", {}), "timeout": float(how["timeout"])}
        return ServedSettings(recipe["url"], recipe["model"], depth=depth, **how)

    def note(self, recipe: Tree) -> str:
        prompts = {role: prompt for role, prompt in recipe.get("prompts", {}).items() if prompt}
        behind = f", with the prompts {prompts}" if prompts else ""
        asked = f"vectors that the model {recipe['model']} at {recipe['url']} gave{behind}"
        return f"{recipe['label']}: {asked}. Its weights and how much it reads of a text are not known here."

    def need(self, plan: "Plan", system: str, split: str) -> Need:
        return Need(memory(plan), 1440)
