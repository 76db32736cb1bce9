"""Judging a claim on values chosen for it."""

from pathlib import Path

from robustdr.audit.claims import judge
from robustdr.evaluation.store import Store


def verdict(store: Store, name: str, level: float = 0.01, measure: str = "RR@10", **arguments) -> tuple[str, str]:
    """Verdict and evidence of the test `name` on the split `dev` of `toy`."""
    test = {"name": name, **arguments}
    claim = {"claim": "It is so", "source": "§4", "measure": measure, "level": level, "test": test}
    found = judge(claim, store, "toy", "dev", Path("claims.yaml"))
    assert (found.claim, found.source) == ("It is so", "§4")
    return found.verdict, found.evidence
