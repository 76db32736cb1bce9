"""Initial checkpoints; encoders as sentence-transformers directories."""

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling
from transformers import AutoModelForSequenceClassification, T5ForConditionalGeneration

from robustdr.core import first_seen
from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_json, write_text
from robustdr.encoding import loading, loading_modules
from robustdr.encoding.agreement import agreement
from robustdr.encoding.character import character_tokenizer
from robustdr.encoding.character_weights import fit_to_bert, read_released
from robustdr.encoding.description import LATE, SPARSE, check_cross, model_type
from robustdr.encoding.directory import AGREEMENT, CROSS_ENCODER, ROUTE_OF
from robustdr.encoding.retriever import write_retriever
from robustdr.encoding.settings import CheckpointSettings
from robustdr.encoding.source import check_layers, check_whole, find, locate
from robustdr.encoding.static import write_static
from robustdr.encoding.whole import load, load_with_pooling, write

CARD = """---
library_name: sentence-transformers
---
# {name}

{description}

Source: {source}. Layers kept: {layers}. Weights: {weights}. Left out: {drop}. Pooling: {pooling}.
Similarity: dot product.
"""


WHOLE_CARD = """---
library_name: sentence-transformers
---
# {name}

{description}

Source: {source}, taken as it is. Modules: {modules}. Prompts: {prompts}. Similarity: {similarity}.
"""

HEAD_CARD = """---
library_name: {library}
---
# {name}

{description}

Source: {source}. A {kind} as it is, its weights in single precision.
"""


def write_encoder(settings: CheckpointSettings, output: Path) -> None:
    """Write a transformer with a pooling as a sentence-transformers directory.

    Args:
        settings: `layers` make a stand-in for small machines; alternate layers keep more than the first ones.
        output: the directory to write.

    Raises:
        UserError: see `locate` and `check_whole`; or a layer that the checkpoint lacks.
    """
    directory = _located(settings)
    check_whole(settings.name, directory, settings.drop)
    _write(settings, directory, settings.description, output)


def write_whole(settings: CheckpointSettings, output: Path) -> None:
    """Write a directory of sentence-transformers: its modules, prompts, similarity, lengths and number types.

    `prompts` and `similarity` of the settings replace its own; `pooling` is that of a plain transformer. The vectors of
    a few texts must be those of sentence-transformers; agreement.json says how near they are.

    Raises:
        UserError: see `source.find`, `whole.load` and `agreement.agreement`.
    """
    directory = find(settings.source)
    model = _read_model(settings, directory, 0)
    card = WHOLE_CARD.format(
        name=settings.name,
        description=settings.description,
        source=settings.source,
        modules=", ".join(type(module).__name__ for module in model),
        prompts=json.dumps(model.prompts, ensure_ascii=False),
        similarity=model.similarity_fn_name,
    )
    with atomic(output) as temporary:
        write(model, temporary, settings.separator)
        with prefixed_errors(f"checkpoint {settings.name}"):
            write_json(
                temporary / AGREEMENT, agreement(temporary, _read_model(settings, directory, 1).float())._asdict()
            )
        write_text(temporary / "README.md", card)


def _read_model(settings: CheckpointSettings, directory: Path, seed: int) -> Any:
    """Return a model of sentence-transformers with the prompts and the similarity of the settings.

    Args:
        seed: for weights that the directory lacks; if a vector depends on them, two seeds show it.
    """
    torch.manual_seed(seed)
    with prefixed_errors(f"checkpoint {settings.name}"):
        kind = model_type(directory)
        if settings.pooling:
            model = load_with_pooling(directory, settings.pooling)
        elif kind in (SPARSE, LATE):
            model = loading_modules.of_type(directory, kind, "auto")
        else:
            model = load(directory, dtype="auto")
        model.prompts |= {ROUTE_OF[role]: str(prompt) for role, prompt in settings.prompts.items()}
        if settings.similarity:
            if kind == LATE:
                raise UserError(f"similarity: {settings.similarity!r}: {model.similarity_fn_name} is that of its kind")
            model.similarity_fn_name = settings.similarity
    return model


def write_character(settings: CheckpointSettings, output: Path) -> None:
    """Write a CharacterBERT with a pooling, in the files of a sentence-transformers directory.

    sentence-transformers itself cannot read such a model; `encoder.Encoder` can.

    Args:
        settings: with `fitted`, the source is a BERT, and `fitted` words are fitted with `filters`; without it, the
            source holds the released weights. See `character_weights`.
        output: the directory to write.

    Raises:
        UserError: as `write_encoder`, or see `character_weights.read_released`.
    """
    directory = _located(settings)
    if settings.fitted is None:
        model, origin = read_released(settings.name, directory)
    else:
        check_whole(settings.name, directory, settings.drop)
        model, origin = fit_to_bert(directory, settings.fitted, settings.filters)
    print(origin)
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        character_tokenizer().save_pretrained(folder)
        description = (
            f"{settings.description}\n\n{origin}\nNot read by sentence-transformers: robustdr's Encoder reads it."
        )
        _write(settings, Path(folder), description, output)


