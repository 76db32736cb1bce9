"""Recipes of rerankers: what is wrong is one line before any work, and what a reranker is made from is its key."""

import copy
import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.graph.plan import Plan

ROOT = Path(__file__).parents[2]
QVG = "papers/qvg/experiment.yaml"
OWN = {"system": "bm25_terrier", "depth": 100, "queries": "own"}
BERT = {"label": "B", "kind": "rerank", "candidates": OWN, "ranker": {"name": "mono_bert"}, "initial": "base"}
BERT |= {"budget": "mono_bert"}
DRMM = {"ranker": {"name": "drmm"}, "initial": "word_vectors"}
TRAINED = BERT | {"collection": "msmarco-passage", "negatives": "bm25", "loss": {"name": "pairwise"}}
DENSE = {"label": "D", "collection": "msmarco-passage", "initial": "base", "negatives": "bm25", "budget": "passage"}
DISTILLED = DENSE | {"variations": ["misspell"], "teacher": "mono_bert", "loss": {"name": "distillation"}}
ALIGNING = {"variations": ["misspell", "swap_words"], "assign": "together", "loss": {"name": "intent"}}
ALIGNED = TRAINED | ALIGNING | {"ranker": {"name": "intent_bert"}}
SPELLED = {"label": "S", "kind": "rewrite", "rewriter": "symspell", "edits": 2, "ranker": "bm25_terrier"}


def over(system, depth=100, queries="own"):
    return BERT | {"candidates": {"system": system, "depth": depth, "queries": queries}}


def without(recipe, *keys):
    return {key: value for key, value in recipe.items() if key not in keys}


