"""Initial checkpoints of sequence-to-sequence models: a T5, or a small stand-in for one made from a BERT."""

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file
from transformers import T5Config, T5ForConditionalGeneration

from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_text
from robustdr.core.statements import Words
from robustdr.encoding import loading
from robustdr.encoding.settings import CheckpointSettings
from robustdr.encoding.source import check_layers, locate

CARD: Words = """---
library_name: transformers
---
# {name}

{description}

Source: {source}. {made}
"""
COPIED: Words = "A T5 checkpoint as it is, its weights in single precision."
STAND_IN: Words = """A stand-in for a T5 on small machines; no T5 was trained. Encoder: layers {layers} of the BERT,
with their attention and feed-forward matrices. Decoder: one layer, with those of the last of them. Word embeddings: the
BERT's, normalised. Left out: all biases and positions, which a T5 does not have."""

Weights = Mapping[str, torch.Tensor]


def _attention(part: str, bert: Weights, layer: str, heads: int) -> dict[str, torch.Tensor]:
    """Return an attention of T5, which does not divide q · k by √d; so the query matrix is divided."""
    size = len(bert[f"{layer}.attention.self.query.weight"]) // heads
    return {
        f"{part}.q.weight": bert[f"{layer}.attention.self.query.weight"] / size**0.5,
        f"{part}.k.weight": bert[f"{layer}.attention.self.key.weight"],
        f"{part}.v.weight": bert[f"{layer}.attention.self.value.weight"],
        f"{part}.o.weight": bert[f"{layer}.attention.output.dense.weight"],
    }


def _feed_forward(part: str, bert: Weights, layer: str) -> dict[str, torch.Tensor]:
    return {
        f"{part}.layer_norm.weight": bert[f"{layer}.attention.output.LayerNorm.weight"],
        f"{part}.DenseReluDense.wi.weight": bert[f"{layer}.intermediate.dense.weight"],
        f"{part}.DenseReluDense.wo.weight": bert[f"{layer}.output.dense.weight"],
    }


def stand_in_weights(bert: Weights, layers: list[int], heads: int, epsilon: float) -> dict[str, torch.Tensor]:
    """Return weights of a T5 with the matrices of a BERT.

    BERT normalises after each block and T5 before it, so the gains of a block are those that BERT applies just before
    the block. Embeddings are normalised in advance, with the type and the mean position that BERT adds. Relative
    positions start without effect.

    Args:
        bert: weights by name. layers: of the encoder; the decoder's one layer is the last. heads: of each attention.
        epsilon: of the BERT's normalisation.
    """
    word, kind, position = (bert[f"embeddings.{n}_embeddings.weight"] for n in ("word", "token_type", "position"))
    gain, shift = (bert[f"embeddings.LayerNorm.{n}"] for n in ("weight", "bias"))
    shared = torch.nn.functional.layer_norm(word + kind[0] + position.mean(0), gain.shape, gain, shift, epsilon)
    scale = shared.square().mean().sqrt().expand_as(gain)
    made = {"shared.weight": shared}
    for number, layer in enumerate(layers):
        block, own = f"encoder.block.{number}.layer", f"encoder.layer.{layer}"
        before = f"encoder.layer.{layers[number - 1]}.output.LayerNorm.weight"
        made[f"{block}.0.layer_norm.weight"] = bert[before] if number else scale
        made |= _attention(f"{block}.0.SelfAttention", bert, own, heads)
        made |= _feed_forward(f"{block}.1", bert, own)
    last = bert[f"{own}.output.LayerNorm.weight"]
    made |= {f"{stack}.final_layer_norm.weight": last for stack in ("encoder", "decoder")}
    made |= {f"decoder.block.0.layer.{number}.layer_norm.weight": scale for number in (0, 1)}
    made |= _attention("decoder.block.0.layer.0.SelfAttention", bert, own, heads)
    made |= _attention("decoder.block.0.layer.1.EncDecAttention", bert, own, heads)
    made |= _feed_forward("decoder.block.0.layer.2", bert, own)
    return made


def _stand_in(settings: CheckpointSettings, directory: Path, config: Mapping, tokenizer) -> T5ForConditionalGeneration:
    """Make a T5 with one decoder layer from a BERT's directory; [CLS] starts its output, [SEP] ends its input."""
    layers = settings.layers or list(range(config["num_hidden_layers"]))
    check_layers(settings.name, layers, directory, config["num_hidden_layers"])
    heads = config["num_attention_heads"]
    model = T5ForConditionalGeneration(
        T5Config(
            vocab_size=config["vocab_size"],
            d_model=config["hidden_size"],
            d_kv=config["hidden_size"] // heads,
            d_ff=config["intermediate_size"],
            num_layers=len(layers),
            num_decoder_layers=1,
            num_heads=heads,
            feed_forward_proj=config["hidden_act"],
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.sep_token_id,
        )
    )
    model.config.decoder_start_token_id = model.generation_config.decoder_start_token_id = tokenizer.cls_token_id
    bert = {name.removeprefix("bert."): tensor for name, tensor in load_file(directory / "model.safetensors").items()}
    with torch.no_grad():
        for stack in ("encoder", "decoder"):
            model.get_parameter(f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight").zero_()
        for name, tensor in stand_in_weights(bert, layers, heads, config["layer_norm_eps"]).items():
            model.get_parameter(name).copy_(tensor)
    tokenizer.eos_token = tokenizer.sep_token
    return model


def _copied(settings: CheckpointSettings, directory: Path) -> T5ForConditionalGeneration:
    if settings.layers is not None:
        raise UserError(f"checkpoint {settings.name}: layers {settings.layers}; a T5 is taken whole, without `layers`")
    model, found = loading.transformer(
        T5ForConditionalGeneration, directory, dtype=torch.float32, output_loading_info=True
    )
    if other := sorted({*found["missing_keys"], *found["unexpected_keys"]}):
        raise UserError(f"checkpoint {settings.name}: {directory} is not a T5 with a head: {', '.join(other[:5])}")
    return model


def write_seq2seq(settings: CheckpointSettings, output: Path) -> None:
    """Write a T5 checkpoint as a transformers directory: a T5's own, or a stand-in if the source is a BERT.

    Args:
        settings: `layers` are the BERT's layers that a stand-in's encoder keeps; None: all.
        output: the directory to write.

    Raises:
        UserError: see `source.locate`; the source is neither a T5 nor a BERT, or damaged; `layers` of a T5; or a layer
            that the BERT lacks.
    """
    import google.protobuf  # noqa: F401  (transformers loads both by name, for a T5 with its spiece.model alone)
    import sentencepiece  # noqa: F401

    directory = locate(settings.source)
    try:
        with loading.reading():
            config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
            tokenizer = loading.tokenizer(directory)
            match config["model_type"]:
                case "t5":
                    model, made = _copied(settings, directory), COPIED
                case "bert":
                    model, made = _stand_in(settings, directory, config, tokenizer), STAND_IN
                case other:
                    raise UserError(f"checkpoint {settings.name}: {directory} holds {other!r}; allowed: t5, bert")
    except UserError:
        raise
    except (OSError, ValueError) as error:
        raise UserError(f"checkpoint {settings.name}: {directory} holds no whole T5 or BERT ({error})") from error
    made = made.format(layers=settings.layers or "all")
    card = CARD.format(name=settings.name, description=settings.description, source=settings.source, made=made)
    with atomic(output) as temporary:
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        write_text(temporary / "README.md", card)
