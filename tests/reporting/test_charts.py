"""Drops as reported and as reproduced."""

import re

import pytest
from tests.reporting.contrast import contrast

from robustdr.reporting.artifacts import Table, opened
from robustdr.reporting.charts import Drop, drops, embedded, rank, scatter
from robustdr.reporting.style import COLOURS


def test_each_drop_of_a_variation_is_drawn_once(paper):
    table, _ = opened(paper.table("table1")["json"], Table)
    drawn = drops(table["cells"] * 2, table["means"])
    assert [(drop.label, drop.query_set, drop.reported) for drop in drawn] == [
        ("DR_OQ", "misspell", -50.0),
        ("RoDR w/o L_p|q", "misspell", -30.0),
        ("DR_OQ", "swap_words", -1.4),
        ("RoDR w/o L_p|q", "swap_words", -1.4),
    ]
    assert [drop.reproduced for drop in drawn] == pytest.approx([-50.0, -100 / 6, 0.0, 0.0])


def test_the_rank_correlation_by_hand():
    # Ranks 1 … 5 against 2, 1, 3, 4, 5: 1 − 6 · (1 + 1) / (5 · 24) = .9.
    reproduced = (-40.0, -45.0, -30.0, -20.0, -10.0)
    drawn = [Drop("A", str(number), -50.0 + number, value) for number, value in enumerate(reproduced)]
    assert rank(drawn) == pytest.approx(0.9)
    assert rank(drawn[:4]) is None and rank([drawn[0]] * 5) is None
    svg = scatter(drawn)
    assert "currentColor" in svg and "#123456" not in svg and "<metadata>" not in svg


def test_ids_of_figures_on_a_page_differ_and_are_found():
    svg = '<?xml version="1.0"?>\n<svg><path id="a" clip-path="url(#b)"/><use href="#a" xlink:href="#a"/></svg>'
    expected = '<svg><path id="one-a" clip-path="url(#one-b)"/><use href="#one-a" xlink:href="#one-a"/></svg>'
    assert embedded(svg, "one") == expected
    drawn = [Drop("A", str(number), -50.0 + number, -40.0 + number) for number in range(5)]
    assert not {*re.findall(r' id="(?!scatter-)', scatter(drawn))}


def test_colours_have_contrast_on_white():
    white = (255, 255, 255)
    assert contrast((0, 0, 0), white) == pytest.approx(21) and contrast(white, white) == 1
    assert min(contrast([*bytes.fromhex(colour[1:])], white) for colour in COLOURS) >= 4.5