# systems that are added to qvg's, the system that the message names, and how it goes on
MISTAKES = {
    "unknown kind": ({"new": BERT | {"kind": "rerankk"}}, ".kind: 'rerankk' is unknown (did you mean rerank?)"),
    "unknown ranker": ({"new": BERT | {"ranker": {"name": "monobert"}}}, ".ranker: ranker: 'monobert' is unknown"),
    "unknown setting of a ranker": (
        {"new": BERT | {"ranker": {"name": "knrm", "trained": False}, "initial": "word_vectors"}},
        ".ranker: ranker knrm: setting: 'trained' is unknown (did you mean trained_kernels?)",
    ),
    "no ranker": ({"new": without(BERT, "ranker")}, ": 'ranker' is a required property"),
    "no candidates": ({"new": without(BERT, "candidates")}, ": 'candidates' is a required property"),
    "candidates without a depth": (
        {"new": BERT | {"candidates": {"system": "bm25", "queries": "own"}}},
        ".candidates: 'depth' is a required property",
    ),
    "no passages": ({"new": over("bm25", 0)}, ".candidates.depth: 0 is less than the minimum of 1"),
    "candidates of other queries": (
        {"new": over("bm25", queries="both")},
        ".candidates.queries: 'both' is not one of ['own', 'original']",
    ),
    "candidates of an unknown system": (
        {"new": over("bm25_terier")},
        ".candidates.system: 'bm25_terier' is unknown (did you mean bm25_terrier",
    ),
    "candidates of a checkpoint": ({"new": over("base")}, ".candidates.system: 'base' is unknown"),
    "candidates of itself": ({"new": over("new")}, ": the lineage is a cycle: new → new"),
    "a cycle through candidates": (
        {"new": over("other"), "other": over("spelled"), "spelled": SPELLED | {"ranker": "new"}},
        ": the lineage is a cycle: new → other → spelled → new",
    ),
    "candidates whose own lineage is a cycle": (
        {"new": over("spelled"), "spelled": SPELLED | {"ranker": "other"}, "other": SPELLED | {"ranker": "spelled"}},
        (".spelled", ": the lineage is a cycle: spelled → other → spelled"),
    ),
    "candidates behind a rewriter of nothing": (
        {"new": over("spelled"), "spelled": SPELLED | {"ranker": "bm26"}},
        (".spelled", ".ranker: 'bm26' is unknown (did you mean bm25"),
    ),
    "more candidates than the first stage finds": (
        {"new": over("bm25_terrier", 1001)},
        ".candidates.depth: 1001 (scale full); bm25_terrier ranks 1000 passages",
    ),
    "more candidates than a small scale's first stage finds": (
        {"new": over("bm25_terrier", 60)},
        ".candidates.depth: 60 (scale mini); bm25_terrier ranks 50 passages",
    ),
    "more candidates than another reranker ranks": (
        {"first": over("bm25_terrier", 10), "new": over("first", 100)},
        ".candidates.depth: 100 (scale full); first ranks 10 passages",
    ),
    "more candidates than a reranker behind a rewriter ranks": (
        {"first": over("bm25_terrier", 10), "spelled": SPELLED | {"ranker": "first"}, "new": over("spelled", 100)},
        ".candidates.depth: 100 (scale full); spelled ranks 10 passages",
    ),
    "a budget of dual encoders": (
        {"new": BERT | {"budget": "capot-nq"}},
        ".budget (scale full): a ranker's training has no gradient_cache",
    ),
    "word vectors where a transformer is needed": (
        {"new": BERT | {"initial": "word_vectors"}},
        ".initial (scale mini): the checkpoint 'word_vectors' has the form 'static'; allowed: encoder",
    ),
    "a dual encoder where word vectors are needed": (
        {"new": BERT | {"ranker": {"name": "knrm"}}},
        ".initial (scale full): the checkpoint 'base' has the form 'encoder'; allowed: static",
    ),
    "word vectors for a dual encoder": (
        {"new": DENSE | {"initial": "word_vectors", "loss": {"name": "contrastive"}}},
        ".initial (scale mini): the checkpoint 'word_vectors' has the form 'static'; allowed: encoder",
    ),
    "a start from a system of another kind": (
        {"new": BERT | {"initial": "dr_oq"}},
        ".initial: 'dr_oq' is of the kind dense; one of rerank is needed",
    ),
    "a dual encoder from a reranker": (
        {"new": DENSE | {"initial": "mono_bert", "loss": {"name": "contrastive"}}},
        ".initial: 'mono_bert' is of the kind rerank; one of dense is needed",
    ),
    "a start from another ranker": (
        {"new": BERT | {"initial": "epic"}},
        ".initial: 'epic' is the ranker {'name': 'epic'}; what continues it has the same, not {'name': 'mono_bert'}",
    ),
    "a start from the same ranker with other settings": (
        {"new": BERT | {"initial": "knrm", "ranker": {"name": "knrm", "trained_kernels": False}}},
        ".initial: 'knrm' is the ranker {'name': 'knrm'}; what continues it has the same, not "
        "{'name': 'knrm', 'trained_kernels': False}",
    ),
    "a loss over vectors": (
        {"new": TRAINED | {"loss": {"name": "contrastive"}}},
        ".loss: contrastive needs passages, which a system of the kind rerank has not",
    ),
    "a teacher's vectors for a reranker": (
        {"new": TRAINED | {"loss": {"name": "rodr"}, "variations": ["misspell"], "teacher": "dr_oq"}},
        ".loss: rodr needs passages, which a system of the kind rerank has not",
    ),
    "a loss over groups without negatives": (
        {"new": without(TRAINED, "negatives")},
        ": the loss pairwise needs negatives; add `negatives`",
    ),
    "a loss without a collection": (
        {"new": without(TRAINED, "collection")},
        ": 'collection' is a dependency of 'loss'",
    ),
    "negatives of a reranker that is not trained": (
        {"new": BERT | {"negatives": "bm25"}},
        ": 'loss' is a dependency of 'negatives'",
    ),
    "a loss on variations without any": (
        {"new": TRAINED | {"loss": {"name": "lce", "queries": "variation"}}},
        ": the loss lce needs variations; add `variations`",
    ),
    "a dual encoder as a cross-encoder's stand-in": (
        {"new": DISTILLED | {"teacher": "dr_oq"}},
        ".teacher: the loss distillation needs teacher_scores, which 'dr_oq', of the kind dense, does not give",
    ),
    "a reranker where vectors are taught": (
        {"new": DISTILLED | {"loss": {"name": "rodr"}}},
        ".teacher: the loss rodr needs teacher_passages, which 'mono_bert', of the kind rerank, does not give",
    ),
    "a teacher that counts words": (
        {"new": DISTILLED | {"teacher": "drmm"}, "drmm": BERT | DRMM},
        ".teacher: the loss distillation needs teacher_scores, which 'drmm', of the kind rerank, does not give",
    ),
    "a loss over vectors of queries without any": (
        {"new": ALIGNED | {"ranker": {"name": "mono_bert"}}},
        ".ranker: 'mono_bert'; the loss intent needs vectors of queries; allowed: intent_bert",
    ),
    "a loss over all variations without any": (
        {"new": without(ALIGNED, "variations", "assign")},
        ": the loss intent needs variations; add `variations`",
    ),
    "one variation where a loss reads all": (
        {"new": without(ALIGNED, "assign")},
        ".assign: 'one'; with the loss intent allowed: together",
    ),
    "all variations in turn where a loss reads them together": (
        {"new": DENSE | ALIGNING | {"assign": "all"}},
        ".assign: 'all'; with the loss intent allowed: together",
    ),
    "all variations where a loss reads one": (
        {"new": DENSE | {"loss": {"name": "self_teaching"}, "variations": ["misspell"], "assign": "together"}},
        ".assign: 'together'; with the loss self_teaching allowed: one, all, fresh",
    ),
    "passages for queries in a ranker": (
        {"new": TRAINED | {"loss": {"name": "dual_contrastive"}}},
        ".loss: dual_contrastive needs passages, which a system of the kind rerank has not",
    ),
    "a temperature of 0": (
        {"new": ALIGNED | {"loss": {"name": "intent", "tau": 0}}},
        ".loss: loss intent: tau: Input should be greater than 0 (got 0)",
    ),
    "what a vector is made of": (
        {"new": ALIGNED | {"ranker": {"name": "intent_bert", "reads": "pairs"}}},
        ".ranker: ranker intent_bert: reads: 'pairs' is unknown (did you mean pair?); allowed: pair, query",
    ),
    "distillation without a teacher": (
        {"new": without(DISTILLED, "teacher")},
        ": the loss distillation needs teacher; add `teacher`",
    ),
}  # fmt: skip


