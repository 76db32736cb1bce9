"""Marks of significance: the paper's own test, and ours beside it. What computes a mark also writes its footnote."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robustdr.evaluation.estimates import ONE, Estimate
from robustdr.evaluation.quotients import Ratio
from robustdr.evaluation.statistics import paired_t_test
from robustdr.reporting.spec import Significance

OURS = "§"  # a difference that is significant between training runs too


@dataclass(frozen=True)
class PValues:
    """A difference with its p values, corrected: of the paper's test, over queries, and of ours, over runs too.

    `ours` is None if no training run decides either mean, or one run does and how much runs differ is not known.
    """

    paper: float
    ours: float | None


@dataclass(frozen=True)
class MarkTest:
    """The test behind a table's marks: paired and two-tailed, of values of queries averaged over seeds."""

    significance: Significance

    def tested(
        self, ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray], difference: Estimate, tests: int
    ) -> PValues:
        """Return p of the paper's test, and of ours.

        Args:
            ours, theirs: values [seeds, queries] of each query set behind a cell, and of what it is compared with: one
                query set, or those of a mean.
            difference: of the two means over queries and seeds. tests: of the family that is corrected together.
        """
        pairs = ([values.mean(axis=0) for values in sets] for sets in (ours, theirs))
        joined = np.concatenate if self.significance.pooled else lambda sets: np.mean(sets, axis=0)
        paper = paired_t_test(*(joined(sets) for sets in pairs)).p
        run_test = Ratio(difference, ONE)
        has_run_test = bool(difference.runs.trained) and run_test.runs_known
        return PValues(self._corrected(paper, tests), self._corrected(run_test.p, tests) if has_run_test else None)

    def _corrected(self, p: float, tests: int) -> float:
        return min(1.0, p * tests) if self.significance.correction else p

    def mark(self, p_values: PValues, difference: float) -> str:
        """Return the marks of a cell: the paper's, and ours if the difference is significant between runs too."""
        loss = self.significance.mark if self.significance.mark == "↓" else ""
        gain = self.significance.gain or ("" if loss else self.significance.mark)
        if not (mark := loss if difference < 0 else gain):
            return ""
        theirs, ours = (p is not None and p < self.significance.level for p in (p_values.paper, p_values.ours))
        return (mark if theirs else "") + (OURS if ours else "")

    def footnotes(self, compared: str, family: str, means: bool, trained: bool, runs_known: bool) -> list[str]:
        """Return what the marks mean, as they were computed.

        Args:
            compared: the pairs, in words. family: what is corrected together, in words.
            means: whether a cell is a mean over variations. trained: whether training runs decide cells.
            runs_known: whether ours could be computed for any.
        """
        corrected = f"Bonferroni's correction for {family}" if self.significance.correction else "uncorrected"
        pooled = (
            "; for a mean over variations, the pairs of all variations together"
            if self.significance.pooled and means
            else ""
        )
        marks = (
            f"{self.significance.mark} {self.significance.gain}" if self.significance.gain else self.significance.mark
        )
        notes = [
            f"{marks}: paired two-tailed t-test over queries (of each, the mean over seeds) at p < "
            f"{self.significance.level}, {corrected}{pooled}: {compared}."
        ]
        if not trained:
            return notes
        if not runs_known:
            return [*notes, f"No cell has {OURS}: it has one training run, and how much runs differ was not measured."]
        return [
            *notes,
            f"{OURS}: the same difference of means at the same level, with the variance between training runs "
            "(docs/explanation/verdicts.md); this test is ours.",
        ]
