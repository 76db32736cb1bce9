"""Models and checkpoints on disk: weights and optimiser as safetensors, the progress of a training as JSON."""

import hashlib
import json
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from robustdr.core.files import atomic, sha256, write_json, write_text
from robustdr.encoding.directory import copy
from robustdr.encoding.encoder import Encoder

Parameters = dict[str, torch.nn.Parameter]


def save(encoders: dict[str, Encoder], initial: Path, output: Path, card: str, separate: bool) -> None:
    """Write a model directory, complete or not at all.

    Args:
        encoders: the trained encoders, by route; a missing route keeps the encoder of `initial`.
        initial: the model directory that training started from. card: text of the model card.
        separate: write a Router with an encoder for queries and one for passages.
    """
    whole = {route: encoder.whole for route, encoder in encoders.items() if encoder.whole}
    with atomic(output) as temporary:
        if whole:
            from robustdr.encoding.whole import save_trained

            save_trained(whole, initial, temporary, separate)
        else:
            folders = copy(initial, temporary, separate)
            for route, encoder in encoders.items():
                state = encoder.model.state_dict().items()
                weights = {name: tensor.detach().cpu().contiguous() for name, tensor in state}
                save_file(weights, folders[route] / "model.safetensors", metadata={"format": "pt"})
        write_text(temporary / "README.md", card)


def save_state(
    folder: Path, parameters: Parameters, optimiser: torch.optim.Optimizer, scaler: dict, position: dict
) -> None:
    """Write the state after a step; it replaces an earlier state only when it is complete."""
    tensors = {f"weights.{name}": tensor.detach() for name, tensor in parameters.items()}
    for name, parameter in parameters.items():
        tensors |= {f"optimiser.{name}.{field}": value for field, value in optimiser.state[parameter].items()}
    with atomic(folder) as temporary:
        temporary.mkdir()
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, temporary / "state.safetensors")
        position = {**position, "scaler": scaler}
        write_json(temporary / "state.json", {**position, "sha256": _digest(temporary, position)})


def _digest(folder: Path, position: dict) -> str:
    """Digest of the tensors and the position, so that a damaged state is not used."""
    content = f"{sha256(folder / 'state.safetensors')}{json.dumps(position)}"
    return hashlib.sha256(content.encode()).hexdigest()


def load_state(folder: Path, key: str, parameters: Parameters, optimiser: torch.optim.Optimizer) -> dict:
    """Load the saved state of a training with the same `key` into parameters and optimiser.

    Returns:
        The position as saved (`step`, `log`, `scaler`, …); empty if no state is usable: then training starts again.
    """
    try:
        position = json.loads((folder / "state.json").read_text())
        if position.pop("sha256") != _digest(folder, position) or position["key"] != key:
            return {}
        tensors = load_file(folder / "state.safetensors")
    except (FileNotFoundError, KeyError, TypeError, ValueError, SafetensorError):
        return {}
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors.pop(f"weights.{name}"))
    for name, parameter in parameters.items():
        prefix = f"optimiser.{name}."
        waits = None if optimiser.defaults["fused"] else f"{prefix}step"  # stays on the CPU
        optimiser.state[parameter] = {
            field.removeprefix(prefix): value if field == waits else value.to(parameter.device)
            for field, value in tensors.items()
            if field.startswith(prefix)
        }
    return position
