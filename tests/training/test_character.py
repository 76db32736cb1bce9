"""A CharacterBERT is trained like any other dual encoder."""

import numpy as np
import pytest
import torch
from tests.encoding.shapes import ROUTER_FILES

from robustdr.encoding.directory import SHARED_FILES
from robustdr.encoding.encoder import Encoder
from training.models import files, log, same, weights

CHARACTERS = "embeddings.word_embeddings."


@pytest.mark.parametrize("encoders, expected", [("shared", SHARED_FILES), ("separate", ROUTER_FILES)])
def test_it_learns_and_leaves_a_directory_that_is_read(fit, tiny_character, encoders, expected):
    model = fit("model", initial=tiny_character, encoders=encoders, epochs=4.0, learning_rate=3e-3, threads=1)
    assert files(model) == sorted([*expected, "training.csv"])
    losses = [float(row["loss"]) for row in log(model)]
    assert np.mean(losses[-6:]) < 0.8 * np.mean(losses[:6])
    assert np.isfinite(Encoder(model).encode(["what is the meaning of musicc"], 16)).all()


def test_its_card_says_how_to_use_it(fit, tiny_character):
    model = fit("model", initial=tiny_character, epochs=1.0)
    card = (model / "README.md").read_text()
    code = card.partition("```python\n")[2].partition("```")[0].replace("path/to/this/directory", str(model))
    told: dict = {}
    exec(code, told)
    assert told["scores"].shape == (1, 1) and "at\nmost 16 words" in card


def test_the_same_seed_gives_the_same_bytes_also_with_a_gradient_cache(fit, tiny_character):
    small = {"initial": tiny_character, "freeze_word_embeddings": False, "epochs": 1.0, "threads": 1}
    one = fit("one", **small)
    assert same(one, fit("again", **small))
    losses, cached = ([float(row["loss"]) for row in log(m)] for m in (one, fit("cached", gradient_cache=64, **small)))
    assert cached == pytest.approx(losses, rel=1e-3)


def test_the_character_part_is_trained_or_frozen_as_a_whole(fit, tiny_character):
    start = weights(tiny_character)
    for frozen in (True, False):
        found = weights(fit(f"frozen{frozen}", initial=tiny_character, freeze_word_embeddings=frozen, epochs=1.0))
        kept = {name for name in start if torch.equal(found[name], start[name])}
        part = {name for name in start if name.startswith(CHARACTERS)}
        assert (part <= kept) if frozen else not part & kept
