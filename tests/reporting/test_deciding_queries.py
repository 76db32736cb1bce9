"""The queries that decide a claim."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from tests.reporting.conftest import evaluation
from tests.reporting.small_site import CLAIM, EFFECT, NASTY, build

from robustdr.reporting.deciding_queries import Explored, changed


@pytest.fixture()
def site(paper, tmp_path):
    return SimpleNamespace(data=build(tmp_path, paper).folder / "data")


def claim_between(*sides):
    return {**CLAIM, "effects": [{**EFFECT, "sides": list(sides) or None}]}


def test_those_that_speak_most_for_a_claim_come_first_and_then_those_against_it(site):
    # DR_OQ ranks the passage of an even query first, and second where it is misspelt: 1 − .5; of an odd one: .5 − .25.
    deciding = Explored(site.data).queries(claim_between(["dr_oq", "original"], ["dr_oq", "misspell"]), evaluation())
    assert [query.values for query in deciding] == [(1.0, 0.5)] * 3
    assert deciding[1].original == "what is thing 4" or deciding[1].varied.endswith("<mark> mispelt</mark>")
    assert deciding[0].link == "toy/dr_oq/dev/misspell/RR@10"
    # RoDR is better on even misspelt queries alone, and equal on all others: nothing speaks for DR_OQ.
    deciding = Explored(site.data).queries(
        claim_between(["dr_oq", "variations_mean"], ["rodr", "variations_mean"]), evaluation()
    )
    assert [query.difference for query in deciding] == [-0.5] * 2 and deciding[0].kind == "misspell"


def test_a_text_is_never_markup(site):
    deciding = Explored(site.data).queries(claim_between(["dr_oq", "original"], ["dr_oq", "misspell"]), evaluation())
    assert deciding[0].original == NASTY and "<script>" not in deciding[0].varied


def test_claims_without_two_means_or_without_data_have_no_queries(site, tmp_path):
    assert not Explored(site.data).queries(claim_between(), evaluation())
    assert not Explored(site.data).queries({**CLAIM, "effects": []}, evaluation())
    assert not Explored(site.data).queries(
        claim_between(["dr_oq", "original"], [["rodr", "dr_oq"], "original"]), evaluation()
    )
    assert not Explored(tmp_path / "none").queries(
        claim_between(["dr_oq", "original"], ["rodr", "original"]), evaluation()
    )


def test_characters_of_a_misspelt_word_are_marked_and_other_words_as_a_whole():
    assert changed("what is fiber", "what is fibre") == "what is fib<mark>r</mark>e<del>r</del>"
    assert changed("drinking alcohol", "consuming alcohol") == "<del>drinking</del><mark>consuming</mark> alcohol"


@given(st.text("ab<&", max_size=8), st.text("ab<&", max_size=8))
def test_what_changed_gives_both_texts_back(original, varied):
    markup = changed(original, varied)

    def without(tag, keep):
        text = markup
        while f"<{tag}>" in text:
            before, _, rest = text.partition(f"<{tag}>")
            inside, _, after = rest.partition(f"</{tag}>")
            text = before + (inside if keep else "") + after
        return text

    text = without("del", False).replace("<mark>", "").replace("</mark>", "")
    assert Markup(text).unescape() == varied
    text = without("mark", False).replace("<del>", "").replace("</del>", "")
    assert Markup(text).unescape() == original
