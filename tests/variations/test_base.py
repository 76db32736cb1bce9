"""Chance, parameters and the registry."""

import subprocess
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.variations import base
from robustdr.variations.base import Draw, Draws


def test_draw_takes_digits_of_the_number():
    draw = Draw((1 * 1000 + 437).to_bytes(32))  # 1437 = 7 + 10 * (3 + 10 * (4 + 10 * 1))
    assert [draw.integer_below(10) for _ in range(4)] == [7, 3, 4, 1]


def test_draw_goes_on_after_its_digits_run_out():
    draw = Draw(bytes(31) + b"\x01")
    drawn = [draw.integer_below(256) for _ in range(4096)]
    assert drawn[0] == 1
    counts = Counter(drawn[200:])
    assert len(counts) == 256 and max(counts.values()) < 45  # about 15 each


def test_draws_are_uniform():
    draws = Draws(7, "typo", {})
    counts = Counter(draws(str(qid), "text").integer_below(10) for qid in range(20_000))
    assert sum((count - 2000) ** 2 / 2000 for count in counts.values()) < 27.9  # chi-square, 9 degrees, p = 0.001


@given(st.lists(st.integers(), unique=True, max_size=30), st.binary(min_size=32, max_size=32))
def test_shuffled_and_sample_lose_nothing(items, seed):
    assert sorted(Draw(seed).shuffled(items)) == sorted(items)
    some = Draw(seed).sample(items, len(items) // 2)
    assert len(set(some)) == len(items) // 2 and set(some) <= set(items)
    assert some == Draw(seed).shuffled(items)[: len(items) // 2]


def test_chance_depends_on_seed_name_parameters_qid_and_text_each():
    draws = [
        Draws(1, "typo", {"words": 1})("1", "a query"),
        Draws(2, "typo", {"words": 1})("1", "a query"),
        Draws(1, "misspell", {"words": 1})("1", "a query"),
        Draws(1, "typo", {"words": 2})("1", "a query"),
        Draws(1, "typo", {"words": 1})("2", "a query"),
        Draws(1, "typo", {"words": 1})("1", "b query"),
        Draws(1, "typo", {"words": 1})("1a", " query"),  # the qid's end is part of the seed
    ]
    assert len({draw.integer_below(1 << 64) for draw in draws}) == len(draws)


def test_every_name_has_its_class_and_documentation():
    for name in variations.names():
        found = variations.kind(name)
        assert found.name == name
        assert found.category in {
            "misspelling",
            "naturality",
            "ordering",
            "paraphrasing",
            "syntactic",
            "semantic",
            "identity",
            "logged",
        }
        assert set(found.papers) <= {path.name for path in Path("config/papers").iterdir()}
        assert found.__doc__ and found.__doc__ is not base.Variation.__doc__
    assert len({variations.kind(name) for name in variations.names()}) == len(variations.names())


def test_papers_have_all_their_generators():
    """rodr takes released variations beside its eight."""
    used = Counter(paper for name in variations.names() if name != "original" for paper in variations.kind(name).papers)
    printed = {"rodr": 8 + 1, "qvg": 10, "capot": 10, "toroder": 9, "intent": 1}
    assert {paper: used[paper] for paper in printed} == printed


def test_importing_loads_no_model_and_no_lexical_data(environment):
    code = (
        "import sys, robustdr.variations as v; [v.build(v.kind(n), {}) for n in v.names()];"
        "print([m for m in ('torch', 'spacy', 'transformers', 'pandas', 'lemminflect', 'bm25s') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_or_parameter_brings_the_nearest():
    with pytest.raises(UserError, match=r"variation: 'swap_word' is unknown.*did you mean swap_words"):
        variations.create("swap_word")
    with pytest.raises(UserError, match=r"parameter of variation typo: 'word' is unknown.*did you mean words"):
        variations.create("typo", {"word": 1})


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("typo", {"words": "2"}, r"variation typo: words is '2'; it must be of type int"),
        ("typo", {"words": True}, r"words is True; it must be of type int"),
        ("typo", {"share": 1.5}, r"share is 1\.5; it must lie between 0\.0 and 1\.0"),
        ("misspell", {"variant": "papers"}, r"variation misspell: variant: 'papers' is unknown.*did you mean paper"),
        ("swap_synonym_embedding", {"file": "none.txt"}, r"file: none\.txt: no such file"),
        ("llm", {"base_url": "file:///etc/passwd"}, r"base_url is 'file:///etc/passwd'; it must begin with http"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(name, parameters, message):
    with pytest.raises(UserError, match=message):
        variations.create(name, parameters)


def test_an_integer_serves_as_a_share():
    assert variations.create("typo", {"share": 1}).parameters == {"words": 1, "share": 1.0}


def test_a_missing_package_is_named_with_its_pin(monkeypatch):
    monkeypatch.setattr(base, "version", _missing)
    with pytest.raises(UserError, match=r"'stem' needs the package PyStemmer; run `pip install PyStemmer==3\.1\.0`"):
        variations.create("stem")
    monkeypatch.setattr(base, "version", lambda package: "0.1")
    with pytest.raises(UserError, match=r"'stem' needs PyStemmer==3\.1\.0, not 0\.1"):
        variations.create("stem")


def _missing(package):
    raise base.PackageNotFoundError(package)


def test_parameters_are_all_fields_whose_default_is_not_implied():
    assert variations.create("typo").parameters == {
        field.name: field.default for field in fields(variations.kind("typo")) if not field.metadata.get("implied")
    }
