"""Runs are taken together if all that decides them is the same but seed, code and number type."""

from pathlib import Path

from changes import changed
from robustdr.evaluation import ledger
from robustdr.evidence.identity import code, expected, runs
from robustdr.graph.graph import graph

ROOT = Path(__file__).parents[2]
AT = ("rodr", "wordnet-mini", "dev.misspell")


def of(config, *change):
    return expected(graph(changed(config, *change) if change else config, "mini"))


def test_seeds_threads_and_number_type_make_no_difference(config):
    plain = of(config)
    scale = ("scales", "mini")
    assert plain == of(config, *scale, "seeds", 3) == of(config, *scale, "threads", 4)
    assert plain == of(config, *scale, "precision", "bfloat16")


def test_a_setting_of_the_lineage_does(config):
    """DR_OQ's training alters RoDR, which is trained from it, and not BM25."""
    plain, other = of(config), of(config, "scales", "mini", "budgets", "passage", "epochs", 0.25)
    bm25 = ("bm25", AT[1], "dev.original")
    assert plain[AT] != other[AT] and plain[bm25] == other[bm25]


def test_so_do_the_data(config):
    plain, other = of(config), of(config, "collections", "wordnet-mini", "passages", 5000)
    assert plain[AT] != other[AT]


def test_every_query_set_of_every_run_has_one(config):
    mini = graph(config, "mini")
    asked = {
        (run.system, run.collection, query_set)
        for run in runs(mini)
        for node in run.nodes
        for query_set in node.settings.measures
    }
    assert expected(mini).keys() == asked


def test_code_is_that_of_the_whole_lineage(config, monkeypatch):
    from robustdr.evidence import identity

    found = {run.system: run.nodes for run in runs(graph(config, "mini")) if run.collection == AT[1]}
    before = {system: code(found[system]) for system in ("rodr", "bm25")}
    made_of = identity.made_of
    monkeypatch.setattr(identity, "made_of", lambda of: made_of(of) + "!" * ("train" in of.names))
    assert before["rodr"] != code(found["rodr"]) and before["bm25"] == code(found["bm25"])


def test_the_ledger_was_made_with_the_settings_of_the_configuration(config):
    """A change that moves the settings of a system in the ledger leaves its runs out of every verdict."""
    rows = ledger.read_ledger(ROOT / "evidence")
    wanted = expected(graph(config, "evidence"))
    at = rows[rows["scale"] == "evidence"].groupby(["system", "collection", "query_set"])["settings"]
    lost = [place for place, settings in at if place in wanted and wanted[place] not in set(settings)]
    assert len(at) > 1000 and not lost
