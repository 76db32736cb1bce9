"""The cells of papers that a scale can run."""

import re
from dataclasses import replace

import pytest
from tests.changes import changed
from tests.quotations import text_of

from robustdr.graph.coverage import as_text, coverage
from robustdr.graph.graph import graph


def test_a_cell_is_counted_once_whichever_tables_show_it(full):
    """RoDR: 14 systems and 2 snapshots with 8 variations each on passages, 4 on documents, 10 with 5 on ANTIQUE."""
    assert coverage(full, "rodr").cells == (14 + 2) * 9 + 4 * 9 + 10 * 6
    assert coverage(full, "qvg").cells == 7 * 2 * 11  # its studies are no tables of the paper
    assert coverage(full, "all").cells == 0


def test_what_a_paper_prints_is_made_or_left_out_with_a_reason(full):
    found = coverage(full, "qvg")
    assert (found.printed, [*found.left_out]) == (4, ["table1", "table2", "table3"])
    lines = as_text([found]).splitlines()
    assert lines[2].strip() == "1 of 4 tables and figures are made from runs"
    assert lines[3].split(maxsplit=1) == ["table1", found.left_out["table1"]]


@pytest.mark.parametrize("paper", ["capot", "intent", "qvg", "rodr", "toroder"])
def test_every_table_and_figure_of_a_papers_text_is_known(config, paper):
    named = re.findall(r"\b(tables?|figures?)[ ~](\d+)\b", text_of(paper), re.IGNORECASE)
    assert {kind.lower().rstrip("s") + number for kind, number in named} == {*config.papers[paper].printed()}


def test_what_a_checkpoint_makes_has_no_way_without_it(config, full):
    """TAS-B and RoDR on it: nine query sets of passages, six of ANTIQUE."""
    reason = "TAS-B is lost"
    lost = replace(config.scales["full"].checkpoints["tas_b"], unavailable=reason)
    without = coverage(graph(changed(config, "scales", "full", "checkpoints", "tas_b", lost), "full"), "rodr")
    assert without.reasons == {**coverage(full, "rodr").reasons, reason: 2 * (9 + 6)}
    assert without.cells == coverage(full, "rodr").cells


def test_a_variation_that_cannot_be_made_is_lost_for_every_system_that_is_there(config, full):
    kept = config.scales["full"].variations["typo"]
    lost = replace(kept, released={}, unavailable="no typos")
    changed_full = graph(changed(config, "scales", "full", "variations", "typo", lost), "full")
    assert coverage(changed_full, "toroder").reasons["no typos"] > 0


def test_a_collection_that_anyone_can_fetch_counts_as_there_and_a_private_one_does_not(full):
    reasons = coverage(full, "toroder").reasons
    assert reasons["the queries, pages and clicks of the paper's web search engine are private"] == 9 * 5
    assert not any("DL-Typo" in reason for reason in reasons)


def test_the_last_line_sums_a_scale(full):
    found = [coverage(full, paper) for paper in ("rodr", "qvg")]
    without = sum(one.without for one in found)
    share = f"{100 * without / 394:.1f}"
    assert as_text(found).splitlines()[-1] == f"full: {without} of 394 cells have no way to run ({share} %)"
