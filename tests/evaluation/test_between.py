"""The deviation between runs: by hand, and found again where it is known."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest

from robustdr.evaluation.between import Part, differ, in_common, part, pooled, summary
from robustdr.evaluation.runs import Spread


def test_mean_squares_by_hand():
    """Means of runs 1 and 3: variance 2. Residuals ±1 of four values, one degree: 4, over two queries 2."""
    assert part(np.array([[0.0, 2.0], [4.0, 2.0]])) == Part(2.0, 2.0, 1, 1)


def test_pooled_by_hand():
    """Seen (3·4 + 1·8)/4 = 5, left (3·1 + 1·1)/4 = 1: between 4. df = 16 / (25/4 + 1/40)."""
    found = pooled([[Part(4.0, 1.0, 3, 30)], [Part(8.0, 1.0, 1, 10)]])
    assert found.sd == 2.0 and found.df == pytest.approx(16 / (25 / 4 + 1 / 40))


def test_query_sets_of_one_training_count_once():
    once, twice = (pooled([[Part(4.0, 1.0, 3, 30)] * number]) for number in (1, 2))
    assert once == twice


def test_no_more_than_queries_make_is_no_deviation():
    assert pooled([[Part(1.0, 2.0, 4, 40)]]) == Spread(sd=0.0, df=4.0)
    assert pooled([]) is None


def test_what_systems_have_in_common_by_hand():
    """Without queries' luck: means (1, 3) and (2, 2): variances 2 and 0, of their mean 1/2, so no covariance.

    (1, 3) and (2, 4): variances 2 and 2, of their mean 2: all of it is common, of which `MOST` is taken. (0, 2) and
    (1, 2): variances 2 and 1/2, of their mean 9/8: C = (2 · 9/8 − 5/4) / 1 = 1, of 5/4.
    """

    def panel(*means):
        return np.repeat(np.array(means, float)[:, :, None], 3, axis=2)

    assert in_common([panel((1, 3), (2, 2))]) == 0.0
    assert in_common([panel((1, 3), (2, 4))]) == 0.9
    assert in_common([panel((0, 2), (1, 2))]) == pytest.approx(0.8)
    assert in_common([panel((0, 2), (1, 2)), panel((1, 3), (2, 2))]) == pytest.approx((1.0 - 0.0) / (1.25 + 1.0))
    assert in_common([panel((1, 3))]) == in_common([]) == 0.0


def test_a_known_share_in_common_is_found_again_and_pairs_seeds():
    """Half of the variance of .03² is one draw a seed; shuffled seeds have nothing in common."""
    rng = np.random.default_rng(1)
    common = rng.normal(0, 0.03 / sqrt(2), 40)
    made = []
    for number in range(12):
        factors = 1 + common + rng.normal(0, 0.03 / sqrt(2), 40)
        for seed, factor in enumerate(factors):
            row = rows(1, 0.0, f"system{number}")[0]
            made.append(row | {"seed": seed, "values": factor * row["values"] + rng.normal(0, 0.05, 400)})
    found = summary(pd.DataFrame(made))["RR@10"]["mean"]
    assert found["common"] == pytest.approx(0.5, abs=0.12) and found["sd"] == pytest.approx(0.03, rel=0.15)
    for row in made:
        row["seed"] = (row["seed"] + 7 * int(row["system"][6:])) % 40
    assert summary(pd.DataFrame(made))["RR@10"]["mean"]["common"] < 0.15


def rows(seeds, between, system="rodr", queries=400, mean=0.5, draw=None, rest=0.1):
    """Runs whose means deviate by the share `between`; values deviate by 0.2 over queries, by `rest` in each run."""
    draw = draw or np.random.default_rng(sum(map(ord, system)))
    base = draw.normal(mean, 0.2, queries)
    made = []
    for seed in range(seeds):
        factor = 1 + draw.normal(0, between)
        for query_set, share in (("original", 1.0), ("misspell", 0.7)):
            of = share * factor * base + draw.normal(0, rest, queries)
            made.append(
                {"scale": "mini", "system": system, "collection": "toy", "seed": seed, "hardware": "h"}
                | {
                    "key": f"{system}{seed}",
                    "date": "2026-01-01",
                    "query_set": f"dev.{query_set}",
                    "measure": "RR@10",
                    "settings": query_set,
                    "values": of,
                }
            )
    return made


def test_a_known_deviation_is_found_again_and_the_rate_of_false_differences_comes_down():
    many = pd.DataFrame([row for number in range(30) for row in rows(5, 0.03, f"system{number}")])
    found = summary(many)
    spread, rate = found["RR@10"]["mean"], found["seeds"]["RR@10"]
    assert spread["sd"] == pytest.approx(0.03, rel=0.2) and 80 < spread["df"] <= 120
    assert found["RR@10"]["drop"]["sd"] < 0.005  # both query sets deviate alike
    assert rate["pairs"] == 30 * 2 * 10 and rate["ignoring"] > 0.3 and rate["with"] < 0.08


def test_queries_alone_are_no_deviation_between_runs():
    many = pd.DataFrame([row for number in range(30) for row in rows(5, 0.0, f"system{number}")])
    found = summary(many)
    assert found["RR@10"]["mean"]["sd"] < 0.005 and found["seeds"]["RR@10"]["ignoring"] < 0.08


def test_runs_of_other_systems_and_scales_are_not_taken_together():
    two = pd.DataFrame(rows(2, 0.1))
    assert summary(two)["seeds"]["RR@10"]["pairs"] == 2
    for column in ("system", "scale", "collection"):
        assert summary(two.assign(**{column: [f"{column}{number}" for number in two["seed"]]})) == {}


def test_seeds_on_several_machines_are_taken_together_and_a_seed_counts_once():
    """Seed 1 was run on two machines. The one with more runs counts, and the other says how much machines differ."""
    two = pd.DataFrame(rows(3, 0.1))
    again = two[two["seed"] == 1].assign(hardware="other", key="again", values=[of + 1 for of in two["values"][2:4]])
    found, alone = summary(pd.concat([again, two])), summary(two)
    assert found["RR@10"] == alone["RR@10"] and found["seeds"] == alone["seeds"] and "processors" not in alone
    assert found["processors"] == {"RR@10": {"pairs": 2, "systems": 1, "ignoring": 1.0}}


def test_two_processors_are_compared_within_a_seed_and_with_the_variance_of_other_systems():
    here = pd.DataFrame([row for number in range(20) for row in rows(3, 0.05, f"system{number}")])
    there = here.assign(hardware="other", key=here["key"] + "other", values=here["values"] * 1.01)
    rate = summary(pd.concat([here, there]))["processors"]["RR@10"]
    assert rate == {
        "pairs": 20 * 2 * 2,
        "systems": 20,
        "ignoring": 1.0,
        "with": 0.0,
    }  # seed 0 is of systems in which nothing is random


def test_the_drop_pairs_a_run_with_its_own_original_queries():
    """Seeds 0 and 1 have both query sets; the third run of each has another seed, and no partner."""
    four = pd.DataFrame(rows(4, 0.05))
    lost = four[~(four["query_set"].eq("dev.original") & four["seed"].eq(2))]
    lost = lost[~(lost["query_set"].eq("dev.misspell") & lost["seed"].eq(3))]
    both = four[four["seed"] < 2]
    assert summary(lost)["RR@10"]["drop"] == summary(both)["RR@10"]["drop"]


def test_each_variation_has_a_deviation_of_its_own():
    draw, many = np.random.default_rng(1), []
    for number in range(20):
        made = rows(5, 0.0, f"system{number}")
        for row in [row for row in made if row["query_set"] == "dev.misspell"]:
            made.append({**row, "query_set": "dev.swap_words", "values": row["values"] * (1 + draw.normal(0, 0.03))})
            row["values"] = row["values"] * (1 + draw.normal(0, 0.1))
        many += made
    found = summary(pd.DataFrame(many))["RR@10"]
    assert found["drops"]["misspell"]["sd"] == pytest.approx(0.07, rel=0.25)  # a tenth of seven tenths
    assert found["drops"]["swap_words"]["sd"] < 0.03 < found["drop"]["sd"] < 0.07 and found["mean"]["sd"] < 0.01


def test_a_variation_has_the_deviation_of_all_if_those_with_few_runs_are_too_few_together():
    """Misspelled queries of twenty systems move by .1. Two systems have synonyms too, which move by .01 or by .5."""
    draw, made = np.random.default_rng(1), []
    for number in range(20):
        for row in rows(2, 0.0, f"system{number}"):
            moved = row["query_set"] == "dev.misspell"
            made.append(row | {"values": row["values"] * (1 + moved * draw.normal(0, 0.1))})
    for by, kept in ((0.01, ["misspell"]), (0.5, ["misspell", "synonym"])):
        few = [
            row | {"query_set": "dev.synonym", "values": row["values"] * (1 + draw.normal(0, by))}
            for row in rows(2, 0.0, "system0") + rows(2, 0.0, "system1")
            if row["query_set"] == "dev.misspell"
        ]
        assert list(summary(pd.DataFrame(made + few))["RR@10"]["drops"]) == kept


def test_a_mean_over_variations_has_a_deviation_of_its_own_of_the_runs_that_have_all():
    """Misspelled queries move by .2, synonyms as much the other way and by .06 more: their mean moves by .03."""
    draw, made = np.random.default_rng(1), []
    for number in range(12):
        for row in rows(3, 0.0, f"system{number}"):
            made += [row, row | {"query_set": "dev.stem"}] if row["query_set"] == "dev.misspell" else [row]
            if row["query_set"] == "dev.misspell":
                by, more, original = draw.normal(0, 0.2), draw.normal(0, 0.06), row["values"]
                made[-2] = row | {"values": original * (1 + by)}
                made.append(row | {"query_set": "dev.synonym", "values": original * (1 - by + more)})
    lists = [("misspell", "synonym"), ("misspell", "absent")]
    means = {(made[0]["collection"], "dev"): lists, ("other", "dev"): [("a", "b")]}
    found = summary(pd.DataFrame(made), means)["RR@10"]["drops"]
    assert found["misspell+synonym"]["sd"] == pytest.approx(0.021, rel=0.4)  # .03 of seven tenths
    assert found["misspell"]["sd"] == pytest.approx(0.14, rel=0.4)
    assert "misspell+synonym" not in summary(pd.DataFrame(made))["RR@10"]["drops"] and "absent+misspell" not in found
    without = [row for row in made if (row["query_set"], row["seed"]) != ("dev.synonym", 2)]
    assert summary(pd.DataFrame(without), means)["seeds"]["RR@10"]["pairs"] == 12 * (3 + 3 + 3 + 1 + 1)


def test_a_deviation_that_is_zero_is_not_sure():
    """Queries make all of the difference between the runs of twenty systems: the variation has that of all, nothing."""
    many = pd.DataFrame([row for number in range(20) for row in rows(2, 0.0, f"system{number}")])
    many = many.assign(values=many.groupby(["system", "query_set"])["values"].transform("first"))
    found = summary(many)["RR@10"]
    assert found["drop"] == {"sd": 0.0, "df": 20.0, "common": 0.0} and "drops" not in found


def test_variations_of_few_degrees_have_one_deviation_together_or_a_larger_one_of_their_own():
    """Misspelled queries move by .3. Three others, each of six systems with two runs, move by a tenth of that.

    Typos have two shares, of six systems each, which move by .2 and are one family. Tenses have two systems and move
    by .2: too few to be sure, and yet they do not take the smaller deviation.
    """
    draw, made = np.random.default_rng(1), []
    for number in range(18):
        moves = {("stem", "lemmatise", "reorder_words")[number % 3]: 0.03}
        moves |= {("typo", "typo.share20", "")[number % 3]: 0.2} | ({"tense": 0.2} if number < 2 else {})
        for row in rows(2, 0.0, f"system{number}"):
            made.append(row)
            if row["query_set"] == "dev.misspell":
                made[-1] = row | {"values": row["values"] * (1 + draw.normal(0, 0.3))}
                for name, by in moves.items():
                    moved = row["values"] * (1 + draw.normal(0, by))
                    made += [row | {"query_set": f"dev.{name}", "values": moved}] if name else []
    found = summary(pd.DataFrame(made))["RR@10"]
    sd = {name: of["sd"] for name, of in found["drops"].items()}
    assert sd["stem"] == sd["lemmatise"] == sd["reorder_words"] and sd["typo"] == sd["typo.share20"]
    assert 2 * sd["stem"] < sd["typo"] == pytest.approx(0.14, rel=0.5)
    assert sd["tense"] > 2 * sd["stem"] and sd["misspell"] == pytest.approx(0.21, rel=0.4)


def test_each_collection_has_deviations_of_its_own_and_one_of_few_runs_has_none():
    """On `calm` runs differ by nothing, on `wild` by a tenth of the mean; `rare` has two runs."""
    draw, made = np.random.default_rng(1), []
    for number, collection in enumerate(["calm", "wild"] * 10 + ["rare"]):
        for row in rows(2, 0.0, f"system{number}"):
            factor = 1 + (collection != "calm") * draw.normal(0, 0.1)
            made.append(row | {"collection": collection, "values": row["values"] * factor})
    found = summary(pd.DataFrame(made))["RR@10"]
    calm, wild = found["collections"].values()
    assert list(found["collections"]) == ["calm", "wild"] and wild["mean"]["sd"] == pytest.approx(0.1, rel=0.4)
    assert calm["mean"]["sd"] < 0.01 < found["mean"]["sd"] < wild["mean"]["sd"]


def test_the_rate_with_the_variance_needs_another_system():
    assert "with" not in summary(pd.DataFrame(rows(3, 0.1)))["seeds"]["RR@10"]


def test_a_paired_t_test_by_hand():
    a, b = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 1.5, 2.0, 3.5])  # mean .75, sd sqrt(1/12): t = 5.2, p = .014
    assert differ(a, b) and not differ(a, a)
    assert sqrt(1 / 12 / 4) == pytest.approx(0.75 / 5.196, rel=1e-3)
