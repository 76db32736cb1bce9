"""Recipes of pre-training: what is wrong with one is said before any work starts."""

from typing import TYPE_CHECKING

from robustdr.core.checks import known
from robustdr.core.errors import UserError
from robustdr.encoding.directory import ENCODER
from robustdr.pretraining.settings import PretrainingSettings

if TYPE_CHECKING:
    from robustdr.experiments.config import Config

OF_THE_DECODER = ("decoder_mask", "decoder_layers", "variant")


def check(config: "Config", name: str, where: str) -> None:
    """Check the pre-training `name` against the rest of the configuration; `where` begins a message.

    Raises:
        UserError: the name is that of a system, a key is read by nothing, the collection is a query log, or the
            checkpoint is no encoder or has fewer layers than its decoder would.
    """
    if name in config.systems:
        raise UserError(f"{where}: a system has that name too; a recipe's `initial` must name one of them")
    recipe = config.pretraining[name]
    bottleneck = recipe.get("bottleneck", PretrainingSettings.bottleneck)
    for key in OF_THE_DECODER:
        if key in recipe and not bottleneck:
            raise UserError(f"{where}.{key}: {recipe[key]!r}; there is no decoder with `bottleneck: false`; remove it")
    for key, part in (("budget", "pretraining"), ("collection", "collections"), ("initial", "checkpoints")):
        known(f"{where}.{key}", recipe[key], config.bound(part))
    for scale_name, scale in config.scales.items():
        here = f"(scale {scale_name})"
        collection = scale["collections"].get(recipe["collection"])
        if collection and config.collections[collection].get("log"):
            raise UserError(f"{where}.collection: {collection!r} {here} is a query log, without passages to learn from")
        checkpoint = scale["checkpoints"].get(recipe["initial"])
        if checkpoint is None or recipe["budget"] not in scale.get("pretraining", {}):
            continue
        if (form := checkpoint.get("form", ENCODER)) != ENCODER:
            raise UserError(f"{where}.initial {here}: {recipe['initial']!r} has the form {form!r}; allowed: {ENCODER}")
        layers = recipe.get("decoder_layers", PretrainingSettings.decoder_layers)
        most = len(checkpoint.get("layers", range(layers)))
        if bottleneck and layers > most:
            raise UserError(
                f"{where}.decoder_layers: {layers}; the decoder copies the encoder's last layers, and "
                f"{recipe['initial']!r} {here} has {most}"
            )
