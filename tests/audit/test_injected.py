"""One error in a consistent table is found and explained, if rounding lets anyone see it."""

import random

import pytest

from audit.injected import ERRORS, reported, table, visible
from robustdr.audit.audited import audit
from robustdr.audit.causes import causes


def shares(trials: int) -> dict[str, tuple[int, int, int]]:
    """By kind of error: tables in which it is visible, in how many it is found, in how many explained rightly."""
    counts = {}
    for error in ERRORS:
        rng = random.Random(error.__name__)
        visible_errors = detected = explained = 0
        for _ in range(trials):
            wrong, explains = error(rng, *table(rng))
            if visible(wrong):
                done = audit(reported(wrong))
                visible_errors, detected = visible_errors + 1, detected + bool(done.findings)
                explained += any(map(explains, (words for cause in causes(done) for words in cause.hypotheses)))
        counts[error.__name__] = visible_errors, detected, explained
    return counts


def assert_found_and_explained(trials: int, least: float) -> None:
    counts = shares(trials)
    for kind, (visible_errors, detected, explained) in counts.items():
        print(f"{kind}: {detected} of {visible_errors} visible errors found, {explained} explained rightly")
    visible_errors, detected, explained = (sum(column) for column in zip(*counts.values(), strict=True))
    print(f"all: {detected} of {visible_errors} visible errors found, {explained} explained rightly")
    assert detected >= least * visible_errors and explained >= least * visible_errors


def test_a_table_without_an_error_shows_none():
    for seed in range(30):
        _, grid = table(random.Random(seed))
        assert not visible(grid) and not audit(reported(grid)).findings


def test_errors_are_found_and_explained():
    assert_found_and_explained(10, 0.9)


@pytest.mark.slow
def test_errors_of_500_tables_are_found_and_explained():
    assert_found_and_explained(84, 0.95)
