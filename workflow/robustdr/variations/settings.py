"""Settings of the stage that varies the queries of a split."""

from pydantic.dataclasses import dataclass

from robustdr.core.settings import STRICT


@dataclass(frozen=True, config=STRICT)
class VariationSettings:
    """A generator: its class as `family:Class`, its parameters, and the seed of its draws."""

    generator: str
    parameters: dict[str, object]
    seed: int
