"""Conversion of weights from pickles to safetensors; only tensors are read."""

import pickle
import shutil
from pathlib import Path

import torch
from safetensors.torch import save_file

from robustdr.core.errors import UserError
from robustdr.core.files import atomic
from robustdr.core.unpacked import unpacked
from robustdr.encoding.allowed import PICKLES
from robustdr.encoding.directory import CONFIG, WEIGHTS

PICKLE = "pytorch_model.bin"
COPIES = 8  # of what a file holds: tied weights stand twice in a state_dict
# Weights of other programs, and what git and the hub's client keep beside a model.
LEFT_OUT = (*PICKLES, "*.h5", "*.msgpack", "*.ot", "*.onnx", ".*")


def convert(folder: Path, output: Path) -> None:
    """Write each pytorch_model.bin of a model folder as model.safetensors, beside a copy of all that is no weights.

    PyTorch's restricted reader reads the pickles: it makes tensors and containers and runs nothing else. Names stay the
    same; tensors that share memory are written separately. Tokenizers in any form and the folders of
    sentence-transformers' modules come along; what has a model.safetensors already keeps that.

    Args:
        folder: with config.json, and a pytorch_model.bin there or in folders of modules; or an archive (tar, zip) with
            one such folder. output: the folder to write.

    Raises:
        UserError: a file is missing, or a pickle holds anything but tensors by name.
    """
    if folder.is_file():
        with unpacked(folder) as inside:
            _convert(_model_folder(folder, inside), output)
    else:
        _convert(folder, output)


def _model_folder(archive: Path, inside: Path) -> Path:
    """Return the folder of an archive that has a model; of several, the one around the others, such as snapshots."""
    folders = sorted(
        (
            file.parent
            for file in inside.rglob(CONFIG)
            if any((file.parent / name).is_file() for name in (PICKLE, WEIGHTS))
        ),
        key=lambda folder: len(folder.parts),
    )
    if not folders or any(folders[0] not in folder.parents for folder in folders[1:]):
        listed = ", ".join(folder.relative_to(inside).as_posix() for folder in folders) or "none"
        problem = f"one folder with {CONFIG} and {PICKLE} or {WEIGHTS} is expected; it has: {listed}"
        raise UserError(f"{archive}: {problem}; unpack it, and name the folder")
    return folders[0]


def _convert(folder: Path, output: Path) -> None:
    pickles = [file for file in sorted(folder.rglob(PICKLE)) if not file.with_name(WEIGHTS).is_file()]
    if not pickles and not (folder / WEIGHTS).is_file():
        raise UserError(f"{folder}: has neither {PICKLE} nor {WEIGHTS}")
    if not (folder / CONFIG).is_file():
        raise UserError(f"{folder}: has no {CONFIG}")
    weights = {file: _tensors(file) for file in pickles}
    with atomic(output) as temporary:
        shutil.copytree(folder, temporary, ignore=shutil.ignore_patterns(*LEFT_OUT))
        for file, tensors in weights.items():
            save_file(tensors, temporary / file.relative_to(folder).with_name(WEIGHTS), metadata={"format": "pt"})


def _tensors(file: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a pickle by their names, none of which shares memory with another."""
    try:
        weights = torch.load(file, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(f"{file}: not read, it holds more than tensors or is damaged ({reason})") from None
    if not isinstance(weights, dict) or not all(isinstance(tensor, torch.Tensor) for tensor in weights.values()):
        raise UserError(f"{file}: tensors by name are expected, as `state_dict` gives them")
    size = sum(tensor.numel() * tensor.element_size() for tensor in weights.values())
    if size > COPIES * file.stat().st_size:  # views repeat what a file holds once
        raise UserError(
            f"{file}: its tensors have {size:,} bytes, more than {COPIES} times those of the file; not read"
        )
    return {name: tensor.clone(memory_format=torch.contiguous_format) for name, tensor in weights.items()}
