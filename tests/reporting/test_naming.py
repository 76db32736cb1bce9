"""Names in texts for readers."""

import pytest

from robustdr.reporting.naming import readable, replace_names

NAMES = {"dr_oq": "DR_OQ", "dr_oq_qv": "DR_OQ→QV", "RR": "MRR", "typo": "misspelled", "swap_words": "SWAPWORDS"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("swap_words, over dr_oq_qv", "SWAPWORDS, over DR_OQ→QV"),
        ("dr_oq.", "DR_OQ."),
        ("DR_OQ RR@10", "DR_OQ MRR@10"),
        ("typo.share20 and my_typo", "typo.share20 and my_typo"),
        ("MRR@10", "MRR@10"),
    ],
)
def test_only_whole_names_are_replaced(text, shown):
    assert replace_names(text, NAMES) == shown and replace_names(text, {}) == text


def test_other_names_are_words():
    text = "nq_variations_help fails; dr_oq on typo_mean, in wordnet-mini"
    assert readable(text, NAMES) == "nq variations help fails; DR_OQ on mean of typo, in wordnet-mini"
