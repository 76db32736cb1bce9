"""Model cards."""

from dataclasses import replace

import yaml

from robustdr.core.settings import deciding
from robustdr.training import dense
from robustdr.training.card import model_card
from robustdr.training.settings import DenseTraining


def card(settings: DenseTraining) -> str:
    return model_card(dense.TITLE, dense.USE, settings, seed=3, steps=40, step=15)


def test_a_card_says_what_the_model_is(settings):
    head, _, text = card(settings).removeprefix("---\n").partition("---\n")
    assert yaml.safe_load(head)["library_name"] == "sentence-transformers"
    assert "# tiny\n" in text
    assert "(seed 3, step 15 of 40)" in text
    assert "most 16 tokens) and the passage vector (at most 24 tokens)" in text
    assert yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0]) == deciding(settings)


def test_names_are_written_as_they_are(settings):
    assert "system: größer\n" in card(replace(settings, system="größer"))
