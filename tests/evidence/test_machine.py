"""A machine's runs beside those of the ledger: what another training run may show agrees, anything else does not."""

import json
from math import sqrt
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import t

from robustdr.core.errors import UserError
from robustdr.evaluation import ledger
from robustdr.evaluation.measures import write_values
from robustdr.evidence import machine
from robustdr.evidence.identity import expected, runs
from robustdr.keys.integrity import record

EVIDENCE = Path("evidence")
COLLECTION, QUERY_SET = "wordnet-mini", "dev.original"
LEDGER = {"dr_oq": [0.50, 0.52, 0.54], "rodr": [0.60, 0.61, 0.65], "bm25": [0.4]}  # by system, of each seed
DEVIATION = sqrt((0.0004 + 0.0007) / 2)  # 0.02² of dr_oq and the variance 0.0007 of rodr, two degrees of freedom each
HALF = t.ppf(1 - 0.05 / 2 / 2, 4) * DEVIATION * sqrt(1 + 1 / 3)  # two values of trained systems


@pytest.fixture()
def measured(mini):
    """`measured(dr_oq=0.5)` writes a ledger with the runs above, and measures of this machine with these means."""
    settings = expected(mini)

    def rows(system, seed, value, hardware):
        measured_on = {"query_set": QUERY_SET, "measure": "RR@10", "settings": settings[system, COLLECTION, QUERY_SET]}
        run = {"scale": "evidence", "system": system, "collection": COLLECTION, "seed": seed, "code": "", "commit": ""}
        run |= {"key": f"{system}{seed}{hardware}", "hardware": hardware, "date": "2026-01-01"}
        return {**run, **measured_on, "qids": "1 2", "values": [value, value]}

    def write(**values_here):
        ledger_rows = [
            rows(name, seed, value, "a") for name, values in LEDGER.items() for seed, value in enumerate(values, 1)
        ]
        ledger_rows = [{**row, "seed": 0} if row["system"] == "bm25" else row for row in ledger_rows]
        ledger.write_rows(EVIDENCE, [*ledger_rows, rows("dr_oq", 1, 0.51, "b")])
        for run in runs(mini):
            if run.system in values_here:
                path = Path(run.nodes[0].path)
                value = values_here[run.system]
                frame = pd.DataFrame({"qid": ["1", "2"], "query_set": QUERY_SET, "measure": "RR@10", "value": value})
                write_values(frame, path)
                record(path, key=run.nodes[0].key, hardware=["c"])

    return write


def test_another_training_run_agrees(mini, measured):
    measured(dr_oq=0.53, rodr=0.63, bm25=0.4)
    compared = machine.compare(mini, EVIDENCE)
    cells = compared.cells.set_index("system")
    assert cells["half"].to_dict() == pytest.approx({"bm25": 0.0, "dr_oq": HALF, "rodr": HALF})
    assert cells["mean"].to_dict() == pytest.approx({"bm25": 0.4, "dr_oq": 0.52, "rodr": 0.62})
    assert cells["same_seed"].to_dict() == pytest.approx({"bm25": 0.4, "dr_oq": 0.505, "rodr": 0.60})
    assert compared.distance("mean") == pytest.approx(0.01)
    assert compared.distance("same_seed") == pytest.approx(sqrt((0.025**2 + 0.03**2) / 2))
    assert compared.inside.all() and compared.computed_on == ["c"]
    assert compared.lines == (
        "3 of 3 values of your runs agree with the ledger. "
        f"A difference of {100 * HALF:.1f} points would be seen in half of those of trained systems."
    )


def test_systems_without_training_alone(mini, measured):
    measured(bm25=0.4)
    compared = machine.compare(mini, EVIDENCE)
    assert compared.lines == "1 of 1 values of your runs agree with the ledger."
    page, record_path = machine.write(compared, Path(mini.root))
    assert "points" not in page.read_text(encoding="utf-8")
    assert json.loads(record_path.read_text(encoding="utf-8"))["rms_from_mean"] is None


@pytest.mark.parametrize("system", ["dr_oq", "bm25"])
def test_what_no_training_run_would_show_does_not(mini, measured, system):
    off = {"dr_oq": LEDGER["dr_oq"][1] - HALF - 0.001, "bm25": 0.4001}
    measured(**{"dr_oq": 0.52, "rodr": 0.62, "bm25": 0.4, system: off[system]})
    compared = machine.compare(mini, EVIDENCE)
    assert compared.cells.loc[~compared.inside, "system"].tolist() == [system]
    assert compared.lines.startswith("2 of 3 values") and compared.lines.endswith("by more than another run would.")
    page, record_path = machine.write(compared, Path(mini.root))
    assert page.read_text(encoding="utf-8").count("**outside**") == 1
    cells = json.loads(record_path.read_text(encoding="utf-8"))["cells"]
    assert [cell["inside"] for cell in cells if cell["system"] == system] == [False]


def test_a_system_with_too_few_runs_in_the_ledger_is_named(mini, measured):
    measured(dr_oq=0.52, rodr=0.62, dr_qv=0.5)
    assert machine.compare(mini, EVIDENCE).without == ["dr_qv"]


def test_nothing_to_compare(mini, measured):
    with pytest.raises(UserError, match="results/mini/measures: no measures; run snakemake first"):
        machine.compare(mini, EVIDENCE)
    measured(dr_qv=0.5)
    with pytest.raises(UserError, match="evidence: the ledger has no runs with the settings of results/mini"):
        machine.compare(mini, EVIDENCE)


def test_a_measures_file_of_other_code_is_refused(mini, measured):
    measured(dr_oq=0.5)
    path = next(Path(mini.root).glob("measures/*/dr_oq/seed1/*.parquet"))
    record(path, key="0123456789abcdef")
    with pytest.raises(UserError, match=f"{path}: stale: its key is 0123456789abcdef"):
        machine.compare(mini, EVIDENCE)
