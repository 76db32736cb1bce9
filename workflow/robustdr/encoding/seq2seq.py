"""Initial checkpoints of sequence-to-sequence models: a T5 as it is."""

import json
from pathlib import Path

import torch
from transformers import T5ForConditionalGeneration

from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_text
from robustdr.encoding import loading
from robustdr.encoding.settings import CheckpointSettings
from robustdr.encoding.source import locate

CARD = """---
library_name: transformers
---
# {name}

{description}

Source: {source}. A T5 checkpoint as it is, its weights in single precision.
"""


def write_seq2seq(settings: CheckpointSettings, output: Path) -> None:
    """Write a T5 checkpoint as a transformers directory.

    Args:
        output: the directory to write.

    Raises:
        UserError: see `source.locate`; the source is no T5 with a head, or damaged.
    """
    import google.protobuf  # noqa: F401  (transformers loads both by name, for a T5 with its spiece.model alone)
    import sentencepiece  # noqa: F401

    directory = locate(settings.source)
    message_place = f"checkpoint {settings.name}: {directory}"
    try:
        with loading.reading():
            tokenizer = loading.tokenizer(directory)
            if (kind := json.loads((directory / "config.json").read_text(encoding="utf-8"))["model_type"]) != "t5":
                raise UserError(f"{message_place} holds {kind!r}; allowed: t5")
            model, loading_info = loading.transformer(
                T5ForConditionalGeneration, directory, dtype=torch.float32, output_loading_info=True
            )
    except UserError:
        raise
    except (OSError, ValueError) as error:
        raise UserError(f"{message_place} holds no whole T5 ({error})") from error
    if unfit_weights := sorted({*loading_info["missing_keys"], *loading_info["unexpected_keys"]}):
        raise UserError(f"{message_place} is not a T5 with a head: {', '.join(unfit_weights[:5])}")
    card = CARD.format(name=settings.name, description=settings.description, source=settings.source)
    with atomic(output) as temporary:
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        write_text(temporary / "README.md", card)
