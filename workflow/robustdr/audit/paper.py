"""The audit of a paper's folder."""

from dataclasses import replace
from pathlib import Path

from robustdr.audit.audited import Audit, audit
from robustdr.audit.findings import in_order
from robustdr.audit.leaks import collections_beside, leaks
from robustdr.audit.printed import judge_folder
from robustdr.audit.reported import load


def audited(path: Path, runs: Path | None = None, qrels: Path | None = None) -> Audit:
    """Return the audit of a reported.yaml, with its runs and the claims beside it.

    Raises:
        UserError: a reported.yaml that cannot be read, a claim on numbers that it lacks.
    """
    found = audit(load(path))
    leaking = leaks(found.reported, collections_beside(path))
    found = replace(found, findings=in_order([*found.findings, *leaking], found.reported.tables))
    if runs and qrels:
        from robustdr.audit.recompute import recompute  # slow to import

        recomputed = recompute(found.reported, runs, qrels)
        findings = in_order([*found.findings, *recomputed.findings], found.reported.tables)
        found = replace(found, recomputed=recomputed, findings=findings)
    return replace(found, claims=judge_folder(found.reported, found.findings))
