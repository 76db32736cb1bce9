"""Back-translation's stand-in and its rule-based engine."""

import re
import shutil

import pytest

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.variations import reformulation, translation

QUERIES = {
    "what does it mean to abdicate": [
        "what does abdicating mean",
        "what is meant by abdicating",
        "what does it mean when you abdicate",
    ],
    "what does pipeline mean": [
        "what is meant by pipeline",
        "what is the meaning of pipeline",
        "what does pipeline signify",
    ],
    "Meaning of Photosynthesis?": [
        "importance of Photosynthesis?",
        "significance of Photosynthesis?",
        "what Photosynthesis means?",
    ],
    "define jaw": ["definition of jaw", "determine jaw", "define the term jaw"],
    "how do i unfriend": ["how can one unfriend", "how to unfriend", "how does one unfriend"],
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_question_comes_back_in_other_words(query):
    queries = [(str(qid), query) for qid in range(60)]
    assert {text for _, text in variations.create("back_translation").vary(queries, 1)} == set(QUERIES[query])


def test_a_word_comes_back_as_the_usual_word_in_its_form():
    assert reformulation.usual_word("kinds") == "sorts"
    assert reformulation.usual_word("purchased") == "bought"
    assert reformulation.usual_word("photosynthesis") is None
    assert reformulation.usual_word("qwzx") is None


def test_gerunds():
    assert reformulation.gerund("run the mile") == "running the mile"
    assert reformulation.gerund("abdicate") == "abdicating"


def test_every_phrase_gives_whole_sentences(script):
    for pattern, wordings in reformulation._PHRASES:
        groups = [f"group {at}" for at in range(pattern.groups)]
        for wording in wordings:
            filled = wording.format(*groups, ing="grouping")
            assert filled == filled.strip() and "{" not in filled and filled
            assert re.search(r"group", filled), wording


def test_a_query_that_no_rule_knows_stays():
    assert dict(variations.create("back_translation").vary([("1", "zxqw vbnm  kkk?")], 1)) == {"1": "zxqw vbnm  kkk?"}


def test_the_stand_in_says_that_it_is_one():
    for name in (
        "back_translation",
        "back_translation_m2m",
        "t5_qqp_paraphrase",
        "paraphrase_t5_paws",
        "t5_description_to_title",
    ):
        assert variations.create(name).resource.startswith("stand-in: rules")


def test_a_description_becomes_a_title():
    variation = variations.create("t5_description_to_title")
    queries = [("1", "how do you abdicate the throne of England?"), ("2", "throne")]
    assert dict(variation.vary(queries, 1)) == {"1": "throne England", "2": "throne"}


def test_apertium_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(translation.shutil, "which", lambda name: None)
    message = "needs apertium and /usr/share/apertium/apertium-eng-spa; run `apt-get install apertium-eng-spa`"
    with pytest.raises(UserError, match=message):
        variations.create("back_translation", {"engine": "apertium"})


def test_apertium_translates_every_query_by_itself():
    if not shutil.which("apertium"):
        pytest.skip("apertium-eng-spa is not installed")
    variation = variations.create("back_translation", {"engine": "apertium"})
    queries = [("1", "where was gandhi born"), ("2", "how long do you cook chicken in the oven"), ("3", "zxqw")]
    together = dict(variation.vary(queries, 1))
    assert together == dict(pair for query in reversed(queries) for pair in variation.vary([query], 1))
    assert together["3"] == "zxqw" and together["2"] != queries[1][1] and "chicken" in together["2"]
    assert variation.resource == "Debian's apertium-eng-spa, English-Spanish"
