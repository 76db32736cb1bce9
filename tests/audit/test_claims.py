"""Claims: every verdict on values chosen for it, and what cannot be tested says so."""

import inspect
import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from robustdr.audit.claims import TESTS, judge
from robustdr.errors import UserError
from robustdr.evaluation.statistics import paired_t_test
from robustdr.evaluation.store import Source, Store
from robustdr.reporting.claims import write_claims

ROOT = Path(__file__).parents[2]
GOOD, SLIGHTLY_BETTER, FAIR, BAD = [1, 1, 2, 1] * 10, [1, 1, 2, 1] * 9 + [1] * 4, [2, 2, 2, 4] * 10, [4, 0, 4, 5] * 10
RR = {rank: 1 / rank if rank else 0 for rank in range(11)}


@pytest.fixture()
def store(measured):
    """`store(rodr={"original": ranks, …}, …)`: measured values of systems on the split `dev`."""

    def make(**systems):
        named = {system: {f"dev.{kind}": ranks for kind, ranks in sets.items()} for system, sets in systems.items()}
        return Store([Source(measured(system, sets), "key") for system, sets in named.items()])

    return make


def verdict(store, name, level=0.01, **arguments):
    claim = {
        "claim": "It is so",
        "source": "§4",
        "measure": "RR@10",
        "level": level,
        "test": {"name": name, **arguments},
    }
    found = judge(claim, store, "toy", "dev", Path("claims.yaml"))
    assert (found.claim, found.source) == ("It is so", "§4")
    return found.verdict, found.evidence


@pytest.mark.parametrize(
    "ours, theirs, expected",
    [(GOOD, BAD, "holds"), (BAD, GOOD, "fails"), (GOOD, GOOD, "inconclusive"), (SLIGHTLY_BETTER, GOOD, "inconclusive")],
)
def test_improves(store, ours, theirs, expected):
    values = store(rodr={"original": ours}, dr_oq={"original": theirs})
    found, evidence = verdict(values, "improves", system="rodr", over=["dr_oq"], query_sets=["original"])
    assert found == expected
    test = paired_t_test(np.array([RR[r] for r in ours]), np.array([RR[r] for r in theirs]))
    assert evidence == f"original: {100 * test.difference:+.1f} points over dr_oq (p = {test.p:.2g})"


def test_improves_needs_every_system_and_query_set(store):
    values = store(
        rodr={"original": GOOD, "misspell": GOOD},
        dr_oq={"original": BAD, "misspell": BAD},
        dr_qv={"original": BAD, "misspell": GOOD},
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
    values = store(rodr=dict.fromkeys(kinds, ours), dr_oq=dict.fromkeys(kinds, nearly))
    arguments = {"level": 0.02, "system": "rodr", "over": ["dr_oq"]}
    assert verdict(values, "improves", query_sets=["a"], **arguments)[0] == "holds"
    found, evidence = verdict(values, "improves", query_sets=kinds, **arguments)
    assert found == "inconclusive"
    assert evidence.count(f"(p = {4 * p:.2g})") == 4


@pytest.mark.parametrize("ours, expected", [(GOOD, "holds"), (FAIR, "fails"), (SLIGHTLY_BETTER, "holds")])
def test_not_worse(store, ours, expected):
    values = store(rodr={"original": ours}, dr_oq={"original": GOOD})
    assert verdict(values, "not_worse", system="rodr", than="dr_oq", query_sets=["original"])[0] == expected


def test_hurts_most_and_least(store):
    values = store(dr_oq={"original": GOOD, "misspell": BAD, "swap": FAIR, "marks": GOOD})
    assert verdict(values, "hurts_most", system="dr_oq", query_sets=["misspell"])[0] == "holds"
    assert verdict(values, "hurts_most", system="dr_oq", query_sets=["swap"])[0] == "fails"
    assert verdict(values, "hurts_least", system="dr_oq", query_sets=["marks"])[0] == "holds"
    assert verdict(values, "hurts_least", system="dr_oq", query_sets=["swap"])[0] == "fails"
    found, evidence = verdict(values, "hurts_least", system="dr_oq", query_sets=["marks", "swap"])
    assert found == "holds"
    # Means: .875; (.25 + 0 + .25 + .2) / 4 = .175; (3 · .5 + .25) / 4 = .4375.
    assert evidence == "drops: misspell -80.0%, swap -50.0%, marks -0.0%"


def test_smaller_drop(store):
    """A system that is worse everywhere may still lose less."""
    values = store(rodr={"original": FAIR, "misspell": FAIR}, dr_oq={"original": GOOD, "misspell": FAIR})
    arguments = {"than": ["dr_oq"], "query_sets": ["misspell"]}
    found, evidence = verdict(values, "smaller_drop", system="rodr", **arguments)
    assert found == "holds"
    assert evidence.startswith("misspell: -0.0% against -50.0% of dr_oq (p = ")
    assert verdict(values, "smaller_drop", system="dr_oq", than=["rodr"], query_sets=["misspell"])[0] == "fails"


@pytest.mark.parametrize("name", ["hurts_most", "hurts_least"])
def test_nothing_to_compare_with_proves_nothing(store, name):
    values = store(dr_oq={"original": GOOD, "misspell": BAD})
    assert verdict(values, name, system="dr_oq", query_sets=["misspell"])[0] == "inconclusive"


@pytest.mark.parametrize(
    "name, others",
    [
        ("improves", {"over": ["dr_oq"]}),
        ("not_worse", {"than": "dr_oq"}),
        ("hurts_most", {}),
        ("hurts_least", {}),
        ("smaller_drop", {"than": ["dr_oq"]}),
    ],
)
def test_what_was_not_run_is_not_tested(store, name, others):
    values = store(dr_oq={"original": GOOD, "misspell": BAD})
    found, evidence = verdict(values, name, system="rodr", query_sets=["misspell"], **others)
    assert (found, evidence) == ("not tested here", "rodr on toy: not run")
    found, evidence = verdict(values, name, system="dr_oq", query_sets=["swap"], **others)
    assert (found, evidence) == ("not tested here", "dr_oq on toy: no RR@10 for dev.swap was measured")


def test_a_stale_file_is_not_tested_and_named(measured):
    path = measured("rodr", {"dev.original": GOOD}, key="old")
    found, evidence = verdict(
        Store([Source(path, "new")]), "not_worse", system="rodr", than="rodr", query_sets=["original"]
    )
    assert found == "not tested here"
    assert f"{path} carries the key old" in evidence


def test_unknown_test(store):
    with pytest.raises(UserError, match=r"claims\.yaml: test: 'improve' is unknown \(did you mean improves\?\)"):
        verdict(store(), "improve", system="rodr", over=["dr_oq"], query_sets=["original"])


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
        "evaluation": {"msmarco-passage": {"collection": "toy", "split": "dev"}},
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
