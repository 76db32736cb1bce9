"""`robustdr audit`: formats, exit status, bad input, start-up."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from robustdr import cli
from robustdr.cli import main as robustdr

WORKFLOW = Path(cli.__file__).parents[1]
HEAVY = ("torch", "transformers", "snakemake", "pandas", "scipy", "spacy", "sentence_transformers", "faiss")

MINE = """\
paper: mine
title: My paper
tables:
  table1:
    caption: Queries
    row: query_set
    columns:
      - {quantity: unchanged, unit: count}
      - {quantity: changed, unit: count}
    cells: |
      original | 6,980 | 0
      typo     | 434   | 6,456
      swap     | 80    | 6,900
    relations:
      - for: {quantity: unchanged, query_set: [typo, swap]}
        plus: {quantity: changed}
        sum_is: {query_set: original}
        note: every query is one or the other
"""


def main(arguments):
    return robustdr(["audit", *arguments])


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_markdown_says_what_where_and_why(mine, capsys):
    assert main([str(mine)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("# Audit of mine")
    assert "1. **impossible**, 1 cell of table1: typo · unchanged: two digits of 6,456 (changed) are swapped" in text
    assert (
        "*My paper.* 6 printed numbers, 2 relations. Findings: 1 impossible, 0 inconsistent, 0 suspicious; 1 cause."
        in text
    )
    assert "| typo · unchanged | `434` | 524 | the sum of original (6,980) less changed (6,456) (every query is" in text
    assert (
        "Hypothesis, not a fact: The relation would hold if two digits of 6,456 (changed) are swapped: 6,546." in text
    )


def test_json_and_csv_hold_the_same_findings(mine, capsys):
    main([str(mine), "--format", "json"])
    [paper] = json.loads(capsys.readouterr().out)
    [finding] = paper["findings"]
    [cause] = paper["causes"]
    assert (cause["severity"], cause["cells"], cause["findings"]) == ("impossible", 1, [finding["id"]])
    assert (paper["paper"], paper["coverage"]["cells"], paper["coverage"]["related"]) == ("mine", 6, 5)
    assert (finding["id"], finding["severity"]) == ("table1/sum_is/typo · unchanged", "impossible")
    assert finding["cells"][0]["consistent"] == "524" and finding["cells"][0]["line"] == 12
    main([str(mine), "--format", "csv"])
    [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["id"], row["printed"], row["consistent"], row["line"]) == (finding["id"], "434", "524", "12")


def test_claims_are_judged_on_the_paper_s_own_numbers(capsys):
    assert main(["capot"]) == 0
    text = capsys.readouterr().out.partition("## Claims as printed")[2]
    assert "18 sentences: 11 supported, 6 partly, 1 not printed." in text
    gap = "On the NQ the gap between CAPOT and the baseline at 20 is nearly 10% which narrows to 3% at 200"
    assert f"- **contradicted**: {gap}: 3% at 200 (§6). typos_mean, over" in text
    clean = "On non-noisy queries the use of data augmentation incurs no loss in accuracy yet CAPOT incurs 2.5%"
    assert f"- {clean}: data augmentation: its margin asks for 6,287 queries." in text
    assert main(["toroder", "--format", "json"]) == 0
    [paper] = json.loads(capsys.readouterr().out)
    assert {claim["verdict"] for claim in paper["claims"]} == {"supported", "inconclusive", "not printed"}
    assert main(["intent"]) == 0
    assert "the numbers behind it (§5.2.1, Figure 3) are not in the available text" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flag", "status"), [([], 0), (["--fail-on", "impossible"], 1), (["--fail-on", "suspicious"], 1)]
)
def test_the_exit_status_is_1_for_findings_of_the_severity_or_worse(mine, capsys, flag, status):
    assert main([str(mine), *flag]) == status


def test_the_exit_status_is_0_without_findings(mine, capsys):
    mine.write_text(MINE.replace("6,456", "6,546"), encoding="utf-8")
    assert main([str(mine), "--fail-on", "suspicious"]) == 0
    assert "Every relation holds for some rounding" in capsys.readouterr().out


def test_milder_findings_do_not_fail(mine, capsys):
    mine.write_text(MINE.replace("plus: {quantity: changed}", "").replace("sum_is", "same_as"), encoding="utf-8")
    assert main([str(mine), "--fail-on", "impossible"]) == 0
    assert main([str(mine), "--fail-on", "inconsistent"]) == 1


def test_a_report_is_written_whole(mine, tmp_path, capsys):
    target = tmp_path / "deep" / "mine.md"
    assert main([str(mine), "-o", str(target)]) == 0
    assert target.read_text(encoding="utf-8").startswith("# Audit of mine")
    assert capsys.readouterr().out == ""


def test_bad_input_is_one_line_and_status_2(mine, capsys):
    assert main(["rodd"]) == 2
    assert "audit: paper: 'rodd' is unknown (did you mean rodr?)" in capsys.readouterr().err
    mine.write_text(MINE.replace("sum_is", "sum_of"), encoding="utf-8")
    assert main([str(mine)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"robustdr: {mine}:17: tables.table1.relations.0: key: 'sum_of' is unknown")
    assert error.count("\n") == 1


def test_all_papers_without_heavy_modules(tmp_path):
    code = (
        "import sys; from robustdr.cli import main; status = main(['audit', '-o', sys.argv[1]]); "
        f"print(status, [name for name in {HEAVY} if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(WORKFLOW)}
    target = tmp_path / "all.md"
    done = subprocess.run(
        [sys.executable, "-c", code, str(target)], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout == "0 []\n"
    text = target.read_text(encoding="utf-8")
    assert all(f"# Audit of {paper}\n" in text for paper in ("capot", "intent", "qvg", "rodr", "toroder"))


def test_two_runs_give_the_same_bytes_whatever_the_hash_seed(tmp_path):
    texts = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONPATH": str(WORKFLOW), "PYTHONHASHSEED": seed}
        command = [sys.executable, "-m", "robustdr", "audit", "--format", "json"]
        texts.add(subprocess.run(command, capture_output=True, env=environment, check=True).stdout)
    assert len(texts) == 1
