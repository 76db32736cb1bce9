"""Settings of the stage that evaluates."""

from dataclasses import field
from typing import NotRequired

from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from robustdr.core.settings import STRICT, UNSEEN


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


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PublishedSettings:
    """A score that a released checkpoint must reach.

    Attributes:
        role: of the collection, for people. query_set: `<split>.<variation>`. measure: its name.
        score: as it is printed. source: where it is printed. margin: points allowed beside its interval.
        remedy: the command that fetches the checkpoint, or ''.
    """

    checkpoint: str
    role: str
    query_set: str
    measure: str
    score: str
    source: str
    margin: float
    remedy: str = field(default="", metadata=UNSEEN)
