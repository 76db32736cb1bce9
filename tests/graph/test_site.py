"""The steps behind a system: its training and that of its lineage, first stages, and vectors."""

from robustdr.graph.site import explored, measures, site_settings, steps


def steps_of(graph, system, collection):
    """The steps behind all measures of a system."""
    return steps(graph, system, measures(graph, tuple(graph.lineage.config.papers), system, collection))


def names(found):
    return [step.name for step in found]


def test_a_trained_system_rests_on_its_lineage(mini):
    found = steps_of(mini, "rodr", "wordnet-mini")
    paths = [step.path for step in found]
    trained = [path.split("/")[4] for path, step in zip(paths, found, strict=True) if step.name == "train"]
    assert trained[-1] == "rodr" and "dr_oq" in trained
    assert paths.index("results/mini/models/wordnet-mini/dr_oq/seed1") < paths.index(
        "results/mini/models/wordnet-mini/rodr/seed1"
    )
    last = mini.demand.measured()["rodr", ("wordnet-mini", "dev")][-1][0]
    assert found[-1].path == f"results/mini/measures/wordnet-mini/rodr/seed1/dev.{last}.parquet"
    assert found[-1].key == mini.measures("rodr", 1, ("wordnet-mini", "dev"), last).key
    made = {"write_passages", "download_queries", "vary", "download_checkpoint", "training_data", "mine", "retrieve"}
    assert made <= set(names(found))
    assert len(set(paths)) == len(paths)


def test_a_step_of_training_is_for_every_query_set(mini):
    """A variation of training queries too; one of evaluated queries is for its own."""
    found = {step.path: step.query_set for step in steps_of(mini, "rodr", "wordnet-mini")}
    assert found["results/mini/variations/wordnet-mini/dev/misspell.tsv"] == "dev.misspell"
    assert found["results/mini/runs/wordnet-mini/rodr/seed1/dev.misspell.arrow"] == "dev.misspell"
    varied = [path for path in found if path.startswith("results/mini/variations/wordnet-mini/train/")]
    assert varied and not any(found[path] for path in varied)
    assert found["results/mini/models/wordnet-mini/rodr/seed1"] == ""


def test_a_reranker_rests_on_its_first_stage(mini):
    found = steps_of(mini, "mono_bert", "wordnet-mini")
    ranked = [step.path for step in found if step.name in ("mine", "retrieve", "rerank")]
    first = ranked.index("results/mini/runs/wordnet-mini/bm25_terrier/seed0/test.original.arrow")
    assert first < ranked.index("results/mini/runs/wordnet-mini/mono_bert/seed1/test.original.arrow")


def test_a_ranking_of_words_has_no_training(mini):
    """The checkpoint's tokenizer counts which variations a model sees; the card is what jobs wait for."""
    found = steps_of(mini, "bm25_terrier", "wordnet-mini")
    brought = {"write_passages", "download_queries", "download_checkpoint"}
    assert {*brought, "check", "vary", "build_index", "retrieve", "evaluate"} == set(names(found))


def test_a_query_set_rests_on_its_shards(full):
    found = steps_of(full, "capot_orcas_trivia", "trivia-qa")
    shards = [step for step in found if step.name == "vary_shard" and "/back_translation/" in step.path]
    assert len(shards) == 21 and {step.key for step in shards} == {
        step.key for step in found if step.path == "results/variations/orcas/train/back_translation.tsv"
    }
    assert shards[0].benchmark == "results/benchmarks/vary_shard/orcas.train.back_translation.0-of-21.tsv"


def test_the_steps_of_all_seeds_are_there(full):
    paths = {step.path for step in steps_of(full, "rodr", "msmarco-passage")}
    assert {f"results/models/msmarco-passage/rodr/seed{seed}" for seed in (1, 2, 3)} <= paths


def test_every_kind_of_system_has_its_steps(config, mini):
    shown = explored(mini, tuple(config.papers)).items()
    kinds = {type(mini.lineage.kind(system)): (system, collection) for collection, of in shown for system in of}
    assert len(kinds) > 4
    for place in kinds.values():
        found = steps_of(mini, *place)
        assert found[-1].name == "evaluate" and all(len(step.key) == 16 for step in found)
        assert all(step.path.startswith(f"{mini.root}/") for step in found)


def test_what_differs_is_behind_the_cells_that_are_shown(mini):
    def named(*papers):
        return {one.what for one in site_settings(mini, papers).differences}

    assert named("rodr_table2") == {"msmarco-passage", "base", "training runs", "cut-offs"}
    assert {"ance", "antique"} <= named("rodr") and not {"character_bert", "wikiqa"} & named("rodr")
    assert "sentence_encoder" in named("intent")