@pytest.fixture()
def added(tmp_path):
    """`added(name=recipe, …)`: a copy of config/ with these systems first among qvg's."""
    folder = shutil.copytree(ROOT / "config", tmp_path / "config")

    def add(systems):
        tree = json.loads(json.dumps(yaml.safe_load((folder / QVG).read_text(encoding="utf-8"))))
        tree["systems"] = {**systems, **tree["systems"]}
        (folder / QVG).write_text(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), encoding="utf-8")
        return folder

    return add


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_before_work_starts(added, mistake):
    systems, expected = MISTAKES[mistake]
    name, message = expected if isinstance(expected, tuple) else (".new", expected)
    folder = added(systems)
    with pytest.raises(UserError) as caught:
        load(folder)
    error = re.sub(r"^(\S+\.yaml):\d+: ", r"\1: ", str(caught.value))
    assert error.startswith(f"{folder / QVG}: systems{name}{message}") and "\n" not in error


def test_good_recipes_pass(added):
    """What the mistakes above differ from."""
    systems = {"one": BERT, "two": TRAINED, "three": DISTILLED, "four": over("one", 100), "five": over("spelled", 10)}
    config = load(added({**systems, "spelled": SPELLED}))
    assert systems.keys() <= config.systems.keys()
    plan = Plan(config, "mini")
    assert {name: plan.why_not(name) for name in systems} == dict.fromkeys(systems, "")
    assert plan.kind("four").depth(config, "mini", "four") == plan.bound["depths"]["100"] and plan.lineage("four") == []


def test_a_loss_over_all_variations_passes_for_both_kinds(added):
    plan = Plan(load(added({"one": ALIGNED, "two": DENSE | ALIGNING})), "mini")
    for system in ("one", "two"):
        assert plan.training_data_settings(system).assign == "together"
        assert plan.train_settings(system).loss == {"name": "intent"}
        assert len(plan.training_variations(system)) == 2
    assert plan.train_settings("one").new_layers_learning_rate is None


