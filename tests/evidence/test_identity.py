"""Runs are taken together if all that decides them is the same but seed, code and number type."""

from pathlib import Path

from changes import changed
from robustdr.evaluation import ledger
from robustdr.evidence.identity import code, expected, runs
from robustdr.graph.graph import graph

ROOT = Path(__file__).parents[2]
AT = ("rodr", "wordnet-mini", "dev.misspell")


def expected_with(config, *change):
    return expected(graph(changed(config, *change) if change else config, "mini"))


def test_seeds_threads_and_number_type_make_no_difference(config):
    plain = expected_with(config)
    scale = ("scales", "mini")
    assert plain == expected_with(config, *scale, "seeds", 3) == expected_with(config, *scale, "threads", 4)
    assert plain == expected_with(config, *scale, "precision", "bfloat16")


def test_a_setting_of_the_lineage_does(config):
    """DR_OQ's training alters RoDR, which is trained from it, and not BM25."""
    plain, changed_digests = (
        expected_with(config),
        expected_with(config, "scales", "mini", "budgets", "passage", "epochs", 0.25),
    )
    bm25 = ("bm25", AT[1], "dev.original")
    assert plain[AT] != changed_digests[AT] and plain[bm25] == changed_digests[bm25]


def test_so_do_the_data(config):
    plain, changed_digests = (
        expected_with(config),
        expected_with(config, "collections", "wordnet-mini", "passages", 5000),
    )
    assert plain[AT] != changed_digests[AT]


def test_every_query_set_of_every_run_has_one(config):
    mini = graph(config, "mini")
    measured = {
        (run.system, run.collection, query_set)
        for run in runs(mini)
        for node in run.nodes
        for query_set in node.settings.measures
    }
    assert expected(mini).keys() == measured


def test_code_is_that_of_the_whole_lineage(config, monkeypatch):
    from robustdr.evidence import identity

    nodes_of = {run.system: run.nodes for run in runs(graph(config, "mini")) if run.collection == AT[1]}
    before = {system: code(nodes_of[system]) for system in ("rodr", "bm25")}
    made_of = identity.made_of
    monkeypatch.setattr(
        identity, "made_of", lambda code_files: made_of(code_files) + "!" * ("train" in code_files.names)
    )
    assert before["rodr"] != code(nodes_of["rodr"]) and before["bm25"] == code(nodes_of["bm25"])


def test_the_ledger_was_made_with_the_settings_of_the_configuration(config):
    """A change that moves the settings of a system in the ledger leaves its runs out of every verdict."""
    rows = ledger.read_ledger(ROOT / "evidence")
    expected_settings = expected(graph(config, "evidence"))
    settings_by_place = rows[rows["scale"] == "evidence"].groupby(["system", "collection", "query_set"])["settings"]
    changed_places = [
        place
        for place, settings in settings_by_place
        if place in expected_settings and expected_settings[place] not in set(settings)
    ]
    assert len(settings_by_place) > 1000 and not changed_places
