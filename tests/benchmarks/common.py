"""What the benchmarks share: the embedded collection, its model, our training, seconds, and the line of a ratio."""

import contextlib
import csv
import io
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from robustdr.core.processor import native
from robustdr.encoding.settings import CheckpointSettings
from robustdr.training.settings import DenseTraining, LoopSettings

CONFIG = Path(__file__).parents[2] / "config"


def configured(file: str) -> dict[str, Any]:
    return yaml.safe_load((CONFIG / file).read_text(encoding="utf-8"))


def wordnet_source() -> dict[str, Any]:
    """The collection of WordNet's definitions, as the miniature configures it."""
    return configured("collections.yaml")["wordnet-mini"]


def write_base(folder: Path) -> None:
    """The miniature's pretrained model."""
    from robustdr.encoding.checkpoint import write_checkpoint  # slow to import, and not needed by all

    settings = CheckpointSettings(name="base", **configured("scales/mini.yaml")["checkpoints"]["base"])
    write_checkpoint(settings, folder)


def write_bert(mini: Path, folder: Path, layers: int) -> None:
    """A directory with so many layers of BERT-base's shape, random weights and the miniature's tokenizer."""
    from safetensors.torch import save_file
    from transformers import AutoModel, BertConfig

    config = BertConfig(num_hidden_layers=layers)
    model = AutoModel.from_config(config)
    for path in mini.rglob("*.json"):
        (folder / path.relative_to(mini)).parent.mkdir(parents=True, exist_ok=True)
        (folder / path.relative_to(mini)).write_bytes(path.read_bytes())
    config.architectures = ["BertModel"]
    config.save_pretrained(folder)
    save_file(model.state_dict(), folder / "model.safetensors", metadata={"format": "pt"})


def training_settings(scale: str = "mini", **changes: Any) -> DenseTraining:
    """A scale's training with passages, by default in the precision that the processor is fastest in."""
    import torch

    recipe = {"system": "benchmark", "loss": {"name": "contrastive"}, "encoders": "shared", "augmentation": 0.0}
    computing = {"precision": native(), "threads": torch.get_num_threads()}
    return DenseTraining(
        **{**configured(f"scales/{scale}.yaml")["budgets"]["passage"], **recipe, **computing, **changes}
    )


def train_ours(
    settings: LoopSettings,
    initial: Path,
    folder: Path,
    trains: str = "robustdr.training.dense",
    data: str = "data.jsonl",
) -> tuple[float, list[float]]:
    """Seconds, and the loss of each step, of a training on the files of a folder, by default of a dual encoder."""
    from robustdr.training.loop import train  # slow to import, and not needed by all

    with contextlib.redirect_stdout(io.StringIO()):
        where = (folder / "ours", folder / "cost.json", folder / "resume")
        files = {"corpus": [folder / "corpus.jsonl"], "tokens": [folder / "tokens"]}
        train(trains, settings, 1, "benchmark", folder / data, initial, *where, files)
    with open(folder / "ours" / "training.csv", newline="") as file:
        losses = [float(row["loss"]) for row in csv.DictReader(file)]
    return json.loads((folder / "cost.json").read_text())["seconds"], losses


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds on the clock, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def report(name: str, compared: str, ratio: float) -> None:
    """Print the line that `make bench` collects; `compared` names both quantities: `one / other`."""
    print(f"ratio: {name}: {compared}: {ratio:.2f}", flush=True)
