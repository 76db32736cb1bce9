"""Budgets from the model and the data, worked by hand."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from robustdr.core.errors import UserError
from robustdr.own.experiment import TEMPLATES
from robustdr.own.remedies import budgets, recipes

LENGTHS = {"query_length": 16, "passage_length": 48}


@pytest.fixture()
def model(tmp_path):
    """A model of 22 million parameters."""
    save_file(
        {"a": np.zeros((11_000, 1000), np.float16), "b": np.zeros(11_000_000, np.float16)},
        tmp_path / "model.safetensors",
    )
    (tmp_path / "modules.json").write_text('[{"type": "a.Transformer"}, {"type": "a.Pooling"}]')
    (tmp_path / "config_sentence_transformers.json").write_text('{"similarity_fn_name": "dot"}')
    return tmp_path


def test_a_hundred_steps_of_a_batch(model):
    """800 queries in batches of 32: 100 · 32 / 800 = 4 epochs; of 256: 32, but ten at most."""
    by_budget = budgets(model, 800, LENGTHS)
    assert (by_budget["remedy"]["batch_size"], by_budget["remedy"]["epochs"]) == (32, 4.0)
    assert (by_budget["remedy-queries"]["batch_size"], by_budget["remedy-queries"]["epochs"]) == (256, 10.0)
    assert by_budget["remedy"].items() >= LENGTHS.items()


def test_an_epoch_at_least_and_half_of_few_queries_in_a_batch(model):
    assert budgets(model, 100_000, LENGTHS)["remedy"]["epochs"] == 1.0
    assert budgets(model, 20, LENGTHS)["remedy"]["batch_size"] == 10


def test_smaller_models_learn_faster(model):
    """A fifth of BERT-base's 110 million parameters: five times its 2e-5."""
    assert budgets(model, 800, LENGTHS)["remedy"]["learning_rate"] == pytest.approx(1e-4)


@pytest.mark.parametrize("similarity", ['"cosine"', "null"])
def test_cosines_have_a_temperature_but_for_losses_of_distances(model, similarity):
    assert "temperature" not in budgets(model, 800, LENGTHS)["remedy"]
    (model / "config_sentence_transformers.json").write_text(f'{{"similarity_fn_name": {similarity}}}')
    by_budget = budgets(model, 800, LENGTHS)
    assert by_budget["remedy"]["temperature"] == 0.05 and "temperature" not in by_budget["remedy-queries"]


def test_vectors_of_length_1_have_a_temperature(model):
    (model / "modules.json").write_text('[{"type": "a.Transformer"}, {"type": "a.Normalize"}]')
    assert budgets(model, 800, LENGTHS)["remedy"]["temperature"] == 0.05


def test_what_cannot_be_trained(model, tmp_path):
    with pytest.raises(UserError, match="--train-queries: 7 queries"):
        budgets(model, 7, LENGTHS)
    with pytest.raises(UserError, match=r"has no model.safetensors"):
        budgets(tmp_path / "none", 800, LENGTHS)


def test_a_remedy_comes_with_its_control():
    assert list(recipes(TEMPLATES, ["self-teaching"])) == ["own_control", "own_self_teaching"]
    with pytest.raises(UserError, match=r"--fix: 'capo' is unknown \(did you mean capot\?\); allowed: augmentation"):
        recipes(TEMPLATES, ["capo"])
