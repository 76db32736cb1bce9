"""Cross-encoders of different shape, as sentence-transformers saves them: its scores, or refused by name."""

import json

import numpy as np
import pytest
import torch
from sentence_transformers import CrossEncoder
from tests.encoding.shapes import FORMS
from transformers import AutoModelForSequenceClassification as Classifier
from transformers import AutoTokenizer, BertConfig, DistilBertConfig, ElectraConfig, ModernBertConfig, RobertaConfig

from robustdr.core.errors import UserError
from robustdr.encoding.checkpoint import write_checkpoint
from robustdr.encoding.description import check_cross
from robustdr.encoding.directory import CROSS_ENCODER
from robustdr.encoding.settings import CheckpointSettings
from robustdr.rankers.ranker import load

PAIRS = [("river", "a river flows to the sea"), ("what is a stone", "stone"), ("music", "music of the sea " * 4)]
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
SHAPES = {
    "BERT": (BertConfig, {"num_labels": 1}),
    "BERT with two labels": (BertConfig, {"num_labels": 2}),
    "ELECTRA": (ElectraConfig, {"num_labels": 1, "embedding_size": 16}),
    "RoBERTa": (RobertaConfig, {"num_labels": 1, "pad_token_id": 0}),
    "ModernBERT": (ModernBertConfig, {"num_labels": 1, "pad_token_id": 0, "cls_token_id": 2, "sep_token_id": 3}),
    "DistilBERT": (DistilBertConfig, {"num_labels": 1, "dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64}),
}


@pytest.fixture()
def saved(tiny_transformer, tmp_path):
    """`saved(shape)`: the folder of a cross-encoder with random weights."""

    def make(shape="BERT", **changed):
        kind, own = SHAPES[shape]
        tokenizer = AutoTokenizer.from_pretrained(tiny_transformer)
        sizes = {} if shape == "DistilBERT" else SIZES
        torch.manual_seed(3)
        config = kind(
            vocab_size=len(tokenizer), max_position_embeddings=64, initializer_range=0.5, **{**sizes, **own, **changed}
        )
        bare, folder = tmp_path / "bare", tmp_path / "cross"
        Classifier.from_config(config).save_pretrained(bare)
        tokenizer.model_max_length = 60
        tokenizer.save_pretrained(bare)
        CrossEncoder(str(bare), device="cpu").save_pretrained(str(folder))
        return folder

    return make


def written(folder):
    output = folder.with_name("written")
    settings = {"name": "cross", "description": "It ranks", "source": {"path": str(folder)}, "form": CROSS_ENCODER}
    write_checkpoint(CheckpointSettings(**settings), output)
    return output


@pytest.mark.parametrize("shape", SHAPES)
def test_scores_are_those_of_sentence_transformers(saved, shape):
    folder = saved(shape)
    assert check_cross(folder) == 60
    made = written(folder)
    assert {path.name for path in made.iterdir()} == {*FORMS[CROSS_ENCODER]}
    library = CrossEncoder(str(folder), device="cpu").predict(PAIRS, activation_fn=torch.nn.Identity())
    if library.ndim == 2:
        library = torch.from_numpy(library).log_softmax(1)[:, 1].numpy()
    found = load("mono_bert", made).predict(PAIRS, 15, 41, [("q", "d")] * len(PAIRS))
    np.testing.assert_allclose(found, library, atol=1e-6)
    assert len({*np.round(library, 4)}) == len(PAIRS)


def test_what_is_no_ranker_of_plain_pairs_is_refused(saved, tiny_model):
    with pytest.raises(UserError, match="a dual encoder makes one vector of a text; allowed: a cross-encoder"):
        check_cross(tiny_model)
    with pytest.raises(UserError, match="id2label: 3 labels; allowed: 1 or 2"):
        check_cross(saved(num_labels=3))
    told = saved() / "config_sentence_transformers.json"
    told.write_text(json.dumps(json.loads(told.read_text()) | {"prompts": {"web": "Given a query: "}}))
    with pytest.raises(UserError, match="prompts: 'Given a query: '; allowed: a cross-encoder without prompts"):
        check_cross(told.parent)


def test_a_folder_that_lacks_weights_is_refused(saved):
    from safetensors.torch import load_file, save_file

    folder = saved()
    weights = load_file(folder / "model.safetensors")
    del weights["classifier.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(UserError, match=r"checkpoint cross: .*lacks weights: classifier\.weight"):
        written(folder)
