"""Settings of the stage that evaluates."""

from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT


@dataclass(frozen=True, config=STRICT)
class EvaluateSettings:
    """How the query sets of one collection are evaluated.

    Attributes:
        measures: by query set, `<split>.<variation>`.
        relevance_level: the lowest grade that binary measures count as relevant.
    """

    measures: dict[str, list[str]]
    relevance_level: int
