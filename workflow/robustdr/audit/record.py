"""The form of an audit in JSON."""

from collections.abc import Sequence
from dataclasses import asdict

from typing_extensions import TypedDict

from robustdr.audit.audited import Audit
from robustdr.audit.causes import Cause


class FlawRecord(TypedDict):
    """A cell of a finding."""

    coordinates: dict[str, str]
    printed: str
    mark: str
    line: int
    consistent: str
    relation: str


class FindingRecord(TypedDict):
    """A finding."""

    id: str
    severity: str
    kind: str
    table: str
    hypothesis: str
    cells: list[FlawRecord]


class CauseRecord(TypedDict):
    """A cause, with the ids of its findings and the claims on them."""

    severity: str
    hypotheses: list[str]
    cells: int
    findings: list[str]
    consequences: list[str]
    claims: list[str]


class Record(TypedDict):
    """A paper's coverage, causes, findings cell by cell and claims as printed."""

    paper: str
    title: str
    coverage: dict[str, int]
    missing: dict[str, str]
    causes: list[CauseRecord]
    findings: list[FindingRecord]
    recomputed: dict[str, list[dict[str, object]]] | None
    claims: list[dict[str, object]]


def record(audit: Audit, root_causes: Sequence[Cause]) -> Record:
    """Return the record of a paper; `root_causes` are its causes."""
    return {
        "paper": audit.reported.paper,
        "title": audit.reported.title,
        "coverage": asdict(audit.coverage),
        "missing": dict(audit.reported.missing),
        "causes": [
            {
                "severity": cause.severity,
                "hypotheses": cause.hypotheses,
                "cells": len(cause.flaws),
                "findings": [finding.id for finding in cause.findings],
                "consequences": [finding.id for finding in cause.consequences],
                "claims": [claimed.claim.title for claimed in cause.claims],
            }
            for cause in root_causes
        ],
        "findings": [
            {
                "id": finding.id,
                "severity": finding.severity,
                "kind": finding.kind,
                "table": finding.table,
                "hypothesis": finding.hypothesis,
                "cells": [
                    {
                        "coordinates": dict(flaw.cell.coordinates),
                        "printed": flaw.cell.printed,
                        "mark": flaw.cell.mark,
                        "line": flaw.cell.line,
                        "consistent": flaw.consistent,
                        "relation": flaw.words,
                    }
                    for flaw in finding.flaws
                ],
            }
            for finding in audit.findings
        ],
        "recomputed": audit.recomputed.as_data() if audit.recomputed else None,
        "claims": [
            {"claim": claimed.claim.title, "source": claimed.claim.source, **asdict(claimed.as_printed)}
            for claimed in audit.claims
        ],
    }
