"""A released checkpoint that misses its published score stops what stands on it, at full scale, without a network."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml
from tests.full import corpora, models
from tests.full.conftest import FullScale
from tests.full.world import SMALL
from transformers import BertConfig, BertModel

from robustdr.encoding import loading

SCORED, WAITING = "results/published/tas_b.json", "results/training/msmarco-passage/rodr_tas_b/seed1.jsonl"
FOLDER = "data/models/bag_of_words"


def bag_of_words(folder: Path) -> None:
    """Write a BERT that tells words and nothing else: their mean finds passages, its first token finds none."""
    folder.mkdir(parents=True)
    size = models.bert_tokenizer(folder, ["tokenizer_config.json", "tokenizer.json"])
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=size, hidden_size=64, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8,
        architectures=["BertModel"], initializer_range=1.0,
    )  # fmt: skip
    model = BertModel(config)
    with torch.no_grad():
        for part in (model.embeddings.position_embeddings, model.embeddings.token_type_embeddings):
            part.weight.zero_()
        # The collection has an empty passage: it says nothing to any query.
        marks = loading.tokenizer(folder).convert_tokens_to_ids(["[CLS]", "[SEP]"])
        model.embeddings.word_embeddings.weight[marks] = 0
        for layer in model.encoder.layer:
            for part in (layer.attention.output.dense, layer.output.dense):
                part.weight.zero_()
                part.bias.zero_()
    models.write_weights(model, folder, pickled=False)


def reached(folder: Path) -> float:
    """RR@10 of the mean of all tokens, computed here on all passages and the queries of dev."""
    tokenizer, model = loading.tokenizer(folder), BertModel.from_pretrained(folder).eval()

    def vectors(texts: list[str]) -> np.ndarray:
        batch = tokenizer(texts, padding=True, truncation=True, max_length=SMALL["passage_length"], return_tensors="pt")
        mask = batch["attention_mask"][..., None]
        with torch.no_grad():
            states = model(**batch).last_hidden_state * mask
        return (states.sum(1) / mask.sum(1)).numpy()

    first = corpora.TRAIN
    told, asked = corpora.PASSAGES, [fact.question for fact in corpora.PASSAGES[first : first + corpora.DEV]]
    scores = vectors(asked) @ vectors([*(fact.text for fact in told), ""]).T
    ranks = [1 + int((row > row[first + number]).sum()) for number, row in enumerate(scores)]
    return float(np.mean([1 / rank if rank <= 10 else 0 for rank in ranks]))


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The project with a scale that binds a checkpoint to the bag of words, and its score."""
    project = FullScale(tmp_path_factory.mktemp("published"))
    bag_of_words(project.folder / FOLDER)
    project.score = 100 * reached(project.folder / FOLDER)
    return project


def make(project: FullScale, pooling: str, *targets: str) -> tuple[int, str]:
    scale = project.world.scale
    scale["checkpoints"]["tas_b"] = {"description": "a bag", "source": {"path": FOLDER}, "pooling": pooling}
    score = {"role": "msmarco-passage", "measure": "RR@10", "score": f"{project.score:.1f}", "source": "its card"}
    scale["published"] = {"tas_b": score}
    corpora.put(project.folder / "scales/full.yaml", yaml.safe_dump(scale, sort_keys=False))
    return project.make(*targets)


@pytest.mark.slow
def test_a_wrong_conversion_is_refused_and_a_right_one_passes(world):
    assert world.score > 60  # else nothing could be told from chance
    status, output = make(world, "cls", WAITING)
    assert status != 0
    line = next(line for line in output.splitlines() if "was published" in line)
    assert "checkpoint tas_b: RR@10 on msmarco-passage is " in line and f"{world.score:.1f} was published" in line
    assert not (world.folder / WAITING).exists() and not (world.folder / SCORED).exists()
    status, output = make(world, "mean", SCORED)
    assert status == 0, output
    told = json.loads((world.folder / SCORED).read_text())
    assert told["measured"] == pytest.approx(world.score, abs=1.5) and told["queries"] == corpora.DEV
