"""The claim that stands alone on the first page."""

import pytest

from robustdr.reporting.claim_pages import first_of


def claim(name, verdict, source="Abstract", effects=("one",), headline=True, hypothesis=False):
    return {
        "claim": name,
        "verdict": verdict,
        "source": source,
        "effects": effects,
        "headline": headline,
        "hypothesis": hypothesis,
    }


@pytest.mark.parametrize(
    "claims, first",
    [
        ([claim("open", "inconclusive"), claim("decided", "partly", "§4.2")], "decided"),
        ([claim("section", "supported", "§4.2"), claim("abstract", "contradicted")], "abstract"),
        ([claim("decided, not run", "supported", effects=()), claim("run", "not testable here", "§5")], "run"),
        ([claim("detail", "supported", headline=False), claim("headline", "inconclusive", "§5")], "headline"),
        ([claim("ours", "supported", hypothesis=True), claim("theirs", "inconclusive", "§5")], "theirs"),
    ],
)
def test_the_first_claim_is_run_decided_and_of_the_abstract(claims, first):
    for order in (claims, claims[::-1]):
        assert first_of(order)["claim"] == first


def test_a_paper_without_headline_claims_has_no_first_one():
    assert first_of([claim("detail", "supported", headline=False)]) is None
