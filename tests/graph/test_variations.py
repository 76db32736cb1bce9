"""Nodes of query sets: generators and their parameters, draws, versions, shards, and released variations."""

import pytest
from tests.changes import changed

from robustdr.experiments.models import ScaleVariation
from robustdr.graph.graph import graph, graphs
from robustdr.graph.tables import table_settings
from robustdr.variations import translation
from robustdr.variations.settings import VariationSettings

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


@pytest.fixture()
def labels(tmp_path, config):
    files = {file for source in config.collections.values() for file in source.get("validated", {}).values()}
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("labels\n")
    return tmp_path


def test_with_the_labels_at_hand_antiques_variations_are_the_validated_ones(config, labels):
    made, without = (graphs(config, folder)["results"] for folder in (str(labels), None))
    at = ("antique", "test")
    names, _ = made.demand.evaluations("rodr")[at]
    assert set(names[1:]) == set(config.papers["rodr"].evaluation["antique"].variations)
    assert not made.lineage.unavailable_variations(at, names[1:])
    assert without.lineage.unavailable_variations(at, ["embedding_synonym_swap"])
    settings = made.variation_settings(at, "embedding_synonym_swap")
    assert settings.generator == "released:Released" and settings.parameters["variation"] == "embedding_synonym_swap"
    other = made.variation_settings(("wordnet-verbs", "test"), "back_translation_m2m")
    assert "BackTranslation" in other.generator
    key = made.query_set(at, "embedding_synonym_swap").key
    (labels / config.collections["antique"]["validated"]["test"]).write_text("other labels\n")
    assert graphs(config, str(labels))["results"].query_set(at, "embedding_synonym_swap").key != key


def test_a_table_on_antique_says_whether_its_variations_are_the_validated_ones(config, labels):
    with_labels, without = graphs(config, str(labels)), graphs(config)
    for made, scale, start in (
        (with_labels, "results", "antique: the released variations that people judged valid"),
        (without, "results", "antique: the paper takes released variations that people judged valid; here every"),
        (with_labels, "results/mini", "antique: the paper takes released variations"),
    ):
        for table, spec in config.papers["rodr"].tables.items():
            found = [note.startswith(start) for note in table_settings(made[scale], "rodr", table).notes]
            assert any(found) == ("antique" in spec.collections)
