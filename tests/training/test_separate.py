"""Separate encoders for queries and passages, and training on queries alone."""

import pytest
import torch

from robustdr.core.files import sha256
from robustdr.encoding.directory import DOCUMENT, QUERY, part
from training.models import log, weights

CAPOT = {"name": "capot"}
NAME = "encoder.layer.0.attention.self.query.weight"


def trained(model, route):
    """The folder of one encoder."""
    return part(model, route)[0]


@pytest.fixture()
def pair(fit):
    """Separate encoders that a training has driven apart."""
    return fit("pair", encoders="separate", epochs=1.0)


def test_both_encoders_change_and_become_two(fit, tiny_model, pair):
    query, document = (weights(trained(pair, route))[NAME] for route in (QUERY, DOCUMENT))
    start = weights(tiny_model)[NAME]
    assert not torch.equal(query, start) and not torch.equal(document, start)
    assert not torch.equal(query, document)


def test_separate_encoders_start_from_the_same_weights(fit):
    shared, separate = (log(fit(name, encoders=name))[0] for name in ("shared", "separate"))
    assert float(separate["loss"]) == float(shared["loss"])


def test_a_router_is_continued_on_both_sides(fit, pair):
    """A learning rate of nearly nothing leaves each side where it was."""
    model = fit("model", initial=pair, encoders="separate", learning_rate=1e-30)
    for route in (QUERY, DOCUMENT):
        assert torch.equal(weights(trained(model, route))[NAME], weights(trained(pair, route))[NAME])
    further = fit("further", initial=pair, encoders="separate")
    for route in (QUERY, DOCUMENT):
        assert not torch.equal(weights(trained(further, route))[NAME], weights(trained(pair, route))[NAME])


@pytest.mark.parametrize("initial", ["tiny", "pair"])
def test_queries_alone_leave_the_encoder_of_the_passages_as_it_is(fit, queries_file, tiny_model, pair, initial):
    start = pair if initial == "pair" else tiny_model
    model = fit("model", data=queries_file, initial=start, encoders="separate", loss=CAPOT)
    before, after = (trained(path, DOCUMENT) / "model.safetensors" for path in (start, model))
    assert sha256(after) == sha256(before)
    assert not torch.equal(weights(trained(model, QUERY))[NAME], weights(trained(start, QUERY))[NAME])


def test_on_queries_alone_a_shared_encoder_stays_one(fit, queries_file, tiny_model):
    model = fit("model", data=queries_file, loss=CAPOT)
    assert trained(model, QUERY) == trained(model, DOCUMENT)
    assert not torch.equal(weights(model)[NAME], weights(tiny_model)[NAME])


# CAPOT


def test_anchors_are_the_vectors_of_the_initial_model(fit, queries_file, pair):
    """The first step has the rate 0, so the second one too compares the model with itself; then it moves away."""
    model = fit("model", data=queries_file, initial=pair, encoders="separate", loss=CAPOT)
    anchor = [float(row["anchor"]) for row in log(model)]
    assert anchor[:2] == [0, 0]
    assert min(anchor[2:]) > 0
