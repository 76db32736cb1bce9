"""Recipes of rerankers: what is wrong is one line before any work, and what a reranker is made from is its key."""

import re
import shutil
from pathlib import Path

import pytest
from tests.changes import changed
from tests.planned import paths_behind
from tests.recipes import with_systems
from tests.workflow.small import edit

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.graph.graph import graph

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


def reranker_of(system, depth=100, queries="own"):
    return BERT | {"candidates": {"system": system, "depth": depth, "queries": queries}}


def without(recipe, *keys):
    return {key: value for key, value in recipe.items() if key not in keys}


# systems that are added to qvg's, the system that the message names, and how it goes on
MISTAKES = {
    "unknown kind": ({"new": BERT | {"kind": "rerankk"}}, ".kind: 'rerankk' is unknown (did you mean rerank?)"),
    "unknown ranker": ({"new": BERT | {"ranker": {"name": "monobert"}}}, ".ranker: ranker: 'monobert' is unknown"),
    "unknown setting of a ranker": (
        {"new": BERT | {"ranker": {"name": "knrm", "trained": False}, "initial": "word_vectors"}},
        ".ranker: ranker knrm: key: 'trained' is unknown (did you mean trained_kernels?)",
    ),
    "no ranker": ({"new": without(BERT, "ranker")}, ": 'ranker' is missing"),
    "no candidates": ({"new": without(BERT, "candidates")}, ": 'candidates' is missing"),
    "candidates without a depth": (
        {"new": BERT | {"candidates": {"system": "bm25", "queries": "own"}}},
        ".candidates: 'depth' is missing",
    ),
    "no passages": ({"new": reranker_of("bm25", 0)}, ".candidates.depth: 0 should be greater than 0"),
    "candidates of other queries": (
        {"new": reranker_of("bm25", queries="both")},
        ".candidates.queries: 'both' is unknown; allowed: original, own",
    ),
    "candidates of an unknown system": (
        {"new": reranker_of("bm25_terier")},
        ".candidates.system: 'bm25_terier' is unknown (did you mean bm25_terrier",
    ),
    "candidates of a checkpoint": ({"new": reranker_of("base")}, ".candidates.system: 'base' is unknown"),
    "candidates of itself": ({"new": reranker_of("new")}, ": the lineage is a cycle: new → new"),
    "a cycle through candidates": (
        {"new": reranker_of("other"), "other": reranker_of("spelled"), "spelled": SPELLED | {"ranker": "new"}},
        ": the lineage is a cycle: new → other → spelled → new",
    ),
    "candidates whose own lineage is a cycle": (
        {
            "new": reranker_of("spelled"),
            "spelled": SPELLED | {"ranker": "other"},
            "other": SPELLED | {"ranker": "spelled"},
        },
        (".spelled", ": the lineage is a cycle: spelled → other → spelled"),
    ),
    "candidates behind a rewriter of nothing": (
        {"new": reranker_of("spelled"), "spelled": SPELLED | {"ranker": "bm26"}},
        (".spelled", ".ranker: 'bm26' is unknown (did you mean bm25"),
    ),
    "more candidates than the first stage finds": (
        {"new": reranker_of("bm25_terrier", 1001)},
        ".candidates.depth: 1001 (scale full); bm25_terrier ranks 1000 passages",
    ),
    "more candidates than a small scale's first stage finds": (
        {"new": reranker_of("bm25_terrier", 60)},
        ".candidates.depth: 60 (scale mini); bm25_terrier ranks 50 passages",
    ),
    "more candidates than another reranker ranks": (
        {"first": reranker_of("bm25_terrier", 10), "new": reranker_of("first", 100)},
        ".candidates.depth: 100 (scale full); first ranks 10 passages",
    ),
    "more candidates than a reranker behind a rewriter ranks": (
        {
            "first": reranker_of("bm25_terrier", 10),
            "spelled": SPELLED | {"ranker": "first"},
            "new": reranker_of("spelled", 100),
        },
        ".candidates.depth: 100 (scale full); spelled ranks 10 passages",
    ),
    "a budget of dual encoders": (
        {"new": BERT | {"budget": "capot-nq"}},
        ".budget (scale full): gradient_cache: not used to train systems of kind rerank",
    ),
    "word vectors where a transformer is needed": (
        {"new": BERT | {"initial": "word_vectors"}},
        ".initial (scale full): the checkpoint 'word_vectors' has the form 'static'; allowed: encoder",
    ),
    "a dual encoder where word vectors are needed": (
        {"new": BERT | {"ranker": {"name": "knrm"}}},
        ".initial (scale full): the checkpoint 'base' has the form 'encoder'; allowed: static",
    ),
    "word vectors for a dual encoder": (
        {"new": DENSE | {"initial": "word_vectors", "loss": {"name": "contrastive"}}},
        ".initial (scale full): the checkpoint 'word_vectors' has the form 'static'; allowed: encoder, character",
    ),
    "a start from a system of another kind": (
        {"new": BERT | {"initial": "dr_oq"}},
        ".initial: 'dr_oq' is a system of kind dense; allowed: rerank",
    ),
    "a dual encoder from a reranker": (
        {"new": DENSE | {"initial": "mono_bert", "loss": {"name": "contrastive"}}},
        ".initial: 'mono_bert' is a system of kind rerank; allowed: dense",
    ),
    "a start from another ranker": (
        {"new": BERT | {"initial": "epic"}},
        ".initial: 'epic' has the ranker {'name': 'epic'}; this system must have the same, not {'name': 'mono_bert'}",
    ),
    "a start from the same ranker with other settings": (
        {"new": BERT | {"initial": "knrm", "ranker": {"name": "knrm", "trained_kernels": False}}},
        ".initial: 'knrm' has the ranker {'name': 'knrm'}; this system must have the same, not "
        "{'name': 'knrm', 'trained_kernels': False}",
    ),
    "a loss over vectors": (
        {"new": TRAINED | {"loss": {"name": "contrastive"}}},
        ".loss: contrastive needs passages, which systems of kind rerank do not have",
    ),
    "a teacher's vectors for a reranker": (
        {"new": TRAINED | {"loss": {"name": "rodr"}, "variations": ["misspell"], "teacher": "dr_oq"}},
        ".loss: rodr needs passages, which systems of kind rerank do not have",
    ),
    "a loss over groups without negatives": (
        {"new": without(TRAINED, "negatives")},
        ": the loss pairwise needs negatives; add `negatives`",
    ),
    "a loss without a collection": (
        {"new": without(TRAINED, "collection")},
        ".collection: missing; `loss` needs it",
    ),
    "negatives of a reranker that is not trained": (
        {"new": BERT | {"negatives": "bm25"}},
        ".loss: missing; `negatives` needs it",
    ),
    "a loss on variations without any": (
        {"new": TRAINED | {"loss": {"name": "lce", "queries": "variation"}}},
        ": the loss lce needs variations; add `variations`",
    ),
    "a dual encoder as a cross-encoder's stand-in": (
        {"new": DISTILLED | {"teacher": "dr_oq"}},
        ".teacher: the loss distillation needs teacher_scores, which 'dr_oq' of kind dense does not give",
    ),
    "a reranker where vectors are taught": (
        {"new": DISTILLED | {"loss": {"name": "rodr"}}},
        ".teacher: the loss rodr needs teacher_passages, which 'mono_bert' of kind rerank does not give",
    ),
    "a teacher that counts words": (
        {"new": DISTILLED | {"teacher": "drmm"}, "drmm": BERT | DRMM},
        ".teacher: the loss distillation needs teacher_scores, which 'drmm' of kind rerank does not give",
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
        ".loss: dual_contrastive needs passages, which systems of kind rerank do not have",
    ),
    "a temperature of 0": (
        {"new": ALIGNED | {"loss": {"name": "intent", "tau": 0}}},
        ".loss: loss intent: tau: 0 should be greater than 0",
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
        edit(folder / QVG, lambda tree: tree.update(systems={**systems, **tree["systems"]}))
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
    systems = {
        "one": BERT,
        "two": TRAINED,
        "three": DISTILLED,
        "four": reranker_of("one", 100),
        "five": reranker_of("spelled", 10),
    }
    config = load(added({**systems, "spelled": SPELLED}))
    assert systems.keys() <= config.systems.keys()
    lineage = graph(config, "mini").lineage
    assert {name: lineage.unavailable(name) for name in systems} == dict.fromkeys(systems, "")
    assert lineage.kind("four").depth(config, "mini", "four") == lineage.scale.depths["100"]
    assert lineage.lineage("four") == []


def test_a_loss_over_all_variations_passes_for_both_kinds(added):
    job_graph = graph(load(added({"one": ALIGNED, "two": DENSE | ALIGNING})), "mini")
    for system in ("one", "two"):
        assert job_graph.training_data(system, 1).settings.assign == "together"
        assert job_graph.model(system, 1).settings.loss == {"name": "intent"}
        assert len(job_graph.demand.training_variations(system)) == 2
    assert job_graph.model("one", 1).settings.new_layers_learning_rate is None


def test_new_layers_have_a_rate_in_the_budgets_of_rankers_alone(added):
    folder = added({"new": ALIGNED})
    path = folder / "scales" / "mini.yaml"
    scale, entry = path.read_text(encoding="utf-8"), "mono_bert: {<<: *passage, "
    assert entry in scale and "passage: &passage\n" in scale
    path.write_text(scale.replace(entry, f"{entry}new_layers_learning_rate: 1.0e-3, "), encoding="utf-8")
    assert graph(load(folder), "mini").model("new", 1).settings.new_layers_learning_rate == 1e-3
    rate = "passage: &passage\n    new_layers_learning_rate: 1.0e-3\n"
    path.write_text(scale.replace("passage: &passage\n", rate), encoding="utf-8")
    with pytest.raises(UserError, match=r"\.budget \(scale mini\): new_layers_learning_rate: not used"):
        load(folder)


@pytest.fixture(scope="module")
def config():
    """A dense system that a reranker teaches, beside the configuration as it is."""
    return with_systems(load(ROOT / "config"), "qvg", {"distilled": DISTILLED})


AT = ("wordnet-mini", "test")
KIND = "qwerty_char_substitution"


def keys(config, scale="mini"):
    """Keys of models, runs, training files and scores of qvg's systems at a scale."""
    job_graph, keys_by_kind = graph(config, scale), {}
    lineage = job_graph.lineage
    for system in (name for name in config.papers["qvg"].systems if not lineage.unavailable(name)):
        seed = lineage.seeds(system)[0]
        if lineage.starts_from(system):
            keys_by_kind["model", system] = job_graph.model(system, seed).key
        if lineage.is_trained(system):
            keys_by_kind["data", system] = job_graph.training_data(system, seed).key
        for kind in ("original", KIND):
            keys_by_kind[kind, system] = job_graph.run(system, seed, AT, kind).key
    return keys_by_kind | {("scores", "distilled"): job_graph.teacher_scores("distilled", 1).key}


def moved_keys(config, *edit):
    before, after = keys(config), keys(changed(config, *edit))
    assert before.keys() == after.keys()
    return {name for name in before if before[name] != after[name]}


def runs(*systems):
    return {(kind, system) for kind in ("original", KIND) for system in systems}


ON_MONO_BERT = {"mono_bert", "mono_bert_depth_10", "mono_bert_depth_1000", "mono_bert_on_original"}


def test_the_depth_changes_the_runs_of_its_system_alone(config):
    edit = ("systems", "mono_bert", "candidates", "depth", 10)
    assert moved_keys(config, *edit) == runs("mono_bert")
    depths = {**config.scales["mini"].depths, "10": 6}
    rankers = ("knrm", "conv_knrm", "epic", "mono_bert")
    assert moved_keys(config, "scales", "mini", "depths", depths) == runs(*(f"{name}_depth_10" for name in rankers))


def test_the_queries_of_the_candidates_change_the_runs_of_variations_alone(config):
    """The original queries are their own."""
    edit = ("systems", "mono_bert", "candidates", "queries", "original")
    assert moved_keys(config, *edit) == {(KIND, "mono_bert")}


def test_the_candidates_change_the_runs_of_what_ranks_them_alone(config):
    """Not the model: what it was trained on came from elsewhere."""
    assert moved_keys(config, "systems", "mono_bert", "candidates", "system", "rm3") == runs("mono_bert")
    reached = moved_keys(config, "systems", "rm3", "terms", 11)
    assert reached == runs("rm3")


def first_stage(recipe):
    """The system that finds what a recipe ranks anew, if any does."""
    return getattr(recipe, "first", None)


def test_a_first_stage_changes_what_is_ranked_anew_and_what_is_mined_from_it(config):
    reached = moved_keys(
        config, "systems", "bm25_terrier", "bm25", {"k1": 1.3, "b": 0.75, "stopwords": "en", "stemmer": "porter"}
    )
    lineage = graph(config, "mini").lineage
    recipes = {name: config.systems[name] for name in config.papers["qvg"].systems if not lineage.unavailable(name)}
    rerankers = {name for name, recipe in recipes.items() if first_stage(recipe) == "bm25_terrier"}
    assert runs(*rerankers, "bm25_terrier") | {("data", "mono_bert"), ("model", "mono_bert")} <= reached
    assert not {name for name in reached if name[1] == "rm3"}
    assert not {name for name in reached if name[0] == "model"} & {("model", "mono_bert_untrained"), ("model", "rm3")}


def test_a_model_changes_the_runs_of_what_shares_it_and_what_it_teaches(config):
    """Its training file stays, and so does every other ranker."""
    reached = moved_keys(config, "systems", "mono_bert", "loss", {"name": "lce"})
    models = {("model", system) for system in (*ON_MONO_BERT, "distilled")}
    assert reached == models | runs(*ON_MONO_BERT, "distilled") | {("scores", "distilled")}


def test_a_ranker_s_settings_change_its_model_and_runs(config):
    systems = ["knrm", "knrm_on_original"]
    edited = config
    for system in systems:
        edited = changed(edited, "systems", system, "ranker", {"name": "knrm", "trained_kernels": False})
    before, after = keys(config), keys(edited)
    systems += ["knrm_depth_10", "knrm_depth_1000"]  # they rank with its model
    assert {name for name in before if before[name] != after[name]} == runs(*systems) | {("model", s) for s in systems}


def test_a_system_without_a_loss_shares_the_model_that_it_names(config):
    job_graph = graph(config, "mini")
    lineage = job_graph.lineage
    for system in ON_MONO_BERT:
        assert job_graph.model(system, 1) is job_graph.model("mono_bert", 1)
        assert lineage.seeds(system) == [1] and lineage.lineage(system) == ["mono_bert"]
    assert len({job_graph.run(system, 1, AT, KIND).key for system in ON_MONO_BERT}) == len(ON_MONO_BERT)
    model, untrained = job_graph.model("mono_bert", 1), job_graph.model("mono_bert_untrained", 0)
    assert model.declared == "results/mini/models/wordnet-mini/mono_bert/seed1.sha256"
    assert untrained.declared == "results/mini/checkpoints/reranker_base.sha256"
    assert lineage.seeds("mono_bert_untrained") == [0]


def test_each_query_set_is_paired_with_its_candidates(config):
    """Own candidates are each its own; the original's are the same for every variation, in their order."""
    job_graph, kinds = graph(config, "mini"), ["original", KIND, "wordnet_synonym_swap"]
    folder = "results/mini/runs/wordnet-mini/bm25_terrier/seed0"
    own_inputs = job_graph.lineage.kind("mono_bert").reads(job_graph, "mono_bert", 1, AT, kinds)
    assert own_inputs["candidates"].paths == [f"{folder}/test.{kind}.arrow" for kind in kinds]
    system = "mono_bert_on_original"
    shared = job_graph.lineage.kind(system).reads(job_graph, system, 1, AT, kinds)
    assert shared["candidates"].paths == [f"{folder}/test.original.arrow"] * 3
    assert own_inputs["model"].paths == shared["model"].paths == ["results/mini/models/wordnet-mini/mono_bert/seed1"]
    weights, candidates = own_inputs["model"].nodes[0].declared, f"{folder}/test.original.arrow.sha256"
    assert waited(own_inputs) == waited(shared) == [weights, candidates]  # one job ranks them all
    model, keys = (
        job_graph.model("mono_bert", 1).key,
        {kind: job_graph.run("bm25_terrier", 0, AT, kind).key for kind in kinds},
    )
    assert {name: entry.key for name, entry in own_inputs.items()} == {
        "model": [model],
        "candidates": list(keys.values()),
    }
    assert {name: entry.key for name, entry in shared.items()} == {
        "model": [model],
        "candidates": [keys["original"]] * 3,
    }


def waited(inputs):
    """The records that a job waits for before it reads these inputs."""
    return list(dict.fromkeys(node.declared for entry in inputs.values() for node in entry.nodes))


def searched(job_graph, system, split):
    return [set(kinds) for kinds, systems in job_graph.demand.searches()[split].items() if system in systems]


def test_a_first_stage_searches_all_that_is_asked_of_it(config):
    """What it is evaluated on, what is ranked anew, and what negatives are mined from."""
    job_graph = graph(config, "mini")
    kinds = set(config.papers["qvg"].evaluation["trec-dl-2019"].variations)
    assert searched(job_graph, "bm25_terrier", AT) == [{"original", *kinds}]
    assert searched(job_graph, "bm25_terrier", ("wordnet-mini", "train")) == [{"original"}]
    assert searched(job_graph, "mono_bert_on_original", AT) == [{"original", *kinds}]
    edited = config
    reranked = [name for name, recipe in config.systems.items() if first_stage(recipe) and recipe.kind == "rerank"]
    for name in reranked:
        edited = changed(edited, "systems", name, "candidates", "system", "dr_oq")
    assert searched(graph(edited, "mini"), "dr_oq", AT) == [{"original", *kinds}]  # no paper evaluates it there
    for name in reranked:
        edited = changed(edited, "systems", name, "candidates", "queries", "original")
    assert searched(graph(edited, "mini"), "dr_oq", AT) == [{"original"}]


def test_a_chain_of_first_stages_is_searched_to_its_end(config):
    again = {**BERT, "candidates": {"system": "spelled", "depth": 100, "queries": "own"}}
    chain = with_systems(config, "qvg", {"again": again, "spelled": {**SPELLED, "ranker": "dr_oq"}})
    chain = changed(chain, "systems", "mono_bert", "candidates", "system", "again")
    job_graph = graph(changed(chain, "systems", "mono_bert", "candidates", "depth", 10), "mini")
    lineage = job_graph.lineage
    kinds = {"original", *config.papers["qvg"].evaluation["trec-dl-2019"].variations}
    for system in ("again", "spelled"):
        assert searched(job_graph, system, AT) == [kinds]
    assert lineage.lineage("mono_bert") == ["dr_oq", "mono_bert"] and lineage.seeds("spelled") == [1]
    inputs = lineage.kind("again").reads(job_graph, "again", 1, AT, ["original"])
    assert inputs["candidates"].paths == ["results/mini/runs/wordnet-mini/spelled/seed1/test.original.arrow"]


def test_a_trained_checkpoint_is_not_trained_again(config):
    """It needs no training file, no miner and no teacher; where it is trained it needs them."""
    trained = graph(changed(config, "scales", "mini", "checkpoints", "epic_msmarco", "trained", True), "mini")
    untrained = graph(config, "mini")
    assert not trained.lineage.is_trained("epic") and untrained.lineage.is_trained("epic")
    assert trained.lineage.miner_of("epic") is None and untrained.lineage.miner_of("epic") == "bm25_terrier"
    assert trained.lineage.seeds("epic") == [0] and trained.lineage.lineage("epic_on_original") == []
    for system in ("epic", "epic_on_original"):
        assert trained.model(system, 0).declared == "results/mini/checkpoints/epic_msmarco.sha256"
        assert trained.model(system, 0).key == trained.checkpoint("epic_msmarco").key != untrained.model(system, 1).key
    assert not any("/epic/" in path for path in paths_behind(trained, config.papers, "train"))
    full = graph(config, "full")
    assert not full.lineage.is_trained("mono_t5") and full.lineage.unavailable("mono_t5") == ""
    model = full.model("mono_t5_on_original", 0)
    assert model.declared == "results/checkpoints/t5_msmarco.sha256"


def test_a_teacher_s_scores_are_made_from_the_training_file_and_its_model(config):
    job_graph = graph(config, "mini")
    lineage, corpus = job_graph.lineage, job_graph.corpus("wordnet-mini")
    inputs = lineage.kind("distilled").learns_from(job_graph, "distilled", 1)
    scores = job_graph.teacher_scores("distilled", 1)
    assert scores.path == "results/mini/training/wordnet-mini/distilled/seed1.scores.jsonl"
    paths = {name: entry.paths for name, entry in inputs.items()}
    assert paths == {"corpus": [corpus.path], "teacher_scores": [scores.path]}
    assert waited(inputs) == [f"{corpus.path}.sha256", f"{scores.path}.sha256"]
    assert {name: entry.key for name, entry in inputs.items()} == {
        "corpus": [corpus.key],
        "teacher_scores": [scores.key],
    }
    assert lineage.parents("distilled") == ["bm25", "mono_bert"]
    assert lineage.lineage("distilled") == ["mono_bert", "distilled"]
    assert scores.settings.ranker == {"name": "mono_bert"}
    assert scores.settings.query_length == lineage.budget("mono_bert").query_length
    assert scores.inputs["data"].nodes == (job_graph.training_data("distilled", 1),)
    assert scores.inputs["model"].nodes == (job_graph.model("mono_bert", 1),)
    assert moved_keys(config, "systems", "distilled", "variations", ["swap_words"]) == runs("distilled") | {
        ("data", "distilled"),
        ("scores", "distilled"),
        ("model", "distilled"),
    }


@pytest.mark.parametrize("system", ["drmm", "knrm"])
def test_a_ranker_reads_the_passages_that_it_is_trained_on(config, system):
    job_graph = graph(with_systems(config, "qvg", {"drmm": {**TRAINED, **DRMM}}), "mini")
    corpus = job_graph.corpus("wordnet-mini")
    inputs = job_graph.lineage.kind(system).learns_from(job_graph, system, 1)
    assert inputs.keys() == {"corpus"}
    assert inputs["corpus"].paths == [corpus.path] and inputs["corpus"].key == [corpus.key]
