"""The table of what training takes: hours of a system and of its lineage, beside the printed ones."""

import json

import pytest

SPEC = {"title": "Hours", "rows": "costs", "collections": ["passages"], "systems": ["dr_oq", "rodr"]}
COST = {"seconds": 3600.0, "peak_memory_mb": 1.0, "device": "CPU", "processes": 1}


@pytest.fixture()
def lineage(paper, tmp_path):
    """`dr_oq` was trained for an hour and for two, with two seeds; `rodr` continues it for half an hour on two GPUs."""
    hours = {"dr_oq.1": 1.0, "dr_oq.2": 2.0, "rodr.1": 0.5, "rodr.2": 0.5}
    gpus = {"device": "H100", "processes": 2}
    for name, training_hours in hours.items():
        paper.costs.append(tmp_path / f"{name}.json")
        paper.costs[-1].write_text(
            json.dumps({**COST, "seconds": 3600 * training_hours, **(gpus if "rodr" in name else {})})
        )
    first, second = [str(path) for path in paper.costs[:2]], [str(path) for path in paper.costs[2:]]
    return {"dr_oq": {"own": first, "total": first}, "rodr": {"own": second, "total": first + second}}


def lines(files):
    return [line for line in files["md"].read_text(encoding="utf-8").splitlines() if line.startswith(("|", "- "))]


def test_hours_are_means_over_seeds_beside_the_printed_ones(paper, lineage):
    files = paper.table("table2", spec={**SPEC, "reported": ["hours"]}, lineage=lineage)
    head, _, *table_rows = [line for line in lines(files) if line.startswith("|")]
    assert head.endswith("| own hours | hours from scratch | times the first |")
    assert [line.split("|")[-4:-1] for line in table_rows] == [
        [" – ", " about 2hrs ", " – "],
        [" 1.5 ", " 1.5 ", " 1 "],
        [" 1 hour ", " – ", " – "],
        [" 0.5 ", " 2 ", " 1.33 "],
    ]
    assert "- Trained on: 1 × CPU, 2 × H100." in lines(files)
    printed_at = json.loads(files["json"].read_text(encoding="utf-8"))["layout"]["printed_at"]
    assert printed_at["DR_OQ"] == {"hours from scratch": "hours [passages · dr_oq · training_time_from_scratch]"}


def test_what_was_not_trained_took_no_time(paper):
    nothing = {system: {"own": [], "total": []} for system in SPEC["systems"]}
    table_lines = lines(paper.table("table2", spec=SPEC, lineage=nothing))
    assert table_lines[3].endswith("| – | – | – |") and not [line for line in table_lines if "Trained on" in line]
