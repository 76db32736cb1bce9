"""What the tests read from a trained model's directory."""

import csv
from pathlib import Path

import torch
from safetensors.torch import load_file


def weights(model: Path) -> dict[str, torch.Tensor]:
    return load_file(model / "model.safetensors")


def log(model: Path) -> list[dict[str, str]]:
    with open(model / "training.csv", newline="") as file:
        return list(csv.DictReader(file))


def same(one: Path, other: Path) -> bool:
    """Whether two folders hold the same weights."""
    one, other = weights(one), weights(other)
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
