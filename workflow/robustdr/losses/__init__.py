"""Training losses, one file per method, named like it; a loss sees one batch, no model and no data.

A loss file holds one class. Its constructor takes the loss's settings, which all have a default; its attribute `needs`,
a literal, has the `Batch` fields that it reads, and a setting `queries` names one more; its call takes a `Batch` and
returns its terms by name, already weighted: the training loop minimises their sum and logs each.
"""

from pathlib import Path
from typing import Any

from robustdr.core.declared import Declared

LOSSES = Declared("loss", Path(__file__).parent, ("batch",))


def check(name: str, **settings: Any) -> set[str]:
    """Check a loss and its settings.

    Returns:
        The fields of `Batch` that the loss reads.

    Raises:
        UserError: unknown loss, setting or value of a setting.
    """
    values = LOSSES.settings(name, settings)
    return {*(LOSSES.literal(name, "needs") or ()), *([values["queries"]] if "queries" in values else [])}


names = LOSSES.names
create = LOSSES.create
