"""The only place that loads transformers and tokenizers: weights from safetensors, and no code of their folders.

A folder may come from anyone: a hub, a package, the user. `allowed` checks what its files name. For models of
sentence-transformers, `loading_modules` is this place.
"""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from huggingface_hub.errors import StrictDataclassError
from safetensors import SafetensorError

from robustdr.core.errors import UserError
from robustdr.encoding.allowed import check_configuration, check_transformer
from robustdr.encoding.directory import CONFIG

LOCAL: Any = {"local_files_only": True, "trust_remote_code": False}
SAFE: Any = {"use_safetensors": True}
KNOWN = "what is the meaning of a river"
# What transformers and sentence-transformers raise of damaged folders, beside OSError and ValueError.
RAISED = (TypeError, LookupError, AttributeError, RuntimeError, ImportError, SafetensorError, StrictDataclassError)


def configuration(folder: Path) -> Any:
    """Return the configuration of a transformer's folder.

    Raises:
        UserError: it names something that is not allowed, see `check_transformer`.
        OSError, ValueError: there is no transformer.
    """
    from transformers import AutoConfig

    check_configuration(folder)
    with reading():
        return AutoConfig.from_pretrained(folder, **LOCAL)


def tokenizer(folder: Path) -> Any:
    """Return the tokenizer of a transformer's folder; raises as `configuration`, and `UserError` if it is empty."""
    from transformers import AutoTokenizer

    check_configuration(folder)
    with reading():
        loaded = AutoTokenizer.from_pretrained(folder, **LOCAL)
        check_tokenizer(loaded, folder)
    return loaded


def check_tokenizer(tokenizer: Any, folder: Path) -> None:
    """Refuse a tokenizer that knows none of a few words: transformers makes one of a folder without its files.

    Raises:
        UserError: names the folder and the files that tokenizers have.
    """
    if hasattr(tokenizer, "tokenize"):
        tokens = [token for token in tokenizer.tokenize(KNOWN) if any(map(str.isalnum, token))]
        is_empty = {*tokenizer.convert_tokens_to_ids(tokens)} <= {tokenizer.unk_token_id}
    else:  # of the package tokenizers, which a static embedding has
        is_empty = len({*tokenizer.encode(KNOWN, add_special_tokens=False).ids}) <= 1
    if is_empty:
        raise UserError(
            f"{folder}: its tokenizer knows no word of {KNOWN!r}; the files of a tokenizer are missing: "
            "tokenizer.json, vocab.txt, spiece.model, or source.spm, target.spm and vocab.json"
        )


def transformer(kind: Any, folder: Path, **options: Any) -> Any:
    """Return the model in a transformer's folder; raises as `configuration`.

    Args:
        kind: a class of transformers, such as `AutoModel`. options: arguments of its `from_pretrained`.
    """
    check_transformer(folder)
    with reading():
        try:
            return kind.from_pretrained(folder, **options, **SAFE, **LOCAL)
        except KeyError as error:
            from transformers.activations import ACT2FN

            activations = ", ".join(sorted(ACT2FN))
            raise UserError(
                f"{folder / CONFIG}: names what transformers does not have: {error} (its activations: {activations})"
            ) from error


@contextmanager
def reading() -> Iterator[None]:
    """A folder is read: what is wrong with it is an `OSError` or a `ValueError`, whatever a library raises.

    No question can be asked on standard input: transformers asks there whether to run a folder's code.
    """
    standard_input, sys.stdin = sys.stdin, io.StringIO()
    try:
        yield
    except Exception as error:
        if type(error) is Exception or isinstance(error, RAISED):  # tokenizers raises `Exception` itself
            raise ValueError(" ".join(str(error).split())) from error
        raise
    finally:
        sys.stdin = standard_input
