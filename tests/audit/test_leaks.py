"""Training sets that are, as stated, as large as training and test queries together."""

import pytest

from robustdr.audit.paper import audit_paper, leaks
from robustdr.audit.reported import PAPERS

PARTS = {"train": {"id": "a/train/most", "count": 90}, "test": {"id": "a/train/rest", "count": 10}}


def counts(paper, training, tested="10", unit="count"):
    cells = f"training_queries | {training}\nqueries | {tested}\n"
    table = {"unit": unit, "where": {"collection": "a"}, "row": "quantity", "columns": [{}], "cells": cells}
    return paper(prose_counts=table)


def without(split, key):
    return PARTS | {split: {name: value for name, value in PARTS[split].items() if name != key}}


@pytest.mark.parametrize(
    ("stated", "splits", "found"),
    {
        "the whole set": (("100",), PARTS, 1),
        "its training part": (("90",), PARTS, 0),
        "another test set": (("100", "20"), PARTS, 0),
        "no counts": (("100",), without("test", "count"), 0),
        "parts of two sets": (("100",), PARTS | {"test": {"id": "a/test", "count": 10}}, 0),
        "no such collection": (("100",), {}, 0),
        "shares": (("100", "10", "percent"), PARTS, 0),
    }.values(),
)
def test_a_training_set_has_room_for_the_test_queries(paper, stated, splits, found):
    leaking = list(leaks(counts(paper, *stated), {"a": {"splits": splits}}))
    assert len(leaking) == found
    for finding in leaking:
        assert (finding.kind, finding.severity) == ("trained_on_test", "suspicious")
        assert (
            finding.flaws[0].words
            == "all queries of a/train: the 10 test queries (rest) are a part of it, and 90 are left without them"
        )


def test_qvg_states_all_queries_of_antique_for_training():
    """Section 4: 2,426 for training, 200 for test; those 200 are antique/train/split200-valid (RoDR, section 4.1)."""
    (leak,) = [
        finding
        for finding in audit_paper(PAPERS / "qvg" / "reported.yaml").findings
        if finding.kind == "trained_on_test"
    ]
    assert [flaw.cell.printed for flaw in leak.flaws] == ["2,426", "200"]
    assert "split200-valid" in leak.flaws[0].words and "2,226 are left" in leak.flaws[0].words
