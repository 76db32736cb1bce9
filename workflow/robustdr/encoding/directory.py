"""Model directories of sentence-transformers: one encoder for queries and passages, or a Router with one for each."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robustdr.core.errors import UserError
from robustdr.core.files import from_json, write_json

QUERY, DOCUMENT = ROUTES = "query", "document"
ROUTE_OF = {"query": QUERY, "passage": DOCUMENT}  # by the texts' name in the configuration
# The forms of checkpoints that are dual encoders, and those of them that are read with all their modules.
ENCODER, CHARACTER, WHOLE, RETRIEVER = "encoder", "character", "whole", "retriever"
ENTIRE = (WHOLE, RETRIEVER)
CROSS_ENCODER = "cross_encoder"
WEIGHTS, CONFIG, TOKENIZER_CONFIG = "model.safetensors", "config.json", "tokenizer_config.json"
MODULES, ROUTER_CONFIG = "modules.json", "router_config.json"
SETTINGS = "config_sentence_transformers.json"
AGREEMENT = "agreement.json"  # how near the vectors are to those of sentence-transformers
SEPARATOR = "separator"  # the key of SETTINGS with the text between the title and the text of a passage
PLAIN_FILES = [WEIGHTS, CONFIG, "tokenizer.json", TOKENIZER_CONFIG]
TRANSFORMER_FILES = [*PLAIN_FILES, "sentence_bert_config.json"]
ABOUT = [MODULES, SETTINGS, "README.md"]
SHARED_FILES = [*TRANSFORMER_FILES, "1_Pooling/config.json", *ABOUT]
ROUTER = "sentence_transformers.base.modules.router.Router"
POOLINGS = ("cls", "mean")
OWN_LIMITS = {"query_length", "document_length", "query_expansion"}  # which a Transformer may have for each route
TYPES = {
    "0_Transformer": "sentence_transformers.base.modules.transformer.Transformer",
    "1_Pooling": "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
}


def read_json(file: Path, kind: type = dict) -> Any:
    """Return the object, or list, in a JSON file of a model's directory; an empty one if there is no file.

    Raises:
        UserError: the file is damaged, or holds something else.
    """
    try:
        content = from_json(file.read_bytes()) if file.is_file() else kind()
    except ValueError as error:
        raise UserError(f"{file}: no model there, or a damaged one ({error})") from error
    if not isinstance(content, kind):
        raise UserError(f"{file}: no model there, or a damaged one (holds a {type(content).__name__})")
    return content


def is_router(path: Path) -> bool:
    """Whether a directory has an encoder for queries and one for passages."""
    return (path / ROUTER_CONFIG).is_file()


def is_plain(path: Path) -> bool:
    """Whether a directory is a transformer with one `cls` or `mean` pooling, no prompts and dot products.

    Such directories are read and trained without sentence-transformers; `checkpoint.write_encoder` and `copy` write
    them.

    Raises:
        OSError, ValueError, KeyError: not a directory of sentence-transformers, or a damaged one.
    """

    def read_existing(file: Path) -> Any:
        return from_json(file.read_bytes())

    settings = read_existing(path / SETTINGS)
    if settings["similarity_fn_name"] != "dot" or any(settings["prompts"].values()) or "truncate_dim" in settings:
        return False
    if is_router(path):
        routes = {route: [f"{route}_{name}" for name in TYPES] for route in ROUTES}
        expected, same_structure = [ROUTER], read_existing(path / ROUTER_CONFIG)["structure"] == routes
    else:
        expected, same_structure = list(TYPES.values()), True
    if [entry["type"] for entry in read_existing(path / MODULES)] != expected or not same_structure:
        return False
    parts = [part(path, route) for route in ROUTES]
    limits = {
        name for transformer, _ in parts for name in read_existing(transformer / "sentence_bert_config.json")
    } & OWN_LIMITS
    return not limits and all(
        read_existing(pooling / "config.json")["pooling_mode"] in POOLINGS for _, pooling in parts
    )


def part(path: Path, route: str) -> tuple[Path, Path]:
    """Return the folders of the transformer and of the pooling that encode queries or documents."""
    if is_router(path):
        return path / f"{route}_0_Transformer", path / f"{route}_1_Pooling"
    return path, path / "1_Pooling"


def copy(initial: Path, output: Path, separate: bool) -> Mapping[str, Path]:
    """Copy a model directory; `separate` makes a Router whose two encoders are copies of the encoder in `initial`.

    Returns:
        The folder of each route's transformer in the copy; the same one twice if the routes share it.
    """
    output.mkdir()
    shutil.copy(initial / SETTINGS, output)
    if not separate:
        for name in SHARED_FILES:
            (output / name).parent.mkdir(exist_ok=True)
            shutil.copy(initial / name, output / name)
        return {QUERY: output, DOCUMENT: output}
    for route in ROUTES:
        transformer, pooling = part(initial, route)
        (output / f"{route}_0_Transformer").mkdir()
        for name in TRANSFORMER_FILES:
            shutil.copy(transformer / name, output / f"{route}_0_Transformer" / name)
        (output / f"{route}_1_Pooling").mkdir()
        shutil.copy(pooling / "config.json", output / f"{route}_1_Pooling" / "config.json")
    write_json(output / MODULES, [{"idx": 0, "name": "0", "path": "", "type": ROUTER}])
    write_json(
        output / ROUTER_CONFIG,
        {
            "types": {f"{route}_{name}": kind for route in ROUTES for name, kind in TYPES.items()},
            "structure": {route: [f"{route}_{name}" for name in TYPES] for route in ROUTES},
            "parameters": {"default_route": DOCUMENT, "allow_empty_key": True, "route_mappings": {}},
        },
    )
    return {route: output / f"{route}_0_Transformer" for route in ROUTES}
