"""Claims: sentences of a paper as statistical tests on reproduced measures, with a verdict each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robustdr.errors import UserError, unknown
from robustdr.evaluation.statistics import holm, paired_t_test
from robustdr.evaluation.store import Store

ORIGINAL = "original"
VERDICTS = ("holds", "fails", "inconclusive", "not tested here")


@dataclass(frozen=True)
class Verdict:
    """What became of a claim: `verdict` is one of `VERDICTS`, `evidence` says the figures behind it."""

    claim: str
    source: str
    test: str
    verdict: str
    evidence: str


@dataclass(frozen=True)
class Place:
    """Where a claim is tested: per-query values of one collection, split and measure."""

    store: Store
    collection: str
    split: str
    measure: str
    level: float

    def values(self, system: str, query_set: str) -> np.ndarray:
        """[queries], averaged over seeds."""
        return self.store.values(system, self.collection, self.split, query_set, self.measure).mean(axis=0)

    def loss(self, system: str, query_set: str) -> np.ndarray:
        """What each query loses by the variation, as a share of the mean on the original queries: [queries]."""
        original = self.values(system, ORIGINAL)
        return (original - self.values(system, query_set)) / original.mean()


def _verdict(differences: list[float], p_values: list[float], level: float) -> str:
    """`holds` if all differences are positive and significant, `fails` if one is significantly negative."""
    pairs = list(zip(differences, p_values, strict=True))
    if pairs and all(difference > 0 and p < level for difference, p in pairs):
        return "holds"
    return "fails" if any(difference < 0 and p < level for difference, p in pairs) else "inconclusive"


def improves(place: Place, system: str, over: list[str], query_sets: list[str]) -> tuple[str, str]:
    """`system` is better than each of `over` on each query set: paired two-tailed t-tests, Holm-corrected."""
    tests = [
        (other, kind, paired_t_test(place.values(system, kind), place.values(other, kind)))
        for other in over
        for kind in query_sets
    ]
    p_values = holm([test.p for _, _, test in tests])
    evidence = "; ".join(
        f"{kind}: {100 * test.difference:+.1f} points over {other} (p = {p:.2g})"
        for (other, kind, test), p in zip(tests, p_values, strict=True)
    )
    return _verdict([test.difference for _, _, test in tests], p_values, place.level), evidence


def not_worse(place: Place, system: str, than: str, query_sets: list[str]) -> tuple[str, str]:
    """`system` is not significantly worse than `than` on any of the query sets, Holm-corrected."""
    tests = [(kind, paired_t_test(place.values(system, kind), place.values(than, kind))) for kind in query_sets]
    p_values = holm([test.p for _, test in tests])
    pairs = list(zip(tests, p_values, strict=True))
    evidence = "; ".join(f"{kind}: {100 * test.difference:+.1f} points (p = {p:.2g})" for (kind, test), p in pairs)
    worse = any(test.difference < 0 and p < place.level for (_, test), p in pairs)
    return "fails" if worse else "holds", evidence


def hurts_most(place: Place, system: str, query_sets: list[str]) -> tuple[str, str]:
    """Each of `query_sets` costs `system` more than every other variation: paired t-tests, Holm-corrected."""
    return _compare_losses(place, system, query_sets, 1)


def hurts_least(place: Place, system: str, query_sets: list[str]) -> tuple[str, str]:
    """Each of `query_sets` costs `system` less than every other variation: paired t-tests, Holm-corrected."""
    return _compare_losses(place, system, query_sets, -1)


def _compare_losses(place: Place, system: str, query_sets: list[str], sign: int) -> tuple[str, str]:
    kinds = place.store.query_sets(system, place.collection, place.split)
    losses = {kind: place.loss(system, kind) for kind in dict.fromkeys([*kinds, *query_sets])}
    pairs = [(one, other) for one in query_sets for other in kinds if other not in query_sets]
    tests = [paired_t_test(sign * losses[one], sign * losses[other]) for one, other in pairs]
    ordered = sorted(kinds, key=lambda kind: -losses[kind].mean())
    evidence = "drops: " + ", ".join(f"{kind} {-100 * losses[kind].mean():+.1f}%" for kind in ordered)
    return _verdict([t.difference for t in tests], holm([t.p for t in tests]), place.level), evidence


def smaller_drop(place: Place, system: str, than: list[str], query_sets: list[str]) -> tuple[str, str]:
    """The drop of `system` is smaller than that of each of `than`: paired t-tests on losses, Holm-corrected."""
    tests = [
        (other, kind, paired_t_test(place.loss(other, kind), place.loss(system, kind)))
        for other in than
        for kind in query_sets
    ]
    p_values = holm([test.p for _, _, test in tests])
    evidence = "; ".join(
        f"{kind}: {-100 * place.loss(system, kind).mean():+.1f}% against {-100 * place.loss(other, kind).mean():+.1f}% "
        f"of {other} (p = {p:.2g})"
        for (other, kind, _), p in zip(tests, p_values, strict=True)
    )
    return _verdict([test.difference for _, _, test in tests], p_values, place.level), evidence


TESTS = {test.__name__: test for test in (improves, not_worse, hurts_most, hurts_least, smaller_drop)}


def judge(claim: dict[str, Any], store: Store, collection: str, split: str, path: Path) -> Verdict:
    """Test one claim.

    Args:
        claim: an entry of claims.yaml: `claim` (the sentence), `source` (section), `role`, `measure`, `level`, and
            `test` with the name of a test and its arguments.
        store: measured values. collection, split: what stands behind the claim's role. path: claims.yaml, for messages.

    Raises:
        UserError: an unknown test.
    """
    arguments = dict(claim["test"])
    name = arguments.pop("name")
    if name not in TESTS:
        raise unknown(f"{path}: test", name, TESTS)
    place = Place(store, collection, split, claim["measure"], claim["level"])
    try:
        verdict, evidence = TESTS[name](place, **arguments)
    except UserError as error:
        verdict, evidence = "not tested here", str(error)
    return Verdict(claim["claim"], claim["source"], name.replace("_", " "), verdict, evidence)
