"""Models of sentence-transformers with the modules, prompts, similarity and lengths that their directories state."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Router, Transformer

from robustdr.core.errors import UserError
from robustdr.encoding import loading_modules
from robustdr.encoding.allowed import READ
from robustdr.encoding.directory import DOCUMENT, MODULES, QUERY, ROUTES

TASK = "feature-extraction"
VECTOR = "sentence_embedding"
CHUNK = 1024  # texts tokenised at once
SEGMENTS = "second_segment"  # in a transformer's config.json: tokens after the first separator are of the second type


def load(path: Path, dtype: torch.dtype | str = torch.float32, attention: str | None = None) -> SentenceTransformer:
    """Return the model of a directory, on the CPU.

    Args:
        dtype: of its transformers; `auto`: the directory's own.

    Raises:
        UserError: a part that is not supported (names it), or a damaged directory.
    """
    how = {"dtype": dtype} | ({"attn_implementation": attention} if attention else {})
    model = loading_modules.sentence_transformer(path, READ, how, device="cpu")
    if any((model.module_kwargs or {}).values()):
        raise UserError(f"{path}: {MODULES}: kwargs: arguments of single modules are not honoured")
    for route in ROUTES:
        first, *others = modules(path, model, route)
        if not isinstance(first, Transformer):
            raise UserError(f"{path}: the first module is {type(first).__name__}; allowed: Transformer")
        if not others:
            raise UserError(f"{path}: {MODULES}: a Transformer alone makes a vector of each word; add a Pooling")
        last = others[-1]
        if first.transformer_task != TASK or set(first.modality_config) != {"text"}:
            found = f"{first.transformer_task} on {', '.join(map(str, first.modality_config))}"
            raise UserError(f"{path}: the Transformer is for {found}; allowed: {TASK} on text")
        filled = first.query_expansion
        if filled and (filled["strategy"] != "fixed" or not filled["attend"]):
            raise UserError(
                f"{path}: query_expansion of the Transformer: {filled} is not honoured; allowed: strategy fixed, "
                "attend true"
            )
        # For vectors of length 1, nearest means highest dot product.
        unit = isinstance(last, Normalize) and last.module_output_name == VECTOR and model.truncate_dim is None
        allowed = ("dot", "cosine", "euclidean") if unit else ("dot", "cosine")
        if model.similarity_fn_name not in allowed:
            raise UserError(
                f"{path}: similarity_fn_name: {model.similarity_fn_name!r} ranks unlike any inner product of its "
                f"vectors; allowed: {', '.join(allowed)}"
            )
    return model


def modules(path: Path, model: SentenceTransformer, route: str) -> list[Any]:
    """Return the modules that encode queries or documents, in order.

    Raises:
        UserError: a Router lacks the route, or maps others to it.
    """
    first, *rest = model.children()
    if not isinstance(first, Router):
        return [first, *rest]
    if first.route_mappings:
        raise UserError(f"{path}: route_mappings of the Router are not honoured; allowed: routes {', '.join(ROUTES)}")
    if route not in first.sub_modules:
        raise UserError(
            f"{path}: the Router has the routes {', '.join(first.sub_modules)}; needed: {', '.join(ROUTES)}"
        )
    return [*first.sub_modules[route].children(), *rest]


class Whole:
    """The modules of one route of a directory, with its prompt.

    Args:
        path: the directory. dtype: of the transformer; later modules compute in single precision.

    Attributes:
        model: the route's modules in order. tokenizer: of the first. dimension: of the vectors.

    Raises:
        UserError: see `load`.
    """

    def __init__(self, path: Path, route: str, dtype: torch.dtype, attention: str, on: torch.device):
        self.whole, self.route = load(path, dtype, attention), route
        self.model: Any = torch.nn.ModuleList(modules(path, self.whole, route)).to(on)
        self.model[1:].float()
        self.tokenizer: Any = self.model[0].tokenizer

    def at(self, route: str) -> "Whole":
        """Return the same modules with the prompt and the limit of a route."""
        other = copy.copy(self)
        other.route = route
        return other

    @property
    def dimension(self) -> int:
        width = next(d for d in map(_width, reversed(self.model)) if d)
        return min(width, self.whole.truncate_dim or width)

    @property
    def segmented(self) -> bool:
        """Whether tokens after the first separator are of the second type."""
        return getattr(self.model[0].model.config, SEGMENTS, False)

    @property
    def prompt(self) -> str:
        """The text before each text of the route."""
        return self.whole.prompts[self.route] or ""

    def tokenise(self, texts: Sequence[str], max_length: int) -> list[list[int]]:
        """Return token ids of each text after the prompt, at most `max_length` and the model's own limit.

        Queries that the model fills with masks all have its number of tokens.
        """
        first = self.model[0]
        own = first.query_length if self.route == QUERY else first.document_length
        limit = min(max_length, own or first.max_seq_length or max_length)
        if self.route == QUERY and first.query_expansion:
            limit = first.query_expansion["length"]
        found: list[list[int]] = []
        for start in range(0, len(texts), CHUNK):
            chunk = list(texts[start : start + CHUNK])
            read = first.preprocess(chunk, prompt=self.prompt, task=self.route, max_length=limit)
            padded = zip(read["input_ids"], read["attention_mask"].bool(), strict=True)
            found += [ids[kept].tolist() for ids, kept in padded]
        return found

    def forward(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the vectors of padded texts, [texts, dimension]; their dot product is the model's similarity."""
        seen = dict(features)
        if self.segmented:
            ends = seen["input_ids"] == self.tokenizer.sep_token_id
            seen["token_type_ids"] = (ends.cumsum(1) > ends).long() * seen["attention_mask"]
        if self.prompt and any(isinstance(module, Pooling) and not module.include_prompt for module in self.model):
            seen["prompt_length"] = self.model[0].preprocess([""], prompt=self.prompt, task=self.route)["prompt_length"]
        seen = self.model[0](seen)
        given = self.model[0].module_output_name
        seen[given] = seen[given].float()
        with torch.autocast(features["input_ids"].device.type, enabled=False):
            for module in self.model[1:]:
                seen = module(seen)
        vectors = seen[VECTOR][:, : self.whole.truncate_dim]
        return torch.nn.functional.normalize(vectors) if self.whole.similarity_fn_name == "cosine" else vectors


