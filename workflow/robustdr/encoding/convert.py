"""Conversion of weights from a pickle to safetensors; only tensors are read."""

import pickle
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file

from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.encoding.allowed import PICKLES, WEIGHTS

PICKLE, CONFIG = "pytorch_model.bin", "config.json"
# Weights of other programs, and what git and the hub's client keep beside a model.
LEFT_OUT = (*PICKLES, "*.h5", "*.msgpack", "*.ot", "*.onnx", ".*")


def convert(folder: Path, output: Path) -> None:
    """Write the pytorch_model.bin of a model folder as model.safetensors, beside a copy of all that is no weights.

    PyTorch's restricted reader reads the pickle: it makes tensors and containers and runs nothing else. Names stay the
    same; tensors that share memory are written separately. Tokenizers in any form and the folders of
    sentence-transformers' modules come along.

    Args:
        folder: with pytorch_model.bin and config.json. output: the folder to write.

    Raises:
        UserError: a file is missing, or the pickle holds anything but tensors by name.
    """
    if missing := [name for name in (PICKLE, CONFIG) if not (folder / name).is_file()]:
        kept = f"; its {WEIGHTS} needs no conversion" if (folder / WEIGHTS).is_file() else ""
        raise UserError(f"{folder}: has no {missing[0]}{kept}")
    try:
        weights = torch.load(folder / PICKLE, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(f"{folder / PICKLE}: not read, it holds more than tensors or is damaged ({reason})") from None
    if not isinstance(weights, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in weights.values()):
        raise UserError(f"{folder / PICKLE}: tensors by name are expected, as `state_dict` gives them")
    with atomic(output) as temporary:
        shutil.copytree(folder, temporary, ignore=shutil.ignore_patterns(*LEFT_OUT))
        tensors = {name: tensor.clone(memory_format=torch.contiguous_format) for name, tensor in weights.items()}
        save_file(tensors, temporary / WEIGHTS, metadata={"format": "pt"})
