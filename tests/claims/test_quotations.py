"""Sentences of claims, which pages show in quotation marks, are the papers' own words."""

from pathlib import Path

import pytest
from tests.quotations import quotes, text_of

from robustdr.claims.claim import load_claims

PAPERS = Path(__file__).parents[2] / "config" / "papers"


@pytest.mark.parametrize("paper", ["capot", "intent", "qvg", "rodr", "toroder"])
def test_the_papers_say_their_claims(paper):
    text = text_of(paper)
    claims = load_claims(PAPERS / paper / "claims.yaml").claims
    sentences = dict.fromkeys(claim.claim for claim in claims if not claim.hypothesis)
    assert sentences and [sentence for sentence in sentences if not quotes(sentence, text)] == []


TEXT = """As seen in Tables 2 and 3, **DR_{OQ}** suffers from mis-
spellings (e.g., over $\\approx 20\\%$ on aver-

| MISPELL | 0 |
Table 2: Retrieval results. RoDR is best.

age), and “efﬁcient” models too. RoDR w/ DR_{OQ} helps."""


@pytest.mark.parametrize(
    "quotation, found",
    {
        "DR_OQ suffers from misspellings (e.g., over ≈ 20% on average)": True,  # over a table, its caption and hyphens
        'Suffers from misspellings […] "efficient" models': True,
        "Retrieval results. RoDR is best": True,
        "DR_OQ suffers from misspellings (e.g., over ≈ 30%": False,
        "DR_OQ suffers from misspellings, over": False,
        '"efficient" models […] suffers': False,
        "RoDR helps": False,
    }.items(),
)
def test_a_quotation_is_found_word_for_word_and_in_order(quotation, found):
    assert quotes(quotation, TEXT) is found