def test_new_layers_have_a_rate_in_the_budgets_of_rankers_alone(added):
    folder = added({"new": ALIGNED})
    path = folder / "scales" / "mini.yaml"
    scale, own = path.read_text(encoding="utf-8"), "mono_bert: {<<: *passage, "
    assert own in scale and "passage: &passage\n" in scale
    path.write_text(scale.replace(own, f"{own}new_layers_learning_rate: 1.0e-3, "), encoding="utf-8")
    assert Plan(load(folder), "mini").train_settings("new").new_layers_learning_rate == 1e-3
    rate = "passage: &passage\n    new_layers_learning_rate: 1.0e-3\n"
    path.write_text(scale.replace("passage: &passage\n", rate), encoding="utf-8")
    with pytest.raises(UserError, match=r"\.budget \(scale mini\): a dual encoder has no new_layers_learning_rate"):
        load(folder)


@pytest.fixture(scope="module")
def config():
    """A dense system that a reranker teaches, beside the configuration as it is."""
    made = load(ROOT / "config")
    made.systems["distilled"] = {**DISTILLED, "paper": "qvg"}
    return made


def changed(config, *keys):
    """A copy of the configuration with `keys[-1]` at the place that the other keys say."""
    made = copy.deepcopy(config)
    *path, last, value = keys
    place = vars(made)
    for key in path:
        place = place[key]
    place[last] = value
    return made


AT = ("wordnet-mini", "test")
KIND = "qwerty_char_substitution"


def keys(config, scale="mini"):
    """Keys of models, runs, training files and scores of qvg's systems at a scale."""
    plan, found = Plan(config, scale), {}
    for system in (
        name for name, recipe in config.systems.items() if recipe["paper"] == "qvg" and not plan.why_not(name)
    ):
        seed = plan.seeds(system)[0]
        if "initial" in plan.recipe(system):
            found["model", system] = plan.model_key(system, seed)
        if plan.is_trained(system):
            found["data", system] = plan.training_data_key(system, seed)
        for kind in ("original", KIND):
            found[kind, system] = plan.run_key(system, seed, *AT, kind)
    return found | {("scores", "distilled"): plan.teacher_scores_key("distilled", 1)}


def moved(config, *edit):
    before, after = keys(config), keys(changed(config, *edit))
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


def runs(*systems):
    return {(kind, system) for kind in ("original", KIND) for system in systems}


ON_MONO_BERT = {"mono_bert", "mono_bert_depth_10", "mono_bert_depth_1000", "mono_bert_on_original"}


def test_the_depth_changes_the_runs_of_its_system_alone(config):
    edit = ("systems", "mono_bert", "candidates", {**OWN, "depth": 10})
    assert moved(config, *edit) == runs("mono_bert")
    depths = {**config.scales["mini"]["depths"], "10": 6}
    assert moved(config, "scales", "mini", "depths", depths) == runs("mono_bert_depth_10")


def test_the_queries_of_the_candidates_change_the_runs_of_variations_alone(config):
    """The original queries are their own."""
    edit = ("systems", "mono_bert", "candidates", {**OWN, "queries": "original"})
    assert moved(config, *edit) == {(KIND, "mono_bert")}


def test_the_candidates_change_the_runs_of_what_ranks_them_alone(config):
    """Not the model: what it was trained on came from elsewhere."""
    assert moved(config, "systems", "mono_bert", "candidates", {**OWN, "system": "rm3"}) == runs("mono_bert")
    reached = moved(config, "systems", "rm3", "terms", 11)
    assert reached == runs("rm3")


def first_stage(recipe):
    """The system that finds what a recipe ranks anew, if any does."""
    candidates = recipe.get("candidates")
    return candidates["system"] if isinstance(candidates, dict) else None


def test_a_first_stage_changes_what_is_ranked_anew_and_what_is_mined_from_it(config):
    reached = moved(
        config, "systems", "bm25_terrier", "bm25", {"k1": 1.3, "b": 0.75, "stopwords": "en", "stemmer": "porter"}
    )
    own = {name: recipe for name, recipe in config.systems.items() if recipe["paper"] == "qvg"}
    rerankers = {name for name, recipe in own.items() if first_stage(recipe) == "bm25_terrier"}
    assert runs(*rerankers, "bm25_terrier") | {("data", "mono_bert"), ("model", "mono_bert")} <= reached
    assert not {name for name in reached if name[1] == "rm3"}
    assert not {name for name in reached if name[0] == "model"} & {("model", "mono_bert_untrained"), ("model", "rm3")}


