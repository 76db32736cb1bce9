"""Fixtures: a training file for the tiny model, and a training that is over in a second."""

import json
import shutil
import socket
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from robustdr.collections.rows import Corpus, rows_of, write_rows
from robustdr.core.seeds import generator
from robustdr.rankers.ranker import load
from robustdr.retrieval.embeddings import write_embeddings
from robustdr.retrieval.settings import EmbedSettings
from robustdr.training.loop import train
from robustdr.training.settings import DenseTraining, RankerTraining
from training.models import corpus_of, examples_of


@pytest.fixture(scope="session")
def training_file(tmp_path_factory, words) -> Path:
    """26 queries with a variation, one or two positives that share words with the query, and three negatives each.

    The corpus of their passages lies beside it.
    """
    path = tmp_path_factory.mktemp("training") / "data.jsonl"
    rng, rows = generator("training file"), count()

    def passage(docid: str, start: str = "") -> tuple[str, int]:
        text = " ".join([start, *rng.choices(words, k=rng.randint(3, 9))])
        corpus.write(json.dumps({"docid": docid, "title": rng.choice(["", "tree"]), "text": text}) + "\n")
        return docid, next(rows)

    with open(path, "w", encoding="utf-8") as file, open(corpus_of(path), "w", encoding="utf-8") as corpus:
        for number in range(26):
            query = " ".join(rng.choices(words, k=4))
            line = {
                "query_id": f"q{number}",
                "query": query,
                "query_variation": query.replace("e", "ee"),
                "positive_passages": dict(passage(f"p{number}.{i}", query) for i in range(1 + number % 2)),
                "negative_passages": dict(passage(f"n{number}.{i}") for i in range(3)),
            }
            file.write(json.dumps(line) + "\n")
    write_rows(corpus_of(path), rows_of(path))
    return path


@pytest.fixture(scope="session")
def queries_file(training_file) -> Path:
    """The queries of the training file without passages, with two variations each."""
    path = training_file.with_name("queries.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for example in examples_of(training_file):
            varied = [example.query.replace(old, new) for old, new in (("e", "ee"), ("i", "y"))]
            line = {"query_id": example.qid, "query": example.query, "query_variation": varied}
            file.write(json.dumps(line) + "\n")
    return path


@pytest.fixture(scope="session")
def intents_file(training_file) -> Path:
    """The training file with two variations of each query."""
    path = training_file.with_name("intents.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for line in map(json.loads, training_file.read_text(encoding="utf-8").splitlines()):
            line["query_variation"] = [line["query_variation"], " ".join(reversed(line["query"].split()))]
            file.write(json.dumps(line) + "\n")
    return path


@pytest.fixture(scope="session")
def embeddings(training_file, tiny_model, tmp_path_factory) -> list[Path]:
    """The teacher's vectors of all passages of the training file, in two shards."""
    folder = tmp_path_factory.mktemp("embeddings")
    shards = [folder / "0.npy", folder / "1.npy"]
    settings, corpus = EmbedSettings(24, "float32", "float32", threads=1), corpus_of(training_file)
    for number, shard in enumerate(shards):
        write_embeddings(settings, tiny_model, corpus, len(Corpus(corpus)), number, 2, shard)
    return shards


@pytest.fixture(scope="session")
def still_model(tiny_model, tmp_path_factory) -> Path:
    """The tiny model without dropout."""
    folder = shutil.copytree(tiny_model, tmp_path_factory.mktemp("still") / "model")
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture()
def settings() -> DenseTraining:
    """Six steps an epoch, 15 in all."""
    return DenseTraining(
        system="tiny",
        loss={"name": "contrastive"},
        encoders="shared",
        augmentation=0.0,
        learning_rate=1e-3,
        epochs=2.5,
        batch_size=4,
        devices=1,
        negatives=2,
        query_length=16,
        passage_length=24,
        warmup=0.2,
        weight_decay=0.01,
        max_gradient_norm=1.0,
        dropout=0.0,
        freeze_word_embeddings=True,
        checkpoint_every=4,
        precision="float32",
        threads=1,
    )


@pytest.fixture()
def ranker_settings(settings):
    """`ranker_settings("knrm", …)`: of a training of this ranker that is over in a second."""

    def make(ranker, recipe=None, **changes):
        told = asdict(settings) | {"loss": {"name": "pairwise"}} | changes
        del told["encoders"], told["temperature"]
        return RankerTraining(**told, ranker={"name": ranker, **(recipe or {})})

    return make


@pytest.fixture(scope="module")
def cross(tmp_path_factory, tiny_model):
    """A ranker's directory, its head drawn."""
    folder = tmp_path_factory.mktemp("cross")
    load("mono_bert", tiny_model, seed=3).save(folder)
    return folder


@pytest.fixture()
def fit(training_file, tiny_model, settings, tmp_path):
    """`fit("name", loss=…, seed=…, …)`: train the tiny model into tmp_path/name, with other settings where given."""

    def run(
        name: str,
        seed: int = 1,
        key: str = "key",
        data: Path = training_file,
        initial: Path = tiny_model,
        **changes: Any,
    ) -> Path:
        files = {field: changes.pop(field) for field in list(changes) if field.startswith("teacher")}
        files["corpus"] = [corpus_of(training_file)]
        snapshots = changes.pop("snapshots", None)
        output, resume = tmp_path / name, tmp_path / "resume" / name
        cost = tmp_path / "costs" / f"{name}.json"
        trains, told = "robustdr.training.dense", replace(settings, **changes)
        train(trains, told, seed, key, data, initial, output, cost, resume, files, snapshots)
        return output

    return run


@pytest.fixture()
def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
