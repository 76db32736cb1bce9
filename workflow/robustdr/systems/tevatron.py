"""A dual encoder that Tevatron trains, as a second engine beside our own."""

from typing import ClassVar

from pydantic.dataclasses import dataclass

from robustdr.core.errors import UserError
from robustdr.core.settings import STRICT
from robustdr.encoding.directory import ENCODER
from robustdr.experiments.models import Budget, Config
from robustdr.systems.dense import Dense
from robustdr.systems.dense import Settings as DenseSettings


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Settings(DenseSettings):
    """A dual encoder that Tevatron trains: with the loss `contrastive`, on one device."""


class Tevatron(Dense):
    """Trained by Tevatron, and searched as every dual encoder. What Tevatron cannot do is refused."""

    trains = "robustdr.training.tevatron"
    refused: ClassVar[tuple[str, ...]] = (*Dense.refused, "gradient_cache", "temperature")

    def forms(self, recipe: DenseSettings) -> tuple[str, ...]:
        return (ENCODER,)

    def check(self, config: Config, name: str, message_place: str) -> None:
        super().check(config, name, message_place)
        recipe = config.systems[name]
        if not recipe.loss:
            raise UserError(f"{message_place}.loss: missing; Tevatron trains")
        if (loss := recipe.loss["name"]) != "contrastive":
            raise UserError(f"{message_place}.loss: {loss!r}; Tevatron has 'contrastive' alone")
        if recipe.assign not in (None, "one") or recipe.augmentation:
            raise UserError(f"{message_place}: Tevatron reads one text of a query; remove `assign` and `augmentation`")

    def _check_budget(self, budget: Budget | None, message_place: str) -> None:
        super()._check_budget(budget, message_place)
        if budget and budget.devices > 1:
            raise UserError(f"{message_place}: devices: {budget.devices}; allowed for systems of kind {self.name}: 1")