def test_a_model_changes_the_runs_of_what_shares_it_and_what_it_teaches(config):
    """Its training file stays, and so does every other ranker."""
    reached = moved(config, "systems", "mono_bert", "loss", {"name": "lce"})
    models = {("model", system) for system in (*ON_MONO_BERT, "distilled")}
    assert reached == models | runs(*ON_MONO_BERT, "distilled") | {("scores", "distilled")}


def test_a_ranker_s_settings_change_its_model_and_runs(config):
    systems = ["knrm", "knrm_on_original"]
    made = config
    for system in systems:
        made = changed(made, "systems", system, "ranker", {"name": "knrm", "trained_kernels": False})
    before, after = keys(config), keys(made)
    assert {name for name in before if before[name] != after[name]} == runs(*systems) | {("model", s) for s in systems}


def test_a_system_without_a_loss_shares_the_model_that_it_names(config):
    plan = Plan(config, "mini")
    for system in ON_MONO_BERT:
        assert plan.model_key(system, 1) == plan.model_key("mono_bert", 1)
        assert plan.model(system, 1) == plan.model("mono_bert", 1)
        assert plan.seeds(system) == [1] and plan.lineage(system) == ["mono_bert"]
    assert len({plan.run_key(system, 1, *AT, KIND) for system in ON_MONO_BERT}) == len(ON_MONO_BERT)
    assert plan.model("mono_bert", 1) == ["results/mini/models/wordnet-mini/mono_bert/seed1/model.safetensors"]
    assert plan.model("mono_bert_untrained", 0) == ["results/mini/checkpoints/base/model.safetensors"]
    assert plan.seeds("mono_bert_untrained") == [0]


def test_each_query_set_is_paired_with_its_candidates(config):
    """Own candidates are each its own; the original's are the same for every variation, in their order."""
    plan, kinds = Plan(config, "mini"), ["original", KIND, "wordnet_synonym_swap"]
    folder = "results/mini/runs/wordnet-mini/bm25_terrier/seed0"
    own = plan.kind("mono_bert").reads(plan, "mono_bert", 1, AT, kinds)
    assert own.paths["candidates"] == [f"{folder}/test.{kind}.arrow" for kind in kinds]
    system = "mono_bert_on_original"
    shared = plan.kind(system).reads(plan, system, 1, AT, kinds)
    assert shared.paths["candidates"] == [f"{folder}/test.original.arrow"] * 3
    assert own.paths["model"] == shared.paths["model"] == ["results/mini/models/wordnet-mini/mono_bert/seed1"]
    weights = "results/mini/models/wordnet-mini/mono_bert/seed1/model.safetensors"
    assert own.files == [weights, *own.paths["candidates"]]
    assert shared.files == [weights, f"{folder}/test.original.arrow"]
    keys = {kind: plan.run_key("bm25_terrier", 0, *AT, kind) for kind in kinds}
    assert own.keys == {"model": plan.model_key("mono_bert", 1), "candidates": list(keys.values())}
    assert shared.keys == {"model": plan.model_key("mono_bert", 1), "candidates": [keys["original"]] * 3}


def test_a_first_stage_searches_all_that_is_asked_of_it(config):
    """What it is evaluated on, what is ranked anew, and what negatives are mined from."""
    plan = Plan(config, "mini")

    def searched(plan, system, at):
        return [set(kinds) for kinds, systems in plan.searches()[at].items() if system in systems]

    kinds = set(config.papers["qvg"]["evaluation"]["trec-dl-2019"]["variations"])
    assert searched(plan, "bm25_terrier", AT) == [{"original", *kinds}]
    assert searched(plan, "bm25_terrier", ("wordnet-mini", "train")) == [{"original"}]
    assert searched(plan, "mono_bert_on_original", AT) == [{"original", *kinds}]
    made = copy.deepcopy(config)
    for name in (name for name, recipe in made.systems.items() if first_stage(recipe)):
        made.systems[name]["candidates"]["system"] = "dr_oq"
    assert searched(Plan(made, "mini"), "dr_oq", AT) == [{"original", *kinds}]  # no paper evaluates it there
    for name in (name for name, recipe in made.systems.items() if first_stage(recipe)):
        made.systems[name]["candidates"]["queries"] = "original"
    assert searched(Plan(made, "mini"), "dr_oq", AT) == [{"original"}]


