"""A dual encoder on a server with OpenAI's embeddings API; its vectors are requested and searched here."""

from dataclasses import field, fields
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass

from robustdr.core.checks import prefixed_errors
from robustdr.core.secrets import URL, check_variable
from robustdr.core.settings import STRICT
from robustdr.experiments.kinds import Graph, Kind, Recipe, memory
from robustdr.experiments.models import Config
from robustdr.keys.node import Need
from robustdr.retrieval.settings import ServedSettings


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Prompts:
    """Texts before every query and passage."""

    query: str = ""
    passage: str = ""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(Recipe):
    """A model on a server."""

    url: URL
    """Base URL of the server, up to and including `/v1`."""
    model: Annotated[str, Field(min_length=1)]
    """Name of the model on the server."""
    prompts: Prompts = field(default_factory=Prompts)
    """`query` and `passage`: text before each."""
    similarity: Literal["cosine", "dot"] = "cosine"
    """Similarity of two vectors."""
    dimension: PositiveInt | None = None
    """Dimension to request; default: the server's."""
    key: str = ""
    """Environment variable with the server's key; '' for none."""
    cache: Annotated[str, Field(min_length=1)] = "served-vectors.sqlite"
    """File that keeps vectors."""
    batch: PositiveInt = 64
    """Texts per request."""
    concurrency: PositiveInt = 8
    """Requests at a time."""
    attempts: PositiveInt = 5
    """Attempts of each request."""
    timeout: PositiveFloat = 60.0
    """Seconds of an attempt."""


class Served(Kind):
    """The model `model` of the server at `url`. Its weights are not here, so nothing can be trained from it."""

    ranks = "robustdr.retrieval.served"
    network = True
    rule = "retrieve_served"

    def check(self, config: Config, name: str, message_place: str) -> None:
        if variable := config.systems[name].key:
            with prefixed_errors(message_place):
                check_variable(variable)

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> ServedSettings:
        recipe: Settings = graph.lineage.recipe(system)
        server_settings = {key.name: getattr(recipe, key.name) for key in fields(ServedSettings) if key.name != "depth"}
        return ServedSettings(**{**server_settings, "prompts": dict(vars(recipe.prompts)), "depth": depth})

    def note(self, recipe: Settings) -> str:
        prompts = {role: prompt for role, prompt in vars(recipe.prompts).items() if prompt}
        prompt_note = f", with the prompts {prompts}" if prompts else ""
        description = f"vectors that the model {recipe.model} at {recipe.url} gave{prompt_note}"
        return f"{recipe.label}: {description}. Its weights and how much it reads of a text are not known here."

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 1440)