def _width(module: torch.nn.Module) -> int | None:
    found = getattr(module, "get_embedding_dimension", None)
    return found() if found else None


def save_trained(trained: Mapping[str, Whole], initial: Path, output: Path, separate: bool) -> None:
    """Write a trained model as a directory with the prompts, similarity and lengths of the directory it started from.

    Args:
        trained: by route; the other route keeps the modules of `initial`.
        separate: write a Router, with modules for queries and for documents.
    """
    like, parts = load(initial), list(trained[QUERY].model)
    if separate:
        of = {
            route: list(trained[route].model) if route in trained else modules(initial, like, route) for route in ROUTES
        }
        parts = [Router.for_query_document(of[QUERY], of[DOCUMENT])]
    model = SentenceTransformer(
        modules=parts,
        prompts={name: prompt or "" for name, prompt in like.prompts.items()},
        default_prompt_name=like.default_prompt_name,
        similarity_fn_name=like.similarity_fn_name,
        truncate_dim=like.truncate_dim,
        device=str(trained[QUERY].model[0].model.device),
    )
    write(model, output)


def write(model: SentenceTransformer, output: Path) -> None:
    """Write a model's directory without its card; with two tokenizers, the queries' one is also at the root."""
    model.save(str(output), create_model_card=False, safe_serialization=True)
    if not (output / "tokenizer.json").is_file():
        first = modules(output, model, QUERY)[0]
        first.tokenizer.backend_tokenizer.save(str(output / "tokenizer.json"))
