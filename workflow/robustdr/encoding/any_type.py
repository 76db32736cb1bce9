"""How a retriever of any type encodes texts."""

from pathlib import Path
from typing import Any

from robustdr.core.errors import UserError
from robustdr.encoding import description, loading_modules
from robustdr.encoding.description import LATE, MODULES_OF, Description, check_type, model_type, prompts
from robustdr.encoding.directory import DOCUMENT, MODULES, QUERY, ROUTE_OF, SEPARATOR, SETTINGS, read_json


def describe(folder: Path, pooling: str | None = None) -> Description:
    """Return what a folder says: of a dual encoder, a sparse encoder or a late-interaction model.

    Args:
        pooling: of a plain transformer, whose folder names none.

    Raises:
        UserError: it is no retriever, or see `description.describe` and `_describe_late_interaction`.
    """
    check_type(folder, *MODULES_OF)
    if model_type(folder) != LATE:
        return description.describe(folder, pooling)
    if pooling:
        raise UserError(f"{folder}: keeps the vectors of all tokens; `pooling` is for a plain transformer")
    return _describe_late_interaction(folder)


def _describe_late_interaction(folder: Path) -> Description:
    """Return how a late-interaction model encodes texts.

    sentence-transformers reads it first: folders of PyLate and of ColBERT's own code do not name all their modules.

    Raises:
        UserError: a part of it is not supported, or it is damaged.
    """
    entries = read_json(folder / MODULES, list)
    if "query_prefix" in read_json(folder / SETTINGS) and not any(
        entry["type"].endswith(".Dense") for entry in entries
    ):
        raise UserError(f"{folder / MODULES}: names no Dense, which makes the vectors of PyLate's models")
    with loading_modules.quiet():
        model = loading_modules.of_type(folder, LATE, "auto")
    first, *further_modules = model
    lengths = {QUERY: first.query_length, DOCUMENT: first.document_length}
    further_descriptions, architecture = list(map(_describe_module, further_modules)), type(first.model).__name__
    transformers = {QUERY: f"Transformer ({architecture})", DOCUMENT: f"Transformer ({architecture})"}
    if filled := first.query_expansion:
        masks = f"filled with {filled['token'] or first.tokenizer.mask_token} to {filled['length']} tokens"
        transformers[QUERY] = f"Transformer ({architecture}, {masks}{', which it reads' if filled['attend'] else ''})"
        lengths[QUERY] = filled["length"] if filled["strategy"] == "fixed" else lengths[QUERY]
    lengths = {route: length or first.max_seq_length for route, length in lengths.items()}
    if not all(lengths.values()):
        raise UserError(f"{folder}: neither its settings nor its tokenizer gives the length of a text")
    used, unused = prompts(model.prompts)
    return Description(
        modules={route: ", ".join([transformer, *further_descriptions]) for route, transformer in transformers.items()},
        prompts=used,
        unused=unused,
        separator=read_json(folder / SETTINGS).get(SEPARATOR),
        similarity=model.similarity_fn_name,
        lengths=lengths,
        dtype=" and ".join(sorted({str(weights.dtype).removeprefix("torch.") for weights in model.parameters()})),
    )


def _describe_module(module: Any) -> str:
    """A module behind the transformer in words."""
    settings: dict[str, Any] = module.get_config_dict()
    match type(module).__name__:
        case "Dense" as name:
            return f"{name} ({settings['out_features']})"
        case "MultiVectorMask" as name if settings["skiplist_words"]:
            skipping_roles = " and ".join(
                role for role, route in ROUTE_OF.items() if route in settings["skiplist_tasks"]
            )
            return f"{name} (leaves {len(settings['skiplist_words'])} tokens of a {skipping_roles} out)"
        case "HierarchicalTokenPooling" as name:
            return f"{name} (keeps 1 of {settings['pool_factor']:g} vectors)"
        case name:
            return name
