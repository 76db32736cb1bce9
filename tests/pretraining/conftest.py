"""Fixtures: a small corpus of the tiny model's words, and pre-trainings that are over in a second."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from robustdr.core.seeds import generator
from robustdr.pretraining.feed import Feed, Passages
from robustdr.pretraining.settings import PretrainingSettings
from robustdr.pretraining.tokens import write_tokens
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.training.loop import train


@pytest.fixture(scope="session")
def corpus(tmp_path_factory, words) -> Path:
    """200 passages of 1 to 30 words, some of them spelled out and some with marks that the tiny model does not know."""
    path, rng = tmp_path_factory.mktemp("corpus") / "corpus.jsonl", generator("corpus")
    with open(path, "w", encoding="utf-8") as file:
        for number in range(200):
            text = " ".join(rng.choices([*words, "granite", "salt", "§", "."], k=rng.randint(1, 30)))
            file.write(json.dumps({"docid": f"d{number}", "title": "tree", "text": text}) + "\n")
    return path


@pytest.fixture()
def settings() -> PretrainingSettings:
    """50 steps an epoch, 10 in all."""
    return PretrainingSettings(
        system="tiny",
        learning_rate=1e-3,
        warmup=0.2,
        epochs=0.2,
        batch_size=4,
        devices=1,
        weight_decay=0.01,
        max_gradient_norm=1.0,
        dropout=0.1,
        freeze_word_embeddings=False,
        checkpoint_every=4,
        precision="float32",
        threads=1,
        length=48,
        frozen_steps=2,
    )


@pytest.fixture(scope="session")
def tokens(corpus, tiny_model, tmp_path_factory):
    """`tokens(length)`: the folder of the corpus's pieces."""
    folder = tmp_path_factory.mktemp("tokens")

    def write(length: int) -> Path:
        if not (folder / str(length)).exists():
            write_tokens(corpus, tiny_model, length, folder / str(length))
        return folder / str(length)

    return write


@pytest.fixture()
def feed(tokens, tiny_model, settings):
    """`feed(typo=…, …)`: the steps of the corpus, with other settings where given."""

    def make(seed: int = 1, **changes: Any) -> Feed:
        told = replace(settings, **changes)
        return Feed(Passages.open(tokens(told.length), Vocabulary(tiny_model), told), told, seed)

    return make


@pytest.fixture()
def pretrain(corpus, tokens, tiny_model, settings, tmp_path):
    """`pretrain("name", typo=…, …)`: pre-train the tiny model into tmp_path/name."""

    def run(name: str, seed: int = 1, **changes: Any) -> Path:
        output, resume = tmp_path / name, tmp_path / "resume" / name
        cost = tmp_path / "costs" / f"{name}.json"
        told = replace(settings, **changes)
        files = {"tokens": [tokens(told.length)]}
        train("robustdr.pretraining.student", told, seed, "key", corpus, tiny_model, output, cost, resume, files)
        return output

    return run
