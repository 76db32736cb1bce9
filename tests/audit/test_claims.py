"""Claims: every verdict on values chosen for it, and what cannot be tested says so."""

import inspect
import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from audit.judging import verdict
from robustdr.audit.claims import TESTS
from robustdr.errors import UserError
from robustdr.evaluation.statistics import paired_t_test
from robustdr.evaluation.store import Source, Store
from robustdr.reporting.claims import write_claims

ROOT = Path(__file__).parents[2]
GOOD, SLIGHTLY_BETTER, FAIR, BAD = [1, 1, 2, 1] * 10, [1, 1, 2, 1] * 9 + [1] * 4, [2, 2, 2, 4] * 10, [4, 0, 4, 5] * 10
BETTER = [1] * 40
RR = {rank: 1 / rank if rank else 0 for rank in range(11)}


# What each test needs beside `system` and `query_sets`.
OTHERS = {
    "improves": {"over": ["dr_oq"]},
    "not_worse": {"than": "dr_oq"},
    "loses": {},
    "hurts_most": {},
    "hurts_least": {},
    "helps_most": {"base": "dr_oq"},
    "helps_least": {"base": "dr_oq"},
    "smaller_drop": {"than": ["dr_oq"]},
    "relative_loss": {"base": "dr_oq", "loss": 0.1, "margin": 0.05},
    "equivalence": {"to": "dr_oq", "base": "dr_oq", "margin": 0.1},
    "share_of_gain": {"snapshot": "dr_oq", "base": "dr_oq", "share": 0.5},
    "loss_shrinks": {"from_measure": "RR@10", "by": 0.5, "margin": 0.1},
    "gain_shrinks": {"base": "dr_oq", "from_measure": "RR@10"},
}


@pytest.mark.parametrize(
    "ours, theirs, expected",
    [(GOOD, BAD, "holds"), (BAD, GOOD, "fails"), (GOOD, GOOD, "inconclusive"), (SLIGHTLY_BETTER, GOOD, "inconclusive")],
)
def test_improves(store, ours, theirs, expected):
    values = store({"rodr": {"original": ours}, "dr_oq": {"original": theirs}})
    found, evidence = verdict(values, "improves", system="rodr", over=["dr_oq"], query_sets=["original"])
    assert found == expected
    test = paired_t_test(np.array([RR[r] for r in ours]), np.array([RR[r] for r in theirs]))
    assert evidence == f"original: {100 * test.difference:+.1f} points over dr_oq (p = {test.p:.2g})"


def test_improves_needs_every_system_and_query_set(store):
    values = store(
        {
            "rodr": {"original": GOOD, "misspell": GOOD},
            "dr_oq": {"original": BAD, "misspell": BAD},
            "dr_qv": {"original": BAD, "misspell": GOOD},
        }
    )
    sets = ["original", "misspell"]
    assert verdict(values, "improves", system="rodr", over=["dr_oq"], query_sets=sets)[0] == "holds"
    assert verdict(values, "improves", system="rodr", over=["dr_oq", "dr_qv"], query_sets=sets)[0] == "inconclusive"


def test_many_tests_are_corrected(store):
    """p is about .01 each: one test passes at .02, four of them together do not."""
    nearly = [1] * 30 + [2] * 10
    ours = [1] * 36 + [2] * 4
    p = paired_t_test(np.array([RR[r] for r in ours]), np.array([RR[r] for r in nearly])).p
    assert 0.005 < p < 0.02
    kinds = ["a", "b", "c", "d"]
    values = store({"rodr": dict.fromkeys(kinds, ours), "dr_oq": dict.fromkeys(kinds, nearly)})
    arguments = {"level": 0.02, "system": "rodr", "over": ["dr_oq"]}
    assert verdict(values, "improves", query_sets=["a"], **arguments)[0] == "holds"
    found, evidence = verdict(values, "improves", query_sets=kinds, **arguments)
    assert found == "inconclusive"
    assert evidence.count(f"(p = {4 * p:.2g})") == 4


