"""Nodes of query sets: generators and their parameters, draws, versions, shards, and released variations."""

from dataclasses import replace

import pytest
from tests.changes import changed

from robustdr.core.errors import UserError
from robustdr.experiments.models import ScaleVariation
from robustdr.graph.graph import graph
from robustdr.graph.tables import table, table_settings
from robustdr.keys.node import histories
from robustdr.variations import translation
from robustdr.variations.labels import GENERATORS
from robustdr.variations.settings import Release, VariationSettings

AT = ("msmarco-passage", "train")
ORCAS = ("orcas", "train")


def with_variation(config, scale, name, entry):
    """The graph of a scale that has this one entry of variations."""
    return graph(changed(config, "scales", scale, "variations", {name: entry}), scale)


def test_the_versions_of_a_query_have_a_key_each_of_what_decides_them(config):
    def keys(**parameters):
        entry = ScaleVariation(generator="llm", parameters=parameters)
        made = with_variation(config, "full", "asked", entry)
        assert made.versions() == {"llm": 5, "asked": 5}
        assert made.variation_settings(AT, "asked.version3").parameters == {**parameters, "version": 3}
        return [made.query_set(AT, f"asked{version}").key for version in ("", ".version1", ".version4")]

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
        return with_variation(config, "full", "llm", ScaleVariation(parameters=parameters)).query_set(AT, "llm").key

    assert made("here", "one", True) == made("there", "one", True) != made("here", "two", True)
    assert made("here", "one", False) == made("here", "two", False)  # still filled by the job itself


def test_apertium_s_dictionaries_are_in_the_key(config, tmp_path, monkeypatch):
    """Debian's package changes without a pin of ours."""
    monkeypatch.setattr(translation, "DATA", tmp_path)
    monkeypatch.setattr(translation.shutil, "which", lambda name: name)

    def made(dictionary, engine):
        (tmp_path / "eng-spa.autobil.bin").write_text(dictionary)
        entry = ScaleVariation(parameters={"engine": engine})
        return with_variation(config, "mini", "back_translation", entry).query_set(AT, "back_translation").key

    assert made("one", "apertium") == made("one", "apertium") != made("two", "apertium")
    assert made("one", "rules") == made("two", "rules")


def test_a_draw_has_the_parameters_and_generator_of_its_variation(config):
    entry = ScaleVariation(generator="misspell", parameters={"variant": "released"}, devices=1)
    made = with_variation(config, "full", "typo", entry)
    settings = VariationSettings("misspelling:Misspell", {"variant": "released"}, 2)
    assert made.variation_settings(AT, "typo.draw2") == settings
    assert made.query_set(AT, "typo.draw2").need.gpus == 1


def test_a_query_set_s_name_says_a_parameter_and_a_draw(config):
    made = with_variation(config, "full", "typo", ScaleVariation(parameters={"words": 2}))
    settings = VariationSettings("typos:Typo", {"words": 2, "share": 0.4}, 3)
    assert made.variation_settings(AT, "typo.share40.draw3") == settings
    assert made.generator(AT, "typo.share40").share == 0.4
    assert made.query_set(AT, "typo.share40").key != made.query_set(AT, "typo.share60").key


def test_a_split_is_varied_in_shards_where_it_says_that_it_has_many_queries(config, mini, full):
    shards = full.shards(ORCAS, "back_translation")
    assert len(shards) == 21  # 10,405,342 by 500,000
    assert shards[20].path == "results/variations/orcas/train/back_translation/20-of-21.tsv"
    assert not full.shards(ORCAS, "llm") and not full.shards(AT, "typo")
    whole = graph(changed(config, "scales", "full", "variation_shard", 10_405_342), "full")
    assert not whole.shards(ORCAS, "back_translation")
    assert not mini.shards(("wordnet-log", "train"), "back_translation")


def test_shards_move_no_key(config, full):
    places = ("scales", "full", "variation_shard"), ("collections", "orcas", "splits", "train", "count")
    for place in places:
        other = graph(changed(config, *place, 3_000_000), "full")
        one, two = ([shard.path for shard in made.shards(ORCAS, "typo")] for made in (full, other))
        assert one != two
        assert full.split(ORCAS).key == other.split(ORCAS).key
        assert full.query_set(ORCAS, "typo").key == other.query_set(ORCAS, "typo").key


DEV = ("msmarco-passage", "dev")
RODR = {"github": "cxa-unique/RoDR", "revision": "f9eda80fc9fc6420746198abfe15d79241db87eb"}


def test_rodrs_tables_are_on_the_query_sets_that_rodr_released(config, full):
    """Its tables of passages, documents and ANTIQUE at full scale: every varied query set, without a network."""
    for role, folder in (
        ("msmarco-passage", "data/msmarco_passage/query/dev/queries.dev.small."),
        ("msmarco-document", "data/msmarco_doc/query/dev/msmarco.docdev.queries."),
        ("antique", "data/antique/query/antique.train.split200-valid."),
    ):
        split = full.lineage.split_of("rodr", role)
        for variation in config.papers["rodr"].evaluation[role].variations:
            made, release = full.query_set(split, variation), full.lineage.release(split, variation)
            assert (release.github, release.revision) == (RODR["github"], RODR["revision"])
            assert release.file.startswith(folder) and release.form == "queries"
            (file,) = made.inputs["released"].nodes
            assert file.rule == "download_release" and file.settings == release and file in made.input_nodes
            assert ["--released", file.path] in made.options_told and made.need.gpus == 0
    ranked = [node.settings for node in histories([table(full, "rodr", "table2")]) if node.rule == "download_release"]
    files = [release.file for release in ranked if release.github == RODR["github"]]
    assert sum("/query/dev/" in file for file in files) == 8
    assert [file for file in files if "/query/dev/" not in file] == [
        "data/msmarco_passage/query/train/train.query.variations.tsv"
    ]


