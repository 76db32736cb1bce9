"""Claims: sentences of a paper as statistical tests on reproduced measures, with a verdict each."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
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

    def drop(self, system: str, query_set: str) -> np.ndarray:
        """What the variation changes for each query, as a share of the mean on the original queries: [queries]."""
        original = self.values(system, ORIGINAL)
        return (self.values(system, query_set) - original) / original.mean()

    def gain(self, system: str, base: str, query_set: str) -> np.ndarray:
        """What each query gains over `base`, as a share of the mean of `base` on the original queries: [queries]."""
        return (self.values(system, query_set) - self.values(base, query_set)) / self.values(base, ORIGINAL).mean()


@dataclass(frozen=True)
class Finding:
    """One test of a claim: its figures in words, a mean that is above 0 where the claim is right, its p value."""

    words: str
    difference: float
    p: float


def _verdict(differences: list[float], p_values: list[float], level: float) -> str:
    """`holds` if all differences are positive and significant, `fails` if one is significantly negative."""
    pairs = list(zip(differences, p_values, strict=True))
    if pairs and all(difference > 0 and p < level for difference, p in pairs):
        return "holds"
    return "fails" if any(difference < 0 and p < level for difference, p in pairs) else "inconclusive"


def _conclude(place: Place, findings: list[Finding]) -> tuple[str, str]:
    """Verdict and evidence of several tests after Holm's correction."""
    p_values = holm([finding.p for finding in findings])
    evidence = "; ".join(f"{finding.words} (p = {p:.2g})" for finding, p in zip(findings, p_values, strict=True))
    return _verdict([finding.difference for finding in findings], p_values, place.level), evidence


def improves(place: Place, system: str, over: list[str], query_sets: list[str]) -> tuple[str, str]:
    """`system` is better than each of `over` on each query set: paired two-tailed t-tests, Holm-corrected."""

    def compare(other: str, kind: str) -> Finding:
        test = paired_t_test(place.values(system, kind), place.values(other, kind))
        return Finding(f"{kind}: {100 * test.difference:+.1f} points over {other}", test.difference, test.p)

    return _conclude(place, [compare(other, kind) for other in over for kind in query_sets])


def not_worse(place: Place, system: str, than: str, query_sets: list[str]) -> tuple[str, str]:
    """`system` is not significantly worse than `than` on any of the query sets, Holm-corrected."""
    tests = [(kind, paired_t_test(place.values(system, kind), place.values(than, kind))) for kind in query_sets]
    p_values = holm([test.p for _, test in tests])
    pairs = list(zip(tests, p_values, strict=True))
    evidence = "; ".join(f"{kind}: {100 * test.difference:+.1f} points (p = {p:.2g})" for (kind, test), p in pairs)
    worse = any(test.difference < 0 and p < place.level for (_, test), p in pairs)
    return "fails" if worse else "holds", evidence


def loses(place: Place, system: str, query_sets: list[str]) -> tuple[str, str]:
    """`system` is worse on each query set than on the original queries: paired t-tests, Holm-corrected."""

    def compare(kind: str) -> Finding:
        test = paired_t_test(place.values(system, ORIGINAL), place.values(system, kind))
        return Finding(f"{kind}: {100 * place.drop(system, kind).mean():+.1f}%", test.difference, test.p)

    return _conclude(place, [compare(kind) for kind in query_sets])


def hurts_most(place: Place, system: str, query_sets: list[str]) -> tuple[str, str]:
    """Each of `query_sets` costs `system` more than every other variation: paired t-tests, Holm-corrected.

    A mean among `query_sets` is compared with the variations that it does not average.
    """
    return _compare_kinds(place, system, query_sets, partial(place.drop, system), -1, "drops")


def hurts_least(place: Place, system: str, query_sets: list[str]) -> tuple[str, str]:
    """Each of `query_sets` costs `system` less than every other variation: paired t-tests, Holm-corrected."""
    return _compare_kinds(place, system, query_sets, partial(place.drop, system), 1, "drops")


def helps_most(place: Place, system: str, base: str, query_sets: list[str]) -> tuple[str, str]:
    """`system` gains more over `base` on each of `query_sets` than on every other variation, as `hurts_most`."""
    return _compare_kinds(place, system, query_sets, partial(place.gain, system, base), 1, f"gains over {base}")


def helps_least(place: Place, system: str, base: str, query_sets: list[str]) -> tuple[str, str]:
    """`system` gains less over `base` on each of `query_sets` than on every other variation, as `hurts_least`."""
    return _compare_kinds(place, system, query_sets, partial(place.gain, system, base), -1, f"gains over {base}")


def _compare_kinds(
    place: Place, system: str, query_sets: list[str], change: Callable[[str], np.ndarray], sign: int, words: str
) -> tuple[str, str]:
    kinds = place.store.query_sets(system, place.collection, place.split)
    changes = {kind: change(kind) for kind in dict.fromkeys([*kinds, *query_sets])}
    named = {kind for query_set in query_sets for kind in place.store.kinds(place.collection, query_set)}
    pairs = [(one, other) for one in query_sets for other in kinds if other not in named]
    tests = [paired_t_test(sign * changes[one], sign * changes[other]) for one, other in pairs]
    ordered = sorted(kinds, key=lambda kind: changes[kind].mean())
    evidence = f"{words}: " + ", ".join(f"{kind} {100 * changes[kind].mean():+.1f}%" for kind in ordered)
    return _verdict([t.difference for t in tests], holm([t.p for t in tests]), place.level), evidence


