"""What a model's directory says of itself, from its JSON files and the head of its weights: no library is loaded."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from safetensors import SafetensorError, safe_open

from robustdr.core.errors import UserError
from robustdr.encoding.allowed import LATE_READ, READ, SPARSE_READ, check_modules
from robustdr.encoding.directory import (
    CONFIG,
    DOCUMENT,
    MODULES,
    QUERY,
    ROUTE_OF,
    ROUTER_CONFIG,
    ROUTES,
    SEPARATOR,
    SETTINGS,
    TOKENIZER_CONFIG,
    WEIGHTS,
    read_json,
)

DUAL, CROSS = "SentenceTransformer", "CrossEncoder"
SPARSE, LATE = "SparseEncoder", "MultiVectorEncoder"
MODELS = {  # types of models, in words
    DUAL: ("a dual encoder", "makes one vector of a text"),
    CROSS: ("a cross-encoder", "reads a query and a passage together (`robustdr rerank` ranks with it)"),
    SPARSE: ("a sparse encoder", "makes weights of words"),
    LATE: ("a late-interaction model", "makes a vector of every token"),
}
MODULES_OF = {DUAL: READ, SPARSE: SPARSE_READ, LATE: LATE_READ}  # that are read
STATIC = ("StaticEmbedding", "SparseStaticEmbedding")  # they need no pooling
FIRST = {DUAL: ("Transformer", STATIC[0]), SPARSE: ("Transformer", "MLMTransformer", STATIC[1])}
COLBERT = ("ColBERT", "HF_ColBERT", "query_prefix")  # how PyLate and ColBERT's own code say that a model is theirs
TRANSFORMER_SETTINGS = "sentence_bert_config.json"
POSITIONS = ("max_position_embeddings", "n_positions")
UNLIMITED = 1_000_000  # tokenizers without a limit say a larger number
VECTOR = "sentence_embedding"
SIMILARITIES = ("dot", "cosine")
TYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}


LABELS = (1, 2)  # of a cross-encoder: one score, or those of both classes


@dataclass(frozen=True)
class Description:
    """How a model encodes texts. Mappings are by route: `query` and `document`.

    Attributes:
        modules: in words, in their order. prompts: before each text. unused: other stored prompts, by name.
        separator: between title and text; None: the directory does not say. similarity: of two vectors.
        lengths: tokens that it reads of a text. dtype: of the weights.
    """

    modules: Mapping[str, str]
    prompts: Mapping[str, str]
    unused: Mapping[str, str]
    separator: str | None
    similarity: str
    lengths: Mapping[str, int]
    dtype: str

    def sentence(self) -> str:
        """One sentence."""
        query, passage = (self.modules[route] for route in ROUTES)
        parts = query if query == passage else f"{query} for queries, {passage} for passages"
        prompts = [f"{name} {self.prompts[route]!r}" for name, route in ROUTE_OF.items() if self.prompts[route]]
        lengths = " and ".join(
            f"{f'{limit} tokens' if (limit := self.lengths[route]) < UNLIMITED else 'all'} of a {name}"
            for name, route in ROUTE_OF.items()
        )
        return (
            f"{parts}; {self.similarity} similarity; prompts: {', '.join(prompts) or 'none'}; {self.separator!r} "
            f"between title and text; reads {lengths}; {self.dtype} weights"
        )

    def ignored(self) -> list[str]:
        """A sentence for each stored prompt that is not used."""
        return [f"the stored prompt {name!r} ({text!r}) is not used" for name, text in self.unused.items()]


def model_type(folder: Path) -> str:
    """The class of sentence-transformers that reads a folder: a key of `MODELS`, or an architecture.

    Raises:
        UserError: there is no model.
    """
    settings, config = read_json(folder / SETTINGS), read_json(folder / CONFIG)
    if not settings and not config and not (folder / MODULES).is_file():
        raise UserError(f"{folder}: no model directory: it has no {CONFIG}; give one in sentence-transformers' format")
    (head, *_) = config.get("architectures") or [""]
    if {settings.get("model_type"), head, *settings} & {*COLBERT}:
        return LATE
    if "model_type" in settings:
        return str(settings["model_type"])
    if (folder / MODULES).is_file() or settings:
        return DUAL
    return CROSS if head.endswith("ForSequenceClassification") else head or "nothing"


def check_type(folder: Path, *allowed: str) -> None:
    """Refuse a folder whose model is of another type; one without a type may be a dual encoder.

    Raises:
        UserError: says what the model is, and what is allowed.
    """
    kind = model_type(folder)
    if kind not in allowed and (kind in MODELS or DUAL not in allowed):
        model_name = " ".join(MODELS.get(kind, (f"{kind} alone", "is no retriever")))
        raise UserError(
            f"{folder}: {model_name}; allowed: {', or '.join(', which '.join(MODELS[name]) for name in allowed)}"
        )


def check_cross(folder: Path) -> int:
    """Return the tokens that a cross-encoder reads of a pair.

    Raises:
        UserError: it is none, reads no plain pairs, or has more than two labels; or its files are damaged.
    """
    check_type(folder, CROSS)
    config, settings = read_json(folder / CONFIG), read_json(folder / SETTINGS)
    (head, *_) = config.get("architectures") or [""]
    if not head.endswith("ForSequenceClassification") or config.get("is_encoder_decoder"):
        raise UserError(f"{folder / CONFIG}: architectures: {head!r}; allowed: an encoder ...ForSequenceClassification")
    labels = len(config.get("id2label") or LABELS)
    if labels not in LABELS:
        raise UserError(f"{folder / CONFIG}: id2label: {labels} labels; allowed: 1 or 2")
    if prompts := [text for text in (settings.get("prompts") or {}).values() if text]:
        raise UserError(f"{folder / SETTINGS}: prompts: {prompts[0]!r}; allowed: a cross-encoder without prompts")
    return _length(folder, QUERY)


def describe(folder: Path, pooling: str | None = None) -> Description:
    """Return what the files of a dual encoder or a sparse encoder say.

    Args:
        folder: as sentence-transformers saves it. pooling: of a plain transformer, whose folder names none.

    Raises:
        UserError: it is neither, or has a part that is not read (names it and what is allowed).
    """
    check_type(folder, DUAL, SPARSE)
    kind = model_type(folder)
    if pooling and (folder / MODULES).is_file():
        raise UserError(f"{folder}: its {MODULES} says how it pools; `pooling` is for a plain transformer")
    if not pooling and not (folder / MODULES).is_file():
        raise UserError(f"{folder}: no {MODULES}: of a plain transformer, say its pooling (cls, mean)")
    kind = kind if kind == SPARSE else DUAL
    try:
        check_modules(folder, MODULES_OF[kind])
        if pooling:
            routes = {route: [_Module("Transformer", folder)] for route in ROUTES}
        else:
            routes = {route: _route(folder, route, kind) for route in ROUTES}
        pooled = [f"Pooling ({pooling})"] if pooling else []
        settings = read_json(folder / SETTINGS)
        used, unused = prompts(settings.get("prompts") or {})
        return Description(
            modules={route: ", ".join([*map(_describe_module, parts), *pooled]) for route, parts in routes.items()},
            prompts=used,
            unused=unused,
            separator=settings.get(SEPARATOR),
            similarity=_similarity(folder, settings, routes[QUERY][-1], kind),
            lengths={
                route: UNLIMITED if parts[0].kind == STATIC[0] else _length(parts[0].folder, route)
                for route, parts in routes.items()
            },
            dtype=_dtype(routes[DOCUMENT][0].folder),
        )
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{folder}: no model there, or a damaged one ({error})") from error


def prompts(stored: Mapping[str, str | None]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the prompts of a model that are used, by route, and the others, by name."""
    used = {route: stored.get(route) or "" for route in ROUTES}
    return used, {name: text for name, text in stored.items() if text and text not in used.values()}