def test_only_the_query_set_that_was_released_is_theirs(full):
    """Other splits, other shares of the words, and more draws than were released come from the generator."""
    assert not full.lineage.release(AT, "misspell") and "released" not in full.query_set(AT, "misspell").inputs
    files = [full.lineage.release(DEV, f"typo{draw}").file for draw in ("", ".draw2", ".draw10")]
    assert files == [f"data/marco_dev/queries.dev.small.typo{number}.tsv" for number in (1, 2, 10)]
    for drawn in ("typo.draw11", "typo.share40", "typo.share40.draw2"):
        assert full.variation_settings(DEV, drawn).generator == "typos:Typo"


def test_what_a_release_decides(config, full):
    """The digest is in the key of the query set. The seed of draws is not, nor the copy that is read."""

    def made(**of):
        entry = ScaleVariation(released={"msmarco-passage/dev": [Release(**of)]})
        return with_variation(config, "full", "misspell", entry).query_set(DEV, "misspell")

    own = {"path": "copy.tsv", "sha256": "a" * 64}
    assert made(**own).key == made(**own).key != made(**own | {"sha256": "b" * 64}).key
    assert made(**own).inputs["released"].nodes[0].inputs["files"].paths == ["copy.tsv"]
    seeded = graph(changed(config, "scales", "full", "variation_seed", 9), "full")
    assert seeded.query_set(DEV, "misspell").key == full.query_set(DEV, "misspell").key
    assert seeded.query_set(AT, "misspell").key != full.query_set(AT, "misspell").key


def test_a_variation_that_cannot_be_made_may_be_released(config):
    at, name = ("antique", "test"), "t5_description_to_title"
    kept = config.scales["full"].variations[name]
    lost = replace(kept, unavailable="no model")
    full = graph(changed(config, "scales", "full", "variations", name, lost), "full")
    assert not full.lineage.unavailable_variations(at, [name])
    assert full.lineage.unavailable_variations(("antique", "official-test"), [name])


def test_of_qvgs_labels_the_variations_of_the_generator_are_taken(full):
    settings = full.variation_settings(("antique", "reranked"), "swap_words")
    assert settings.generator == "surface:SwapWords"
    settings = full.variation_settings(("antique", "reranked"), "random_order_swap")
    assert settings.generator == "released:Released" and settings.parameters["labels"] == "random_order_swap"
    nodes = {full.query_set(("antique", "reranked"), name).inputs["released"].nodes[0] for name in GENERATORS.values()}
    assert {node.path for node in nodes} == {"results/releases/cf82ff552cf42a9c/variations_antique_labeled.csv"}


def test_misspelled_questions_of_the_scale_text_are_those_that_consumers_typed(config):
    made = graph(config, "text")
    split, variation = made.lineage.split_of("toroder", "dl-typo"), "human_misspelling"
    assert split == ("liveqa-typos", "test") and config.collections[split[0]]["splits"]["test"]["text"] == "corrected"
    settings = made.variation_settings(split, variation)
    assert (settings.generator, settings.parameters["form"]) == ("released:Released", "liveqa")
    (file,) = made.query_set(split, variation).inputs["released"].nodes
    assert file.settings.sha256 == config.collections[split[0]]["questions"]["sha256"]
    assert made.variation_settings(("medquad", "test"), variation).generator == "misspelling:HumanMisspelling"


def test_a_spell_checker_s_released_corrections_are_ranked_where_a_scale_has_them(config, full, mini):
    """ToRoDer's Table 5: Bing's corrections of MS MARCO's queries; elsewhere SymSpell corrects."""
    for name, file in (("original", "queries.dev.small.ms.tsv"), ("typo", "queries.dev.small.typo1.ms.tsv")):
        run = full.run("spellchecker_bert", 1, DEV, name)
        (corrected,) = run.inputs["corrected"].nodes
        assert corrected.settings.file == f"data/marco_dev/{file}"
        assert ["--corrected", corrected.path] in run.options_told
    assert not mini.run("spellchecker_bert", 1, ("wordnet-mini", "dev"), "typo").inputs["corrected"].nodes
    with pytest.raises(UserError, match=r"full\.yaml: corrected\.msmarco-passage/dev: no 'misspell', which a spell"):
        full.run("spellchecker_bert", 1, DEV, "misspell")
    said, here = (
        [n for n in table_settings(of, "toroder", "table5").notes if "spell checker" in n] for of in (full, mini)
    )
    start = "msmarco-passage: the queries as the paper's spell checker corrected them, as released "
    assert f"{start}(ielab/CharacterBERT-DR)." in said and len(here) == len(said) - 2 == 1


def test_a_table_on_antique_says_whether_its_variations_are_the_validated_ones(config, mini, full):
    for made, start in (
        (full, "antique: the released variations that people judged valid"),
        (mini, "antique: the paper takes released variations that people judged valid; here all"),
    ):
        for name, spec in config.papers["rodr"].tables.items():
            found = [note.startswith(start) for note in table_settings(made, "rodr", name).notes]
            assert any(found) == ("antique" in spec.collections)
