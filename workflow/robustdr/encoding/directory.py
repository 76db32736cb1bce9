"""Model directories of sentence-transformers: one encoder for everything, or a Router with one each."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from robustdr.files import write_json

QUERY, DOCUMENT = "query", "document"
ENCODER, CHARACTER = "encoder", "character"  # the forms of checkpoints that are dual encoders
TRANSFORMER_FILES = [
    "model.safetensors",
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "sentence_bert_config.json",
]
ABOUT = ["modules.json", "config_sentence_transformers.json", "README.md"]
SHARED_FILES = [*TRANSFORMER_FILES, "1_Pooling/config.json", *ABOUT]
ROUTER_FILES = [
    *(f"{route}_0_Transformer/{name}" for route in (QUERY, DOCUMENT) for name in TRANSFORMER_FILES),
    *(f"{route}_1_Pooling/config.json" for route in (QUERY, DOCUMENT)),
    "router_config.json",
    *ABOUT,
]
STATIC_FILES = ["model.safetensors", "tokenizer.json", *ABOUT]
SEQ2SEQ_FILES = [
    "model.safetensors",
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "README.md",
]
# The files of a checkpoint by its form.
FORMS = {ENCODER: SHARED_FILES, CHARACTER: SHARED_FILES, "seq2seq": SEQ2SEQ_FILES, "static": STATIC_FILES}
ROUTER = "sentence_transformers.base.modules.router.Router"
TYPES = {
    "0_Transformer": "sentence_transformers.base.modules.transformer.Transformer",
    "1_Pooling": "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
}


def part(path: Path, route: str) -> tuple[Path, Path]:
    """The folders of the transformer and of the pooling that encode queries or documents."""
    if (path / "router_config.json").is_file():
        return path / f"{route}_0_Transformer", path / f"{route}_1_Pooling"
    return path, path / "1_Pooling"


def copy(initial: Path, output: Path, separate: bool) -> Mapping[str, Path]:
    """Copy a model directory; `separate` gives a Router, whose encoders are those of `initial`.

    Returns:
        The folder of each route's transformer in the copy; the same one twice where they share it.
    """
    output.mkdir()
    shutil.copy(initial / "config_sentence_transformers.json", output)
    if not separate:
        for name in SHARED_FILES:
            (output / name).parent.mkdir(exist_ok=True)
            shutil.copy(initial / name, output / name)
        return {QUERY: output, DOCUMENT: output}
    for route in (QUERY, DOCUMENT):
        transformer, pooling = part(initial, route)
        (output / f"{route}_0_Transformer").mkdir()
        for name in TRANSFORMER_FILES:
            shutil.copy(transformer / name, output / f"{route}_0_Transformer" / name)
        (output / f"{route}_1_Pooling").mkdir()
        shutil.copy(pooling / "config.json", output / f"{route}_1_Pooling" / "config.json")
    write_json(output / "modules.json", [{"idx": 0, "name": "0", "path": "", "type": ROUTER}])
    write_json(
        output / "router_config.json",
        {
            "types": {f"{route}_{name}": kind for route in (QUERY, DOCUMENT) for name, kind in TYPES.items()},
            "structure": {route: [f"{route}_{name}" for name in TYPES] for route in (QUERY, DOCUMENT)},
            "parameters": {"default_route": DOCUMENT, "allow_empty_key": True, "route_mappings": {}},
        },
    )
    return {route: output / f"{route}_0_Transformer" for route in (QUERY, DOCUMENT)}
