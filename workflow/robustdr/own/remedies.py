"""Training for `robustdr evaluate --fix`: recipes from config/own/remedies.yaml, budgets from model and data."""

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path

from safetensors import safe_open

from robustdr.core.errors import UserError, unknown
from robustdr.core.yaml_files import read_yaml
from robustdr.encoding.directory import MODULES, SETTINGS, WEIGHTS, read_json

CONTROL = "control"
STEPS = 100  # training steps, but at least one epoch and at most ten: a remedy only continues a trained retriever
BASE = 110e6, 2e-5  # parameters of BERT-base, and its common learning rate for fine-tuning
FASTEST = 2e-4  # largest learning rate: a model of two layers still learns with it
COSINES = 0.05  # temperature for dot products between -1 and 1, as in sentence-transformers' losses
PASSAGES, QUERIES = 32, 256  # batch sizes: queries with passages, queries only


def recipes(templates: Path, remedies: Sequence[str]) -> dict[str, Mapping[str, object]]:
    """The recipes of the control and of the named remedies, by system.

    Raises:
        UserError: a remedy is unknown.
    """
    available = read_yaml(templates / "remedies.yaml")
    for remedy in remedies:
        if remedy == CONTROL or remedy not in available:
            raise unknown("--fix", remedy, available.keys() - {CONTROL})
    return {system_of(name): available[name] for name in (CONTROL, *remedies)}


def system_of(remedy: str) -> str:
    return f"own_{remedy.replace('-', '_')}"


def budgets(model: Path, queries: int, lengths: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """Budgets of the recipes: smaller models get a higher learning rate, fewer queries get more epochs.

    Args:
        model: a directory with model.safetensors. queries: number of training queries. lengths: `query_length` and
            `passage_length`.

    Raises:
        UserError: there is no model.safetensors, or there are fewer than 8 training queries.
    """
    weights = model / WEIGHTS
    if not weights.is_file():
        raise UserError(f"--model: {model} has no {WEIGHTS}; weights in other files cannot be trained")
    if queries < 8:
        raise UserError(f"--train-queries: {queries} queries; at least 8 are needed, hundreds to learn well")
    with safe_open(weights, framework="numpy") as file:
        parameters = sum(prod(file.get_slice(name).get_shape()) for name in file.keys())  # noqa: SIM118

    def budget(batch: int) -> dict[str, object]:
        batch = min(batch, queries // 2)
        return {
            "learning_rate": min(FASTEST, BASE[1] * BASE[0] / parameters),
            "epochs": float(min(10, max(1, STEPS * batch / queries))),
            "batch_size": batch,
            "devices": 1,
            "negatives": 1,
            **lengths,
            "warmup": 0.1,
            "weight_decay": 0.0,
            "max_gradient_norm": 1.0,
            "dropout": 0.0,
            "freeze_word_embeddings": True,
            "checkpoint_every": 200,
        }

    with_passages = budget(PASSAGES) | ({"temperature": COSINES} if compares_directions(model) else {})
    return {"remedy": with_passages, "remedy-queries": budget(QUERIES)}


def compares_directions(model: Path) -> bool:
    """Whether the model's similarity is the cosine, named or by default, or its vectors have length 1."""
    settings, last = read_json(model / SETTINGS), read_json(model / MODULES, list)[-1]
    return (settings.get("similarity_fn_name") or "cosine") == "cosine" or last["type"].endswith(".Normalize")
