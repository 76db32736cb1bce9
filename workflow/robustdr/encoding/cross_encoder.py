"""Initial checkpoints of cross-encoders: a classifier of pairs of texts as it is."""

from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification

from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_text
from robustdr.encoding import loading, loading_modules
from robustdr.encoding.description import check_cross
from robustdr.encoding.settings import CheckpointSettings
from robustdr.encoding.source import locate

CARD = """---
library_name: sentence-transformers
---
# {name}

{description}

Source: {source}. A cross-encoder as it is, its weights in single precision.
"""


def write_cross_encoder(settings: CheckpointSettings, output: Path) -> None:
    """Write a cross-encoder as a transformers directory.

    Args:
        output: the directory to write.

    Raises:
        UserError: see `source.locate` and `description.check_cross`; or the source is damaged.
    """
    directory = locate(settings.source)
    with prefixed_errors(f"checkpoint {settings.name}"):
        check_cross(directory)
        with loading_modules.readable(directory):
            tokenizer = loading.tokenizer(directory)
            model, loading_info = loading.transformer(
                AutoModelForSequenceClassification, directory, dtype=torch.float32, output_loading_info=True
            )
        if missing := sorted(loading_info["missing_keys"]):
            raise UserError(f"{directory}: lacks weights: {', '.join(missing[:5])}")
    with atomic(output) as temporary:
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        card = CARD.format(name=settings.name, description=settings.description, source=settings.source)
        write_text(temporary / "README.md", card)
