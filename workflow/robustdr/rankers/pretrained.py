"""Pre-trained transformers behind rankers: loaded from their directories, or refused."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import MethodType
from typing import Any

import torch
from tokenizers import Encoding
from transformers.utils import logging

from robustdr.core.errors import UserError
from robustdr.encoding import loading
from robustdr.encoding.hardware import device


def configuration(folder: Path, expected: str, fits: Callable[[Any], bool]) -> Any:
    """Return the configuration of a transformer's directory.

    Args:
        expected: what the directory should be, for error messages. fits: whether a configuration is that.

    Raises:
        UserError: there is no transformer, or another one.
    """
    try:
        config = loading.configuration(folder)
    except UserError:
        raise
    except (OSError, ValueError) as error:
        raise UserError(f"{folder}: no transformer there ({error}); expected: {expected}") from error
    if not fits(config):
        raise UserError(f"{folder}: holds {config.model_type!r} ({config.architectures}); expected: {expected}")
    return config


def pretrained(kind: Any, folder: Path, config: Any, expected: str, drawn: tuple[str, ...] = ()) -> tuple[Any, Any]:
    """Return a model and its tokenizer.

    Args:
        kind: class of the model. drawn: prefixes of weights that the directory may lack.

    Returns:
        The model, weights in single precision, and the tokenizer, which pads and cuts only on request.

    Raises:
        UserError: damaged files, or missing weights that `drawn` does not allow.
    """
    # On the CPU plain attention trains faster, see `encoding.encoder`.
    attention = "eager" if device().type == "cpu" else "sdpa"
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # missing weights are an error below, or intended
    try:
        model, loading_info = loading.transformer(
            kind,
            folder,
            config=config,
            attn_implementation=attention,
            dtype=torch.float32,
            output_loading_info=True,
        )
        tokenizer = loading.tokenizer(folder)
    except UserError:
        raise
    except (OSError, ValueError) as error:
        raise UserError(f"{folder}: a damaged model ({error}); expected: {expected}") from error
    finally:
        logging.set_verbosity(verbosity)
    if lacking := sorted(name for name in loading_info["missing_keys"] if not name.startswith(drawn)):
        raise UserError(f"{folder}: lacks weights: {', '.join(lacking[:5])}; expected: {expected}")
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    return model, tokenizer


def exact(module: torch.nn.Module) -> None:
    """Let a layer compute in the type of its weights under autocast, too: scores in bfloat16 have 8 bits and tie."""
    module.forward = MethodType(_exactly, module)


def _exactly(module: torch.nn.Module, inputs: torch.Tensor) -> Any:
    with torch.autocast(inputs.device.type, enabled=False):
        return type(module).forward(module, inputs.to(next(module.parameters()).dtype))


def pieces(tokenizer: Any, texts: Iterable[str], length: int) -> dict[str, Encoding]:
    """Return word pieces of each text without special tokens, the first `length` of them: encodings of `tokenizers`."""
    unique = list(dict.fromkeys(texts))
    encodings = tokenizer.backend_tokenizer.encode_batch(unique, add_special_tokens=False)
    for encoding in encodings:
        encoding.truncate(length)
    return dict(zip(unique, encodings, strict=True))
