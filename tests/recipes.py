"""A configuration with further systems, as if a paper's experiment declared them."""

from typing import Any

from tests.changes import changed

from robustdr.experiments.kinds import KINDS, Recipe
from robustdr.experiments.models import Config


def recipe(**keys: Any) -> Recipe:
    return KINDS.settings(keys.get("kind", Recipe.kind), keys)


def with_systems(config: Config, paper: str, recipes: dict[str, dict[str, Any]]) -> Config:
    """A copy of the configuration in which a paper declares these systems, after or in place of its own."""
    for name, keys in recipes.items():
        config = changed(config, "papers", paper, "systems", name, keys)
        config = changed(config, "systems", name, recipe(**keys))
    return config
