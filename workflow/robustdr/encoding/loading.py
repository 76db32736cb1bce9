"""The one place where models and tokenizers are loaded: weights from safetensors alone, and no code of their folders.

A folder may be anyone's: a hub's, a package's, the user's own. `allowed` checks what its files name.
"""

import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError

from robustdr.core.errors import UserError
from robustdr.encoding.allowed import CONFIG, RUN, check_configuration, check_modules, check_transformer

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer
    from torch import dtype

LOCAL: Any = {"local_files_only": True, "trust_remote_code": False}
SAFE: Any = {"use_safetensors": True}


def configuration(folder: Path) -> Any:
    """The configuration of a transformer's folder.

    Raises:
        UserError: it names something that is not allowed, see `check_transformer`.
        OSError, ValueError: no transformer is there. So for all functions here that raise no `UserError` for it.
    """
    from transformers import AutoConfig

    check_configuration(folder)
    with _silent():
        return AutoConfig.from_pretrained(folder, **LOCAL)


def tokenizer(folder: Path) -> Any:
    """The tokenizer of a transformer's folder; raises as `configuration`."""
    from transformers import AutoTokenizer

    check_configuration(folder)
    with _silent():
        return AutoTokenizer.from_pretrained(folder, **LOCAL)


def transformer(kind: Any, folder: Path, **how: Any) -> Any:
    """The model in a transformer's folder; raises as `configuration`.

    Args:
        kind: a class of transformers, such as `AutoModel`. how: arguments of its `from_pretrained`.
    """
    check_transformer(folder)
    try:
        with _silent():
            return kind.from_pretrained(folder, **how, **SAFE, **LOCAL)
    except KeyError as error:
        from transformers.activations import ACT2FN

        known = ", ".join(sorted(ACT2FN))
        raise UserError(
            f"{folder / CONFIG}: names what transformers does not have: {error} (its activations: {known})"
        ) from error


def module(folder: Path, dtype: "dtype") -> Any:
    """The model in a transformer's folder as a module of sentence-transformers; raises as `configuration`."""
    from sentence_transformers.sentence_transformer.modules import Transformer

    check_transformer(folder)
    with _silent():
        return Transformer(
            str(folder),
            model_kwargs={"dtype": dtype, **SAFE, **LOCAL},
            config_kwargs=dict(LOCAL),
            processor_kwargs=dict(LOCAL),
        )


def sentence_transformer(
    folder: Path, modules: tuple[str, ...] = RUN, how: Mapping[str, object] | None = None, **options: Any
) -> "SentenceTransformer":
    """The dual encoder in a folder.

    Args:
        modules: classes of sentence-transformers that may be in it.
        how: arguments of its transformers. options: arguments of `SentenceTransformer`.

    Raises:
        UserError: something in it is not allowed, or it is damaged.
    """
    with _readable(folder):
        check_modules(folder, modules)
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(folder), model_kwargs={**(how or {}), **SAFE}, **LOCAL, **options)


def cross_encoder(folder: Path) -> "CrossEncoder":
    """The cross-encoder in a folder; raises as `sentence_transformer`."""
    with _readable(folder):
        check_modules(folder, RUN)
        from sentence_transformers import CrossEncoder

        return CrossEncoder(str(folder), model_kwargs=dict(SAFE), **LOCAL)


@contextmanager
def _silent() -> Iterator[None]:
    """No question can be asked on standard input: transformers asks there whether to run a folder's code."""
    given, sys.stdin = sys.stdin, io.StringIO()
    try:
        yield
    finally:
        sys.stdin = given


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Whatever is wrong with a folder is one `UserError`."""
    try:
        with _silent():
            yield
    except UserError:
        raise
    except (OSError, ValueError, TypeError, LookupError, RuntimeError, ImportError, SafetensorError) as error:
        raise UserError(f"{folder}: no model there, or a damaged one ({' '.join(str(error).split())})") from error
