"""The table of all methods: marks after Holm's correction, and what training costs."""

import csv
import json

import pytest

from robustdr.evaluation.names import MEAN
from robustdr.reporting.layouts.methods import expenses

COST = {"seconds": 1800.0, "peak_memory_mb": 1000.4, "device": "CPU", "processes": 1}


@pytest.fixture()
def table(paper, tmp_path):
    """The four files of a table of `dr_oq`, trained for half an hour, and `rodr`, for a further hour on two GPUs."""
    costs = {"dr_oq": COST, "rodr": {**COST, "seconds": 3600.0, "device": "H100", "processes": 2}}
    for system, cost in costs.items():
        paper.costs.append(tmp_path / f"{system}.cost.json")
        paper.costs[-1].write_text(json.dumps(cost))
    first, second = map(str, paper.costs)
    lineage = {"dr_oq": {"own": [first], "total": [first]}, "rodr": {"own": [second], "total": [first, second]}}
    return paper.table("methods", lineage=lineage, reindexes={"dr_oq": False, "rodr": True}, environment={})


def lines(files):
    return [line for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith(("|", "# "))]


def test_a_line_per_method(table):
    title, head, rule, base, rodr = lines(table)
    assert title == "# A toy paper: All methods"
    assert head == (
        "| Method | original RR@10 | variations_mean RR@10 | own seconds | total seconds | GPU-hours | peak memory "
        "| gain a minute | new index | differs from best |"
    )
    assert rule == "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    assert base.endswith("| 1,800 | 1,800 | – | 1,000 MB | – | no | yes |")
    # A gain of .125 of .75 on the original queries, in an hour: 16.67 % / 60.
    assert rodr.endswith("| 3,600 | 5,400 | 2.00 | 1,000 MB | +0.28 % | yes | best |")
    # Half intervals of 40 values: 2.0227 · .1875 / √39 = .0607, 2.0227 · .3125 / √39 = .1012.
    assert "| 56.2 ±6.1 / -25.0% |" in base and "| 68.8↑ ±10.1 / -8.3% |" in rodr


def test_p_values_are_corrected_over_all_cells(table):
    records = json.loads(table["json"].read_text(encoding="utf-8"))["cells"]
    p = {(cell["system"], cell["query_set"]): cell["p"] for cell in records}
    # Differences .25, 0, .25, 0, …: t = .125 / (.12659 / √40) = 6.245, p = 2.4e-7, but no test of the signs of the 20
    # that differ has less than 2^-19; the other test has p = 1.
    assert p["rodr", MEAN] == 2 * 2.0**-19
    assert p["rodr", "original"] == 1.0 and p["dr_oq", MEAN] is None


def test_what_is_worse_than_the_base_is_marked(paper):
    lineage = {system: {"own": [], "total": []} for system in ("dr_oq", "rodr")}
    spec = {"title": "T", "rows": "methods", "collections": ["passages"], "systems": ["dr_oq", "rodr"]}
    reindexes = dict.fromkeys(lineage, False)
    files = paper.table("methods", spec={**spec, "base": "rodr", "level": 0.05}, lineage=lineage, reindexes=reindexes)
    assert "56.2↓ ±" in lines(files)[3] and lines(files)[3].endswith("| – | – | – | – | – | no | yes |")
    assert files["tex"].read_text(encoding="utf-8").isascii()


def test_costs_are_in_every_row_of_the_csv(table):
    with open(table["csv"], encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    assert [(row["system"], row["total_seconds"], row["new_index"]) for row in records] == [
        ("dr_oq", "1,800", "no"),
        ("dr_oq", "1,800", "no"),
        ("rodr", "5,400", "yes"),
        ("rodr", "5,400", "yes"),
    ]


def test_the_footnotes_say_what_is_measured_and_what_is_deterministic(table):
    text = table["md"].read_text(encoding="utf-8")
    assert "at p < 0.05 with the variances of queries and of training runs" in text
    assert "Holm's correction over all 2 tests of the table" in text
    assert "for each minute of the system's own training: equal updates are not equal cost." in text
    assert "Costs are measured and vary between runs; everything else is deterministic." in text


def test_costs_of_several_seeds_are_averaged():
    costs = {f"{name}{seed}": {**COST, "seconds": seconds} for name, seed, seconds in
             (("a", 1, 10.0), ("a", 2, 20.0), ("b", 1, 100.0), ("b", 2, 300.0))}  # fmt: skip
    costs["b2"]["peak_memory_mb"] = 2000.0
    cost_texts = expenses({"own": ["b1", "b2"], "total": ["a1", "a2", "b1", "b2"]}, costs)
    assert list(cost_texts.values()) == ["200", "215", "–", "2,000 MB"]