class _Module(NamedTuple):
    kind: str
    folder: Path


def _route(folder: Path, route: str, kind: str) -> list[_Module]:
    """Return the modules that encode queries or documents.

    Raises:
        UserError: one of them, or how they are put together, is not supported.
    """
    entries = read_json(folder / MODULES, list)
    if any(entry.get("kwargs") for entry in entries):
        raise UserError(f"{folder}: {MODULES}: kwargs: arguments of single modules are not supported")
    parts = [_module(entry["type"], folder / entry["path"]) for entry in entries]
    if parts[0].kind == "Router":
        router = read_json(parts[0].folder / ROUTER_CONFIG)
        if (router.get("parameters") or {}).get("route_mappings"):
            raise UserError(f"{folder}: route_mappings of the Router are not supported; allowed: {', '.join(ROUTES)}")
        if route not in router["structure"]:
            routes = ", ".join(router["structure"])
            raise UserError(f"{folder}: the Router has the routes {routes}; needed: {', '.join(ROUTES)}")
        inside = [_module(router["types"][name], parts[0].folder / name) for name in router["structure"][route]]
        parts = [*inside, *parts[1:]]
    first, *further_modules = parts
    if first.kind not in FIRST[kind]:
        raise UserError(f"{folder}: the first module is {first.kind}; allowed: {', '.join(FIRST[kind])}")
    if not further_modules and first.kind not in STATIC:
        raise UserError(f"{folder}: {MODULES}: a Transformer makes a vector of each word; add a pooling")
    (head, *_) = read_json(first.folder / CONFIG).get("architectures") or [""]
    if further_modules and further_modules[0].kind == "SpladePooling" and not head.endswith("ForMaskedLM"):
        raise UserError(f"{first.folder / CONFIG}: architectures: {head!r} scores no words; needed: a ...ForMaskedLM")
    filled = read_json(first.folder / TRANSFORMER_SETTINGS).get("query_expansion")
    if filled and not (filled["strategy"] == "fixed" and filled.get("attend")):
        raise UserError(
            f"{folder}: query_expansion of the Transformer: {filled} is not supported; allowed: fixed, with attend"
        )
    return parts


