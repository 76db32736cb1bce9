"""Splits with judged candidates in the job graph: no first stage, what is read, the keys that move, one clear error."""

import json
from pathlib import Path

import pytest
from tests.changes import changed
from tests.recipes import with_systems

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.experiments.models import Evaluation
from robustdr.graph.graph import graph, graphs
from robustdr.reporting import layouts

ROOT = Path(__file__).parents[2]
AT = ("wordnet-candidates", "test")
QRELS = "results/mini/collections/wordnet-candidates/test/qrels.txt"
JUDGED = {"label": "J", "kind": "rerank", "candidates": "judged", "ranker": {"name": "mono_bert"}}
JUDGED |= {"initial": "base", "budget": "mono_bert"}
SPELLED = {"label": "S", "kind": "rewrite", "rewriter": "symspell", "edits": 2, "ranker": "judged"}
SYSTEMS = ["bm25_terrier", "rm3", "mono_bert", "judged", "spelled"]
KIND = "qwerty_char_substitution"


def configured(role="wikiqa", split="test", systems=SYSTEMS):
    """The configuration with a table of qvg's over the role."""
    config = load(ROOT / "config")
    config.papers.pop("intent"), config.claims.pop("intent")  # it ranks judged candidates too
    config = with_systems(config, "qvg", {"judged": JUDGED, "spelled": SPELLED})
    measures = ["AP", "RR", "nDCG@10", "P@10"]
    evaluation = Evaluation(split=split, variations=[KIND], measures=measures)
    rows = {"rows": "systems", "title": "T", "collections": [role], "systems": systems}
    table = layouts.read_layout({**rows, "measures": measures}, "table99")
    config = changed(config, "papers", "qvg", "evaluation", role, evaluation)
    return changed(config, "papers", "qvg", "tables", "table99", table)


@pytest.fixture(scope="module")
def config():
    return configured()


def run_keys(config, split=AT):
    job_graph = graph(config, "mini")
    return {name: job_graph.run(name, job_graph.lineage.seeds(name)[0], split, KIND).key for name in SYSTEMS}


def test_every_system_reads_the_qrels_and_no_first_stage_is_searched(config):
    job_graph = graph(config, "mini")
    searched = [(kinds, systems) for kinds, systems in job_graph.demand.searches()[AT].items()]
    assert searched == [(("original", KIND), SYSTEMS)]
    for system in SYSTEMS:
        ranking = job_graph.ranking(system, job_graph.lineage.seeds(system)[0], AT, ("original", KIND))
        assert ranking.inputs["judged"].paths == [QRELS]
        assert QRELS in [node.path for node in ranking.input_nodes]
        assert "candidates" not in ranking.inputs or not ranking.inputs["candidates"].paths
    single = graph(configured(systems=["mono_bert"]), "mini")
    # BM25, whose passages it ranks elsewhere, is not searched.
    assert single.demand.searches()[AT] == {("original", KIND): ["mono_bert"]}


def test_splits_without_them_are_ranked_as_ever(config):
    job_graph, split = graph(config, "mini"), ("wordnet-mini", "test")
    ranking = job_graph.ranking("mono_bert", 1, split, ("original",))
    assert "judged" not in ranking.inputs and len(ranking.inputs["candidates"].paths) == 1
    of_kind = job_graph.lineage.kind("mono_bert").reads(job_graph, "mono_bert", 1, split, ["original"])
    assert ranking.inputs.keys() == {"corpus", "queries", *of_kind}
    assert {name: ranking.inputs[name].paths for name in of_kind} == {
        name: entry.paths for name, entry in of_kind.items()
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source["splits"]["test"].update(distractors=9),
        lambda source: source["splits"]["train"].pop("candidates"),  # a collection's entry has one key
        lambda source: source.update(binary_from=2),
    ],
)
def test_what_decides_the_candidates_moves_the_keys(config, change):
    source = json.loads(json.dumps(config.collections["wordnet-candidates"]))
    change(source)
    edited = changed(config, "collections", "wordnet-candidates", source)
    before, after = run_keys(config), run_keys(edited)
    assert not set(before.values()) & set(after.values())


def test_a_search_of_all_passages_has_other_keys():
    systems = ["bm25_terrier", "rm3", "mono_bert"]
    config = configured(systems=systems)
    source = dict(config.collections["wordnet-candidates"]["splits"]["test"])
    del source["candidates"]
    judged = graph(config, "mini")
    everything = graph(changed(config, "collections", "wordnet-candidates", "splits", "test", source), "mini")
    assert everything.ranking("mono_bert", 1, AT, ("original",)).inputs["candidates"].paths
    for system in systems:
        seed = judged.lineage.seeds(system)[0]
        assert everything.run(system, seed, AT, KIND).key != judged.run(system, seed, AT, KIND).key


@pytest.mark.parametrize("system", ["judged", "spelled"])
def test_a_reranker_of_judged_candidates_alone_where_there_are_none(system):
    config = configured("trec-dl-2019", systems=[system])
    message = (
        r"config/papers/qvg/experiment\.yaml: systems\.judged\.candidates: 'judged', but 'test' of \S+ \(scale \w+\) "
        r"has none; name a first stage, or set `candidates: judged` for that split in collections\.yaml"
    )
    with pytest.raises(UserError, match=message):
        graphs(config)


def test_the_roles_of_a_paper_with_candidates_are_bound_at_every_scale(config):
    """WikiQA's questions rank their candidates everywhere; both roles bring hard negatives of their own."""
    for scale in config.scales:
        lineage = graph(config, scale).lineage
        wikiqa, antique = lineage.collection_of("wikiqa"), lineage.collection_of("antique-binary")
        assert all(config.judged_candidates(wikiqa, split) for split in ("train", "dev", "test"))
        assert not config.judged_candidates(antique, "test") and "binary_from" in config.collections[antique]
        assert {"wikiqa", "antique-binary"} <= set(lineage.scale.negatives.from_judgements)
    assert json.dumps(config.collections["wikiqa"]["splits"]).count('"revision"') == 3
