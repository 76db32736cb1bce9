"""Settings of the stage that evaluates."""

from typing import NotRequired

from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from robustdr.core.settings import STRICT


class Averaged(TypedDict):
    """The variations of a role in a paper, and those that each mean averages."""

    variations: list[str]
    means: NotRequired[dict[str, list[str]]]


class Evaluated(TypedDict):
    """What a paper evaluates on a collection; `means` are the available variations that each mean averages."""

    collection: str
    split: str
    means: dict[str, list[str]]
    variations: list[str]
    measures: list[str]


@dataclass(frozen=True, config=STRICT)
class EvaluateSettings:
    """How the query sets of one collection are evaluated.

    Attributes:
        measures: by query set, `<split>.<variation>`.
        relevance_level: the lowest grade that binary measures count as relevant.
    """

    measures: dict[str, list[str]]
    relevance_level: int
