"""Training losses, one file per method. A loss sees one batch, no model and no data.

A loss is a function of its `Settings` and a `Batch`. It returns its weighted terms by name. The training loop minimises
their sum and logs each term.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from robustdr.core.plugins import Plugins
from robustdr.losses.settings import LossSettings

LOSSES = Plugins("loss", __name__, LossSettings)


def check(name: str, **settings: Any) -> set[str]:
    """The fields of `Batch` that a loss reads with these settings.

    Raises:
        UserError: unknown loss, setting or value of a setting.
    """
    return LOSSES.settings(name, settings).reads


def create(name: str, **settings: Any) -> Callable[..., Any]:
    """The loss with these settings, as a function of a `Batch`; raises what `check` raises."""
    loss_settings = LOSSES.settings(name, settings)
    return partial(LOSSES.load(name), loss_settings)
