"""What the tests read from training files and from a trained model's directory."""

import csv
import json
from pathlib import Path

import torch
from safetensors.torch import load_file

from robustdr.collections.records import Passage
from robustdr.collections.rows import Corpus, Reference
from robustdr.training.data import Examples, read_training_data


def corpus_of(training_file: Path) -> Path:
    """The corpus of the fixtures' training files, which lies beside them."""
    return training_file.with_name("corpus.jsonl")


def examples_of(training_file: Path) -> Examples:
    return read_training_data(training_file, corpus_of(training_file))


def references(folder: Path, passages: list[Passage]) -> list[Reference]:
    """Passages, written as a corpus into a folder."""
    path = folder / "corpus.jsonl"
    path.write_text("".join(f"{json.dumps(passage._asdict())}\n" for passage in passages), encoding="utf-8")
    corpus = Corpus(path)
    return [Reference(passage.docid, row, corpus) for row, passage in enumerate(passages)]


def passages_of(examples: Examples) -> list[Passage]:
    """All passages that examples name."""
    return sorted({passage.read_passage() for example in examples for passage in example.passages})


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