def _module(full: str, folder: Path) -> _Module:
    """A module by the dotted name of its class."""
    return _Module(full.rpartition(".")[2], folder)


def _similarity(folder: Path, settings: Mapping[str, Any], last: _Module, kind: str) -> str:
    """Return the similarity of a model whose last module is `last`.

    Raises:
        UserError: no inner product ranks as it does. For vectors of length 1, the nearest have the highest one.
    """
    similarity = settings.get("similarity_fn_name") or ("cosine" if kind == DUAL else "dot")
    unit = last.kind == "Normalize" and read_json(last.folder / CONFIG).get("module_output_name", VECTOR) == VECTOR
    allowed = SIMILARITIES if not unit or settings.get("truncate_dim") else (*SIMILARITIES, "euclidean")
    if similarity not in allowed:
        raise UserError(
            f"{folder}: similarity_fn_name: {similarity!r} does not rank like an inner product of its vectors; "
            f"allowed: {', '.join(allowed)}"
        )
    return str(similarity)


def _describe_module(module: _Module) -> str:
    """A module in words."""
    settings = read_json(module.folder / CONFIG)
    match module.kind:
        case "Transformer" | "MLMTransformer":
            (head, *_) = settings.get("architectures") or [settings.get("model_type", "")]
            return f"Transformer ({head})"
        case "Pooling":
            modes = settings.get("pooling_mode") or [
                name.removeprefix("pooling_mode_").removesuffix("s").removesuffix("_token")
                for name, on in settings.items()
                if name.startswith("pooling_mode_") and on
            ]
            without = "" if settings.get("include_prompt", True) else ", without the prompt"
            return f"Pooling ({modes if isinstance(modes, str) else ' and '.join(modes)}{without})"
        case "Dense":
            return f"Dense ({settings['out_features']})"
        case "SpladePooling":
            return f"SpladePooling ({settings['pooling_strategy']}, {settings['activation_function']})"
    return module.kind


def _length(folder: Path, route: str) -> int:
    """Return the tokens that a transformer reads of a text: as its settings, or its tokenizer and positions, say.

    Raises:
        UserError: no file gives them, or the settings give more than the model has positions.
    """
    settings, config = read_json(folder / TRANSFORMER_SETTINGS), read_json(folder / CONFIG)
    if stated := settings.get(f"{route}_length") or settings.get("max_seq_length"):
        if stated > (positions := config.get(POSITIONS[0]) or stated):
            file = folder / TRANSFORMER_SETTINGS
            raise UserError(f"{file}: {stated} tokens of a text; allowed: up to {positions}, the positions of {CONFIG}")
        return int(stated)
    limits = (read_json(folder / TOKENIZER_CONFIG).get("model_max_length"), *map(config.get, POSITIONS))
    finite_limits = [int(limit) for limit in limits if limit and 0 < limit < UNLIMITED]
    if not finite_limits:
        files = f"{TRANSFORMER_SETTINGS}, {TOKENIZER_CONFIG} nor {CONFIG}"
        raise UserError(f"{folder}: neither {files} gives the length of a text")
    return min(finite_limits)


def _dtype(folder: Path) -> str:
    """Return the number types of the weights; where they are in several files, the one of the configuration."""
    if not (folder / WEIGHTS).is_file():
        config = read_json(folder / CONFIG)
        return str(config.get("dtype") or config.get("torch_dtype") or "unknown")
    try:
        with safe_open(folder / WEIGHTS, framework="numpy") as file:
            kinds = {file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise UserError(f"{folder / WEIGHTS}: no model there, or a damaged one ({error})") from None
    return " and ".join(sorted(TYPES[kind] for kind in kinds & TYPES.keys()))
