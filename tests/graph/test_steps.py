"""The steps behind a system: its training and that of its lineage, first stages, and vectors."""

from pathlib import Path

import pytest

from robustdr.experiments.config import load
from robustdr.graph import reports
from robustdr.graph.plan import Plan
from robustdr.graph.steps import steps

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plan():
    return Plan(load(ROOT / "config"), "mini")


def names(found):
    return [step.name for step in found]


def test_a_trained_system_rests_on_its_lineage(plan):
    found = steps(plan, "rodr", "wordnet-mini")
    paths = [step.path for step in found]
    trained = [path.split("/")[4] for path, step in zip(paths, found, strict=True) if step.name == "train"]
    assert trained[-1] == "rodr" and "dr_oq" in trained
    assert paths.index("results/mini/models/wordnet-mini/dr_oq/seed1") < paths.index(
        "results/mini/models/wordnet-mini/rodr/seed1"
    )
    assert found[-1].path == "results/mini/measures/wordnet-mini/rodr/seed1.parquet"
    assert found[-1].key == plan.measures_key("rodr", 1, "wordnet-mini")
    assert {"corpus", "split", "vary", "checkpoint", "training_data", "rank"} <= set(names(found))
    assert len(set(paths)) == len(paths)


def test_a_reranker_rests_on_its_first_stage(plan):
    found = steps(plan, "mono_bert", "wordnet-mini")
    ranked = [step.path for step in found if step.name == "rank"]
    first = ranked.index("results/mini/runs/wordnet-mini/bm25_terrier/seed0/test.original.arrow")
    assert first < ranked.index("results/mini/runs/wordnet-mini/mono_bert/seed1/test.original.arrow")


def test_a_ranking_of_words_has_no_training(plan):
    found = steps(plan, "bm25_terrier", "wordnet-mini")
    assert {"corpus", "split", "vary", "index", "rank", "evaluate"} == set(names(found))


def test_a_query_set_rests_on_its_shards():
    plan = Plan(load(ROOT / "config"), "full")
    found = steps(plan, "capot_orcas_trivia", "trivia-qa")
    shards = [step for step in found if step.name == "vary_shard" and "/back_translation/" in step.path]
    assert len(shards) == 21 and {step.key for step in shards} == {
        step.key for step in found if step.path == "results/variations/orcas/train/back_translation.tsv"
    }
    assert shards[0].benchmark == "results/benchmarks/vary_shard/orcas.train.back_translation.0-of-21.tsv"


def test_every_kind_of_system_has_its_steps(plan):
    explored = reports.explored(plan, list(plan.config.papers)).items()
    kinds = {type(plan.kind(system)): (system, collection) for collection, systems in explored for system in systems}
    assert len(kinds) > 4
    for place in kinds.values():
        found = steps(plan, *place)
        assert found[-1].name == "evaluate" and all(len(step.key) == 16 for step in found)
        assert all(step.path.startswith(f"{plan.root}/") for step in found)
