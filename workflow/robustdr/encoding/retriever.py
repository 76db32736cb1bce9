"""Released retrievers: a transformer with what its authors put around it, as a directory of sentence-transformers."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, LayerNorm, Normalize, Pooling, Router
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_json, write_text
from robustdr.encoding import loading_modules, whole
from robustdr.encoding.agreement import agreement
from robustdr.encoding.directory import AGREEMENT, ROUTE_OF, WEIGHTS
from robustdr.encoding.settings import CheckpointSettings
from robustdr.encoding.source import check_whole, locate

CARD = """---
library_name: sentence-transformers
---
# {name}

{description}

Source: {source}; of queries: {queries}. Left out: {drop}. Pooling: {pooling}; head: {head}. Prompts: {prompts}.
Tokens of a query, filled with masks: {filled}. Second segment: {segments}. Unit length: {unit}.
Similarity: dot product. A second segment is read by robustdr's Encoder alone.
"""


def write_retriever(settings: CheckpointSettings, output: Path) -> None:
    """Write a released retriever as a directory of sentence-transformers, which is read with all its modules.

    The keys of `settings` say what stands around the transformer: ANCE and ADORE+STAR end in a linear layer and a layer
    norm (`head`), and ADORE+STAR has an encoder for queries (`queries`); TCT-ColBERTv2 reads prompts, fills queries
    with masks (`filled`), and averages the tokens after the prompt; SimLM marks what follows the first separator
    (`segments`) and divides vectors by their length (`unit`).

    Raises:
        UserError: see `source.locate`, `source.check_whole` and `agreement.agreement`; or `filled` and a tokenizer
            without masks.
    """
    parts = _modules(settings, locate(settings.source))
    if settings.queries:
        parts = [Router.for_query_document(_modules(settings, locate(settings.queries)), parts)]
    prompts = {route: str(settings.prompts.get(role, "")) for role, route in ROUTE_OF.items()}
    model = SentenceTransformer(modules=parts, prompts=prompts, device="cpu", similarity_fn_name="dot")
    card_fields = asdict(settings) | {
        "queries": settings.queries or "the same",
        "drop": settings.drop or "nothing",
        "head": settings.head or "none",
        "prompts": json.dumps(prompts, ensure_ascii=False),
        "filled": settings.filled or "as many as it has",
    }
    with atomic(output) as temporary:
        whole.write(model, temporary, settings.separator)
        with prefixed_errors(f"checkpoint {settings.name}"):
            write_json(temporary / AGREEMENT, agreement(temporary, model)._asdict())
        write_text(temporary / "README.md", CARD.format(**card_fields))


def _modules(settings: CheckpointSettings, directory: Path) -> list[Any]:
    """Return the modules of one encoder in a directory."""
    check_whole(settings.name, directory, [*settings.drop, *(settings.head or [])])
    torch.manual_seed(0)  # weights that the source lacks, such as an unused pooler's, are drawn
    first = loading_modules.module(directory, torch.float32)
    if settings.filled:
        _fill(first, settings.filled, directory)
    if settings.segments:
        setattr(first.model.config, whole.SEGMENTS, True)
    width = first.get_embedding_dimension()
    pooling = Pooling(width, pooling_mode=settings.pooling, include_prompt=settings.pooling == "cls")
    head = _head(directory, *settings.head) if settings.head else []
    return [first, pooling, *head, *([Normalize()] if settings.unit else [])]


def _fill(first: Any, length: int, directory: Path) -> None:
    """Let a Transformer fill queries with masks up to a length; no text ends in a separator."""
    tokenizer = first.tokenizer
    if tokenizer.cls_token is None or tokenizer.mask_token is None:
        raise UserError(f"{directory}: filled: its tokenizer has no token for the start of a text, or no mask")
    backend, special = tokenizer.backend_tokenizer, tokenizer.special_tokens_map
    backend.post_processor = TemplateProcessing(
        f"{tokenizer.cls_token} $A", None, [(tokenizer.cls_token, tokenizer.cls_token_id)]
    )
    # A BertTokenizer would make its own post-processor when it is read again.
    first.processor = PreTrainedTokenizerFast(
        tokenizer_object=backend, model_max_length=tokenizer.model_max_length, **special
    )
    first.query_expansion = {"strategy": "fixed", "attend": True, "length": length, "token": tokenizer.mask_token}


def _head(directory: Path, linear: str, norm: str) -> list[Any]:
    """Return the modules of a linear layer and a layer norm whose weights have these names."""
    with safe_open(directory / WEIGHTS, "pt") as weights:
        rows, bias, scale, shift = (
            weights.get_tensor(f"{layer}.{name}").float() for layer in (linear, norm) for name in ("weight", "bias")
        )
    dense = Dense(rows.shape[1], rows.shape[0], activation_function=torch.nn.Identity())
    dense.linear.load_state_dict({"weight": rows, "bias": bias})
    layer_norm = LayerNorm(len(scale))
    layer_norm.norm.load_state_dict({"weight": scale, "bias": shift})
    return [dense, layer_norm]
