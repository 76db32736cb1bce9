"""The order of several systems, worked by hand on measures of the real stage."""

import pytest

from robustdr.evaluation.store import MEAN, Source, Store
from robustdr.own.ranking import pairs, ranking

MEASURES = ("RR@10", "Success@1")
WHERE = {"own": {"collection": "toy", "split": "dev", "means": {MEAN: ["typo"]}}}
RANKS = {  # of the relevant passage: on the original queries, and on typos
    "good": ([1, 1, 1, 2, 1, 1, 2, 1], [4, 2, 4, 4, 2, 4, 4, 4]),
    "robust": ([2, 1, 2, 2, 2, 1, 2, 2], [2, 1, 2, 2, 2, 1, 2, 2]),
    "bad": ([5, 4, 5, 5, 4, 5, 5, 5], [0, 10, 0, 10, 0, 0, 10, 0]),
}


@pytest.fixture()
def store(measured):
    of = {
        system: measured(system, {"dev.original": original, "dev.typo": typos}, measures=MEASURES)
        for system, (original, typos) in RANKS.items()
    }
    return Store([Source(path, "key") for path in of.values()], WHERE)


@pytest.fixture()
def found(store):
    return ranking(store, {system: system.title() for system in RANKS}, MEASURES)


def test_the_best_is_first_and_each_other_behind_it(found):
    """Means of the reciprocal ranks: 7, 5 and 1.7 eighths; of the typos: 2.5, 5 and 0.3 eighths."""
    assert [each["label"] for each in found] == ["Good", "Robust", "Bad"]
    assert [each["original"]["mean"] for each in found] == pytest.approx([7 / 8, 5 / 8, 1.7 / 8])
    assert [each["original"]["difference"] for each in found] == pytest.approx([0, -2 / 8, -5.3 / 8])
    assert [each["variations"]["difference"] for each in found] == pytest.approx([-2.5 / 8, 0, -4.7 / 8])


def test_p_is_corrected_over_the_others_and_the_best_has_none(found):
    original, variations = ([each[part] for each in found] for part in ("original", "variations"))
    assert "p_holm" not in original[0] and "p_holm" not in variations[1]
    assert original[1]["p_holm"] == original[1]["p"] > original[2]["p"] == original[2]["p_holm"] / 2


def test_what_variations_cost_under_every_measure(found):
    """Good loses 4.5 of its 7 eighths, and all of its 6 first places; Robust loses nothing."""
    assert found[0]["drop"]["drop"] == pytest.approx(-4.5 / 7)
    assert found[0]["others"]["Success@1"]["drop"] == pytest.approx(-1)
    assert found[1]["drop"]["drop"] == found[1]["others"]["Success@1"]["drop"] == 0


def test_pairs_say_which_of_two_loses_more(store, found):
    """Good loses 4.5 eighths, Robust nothing, and Bad 1.4 of its 1.7 eighths."""
    made = pairs(store, found, MEASURES[0])
    assert [each["labels"] for each in made] == [("Good", "Robust"), ("Good", "Bad"), ("Robust", "Bad")]
    assert [each["original"]["difference"] for each in made] == pytest.approx([2 / 8, 5.3 / 8, 3.3 / 8])
    assert [each["change"]["difference"] for each in made] == pytest.approx([-4.5 / 8, -3.1 / 8, 1.4 / 8])
    lowest = min(each["change"]["p"] for each in made)
    assert made[0]["change"]["p_holm"] == pytest.approx(3 * lowest)
