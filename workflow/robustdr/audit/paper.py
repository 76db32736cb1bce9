"""The audit of a paper's folder, with its training sets that have room for the test queries."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from robustdr.audit.audited import Audit, audit
from robustdr.audit.findings import Finding, Flaw, in_order
from robustdr.audit.printed_claims import judge_folder
from robustdr.audit.reported import Reported, load
from robustdr.core.yaml_files import read_yaml

TRAINING, TESTED = "training_queries", "queries"  # labels of the coordinate `quantity`
HYPOTHESIS = "the test queries are among those that models are trained on"


def leaks(reported: Reported, collections: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield each training set that is, as stated, as large as a collection's training and test split together.

    Both splits are parts of one set (`<set>/<part>` in ir_datasets), and their `count` is known. Then the stated number
    is that of the whole set. It tells nothing of queries that a paper left out without saying so.
    """
    cells = {
        (cell.coordinates["collection"], cell.coordinates["quantity"]): cell
        for cell in reported.cells
        if cell.unit == "count" and {"collection", "quantity"} <= cell.coordinates.keys()
    }
    for (name, quantity), cell in cells.items():
        splits, tested = collections.get(name, {}).get("splits", {}), cells.get((name, TESTED))
        if quantity != TRAINING or tested is None or not {"train", "test"} <= splits.keys():
            continue
        train, test = splits["train"], splits["test"]
        (whole, _, _), (test_whole, _, part) = (split.get("id", "").rpartition("/") for split in (train, test))
        if not whole or whole != test_whole or not {"count"} <= train.keys() & test.keys():
            continue
        if (cell.number, tested.number) == (train["count"] + test["count"], test["count"]):
            words = (
                f"all queries of {whole}: the {test['count']:,} test queries ({part}) are a part of it, and "
                f"{train['count']:,} are left without them"
            )
            yield Finding("trained_on_test", "suspicious", [Flaw(cell, "", words), Flaw(tested, "", words)], HYPOTHESIS)


def audit_paper(path: Path, runs: Path | None = None, qrels: Path | None = None) -> Audit:
    """Return the audit of a reported.yaml, with its runs and the claims beside it.

    Raises:
        UserError: a reported.yaml or collections.yaml that cannot be read, a claim on numbers that it lacks.
    """
    reported = load(path)
    recomputed = None
    if runs and qrels:
        from robustdr.audit.recompute import recompute  # slow to import

        recomputed = recompute(reported, runs, qrels)
    paper_audit = audit(reported, recomputed=recomputed)
    collections_path = path.resolve().parent.parent.parent / "collections.yaml"  # of the same configuration
    leaking = leaks(reported, read_yaml(collections_path) if collections_path.is_file() else {})
    paper_audit = replace(paper_audit, findings=in_order([*paper_audit.findings, *leaking], reported.tables))
    return replace(paper_audit, claims=judge_folder(paper_audit.reported, paper_audit.findings))