def _located(settings: CheckpointSettings) -> Path:
    """Return the directory of an encoder's source after a check that it has the layers to keep."""
    directory = locate(settings.source)
    has = loading.configuration(directory).num_hidden_layers  # a DistilBERT's file calls it n_layers
    check_layers(settings.name, settings.layers or [], directory, has)
    return directory


def _write(settings: CheckpointSettings, directory: Path, description: str, output: Path) -> None:
    torch.manual_seed(0)  # weights that the source lacks, such as an unused pooler's, are drawn
    transformer = loading_modules.module(directory, torch.float32)
    layers = settings.layers
    if layers is not None:
        blocks = transformer.model.encoder.layer
        transformer.model.encoder.layer = torch.nn.ModuleList(blocks[i] for i in layers)
        transformer.model.config.num_hidden_layers = len(layers)
    if settings.random_weights:
        transformer.model = type(transformer.model)(transformer.model.config)
    pooling = Pooling(transformer.get_embedding_dimension(), pooling_mode=settings.pooling)
    model = SentenceTransformer(modules=[transformer, pooling], device="cpu", similarity_fn_name="dot")
    card_fields = {
        "description": description,
        "layers": layers or "all",
        "weights": "drawn anew" if settings.random_weights else "the source's",
        "drop": settings.drop or "nothing",
    }
    card = CARD.format(**asdict(settings) | card_fields)
    with atomic(output) as temporary:
        model.save(str(temporary), create_model_card=False, safe_serialization=True)
        write_text(temporary / "README.md", card)


def write_cross_encoder(settings: CheckpointSettings, output: Path) -> None:
    """Write a cross-encoder, a classifier of pairs of texts, as a transformers directory.

    Args:
        output: the directory to write.

    Raises:
        UserError: see `source.locate` and `description.check_cross`; or the source is damaged.
    """
    directory = locate(settings.source)
    with prefixed_errors(f"checkpoint {settings.name}"):
        check_cross(directory)
        with loading_modules.readable(directory):
            tokenizer = loading.tokenizer(directory)
            model, loading_info = loading.transformer(
                AutoModelForSequenceClassification, directory, dtype=torch.float32, output_loading_info=True
            )
        if missing := sorted(loading_info["missing_keys"]):
            raise UserError(f"{directory}: lacks weights: {', '.join(missing[:5])}")
    card = HEAD_CARD.format(library="sentence-transformers", kind="cross-encoder", **asdict(settings))
    _write_with_head(model, tokenizer, card, output)


def write_seq2seq(settings: CheckpointSettings, output: Path) -> None:
    """Write a T5 checkpoint as a transformers directory.

    Args:
        output: the directory to write.

    Raises:
        UserError: see `source.locate`; the source is no T5 with a head, or damaged.
    """
    import google.protobuf  # noqa: F401  (transformers loads both by name, for a T5 with its spiece.model alone)
    import sentencepiece  # noqa: F401

    directory = locate(settings.source)
    with prefixed_errors(f"checkpoint {settings.name}"):
        with loading_modules.readable(directory):
            tokenizer = loading.tokenizer(directory)
            if (kind := loading.configuration(directory).model_type) != "t5":
                raise UserError(f"{directory} holds {kind!r}; allowed: t5")
            model, loading_info = loading.transformer(
                T5ForConditionalGeneration, directory, dtype=torch.float32, output_loading_info=True
            )
        if unfit_weights := sorted({*loading_info["missing_keys"], *loading_info["unexpected_keys"]}):
            raise UserError(f"{directory} is not a T5 with a head: {', '.join(unfit_weights[:5])}")
    card = HEAD_CARD.format(library="transformers", kind="T5 checkpoint", **asdict(settings))
    _write_with_head(model, tokenizer, card, output)


def _write_with_head(model: Any, tokenizer: Any, card: str, output: Path) -> None:
    """Write a transformer with its head as it is."""
    with atomic(output) as temporary:
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        write_text(temporary / "README.md", card)


WRITERS = {
    "encoder": write_encoder,
    "character": write_character,
    "whole": write_whole,
    "retriever": write_retriever,
    "seq2seq": write_seq2seq,
    "static": write_static,
    CROSS_ENCODER: write_cross_encoder,
}


def write_checkpoint(settings: CheckpointSettings, output: Path) -> None:
    """Write a checkpoint with the writer of its form.

    Raises:
        UserError: a folder that people fetch, and whose digest nobody published, has changed since its first use.
    """
    for source in filter(None, (settings.source, settings.queries)):
        fetched = "path" in source and "package" not in source and "sha256" not in source
        if settings.fetch and fetched and (path := Path(source["path"])).exists():
            first_seen.check(path, settings.fetch)
    WRITERS[settings.form](settings, output)
