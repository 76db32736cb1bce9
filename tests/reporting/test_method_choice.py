"""Which method to use, from the table of all methods."""

from dataclasses import replace

import pytest

from robustdr.reporting.artifacts import Table, opened
from robustdr.reporting.method_choice import advice, compared, gains


@pytest.fixture()
def cells(paper):
    lineage = {system: {"own": [], "total": []} for system in ("dr_oq", "rodr")}
    table = paper.table("methods", lineage=lineage, reindexes={"dr_oq": False, "rodr": True})["json"]
    read, _ = opened(table, Table)
    return read["cells"]


def test_a_gain_stands_with_its_interval_and_what_it_costs(cells):
    # Means of the variations: .5625 and .6875; originals: .75 and .75. The gain is .125 / .75, of queries
    # that gain .25 on an original of 1, and 0 on one of .5. Fieller: .125 - .75 r = ±2.0227 / √39 · (.125 - .25 r).
    (method,) = compared(cells)
    assert method.base == "DR_OQ" and method.gains
    assert method.effect["size"] == pytest.approx(1 / 6) and method.original.difference == 0
    assert method.effect["interval"] == pytest.approx([0.1263, 0.1992], abs=1e-4)


def test_advice_names_the_best_for_each_need_and_those_not_told_from_it(cells):
    assert dict(advice(compared(cells))) == {
        "I can train and index again": "RoDR w/o L_p|q",
        "I cannot index again": "no method gained here",
        "Original queries must not lose": "RoDR w/o L_p|q",
    }
    assert gains(compared(cells)) == "Methods that gain on variations over DR_OQ: RoDR w/o L_p|q."
    (method,) = compared(cells)
    tied = method._replace(
        label="CAPOT", varied=replace(method.varied, facts={"differs_from_best": "no", "new_index": "no"})
    )
    best = dict(advice([method, tied]))
    assert best["I can train and index again"] == "RoDR w/o L_p|q; no difference from CAPOT was found"
    assert best["I cannot index again"] == "CAPOT"
    without_gain = method._replace(varied=replace(method.varied, mark=""))
    assert gains([without_gain]) == "No method is seen to gain on variations over DR_OQ." and gains([]) == ""
    assert advice([without_gain]) == []
