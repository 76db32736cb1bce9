"""Numbers that are merely rounded are never reported; numbers that are wrong mostly are."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.synthetic import CONVENTIONS, random_paper
from benchmarks.bench_audit import copied_from_a_sibling, detection, digit_changed, digits_swapped, row_left_out
from robustdr.audit.audited import audit
from robustdr.audit.relations import KINDS


def assert_silent(seed: int) -> None:
    paper = random_paper(random.Random(seed))
    for name, rounding in CONVENTIONS.items():
        findings = audit(paper.reported(paper.print(rounding))).findings
        assert not findings, (
            seed,
            name,
            [(finding.id, finding.flaws[0].cell.printed, finding.flaws[0].words) for finding in findings],
        )


def test_the_random_papers_have_every_kind_of_relation():
    specs = random_paper(random.Random(0)).specs.values()
    declared = {key for spec in specs for relation in spec["relations"] for key in relation}
    assert set(KINDS) <= declared


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_a_paper_that_agrees_with_itself_has_no_findings_however_it_was_rounded(seed):
    assert_silent(seed)


@pytest.mark.slow
def test_two_thousand_papers_have_no_findings_under_any_convention():
    for seed in range(2000):
        assert_silent(seed)


@pytest.mark.parametrize(
    ("error", "least"),
    [(digit_changed, 0.75), (digits_swapped, 0.85), (copied_from_a_sibling, 0.85), (row_left_out, 0.9)],
)
def test_most_single_errors_are_reported(error, least):
    detected, injected = detection(error, decimals=2, trials=60)
    assert detected / injected >= least
