"""How a retriever of any type encodes texts."""

from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.encoding import description
from robustdr.encoding.description import LATE, MODULES_OF, Description, check_type, model_type


def describe(folder: Path, pooling: str | None = None) -> Description:
    """Return what a folder says: of a dual encoder, a sparse encoder or a late-interaction model.

    Args:
        pooling: of a plain transformer, whose folder names none.

    Raises:
        UserError: it is no retriever, or see `description.describe` and `late_interaction.describe`.
    """
    check_type(folder, *MODULES_OF)
    if model_type(folder) != LATE:
        return description.describe(folder, pooling)
    if pooling:
        raise UserError(f"{folder}: keeps the vectors of all tokens; `pooling` is for a plain transformer")
    from robustdr.encoding import late_interaction  # imported here: it loads sentence-transformers

    return late_interaction.describe(folder)
