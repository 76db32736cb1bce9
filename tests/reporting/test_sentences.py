"""Verdicts as sentences."""

import pytest
from tests.reporting.small_site import CLAIM, EFFECT

from robustdr.claims.verdicts import NOT_RUN, NOT_TESTABLE, VERDICTS
from robustdr.reporting.sentences import of_claim, of_paper, of_scale, percent, queries_for_printed, smallest

MEASURED = {
    **EFFECT,
    "words": "misspell",
    "size": 0.02,
    "low": 0.01,
    "high": 0.03,
    "interval": [0.01, 0.03],
    "printed": [0.09, 0.11],
}
NUMBERS = "+2.0%, 95 % interval +1.0% to +3.0%, p = 0.001; printed +9.0% to +11.0% (power 0.90)"


def claim(verdict, *effects, **changes):
    return {**CLAIM, "verdict": verdict, "effects": list(effects), **changes}


def test_every_verdict_has_a_sentence_with_its_numbers():
    for verdict in VERDICTS:
        sentence = of_claim(claim(verdict, MEASURED, MEASURED, why="so", reason="it is so"))
        assert sentence.endswith(".") and ("+2.0%" in sentence) == (verdict not in (NOT_RUN, NOT_TESTABLE)), sentence
    assert of_claim(claim("supported", MEASURED)) == f"Supported. {NUMBERS}."
    assert of_claim(claim("not run", reason="a pickle")) == "It was not run here: a pickle."
    assert of_claim(claim(NOT_TESTABLE, why="cost fails")) == "It cannot be tested here: cost fails."


def test_of_several_effects_the_first_which_is_the_weakest_is_named():
    weakest = {**MEASURED, "verdict": "inconclusive"}
    stronger = {**MEASURED, "words": "swap_words", "size": 0.5, "verdict": "supported"}
    counts = "1 supported, 1 open, 0 against, of 2"
    sentence = of_claim(claim("partly", weakest, stronger, reason="without T5"))
    assert sentence == f"Partly: {counts}. The weakest: misspell: {NUMBERS}. Without T5."


def test_how_many_queries_show_the_printed_effect():
    # Half the interval: .01; z of 95 % and of 80 %: 1.96 and .8416; (1 + .8416 / 1.96) · .01 = .0143.
    assert smallest(MEASURED) == pytest.approx(0.0143, abs=5e-5)
    # Of an effect half as large as .0143 four times the 40 queries are needed.
    printed = smallest(MEASURED) / 2
    assert queries_for_printed({**MEASURED, "printed": [printed, printed]}) in (160, 161)
    assert queries_for_printed({**MEASURED, "printed": None}) is None
    assert queries_for_printed({**MEASURED, "printed": [0.0, 0.0]}) is None


def test_a_paper_and_a_scale_in_one_sentence():
    counts = {"supported": 3, "partly": 1, "contradicted": 1, "not run": 2}
    assert of_paper([CLAIM], counts) == (
        "Its abstract and conclusion rest on 7 claims: 3 supported, 1 partly, 1 contradicted, 2 not run."
    )
    assert of_paper([CLAIM], {}) == "No claim of its abstract is among the 1 that are tested."
    assert of_scale("mini", [counts, {"inconclusive": 1}], "", 0.86) == (
        "Abstracts and conclusions rest on 8 claims. At scale mini, 5 of them can be decided: 3 supported, 1 partly, 1 "
        "contradicted. Drops as printed and here have a rank correlation of 0.86."
    )


def test_no_percent_is_a_negative_zero():
    assert [percent(value) for value in (-0.0001, 0.1234, None)] == ["+0.0%", "+12.3%", "–"]
