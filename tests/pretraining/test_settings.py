"""What a recipe of pre-training leaves out, and which of its settings decide anything."""

from dataclasses import fields, replace
from pathlib import Path

import yaml

from robustdr.pretraining.settings import OF_THE_DECODER, Masking, PretrainingBudget, PretrainingRecipe

PAPER = Path(__file__).parents[2] / "config/papers/toroder/experiment.yaml"
RECIPE = PretrainingRecipe(label="Tiny", initial="base", collection="web", budget="short")


def test_a_recipe_has_the_paper_s_shares_and_decoder_unless_it_says_otherwise():
    stated = yaml.safe_load(PAPER.read_text(encoding="utf-8"))["pretraining"]["pretrained_typos"]
    for name in ("mask", "typo", "decoder_mask", "decoder_layers"):
        assert getattr(RECIPE, name) == stated[name]
    assert RECIPE.bottleneck and not RECIPE.recover


def test_a_budget_trains_all_layers_from_the_first_step_in_one_process_unless_it_says_otherwise():
    given = {field.name: field.default for field in fields(PretrainingBudget)}
    assert [given[name] for name in ("frozen_steps", "frozen_learning_rate", "workers")] == [0, 1e-3, 0]


def test_what_a_recipe_does_not_have_is_not_read():
    every = {field.name for field in fields(Masking)}
    assert RECIPE.decisive_settings().keys() == every
    assert replace(RECIPE, bottleneck=False).decisive_settings().keys() == every - {*OF_THE_DECODER}
    assert replace(RECIPE, typo=0.0).decisive_settings().keys() == every - {"typos"}
