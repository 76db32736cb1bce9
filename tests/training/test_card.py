"""Model cards."""

import yaml

from robustdr.training.card import model_card

SETTINGS = {"system": "rodr", "query_length": 24, "passage_length": 128, "loss": {"name": "rodr", "nll": 1.0}}


def card(settings: dict) -> str:
    return model_card(settings, seed=3, key="0123456789abcdef", steps=40, step=15)


def test_a_card_says_what_the_model_is():
    head, facts, text = card(SETTINGS).partition("---\n")[2].partition("---\n")
    assert facts and yaml.safe_load(head)["library_name"] == "sentence-transformers"
    assert "# rodr\n" in text
    assert "(seed 3, step 15 of 40)" in text
    assert "most 24 tokens) and the passage vector (at most 128 tokens)" in text
    assert text.endswith("\nKey: 0123456789abcdef\n")
    assert yaml.safe_load(text.partition("```yaml\n")[2].partition("```")[0]) == SETTINGS


def test_the_order_of_the_settings_does_not_count():
    assert card(dict(reversed(SETTINGS.items()))) == card(SETTINGS)


def test_names_are_written_as_they_are():
    assert "system: größer\n" in card({**SETTINGS, "system": "größer"})
