"""What a model's folder may name. It is checked before transformers or sentence-transformers reads the folder.

Weights are safetensors. Classes are those of the two libraries; activations are names from a list. `auto_map`, with
which a folder brings its own code, is allowed if transformers itself has the classes that the folder names: then it
uses its own, and never reads the folder's code.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from robustdr.core.errors import UserError
from robustdr.encoding.directory import CONFIG, MODULES, ROUTER_CONFIG, SETTINGS, TOKENIZER_CONFIG, WEIGHTS, read_json

INDEX = "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")
ADAPTER = "adapter_config.json"
PROCESSORS = ("processor_config.json", "preprocessor_config.json", "video_preprocessor_config.json")
# Modules of sentence-transformers: of dual encoders that are trained, and of models that the library runs.
READ = ("Transformer", "StaticEmbedding", "Pooling", "Dense", "Normalize", "LayerNorm", "Dropout", "Router")
RUN = (*READ, "LogitScore")
SPARSE_READ = (
    *("Transformer", "MLMTransformer", "SpladePooling", "SparseStaticEmbedding", "Router"),
    *("Pooling", "Normalize", "SparseAutoEncoder"),
)
# PyLate's name for a Dense; sentence-transformers reads it as its own.
PYLATE = "pylate.models.Dense.Dense"
LATE_READ = ("Transformer", "Dense", "Dropout", "Normalize", "MultiVectorMask", "HierarchicalTokenPooling", PYLATE)
# Modules whose activations sentence-transformers makes from a dotted name.
TORCH = ("torch.nn", "torch.nn.modules.activation", "torch.nn.modules.linear")
ACTIVATIONS = (
    *("Identity", "Sigmoid", "Tanh", "ReLU", "ReLU6", "LeakyReLU", "ELU", "CELU", "SELU", "GELU", "SiLU", "Mish"),
    *("Softplus", "Softsign", "Hardtanh", "Hardsigmoid", "Hardswish", "LogSigmoid"),
)
DOTTED = frozenset(f"{module}.{name}" for module in TORCH for name in ACTIVATIONS)
MAPPED = ("AutoConfig", "AutoModel")
PLAIN = re.compile(r"[\w-]+")  # a name that transformers finds in its own list
LAYERED = re.compile(r"layers?$")  # keys with a number of layers, all of which are built before weights are read
LAYERS, MOST_MODULES = 1_000, 100
NAMED = re.compile(r"(^|_)(act|activation)(_|$)|(attn|experts)_implementation")  # keys with such names
# Keys that would make other files be read than the checked ones, or need code of packages or of a hub.
ELSEWHERE = ("configuration_files", "transformers_weights", "quantization_config")
# Arguments that a Transformer's settings may pass to transformers.
ARGUMENTS = ("model_args", "model_kwargs", "config_args", "config_kwargs", "tokenizer_args", "processor_kwargs")
HANDED = ("trust_remote_code", "dtype", "torch_dtype", "add_pooling_layer", "padding_side", "model_max_length")


def check_modules(folder: Path, modules: tuple[str, ...]) -> None:
    """Refuse a folder of sentence-transformers that names code or has pickled weights, before anything is read.

    Args:
        modules: classes that are allowed in it.

    Raises:
        UserError: names the file, what is refused and what is allowed.
        KeyError, TypeError: a damaged folder.
    """
    check_configuration(folder)
    _check_activation(folder / SETTINGS, "activation_fn", read_json(folder / SETTINGS).get("activation_fn"))
    entries = read_json(folder / MODULES, list) or [{"type": "sentence_transformers.Transformer", "path": ""}]
    for full, part in _parts(folder, entries, modules):
        match full.rpartition(".")[2]:
            case "Transformer" | "MLMTransformer":
                check_transformer(part)
                _check_arguments(part)
            case "SparseStaticEmbedding":
                check_configuration(part)
                if (path := read_json(part / CONFIG).get("path")) is not None:
                    raise UserError(f"{part / CONFIG}: path: {path!r} is not read; allowed: weights in {WEIGHTS}")
                _check_weights(part)
            case "Dense":
                _check_activation(
                    part / CONFIG, "activation_function", read_json(part / CONFIG).get("activation_function")
                )
                _check_weights(part)
            case _:
                _check_weights(part)


def check_transformer(folder: Path) -> None:
    """Refuse a transformer's folder that names code or has pickled weights.

    Raises:
        UserError, FileNotFoundError: see `check_configuration`.
    """
    check_configuration(folder)
    _check_weights(folder, INDEX)


def _parts(root: Path, entries: Any, modules: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    """Yield the class and the folder of each module, also of those in a Router's routes."""
    if len(entries) > MOST_MODULES:
        raise UserError(f"{root / MODULES}: {len(entries):,} modules; allowed: up to {MOST_MODULES}")
    for entry in entries:
        full, folder = entry["type"], root / entry["path"]
        is_library_module = full.startswith("sentence_transformers.") and full.rpartition(".")[2] in modules
        if not is_library_module and not (full == PYLATE and PYLATE in modules):
            raise UserError(f"{root}: the module {full} is not read; allowed: {', '.join(modules)}")
        yield full, folder
        if full.endswith(".Router"):
            types = read_json(folder / ROUTER_CONFIG)["types"]  # without it the library would read config.json
            yield from _parts(folder, [{"type": kind, "path": name} for name, kind in types.items()], modules)