@pytest.mark.parametrize("ours, expected", [(GOOD, "holds"), (FAIR, "fails"), (SLIGHTLY_BETTER, "holds")])
def test_not_worse(store, ours, expected):
    values = store({"rodr": {"original": ours}, "dr_oq": {"original": GOOD}})
    assert verdict(values, "not_worse", system="rodr", than="dr_oq", query_sets=["original"])[0] == expected


def test_hurts_most_and_least(store):
    values = store({"dr_oq": {"original": GOOD, "misspell": BAD, "swap": FAIR, "marks": GOOD}})
    assert verdict(values, "hurts_most", system="dr_oq", query_sets=["misspell"])[0] == "holds"
    assert verdict(values, "hurts_most", system="dr_oq", query_sets=["swap"])[0] == "fails"
    assert verdict(values, "hurts_least", system="dr_oq", query_sets=["marks"])[0] == "holds"
    assert verdict(values, "hurts_least", system="dr_oq", query_sets=["swap"])[0] == "fails"
    found, evidence = verdict(values, "hurts_least", system="dr_oq", query_sets=["marks", "swap"])
    assert found == "holds"
    # Means: .875; (.25 + 0 + .25 + .2) / 4 = .175; (3 · .5 + .25) / 4 = .4375.
    assert evidence == "drops: misspell -80.0%, swap -50.0%, marks +0.0%"


def test_smaller_drop(store):
    """A system that is worse everywhere may still lose less."""
    values = store({"rodr": {"original": FAIR, "misspell": FAIR}, "dr_oq": {"original": GOOD, "misspell": FAIR}})
    arguments = {"than": ["dr_oq"], "query_sets": ["misspell"]}
    found, evidence = verdict(values, "smaller_drop", system="rodr", **arguments)
    assert found == "holds"
    assert evidence.startswith("misspell: +0.0% against -50.0% of dr_oq (p = ")
    assert verdict(values, "smaller_drop", system="dr_oq", than=["rodr"], query_sets=["misspell"])[0] == "fails"


@pytest.mark.parametrize(
    "ours, expected, drop", [(FAIR, "holds", "-50.0%"), (GOOD, "inconclusive", "+0.0%"), (BETTER, "fails", "+14.3%")]
)
def test_loses(store, ours, expected, drop):
    """.875 on the original queries; .4375, .875 and 1 on the misspelled ones."""
    values = store({"dr_oq": {"original": GOOD, "misspell": ours}})
    found, evidence = verdict(values, "loses", system="dr_oq", query_sets=["misspell"])
    assert found == expected
    assert evidence.startswith(f"misspell: {drop} (p = ")


def test_helps_most_and_least(store):
    """Gains of .7, .4375 and 0 over a base whose mean on the original queries is .875."""
    sets = {"original": GOOD, "misspell": BAD, "swap": FAIR, "marks": GOOD}
    values = store({"dr_oq": sets, "rodr": dict.fromkeys(sets, GOOD)})
    arguments = {"system": "rodr", "base": "dr_oq"}
    found, evidence = verdict(values, "helps_most", query_sets=["misspell"], **arguments)
    assert (found, evidence) == ("holds", "gains over dr_oq: marks +0.0%, swap +50.0%, misspell +80.0%")
    assert verdict(values, "helps_most", query_sets=["swap"], **arguments)[0] == "fails"
    assert verdict(values, "helps_least", query_sets=["marks"], **arguments)[0] == "holds"
    assert verdict(values, "helps_least", query_sets=["swap"], **arguments)[0] == "fails"


def test_a_mean_is_not_compared_with_its_own_variations(store):
    """`misspell` alone costs more than the mean of which it is a part."""
    values = store(
        {"dr_oq": {"original": GOOD, "misspell": BAD, "keys": FAIR, "marks": GOOD}}, typos_mean=["misspell", "keys"]
    )
    assert verdict(values, "hurts_most", system="dr_oq", query_sets=["typos_mean"])[0] == "holds"


@pytest.mark.parametrize("name", ["hurts_most", "hurts_least", "helps_most", "helps_least"])
def test_nothing_to_compare_with_proves_nothing(store, name):
    values = store({"dr_oq": {"original": GOOD, "misspell": BAD}})
    assert verdict(values, name, system="dr_oq", query_sets=["misspell"], **OTHERS[name])[0] == "inconclusive"