def test_a_chain_of_first_stages_is_searched_to_its_end(config):
    made = copy.deepcopy(config)
    made.systems["mono_bert"]["candidates"] = {"system": "again", "depth": 10, "queries": "own"}
    made.systems["again"] = {
        **BERT,
        "paper": "qvg",
        "candidates": {"system": "spelled", "depth": 100, "queries": "own"},
    }
    made.systems["spelled"] = {**SPELLED, "paper": "qvg", "ranker": "dr_oq"}
    plan = Plan(made, "mini")
    kinds = {"original", *made.papers["qvg"]["evaluation"]["trec-dl-2019"]["variations"]}
    for system in ("again", "spelled"):
        assert [set(k) for k, systems in plan.searches()[AT].items() if system in systems] == [kinds]
    assert plan.lineage("mono_bert") == ["dr_oq", "mono_bert"] and plan.seeds("spelled") == [1]
    reads = plan.kind("again").reads(plan, "again", 1, AT, ["original"])
    assert reads.paths["candidates"] == ["results/mini/runs/wordnet-mini/spelled/seed1/test.original.arrow"]


def test_a_trained_checkpoint_is_not_trained_again(config):
    """It needs no training file, no miner and no teacher; where it is trained it needs them."""
    checkpoint = {**config.scales["mini"]["checkpoints"]["t5_msmarco"], "trained": True}
    here = Plan(changed(config, "scales", "mini", "checkpoints", "t5_msmarco", checkpoint), "mini")
    there = Plan(config, "mini")
    assert not here.is_trained("mono_t5") and there.is_trained("mono_t5")
    assert here.miner_of("mono_t5") is None and there.miner_of("mono_t5") == "bm25_terrier"
    assert here.seeds("mono_t5") == [0] and here.lineage("mono_t5_on_original") == []
    for system in ("mono_t5", "mono_t5_on_original"):
        assert here.model(system, 0) == ["results/mini/checkpoints/t5_msmarco/model.safetensors"]
        assert here.model_key(system, 0) == here.checkpoint_key("t5_msmarco") != there.model_key(system, 1)
    assert "mono_t5" not in {system for system, _ in here.models(config.papers)}
    full = Plan(config, "full")
    assert not full.is_trained("mono_t5") and full.why_not("mono_t5") == ""
    assert full.model("mono_t5_on_original", 0) == ["results/checkpoints/t5_msmarco/model.safetensors"]


def test_a_teacher_s_scores_are_made_from_the_training_file_and_its_model(config):
    plan = Plan(config, "mini")
    read = plan.kind("distilled").learns_from(plan, "distilled", 1)
    scores, corpus = "results/mini/training/wordnet-mini/distilled/seed1.scores.jsonl", plan.corpus("wordnet-mini")
    assert read.paths == {"corpus": [corpus], "teacher_scores": [scores]} and read.files == [corpus, scores]
    key = plan.teacher_scores_key("distilled", 1)
    assert read.keys == {"corpus": plan.corpus_key("wordnet-mini"), "teacher_scores": key}
    assert plan.parents("distilled") == ["bm25", "mono_bert"] and plan.lineage("distilled") == [
        "mono_bert",
        "distilled",
    ]
    settings = plan.score_settings("distilled")
    assert (
        settings.ranker == {"name": "mono_bert"} and settings.query_length == plan.budget("mono_bert")["query_length"]
    )
    assert moved(config, "systems", "distilled", "variations", ["swap_words"]) == runs("distilled") | {
        ("data", "distilled"),
        ("scores", "distilled"),
        ("model", "distilled"),
    }


@pytest.mark.parametrize("system", ["drmm", "knrm"])
def test_a_ranker_reads_the_passages_that_it_is_trained_on(config, system):
    recipe = {**TRAINED, **DRMM, "paper": "qvg"}
    plan = Plan(changed(config, "systems", "drmm", recipe), "mini")
    corpus = plan.corpus("wordnet-mini")
    read = plan.kind(system).learns_from(plan, system, 1)
    assert read.paths == {"corpus": [corpus]} and read.keys == {"corpus": plan.corpus_key("wordnet-mini")}