def check_configuration(folder: Path) -> None:
    """Refuse a transformer's folder whose configuration or tokenizer names code, or parts outside the folder.

    Raises:
        UserError: names the file, what is refused and what is allowed.
        FileNotFoundError: no such folder.
    """
    if not folder.is_dir():  # otherwise the libraries would take its name for a model of a hub
        raise FileNotFoundError(f"{folder}: no such folder")
    if (folder / ADAPTER).is_file():
        raise UserError(
            f"{folder / ADAPTER}: adapters are not read; allowed: a whole model (merge the adapter into its base "
            "model with `merge_and_unload` of peft, and save that)"
        )
    for name in PROCESSORS:
        _check_code(folder / name, read_json(folder / name))
    settings = read_json(folder / TOKENIZER_CONFIG)
    _check_code(folder / TOKENIZER_CONFIG, settings, settings.get("tokenizer_class"))
    file = folder / CONFIG
    config = read_json(file)
    _check_code(file, config, *(config.get("architectures") or []))
    for key in ("sbert_ce_default_activation_function", "sentence_transformers"):
        value = config.get(key)
        _check_activation(file, key, value.get("activation_fn") if isinstance(value, dict) else value)
    for key, value in _nested_items(config):
        if LAYERED.search(key) and isinstance(value, int) and value > LAYERS:
            raise UserError(f"{file}: {key}: {value:,}: not supported; allowed: up to {LAYERS:,}")
        if key in ELSEWHERE and value is not None:
            raise UserError(f"{file}: {key}: {value!r}: not supported; allowed: a model without it")
        text = json.dumps(value) if key.endswith("_implementation") and isinstance(value, dict) else value
        if NAMED.search(key) and isinstance(text, str) and not PLAIN.fullmatch(text) and text not in DOTTED:
            raise UserError(
                f"{file}: {key}: {text!r} is refused; allowed: a name that transformers knows, as gelu, sdpa"
            )


def _check_code(file: Path, config: Mapping[str, Any], *classes: object) -> None:
    """Refuse an `auto_map`, unless it is at the top of a file and transformers has all classes that the file names.

    Args:
        classes: that the file names elsewhere. A model type in `auto_map` counts too: a class of another name is
            another model, even if it calls itself a BERT.
    """
    maps = [value for key, value in _nested_items(config) if key == "auto_map"]
    if not maps:
        return
    import transformers

    mapped = maps[0].items() if isinstance(maps[0], dict) else ()
    class_names = [*classes, *(str(name).rpartition(".")[2] for key, name in mapped if key in MAPPED)]
    lacking = [str(name) for name in class_names if not isinstance(getattr(transformers, str(name), None), type)]
    if lacking or not classes or len(maps) > ("auto_map" in config):
        raise UserError(
            f"{file}: auto_map: names code of the folder, which is never run, for {', '.join(lacking) or 'a part'}; "
            "allowed: classes of transformers"
        )


def _nested_items(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all keys of nested objects with their values; items of a list have the list's key."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name, inner
            yield from _nested_items(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield key, inner
            yield from _nested_items(inner, key)


def _check_activation(file: Path, key: str, value: Any) -> None:
    if value is not None and str(value) not in DOTTED:
        raise UserError(
            f"{file}: {key}: the activation {value!r} is refused; allowed: torch.nn. and one of "
            f"{', '.join(ACTIVATIONS)}"
        )


def _check_arguments(folder: Path) -> None:
    """Check what the settings of a Transformer, whatever their file's name, pass to transformers."""
    for file in sorted(folder.glob("sentence_*_config.json")):
        settings = read_json(file)
        if settings.get("tokenizer_name_or_path") is not None:
            raise UserError(f"{file}: tokenizer_name_or_path: not supported; allowed: a tokenizer in the same folder")
        for key in set(settings) & set(ARGUMENTS):
            if refused := sorted(set(settings[key]) - set(HANDED)):
                raise UserError(f"{file}: {key}: {refused[0]!r} is refused; allowed: {', '.join(HANDED)}")


def _check_weights(folder: Path, *weight_files: str) -> None:
    """Refuse pickles and ONNX without the safetensors that the library would take: it would read them instead."""
    pickles = sorted(file for pattern in PICKLES for file in folder.glob(pattern))
    if pickles and not any((folder / name).is_file() for name in (WEIGHTS, *weight_files)):
        raise UserError(
            f"{pickles[0]}: a pickle, and no {WEIGHTS} beside it; pickles are not loaded; allowed: {WEIGHTS}, which "
            f"`robustdr convert-weights {folder} OUTPUT` makes of a pytorch_model.bin"
        )
    exported = sorted(folder.rglob("*.onnx"))
    if exported and not any((folder / name).is_file() for name in (WEIGHTS, INDEX)):
        raise UserError(
            f"{exported[0]}: ONNX is not read, and there is no {WEIGHTS} in {folder}; allowed: the folder of the "
            f"model that it was exported from, with its {WEIGHTS}"
        )
    for file in sorted(set(read_json(folder / INDEX).get("weight_map", {}).values())):
        if Path(file).name != file or not file.endswith(".safetensors"):
            raise UserError(f"{folder / INDEX}: weight_map: {file!r} is refused; allowed: *.safetensors of its folder")