def smaller_drop(place: Place, system: str, than: list[str], query_sets: list[str]) -> tuple[str, str]:
    """The drop of `system` is smaller than that of each of `than`: paired t-tests on drops, Holm-corrected."""

    def compare(other: str, kind: str) -> Finding:
        ours, theirs = place.drop(system, kind), place.drop(other, kind)
        test = paired_t_test(ours, theirs)
        words = f"{kind}: {100 * ours.mean():+.1f}% against {100 * theirs.mean():+.1f}% of {other}"
        return Finding(words, test.difference, test.p)

    return _conclude(place, [compare(other, kind) for other in than for kind in query_sets])


def _ratio_within(words: str, numerator: np.ndarray, denominator: np.ndarray, low: float, high: float) -> Finding:
    """low < mean(numerator) / mean(denominator) < high, by the side that is nearer to its bound.

    A ratio of means is above `low` if the mean of `numerator - low * denominator` is above 0 (Fieller, 1954), so that
    a paired t-test needs no variance of a ratio. Inside the bounds p is that of two one-sided tests (Schuirmann, 1987),
    the larger of the two; outside it is two-tailed.
    """
    sides = [paired_t_test(numerator, low * denominator), paired_t_test(high * denominator, numerator)]
    nearer = min(sides, key=lambda side: side.t)
    return Finding(words, nearer.difference, nearer.p / 2 if nearer.difference > 0 else nearer.p)


def relative_loss(
    place: Place, system: str, base: str, query_sets: list[str], loss: float, margin: float
) -> tuple[str, str]:
    """`system` is below `base` on the original queries by the share `loss`, within ± `margin`, on each query set.

    The statistic is 1 − mean(system) / mean(base), tested as `_ratio_within` says, Holm-corrected.
    """
    original = place.values(base, ORIGINAL)

    def compare(kind: str) -> Finding:
        lost = original - place.values(system, kind)
        words = f"{kind}: {-100 * lost.mean() / original.mean():+.1f}% against {base} on the original queries"
        return _ratio_within(words, lost, original, loss - margin, loss + margin)

    return _conclude(place, [compare(kind) for kind in query_sets])


def equivalence(place: Place, system: str, to: str, base: str, query_sets: list[str], margin: float) -> tuple[str, str]:
    """`system` and `to` lose the same share of `base` on the original queries, within ± `margin`, on each query set.

    The statistic is (mean(system) − mean(to)) / mean(base), tested as `_ratio_within` says, Holm-corrected.
    """
    original = place.values(base, ORIGINAL)

    def compare(kind: str) -> Finding:
        ours, theirs = place.values(system, kind), place.values(to, kind)
        lost, theirs_lost = (100 * (values.mean() / original.mean() - 1) for values in (ours, theirs))
        words = f"{kind}: {lost:+.1f}% against {theirs_lost:+.1f}% of {to}"
        return _ratio_within(words, ours - theirs, original, -margin, margin)

    return _conclude(place, [compare(kind) for kind in query_sets])


def share_of_gain(
    place: Place, system: str, snapshot: str, base: str, query_sets: list[str], share: float
) -> tuple[str, str]:
    """`system` gains over `base`, and its `snapshot` has more than the `share` of that gain, on each query set.

    The second statistic is the mean of (snapshot − base) − share · (system − base). Paired two-tailed t-tests,
    Holm-corrected.
    """

    def compare(kind: str) -> list[Finding]:
        before = place.values(base, kind)
        gain, early = place.values(system, kind) - before, place.values(snapshot, kind) - before
        whole, part = paired_t_test(gain, np.zeros_like(gain)), paired_t_test(early, share * gain)
        return [
            Finding(f"{kind}: {100 * gain.mean():+.1f} points over {base}", whole.difference, whole.p),
            Finding(f"{snapshot}: {100 * early.mean():+.1f} points", part.difference, part.p),
        ]

    return _conclude(place, [finding for kind in query_sets for finding in compare(kind)])


def loss_shrinks(
    place: Place, system: str, query_sets: list[str], from_measure: str, by: float, margin: float
) -> tuple[str, str]:
    """The loss of `system` is smaller than under `from_measure` by the share `by`, within ± `margin`.

    The statistic is 1 − drop / (drop under `from_measure`), tested as `_ratio_within` says, Holm-corrected.
    """
    start = replace(place, measure=from_measure)

    def compare(kind: str) -> Finding:
        before, after = -start.drop(system, kind), -place.drop(system, kind)
        words = (
            f"{kind}: {-100 * before.mean():+.1f}% in {from_measure}, {-100 * after.mean():+.1f}% in {place.measure}"
        )
        return _ratio_within(words, before - after, before, by - margin, by + margin)

    return _conclude(place, [compare(kind) for kind in query_sets])


def gain_shrinks(place: Place, system: str, base: str, query_sets: list[str], from_measure: str) -> tuple[str, str]:
    """The gain of `system` over `base` is smaller than under `from_measure`: paired t-tests, Holm-corrected."""
    start = replace(place, measure=from_measure)

    def compare(kind: str) -> Finding:
        before, after = start.gain(system, base, kind), place.gain(system, base, kind)
        test = paired_t_test(before, after)
        words = f"{kind}: {100 * before.mean():+.1f}% in {from_measure}, {100 * after.mean():+.1f}% in {place.measure}"
        return Finding(words, test.difference, test.p)

    return _conclude(place, [compare(kind) for kind in query_sets])


TESTS = {
    test.__name__: test
    for test in (
        improves,
        not_worse,
        loses,
        hurts_most,
        hurts_least,
        helps_most,
        helps_least,
        smaller_drop,
        relative_loss,
        equivalence,
        share_of_gain,
        loss_shrinks,
        gain_shrinks,
    )
}


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