@pytest.mark.parametrize("name, others", OTHERS.items())
def test_what_was_not_run_is_not_tested(store, name, others):
    values = store({"dr_oq": {"original": GOOD, "misspell": BAD}})
    found, evidence = verdict(values, name, system="rodr", query_sets=["misspell"], **others)
    assert (found, evidence) == ("not tested here", "rodr on toy: not run")
    found, evidence = verdict(values, name, system="dr_oq", query_sets=["swap"], **others)
    assert (found, evidence) == ("not tested here", "dr_oq on toy: no RR@10 for dev.swap was measured")


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_queries_does_not_matter(store, seed):
    random = np.random.default_rng(seed)
    ranks = random.integers(0, 6, size=(2, 3, 40))
    ranks[1, 0] = random.integers(1, 3, size=40)  # dr_oq, original queries: differences large enough for all verdicts

    def judged(ranks):
        sets = [dict(zip(["original", "misspell", "swap"], of_system.tolist(), strict=True)) for of_system in ranks]
        values = store({"rodr": sets[0], "dr_oq": sets[1]})
        return [verdict(values, name, system="rodr", query_sets=["misspell"], **OTHERS[name]) for name in TESTS]

    found = judged(ranks)
    assert judged(ranks[:, :, random.permutation(40)]) == found
    assert len({verdict for verdict, _ in found}) > 1


def test_a_stale_file_is_not_tested_and_named(measured):
    path = measured("rodr", {"dev.original": GOOD}, key="old")
    found, evidence = verdict(
        Store([Source(path, "new")]), "not_worse", system="rodr", than="rodr", query_sets=["original"]
    )
    assert found == "not tested here"
    assert f"{path} carries the key old" in evidence


def test_unknown_test(store):
    with pytest.raises(UserError, match=r"claims\.yaml: test: 'improve' is unknown \(did you mean improves\?\)"):
        verdict(store({}), "improve", system="rodr", over=["dr_oq"], query_sets=["original"])


def test_the_schema_knows_every_test_and_its_arguments():
    schema = json.loads((ROOT / "config/schemas/claims.schema.json").read_text())["$defs"]["test"]
    assert set(schema["properties"]["name"]["enum"]) == set(TESTS)
    allowed = {
        name: set(branch["then"]["properties"]) - {"name"}
        for branch in schema["allOf"]
        for name in branch["if"]["properties"]["name"]["enum"]
    }
    assert allowed == {name: set(inspect.signature(test).parameters) - {"place"} for name, test in TESTS.items()}


def test_the_page_of_claims(measured, tmp_path):
    better = measured("rodr", {"dev.original": GOOD})
    worse = measured("dr_oq", {"dev.original": BAD})
    claims = [
        {
            "claim": f"{over} is worse",
            "source": "§4",
            "role": "msmarco-passage",
            "measure": "RR@100",
            "level": 0.01,
            "test": {"name": "improves", "system": "rodr", "over": [over], "query_sets": ["original"]},
        }
        for over in ("dr_oq", "ance")
    ]
    (tmp_path / "claims.yaml").write_text(yaml.safe_dump({"claims": claims}))
    settings = {
        "title": "A paper",
        "miniature": "Of something.",
        "command": "snakemake claims.md",
        "evaluation": {"msmarco-passage": {"collection": "toy", "split": "dev", "means": {}}},
        "measured": {"RR@100": "RR@10"},
        "reasons": {"ance": "released as a pickle only"},
        "keys": {str(better): "key", str(worse): "key"},
    }
    write_claims(settings, [better, worse], tmp_path / "claims.yaml", tmp_path / "rodr.md")
    verdicts = json.loads((tmp_path / "rodr.json").read_text())["claims"]
    assert [v["verdict"] for v in verdicts] == ["holds", "not tested here"]
    assert verdicts[1]["evidence"] == "ance on toy: released as a pickle only"
    page = (tmp_path / "rodr.md").read_text()
    assert page.startswith("# A paper: claims\n\n> **Miniature.** Of something.\n\n2 claims: 1 holds, 0 fails, ")
    for v in verdicts:
        assert f"| **{v['verdict']}** | {v['claim']} (§4) | {v['test']}: {v['evidence']} |" in page
