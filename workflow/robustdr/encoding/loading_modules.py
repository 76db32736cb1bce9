"""The only place that loads models of sentence-transformers, by the rules of `loading`.

It is a file of its own so that keys of code that only loads a transformer do not cover sentence-transformers.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from logging import getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from robustdr.core.errors import UserError
from robustdr.encoding.allowed import RUN, check_modules, check_transformer
from robustdr.encoding.description import DUAL, MODULES_OF, check_type
from robustdr.encoding.loading import LOCAL, SAFE, check_tokenizer, reading

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder, SentenceTransformer
    from torch import dtype

Model = TypeVar("Model", bound=Any)


def module(folder: Path, dtype: "dtype | str") -> Any:
    """Return a transformer's folder as a module of sentence-transformers; raises as `loading.transformer`."""
    from sentence_transformers.sentence_transformer.modules import Transformer

    check_transformer(folder)
    with reading():
        transformer = Transformer(
            str(folder),
            model_kwargs={"dtype": dtype, **SAFE, **LOCAL},
            config_kwargs=dict(LOCAL),
            processor_kwargs=dict(LOCAL),
        )
        check_tokenizer(transformer.tokenizer, folder)
    return transformer


def sentence_transformer(
    folder: Path, modules: tuple[str, ...] = RUN, model_arguments: Mapping[str, object] | None = None, **options: Any
) -> "SentenceTransformer":
    """Return the dual encoder in a folder.

    Args:
        modules: classes of sentence-transformers that are allowed in it.
        model_arguments: of its transformers. options: arguments of `SentenceTransformer`.

    Raises:
        UserError: something in it is not allowed, or it is damaged.
    """
    with readable(folder):
        check_type(folder, DUAL)
        check_modules(folder, modules)
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(folder), model_kwargs={**(model_arguments or {}), **SAFE}, **LOCAL, **options)
        return _with_tokenizer(model, folder)


def of_type(folder: Path, kind: str, dtype: "dtype | str") -> Any:
    """Return the model in a folder, on the CPU; raises as `sentence_transformer`.

    Args:
        kind: its class in sentence-transformers: `SparseEncoder` or `MultiVectorEncoder`. dtype: of its transformers.
    """
    with readable(folder):
        check_type(folder, kind)
        check_modules(folder, MODULES_OF[kind])
        import sentence_transformers

        model = getattr(sentence_transformers, kind)(
            str(folder), model_kwargs={"dtype": dtype, **SAFE}, device="cpu", **LOCAL
        )
        if model.modalities != ["text"]:
            raise UserError(f"{folder}: the model is for {', '.join(map(str, model.modalities))}; allowed: text")
        return _with_tokenizer(model, folder)


def cross_encoder(folder: Path) -> "CrossEncoder":
    """The cross-encoder in a folder; raises as `sentence_transformer`."""
    with readable(folder):
        check_modules(folder, RUN)
        from sentence_transformers import CrossEncoder

        return _with_tokenizer(CrossEncoder(str(folder), model_kwargs=dict(SAFE), **LOCAL), folder)


def _with_tokenizer(model: Model, folder: Path) -> Model:
    """Return a model whose tokenizers know words: for a folder without their files, the library makes empty ones."""
    for part in model.modules():
        if (tokenizer := getattr(part, "tokenizer", None)) is not None:
            check_tokenizer(tokenizer, folder)
    return model


@contextmanager
def quiet() -> Iterator[None]:
    """The libraries print neither progress nor what a folder lacks."""
    from transformers.utils import logging

    logger = getLogger("sentence_transformers")
    before, level = logging.get_verbosity(), logger.level
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()
        logger.setLevel(level)


@contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Whatever is wrong with a folder is one `UserError`."""
    try:
        with reading():
            yield
    except UserError:
        raise
    except (OSError, ValueError) as error:
        raise UserError(f"{folder}: no model there, or a damaged one ({' '.join(str(error).split())})") from error
