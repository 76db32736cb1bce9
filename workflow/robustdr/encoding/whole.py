"""Models of sentence-transformers with the modules, prompts, similarity and lengths that their directories state."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Router, StaticEmbedding

from robustdr.core.errors import UserError
from robustdr.core.files import from_json, write_json
from robustdr.encoding import loading_modules
from robustdr.encoding.allowed import READ
from robustdr.encoding.description import VECTOR, describe
from robustdr.encoding.directory import DOCUMENT, QUERY, ROUTES, SEPARATOR, SETTINGS

TASK = "feature-extraction"
CHUNK = 1024  # texts tokenised at once
SEGMENTS = "second_segment"  # in a transformer's config.json: tokens after the first separator are of the second type


def load(path: Path, dtype: torch.dtype | str = torch.float32, attention: str | None = None) -> SentenceTransformer:
    """Return the model of a directory, on the CPU.

    Args:
        dtype: of its transformers; `auto`: the directory's own.

    Raises:
        UserError: a part that is not supported (names it), or a damaged directory.
    """
    describe(path)
    options = {"dtype": dtype} | ({"attn_implementation": attention} if attention else {})
    model = loading_modules.sentence_transformer(path, READ, options, device="cpu")
    for route in ROUTES:
        first = modules(model, route)[0]
        if isinstance(first, StaticEmbedding):
            continue
        if first.transformer_task != TASK or set(first.modality_config) != {"text"}:
            inputs = f"{first.transformer_task} on {', '.join(map(str, first.modality_config))}"
            raise UserError(f"{path}: the Transformer is for {inputs}; allowed: {TASK} on text")
    return model


def load_with_pooling(path: Path, pooling: str) -> SentenceTransformer:
    """Return a plain transformer with a pooling; raises as `load`."""
    describe(path, pooling)
    transformer = loading_modules.module(path, "auto")
    return SentenceTransformer(
        modules=[transformer, Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)], device="cpu"
    )


def modules(model: SentenceTransformer, route: str) -> list[Any]:
    """Return the modules that encode queries or documents, in order."""
    first, *rest = model.children()
    return [*first.sub_modules[route].children(), *rest] if isinstance(first, Router) else [first, *rest]


class Whole:
    """The modules of one route of a directory, with its prompt.

    Args:
        path: the directory. dtype: of the transformer; other modules compute in single precision.

    Attributes:
        model: the route's modules in order. tokenizer: of the first. dimension: of the vectors.

    Raises:
        UserError: see `load`.
    """

    def __init__(self, path: Path, route: str, dtype: torch.dtype, attention: str, on: torch.device):
        self.whole, self.route = load(path, dtype, attention), route
        self.model: Any = torch.nn.ModuleList(modules(self.whole, route)).to(on)
        (self.model if self.static else self.model[1:]).float()
        self.tokenizer: Any = self.model[0].tokenizer

    def for_route(self, route: str) -> "Whole":
        """Return the same modules with the prompt and the limit of a route."""
        route_model = copy.copy(self)
        route_model.route = route
        return route_model

    @property
    def dimension(self) -> int:
        getters = (getattr(module, "get_embedding_dimension", None) for module in reversed(self.model))
        width = next(size for getter in getters if getter and (size := getter()))
        return min(width, self.whole.truncate_dim or width)

    @property
    def static(self) -> bool:
        """Whether the vector of a text is the mean of vectors of its tokens, without a transformer."""
        return isinstance(self.model[0], StaticEmbedding)

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
        if self.static:
            features = first.preprocess(list(texts), prompt=self.prompt)
            parts = torch.tensor_split(features["input_ids"], features["offsets"][1:])
            return [ids[:max_length].tolist() for ids in parts]
        route_length = first.query_length if self.route == QUERY else first.document_length
        limit = min(max_length, route_length or first.max_seq_length or max_length)
        if self.route == QUERY and first.query_expansion:
            limit = first.query_expansion["length"]
        token_ids: list[list[int]] = []
        for start in range(0, len(texts), CHUNK):
            chunk = list(texts[start : start + CHUNK])
            preprocessed = first.preprocess(chunk, prompt=self.prompt, task=self.route, max_length=limit)
            padded = zip(preprocessed["input_ids"], preprocessed["attention_mask"].bool(), strict=True)
            token_ids += [ids[mask].tolist() for ids, mask in padded]
        return token_ids

    def forward(self, features: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the vectors of padded texts, [texts, dimension]; their dot product is the model's similarity."""
        features_so_far = dict(features)
        if self.static:
            mask = features["attention_mask"]
            features_so_far = {
                "input_ids": features["input_ids"][mask.bool()],
                "offsets": mask.sum(1).cumsum(0) - mask.sum(1),
            }
        elif self.segmented:
            ends = features_so_far["input_ids"] == self.tokenizer.sep_token_id
            features_so_far["token_type_ids"] = (ends.cumsum(1) > ends).long() * features_so_far["attention_mask"]
        if self.prompt and any(isinstance(module, Pooling) and not module.include_prompt for module in self.model):
            features_so_far["prompt_length"] = self.model[0].preprocess([""], prompt=self.prompt, task=self.route)[
                "prompt_length"
            ]
        features_so_far = self.model[0](features_so_far)
        output_name = getattr(self.model[0], "module_output_name", VECTOR)
        features_so_far[output_name] = features_so_far[output_name].float()
        with torch.autocast(features["input_ids"].device.type, enabled=False):
            for module in self.model[1:]:
                features_so_far = module(features_so_far)
        vectors = features_so_far[VECTOR][:, : self.whole.truncate_dim]
        return torch.nn.functional.normalize(vectors) if self.whole.similarity_fn_name == "cosine" else vectors


def save_trained(trained: Mapping[str, Whole], initial: Path, output: Path, separate: bool) -> None:
    """Write a trained model as a directory with the prompts, similarity and lengths of the directory it started from.

    Args:
        trained: by route; the other route keeps the modules of `initial`.
        separate: write a Router, with modules for queries and for documents.
    """
    like, parts = load(initial), list(trained[QUERY].model)
    if separate:
        modules_of = {
            route: list(trained[route].model) if route in trained else modules(like, route) for route in ROUTES
        }
        parts = [Router.for_query_document(modules_of[QUERY], modules_of[DOCUMENT])]
    model = SentenceTransformer(
        modules=parts,
        prompts={name: prompt or "" for name, prompt in like.prompts.items()},
        default_prompt_name=like.default_prompt_name,
        similarity_fn_name=like.similarity_fn_name,
        truncate_dim=like.truncate_dim,
        device=str(trained[QUERY].model[0].model.device),
    )
    write(model, output, describe(initial).separator or " ")


def write(model: SentenceTransformer, output: Path, separator: str) -> None:
    """Write a model's directory without its card; with two tokenizers, the queries' one is also at the root.

    Args:
        separator: between the title and the text of a passage; sentence-transformers does not read it.
    """
    model.save(str(output), create_model_card=False, safe_serialization=True)
    write_json(output / SETTINGS, from_json((output / SETTINGS).read_bytes()) | {SEPARATOR: separator})
    if not (output / "tokenizer.json").is_file():
        tokenizer = modules(model, QUERY)[0].tokenizer
        getattr(tokenizer, "backend_tokenizer", tokenizer).save(str(output / "tokenizer.json"))
