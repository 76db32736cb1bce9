"""The order of several systems, worked by hand on measures of the real stage."""

import pytest

from robustdr.evaluation.store import MEAN, Source, Store
from robustdr.own.ranking import ByCategory, pairs, ranking

MEASURES = ("RR@10", "Success@1")
WHERE = {"own": {"collection": "toy", "split": "dev", "means": {MEAN: ["typo"]}}}
RANKS = {  # of the relevant passage: on the original queries, and on typos
    "good": ([1, 1, 1, 2, 1, 1, 2, 1], [4, 2, 4, 4, 2, 4, 4, 4]),
    "robust": ([2, 1, 2, 2, 2, 1, 2, 2], [2, 1, 2, 2, 2, 1, 2, 2]),
    "bad": ([5, 4, 5, 5, 4, 5, 5, 5], [0, 10, 0, 10, 0, 0, 10, 0]),
}


@pytest.fixture()
def store(measured):
    paths = {
        system: measured(system, {"dev.original": original, "dev.typo": typos}, measures=MEASURES)
        for system, (original, typos) in RANKS.items()
    }
    return ByCategory(Store([Source(path, "key") for path in paths.values()], WHERE), [MEAN])


@pytest.fixture()
def ranked(store):
    return ranking(store, {system: system.title() for system in RANKS}, MEASURES)


def test_the_best_is_first_and_each_other_behind_it(ranked):
    """Means of the reciprocal ranks: 7, 5 and 1.7 eighths; of the typos: 2.5, 5 and 0.3 eighths."""
    assert [entry["label"] for entry in ranked] == ["Good", "Robust", "Bad"]
    assert [entry["original"]["mean"] for entry in ranked] == pytest.approx([7 / 8, 5 / 8, 1.7 / 8])
    assert [entry["original"]["difference"] for entry in ranked] == pytest.approx([0, -2 / 8, -5.3 / 8])
    assert [entry["variations"]["difference"] for entry in ranked] == pytest.approx([-2.5 / 8, 0, -4.7 / 8])


def test_p_is_corrected_over_the_others_and_the_best_has_none(ranked):
    original, variations = ([entry[part] for entry in ranked] for part in ("original", "variations"))
    assert "p_holm" not in original[0] and "p_holm" not in variations[1]
    assert original[1]["p_holm"] == original[1]["p"] > original[2]["p"] == original[2]["p_holm"] / 2


def test_what_variations_cost_under_every_measure(ranked):
    """Good loses 4.5 of its 7 eighths, and all of its 6 first places; Robust loses nothing."""
    assert ranked[0]["drop"]["drop"] == pytest.approx(-4.5 / 7)
    assert ranked[0]["others"]["Success@1"]["drop"] == pytest.approx(-1)
    assert ranked[1]["drop"]["drop"] == ranked[1]["others"]["Success@1"]["drop"] == 0


def test_pairs_say_which_of_two_loses_more(store, ranked):
    """Good loses 4.5 eighths, Robust nothing, and Bad 1.4 of its 1.7 eighths."""
    system_pairs = pairs(store, ranked, MEASURES[0])
    assert [pair["labels"] for pair in system_pairs] == [("Good", "Robust"), ("Good", "Bad"), ("Robust", "Bad")]
    assert [pair["original"]["difference"] for pair in system_pairs] == pytest.approx([2 / 8, 5.3 / 8, 3.3 / 8])
    assert [pair["change"]["difference"] for pair in system_pairs] == pytest.approx([-4.5 / 8, -3.1 / 8, 1.4 / 8])
    lowest = min(pair["change"]["p"] for pair in system_pairs)
    assert system_pairs[0]["change"]["p_holm"] == pytest.approx(3 * lowest)


def test_of_two_equal_systems_one_is_the_best(measured):
    ranks = [1, 2, 1, 4]
    paths = [measured(name, {"dev.original": ranks, "dev.typo": ranks}, measures=MEASURES) for name in ("b", "a")]
    equal = ranking(
        ByCategory(Store([Source(path, "key") for path in paths], WHERE), [MEAN]), {"b": "B", "a": "A"}, MEASURES
    )
    for part in ("original", "variations"):
        assert [("p_holm" in entry[part], entry[part]["differing"]) for entry in equal] == [(False, 0), (True, 0)]


def test_categories_weigh_alike(measured):
    """Two slips with RR 1/2 and 1/4, and one rewording with 1: (3/8 + 1) / 2."""
    ranks = {"dev.original": [1, 1], "dev.typo": [2, 2], "dev.stem": [4, 4], "dev.swap_words": [1, 1]}
    means = {MEAN: ["typo", "stem", "swap_words"], "slips": ["typo", "stem"], "order": ["swap_words"]}
    store = Store([Source(measured("a", ranks, measures=MEASURES), "key")], {"own": {**WHERE["own"], "means": means}})
    values = ByCategory(store, ["slips", "order"])
    assert values.values("a", "own", MEAN, "RR@10").tolist() == [pytest.approx([11 / 16, 11 / 16])]
    assert (values.values("a", "own", "typo", "RR@10") == 0.5).all()
