"""Splits with judged candidates in the plan: no first stage, what is read, the keys that move, and one clear error."""

import copy
import json
from pathlib import Path

import pytest

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.graph.plan import Plan, plans

ROOT = Path(__file__).parents[2]
AT = ("wordnet-candidates", "test")
QRELS = "results/mini/collections/wordnet-candidates/test/qrels.txt"
JUDGED = {"label": "J", "paper": "qvg", "kind": "rerank", "candidates": "judged", "ranker": {"name": "mono_bert"}}
JUDGED |= {"initial": "base", "budget": "mono_bert"}
SPELLED = {"label": "S", "paper": "qvg", "kind": "rewrite", "rewriter": "symspell", "edits": 2, "ranker": "judged"}
SYSTEMS = ["bm25_terrier", "rm3", "mono_bert", "judged", "spelled"]
KIND = "qwerty_char_substitution"


def configured(role="wikiqa", split="test", systems=SYSTEMS):
    """The configuration with a table of qvg's over the role."""
    made = copy.deepcopy(load(ROOT / "config"))
    made.papers.pop("intent"), made.claims.pop("intent")  # it ranks judged candidates too
    made.systems.update(judged=JUDGED, spelled=SPELLED)
    evaluation = {"split": split, "variations": [KIND], "measures": ["AP", "RR", "nDCG@10", "P@10"]}
    made.papers["qvg"]["evaluation"][role] = evaluation
    rows = {"rows": "systems", "title": "T", "collections": [role], "systems": systems, "query_sets": ["original"]}
    made.papers["qvg"]["tables"]["table99"] = {**rows, "measures": evaluation["measures"]}
    return made


@pytest.fixture(scope="module")
def config():
    return configured()


def run_keys(config, at=AT):
    plan = Plan(config, "mini")
    return {name: plan.run_key(name, plan.seeds(name)[0], *at, KIND) for name in SYSTEMS}


def test_every_system_reads_the_qrels_and_no_first_stage_is_searched(config):
    plan = Plan(config, "mini")
    searched = [(kinds, systems) for kinds, systems in plan.searches()[AT].items()]
    assert searched == [(("original", KIND), SYSTEMS)]
    for system in SYSTEMS:
        read = plan.ranking(system, plan.seeds(system)[0], AT, ["original", KIND])
        assert read.paths["judged"] == [QRELS] and QRELS in read.files
        assert not read.paths.get("candidates")
    one = Plan(configured(systems=["mono_bert"]), "mini")
    assert one.searches()[AT] == {("original", KIND): ["mono_bert"]}  # BM25, whose passages it ranks elsewhere, is not


def test_splits_without_them_are_ranked_as_ever(config):
    plan = Plan(config, "mini")
    read = plan.ranking("mono_bert", 1, ("wordnet-mini", "test"), ["original"])
    assert "judged" not in read.paths and len(read.paths["candidates"]) == 1
    assert read == plan.kind("mono_bert").reads(plan, "mono_bert", 1, ("wordnet-mini", "test"), ["original"])


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source["splits"]["test"].update(distractors=9),
        lambda source: source["splits"]["train"].pop("candidates"),  # a collection's entry has one key
        lambda source: source.update(binary_from=2),
    ],
)
def test_what_decides_the_candidates_moves_the_keys(config, change):
    made = copy.deepcopy(config)
    change(made.collections["wordnet-candidates"])
    before, after = run_keys(config), run_keys(made)
    assert not set(before.values()) & set(after.values())


def test_a_search_of_all_passages_has_other_keys():
    systems = ["bm25_terrier", "rm3", "mono_bert"]
    judged, everything = (configured(systems=systems) for _ in range(2))
    del everything.collections["wordnet-candidates"]["splits"]["test"]["candidates"]
    plan = Plan(everything, "mini")
    assert plan.ranking("mono_bert", 1, AT, ["original"]).paths["candidates"]
    for system in systems:
        seed = plan.seeds(system)[0]
        assert plan.run_key(system, seed, *AT, KIND) != Plan(judged, "mini").run_key(system, seed, *AT, KIND)


@pytest.mark.parametrize("system", ["judged", "spelled"])
def test_a_reranker_of_judged_candidates_alone_where_there_are_none(system):
    made = configured("trec-dl-2019", systems=[system])
    message = (
        r"config/papers/qvg/experiment\.yaml: systems\.judged\.candidates: 'judged', but 'test' of \S+ \(scale \w+\) "
        r"has none; name a first stage, or say `candidates: judged` of that split in collections\.yaml"
    )
    with pytest.raises(UserError, match=message):
        plans(made)


def test_the_roles_of_a_paper_with_candidates_are_bound_at_every_scale(config):
    """WikiQA's questions rank their candidates everywhere; both roles bring hard negatives of their own."""
    for scale in config.scales:
        plan = Plan(config, scale)
        wikiqa, antique = plan.collection_of("wikiqa"), plan.collection_of("antique-binary")
        assert all(config.judged_candidates(wikiqa, split) for split in ("train", "dev", "test"))
        assert not config.judged_candidates(antique, "test") and "binary_from" in config.collections[antique]
        assert {"wikiqa", "antique-binary"} <= set(plan.bound["negatives"]["judged"])
    assert json.dumps(config.collections["wikiqa"]["splits"]).count('"revision"') == 3
