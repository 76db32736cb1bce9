"""What authors released, in place of trainings."""

from dataclasses import replace

import pytest

from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.experiments.models import ReleasedSystem
from robustdr.graph.graph import graph
from robustdr.graph.tables import table, table_settings
from robustdr.keys.node import histories
from robustdr.preflight.things import FirstSeen, things

PASSAGES, ANTIQUE = ("msmarco-passage", "dev"), ("antique", "test")
TRAINING = {"train", "training_data", "mine", "pretrain", "score"}


@pytest.fixture(scope="module")
def released(config):
    return graph(config, "released")


@pytest.fixture(scope="module")
def models(config):
    return graph(config, "released-models")


@pytest.mark.parametrize("name", ["table2", "table3", "table4", "table5"])
def test_no_table_of_rodr_is_trained_for(released, models, name):
    for made in (released, models):
        behind = histories([table(made, "rodr", name)])
        assert not {node.rule for node in behind} & TRAINING
    systems = {system for system, _ in released.lineage.config.papers["rodr"].tables[name].pairs()}
    assert systems and not any(map(released.lineage.unavailable, systems))


def test_runs_come_before_models(released, models):
    run = released.run("rodr", 0, PASSAGES, "misspell")
    assert run.code.names == ["rank", "robustdr.retrieval.released"] and run.rule == "retrieve" and run.need.gpus == 0
    assert run.settings.files == {"misspell": "*.MisSpell.*"} and "model" not in run.inputs
    assert models.run("rodr", 0, PASSAGES, "misspell").inputs["model"].paths == [
        "results/released-models/checkpoints/released_passage_rodr"
    ]
    assert released.run("dr_qv", 0, PASSAGES, "misspell").inputs["model"].paths == [
        "results/released/checkpoints/released_passage_dr_qv"
    ]
    # Runs alone were bound of RoDR on ANCE.
    assert released.lineage.starts_from("rodr_ance") is None and not released.lineage.unavailable("rodr_ance")


def test_a_table_says_what_is_a_run_and_what_a_model(released, full):
    settings = table_settings(released, "rodr", "table5")
    assert (
        settings.theirs["rodr_ance"] == {"msmarco-passage": "run", "antique": "run"} and "ance" not in settings.theirs
    )
    assert table_settings(released, "rodr", "table4").theirs["dr_qv"] == {"antique": "model"}
    assert table_settings(full, "rodr", "table5").theirs == {}


def test_what_was_not_released_is_unavailable(released, full):
    reason = "its authors released neither a run nor a model of it that the scale names"
    assert released.lineage.unavailable("rodr_without_nll") == reason == released.lineage.unavailable("toroder_stage1")
    assert not released.lineage.unavailable("bm25") and not released.lineage.unavailable("ance")
    assert not full.lineage.unavailable("rodr_without_nll")


def test_a_preflight_names_the_commands(released, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = [thing for node in histories([table(released, "rodr", "table2")]) for thing in things(node)]
    runs = {str(thing.path): thing.mend for thing in found if isinstance(thing, FirstSeen)}
    assert (
        list(runs) == ["data/released/rodr-run-passage-dr_oq", "data/released/rodr-run-passage-rodr"] or len(runs) == 2
    )
    assert all("gdown " in mend and f"-O {path}" in mend for path, mend in runs.items())


def test_every_query_set_that_papers_show_can_be_planned(released, models):
    for made in (released, models):
        for system in made.lineage.scale.released:
            for split, (variations, _) in made.demand.evaluations(system).items():
                assert all(made.run(system, 0, split, variation) for variation in variations)


def test_query_sets_without_a_pattern_are_not_ranked(config, released):
    """They are if a model was released too."""
    assert "model" in released.run("rodr", 0, PASSAGES, "typo").inputs
    scale = released.lineage.scale
    (split,) = [name for name in scale.released["rodr"].runs if name.startswith("msmarco")]
    runs = replace(scale.released["rodr"].runs[split], files={"original": "*"})
    changed = replace(scale, released={**scale.released, "rodr": ReleasedSystem(runs={split: runs})})
    made = graph(replace(config, scales={**config.scales, "released": changed}), "released")
    assert made.demand.evaluations("rodr")[PASSAGES][0] == ["original"]
    assert made.lineage.lacking_cell("rodr", "antique") == "released.rodr.runs of antique"


WRONG = {
    "unknown system": ("  rodrr: {checkpoint: base}\n", "released: 'rodrr' is unknown (did you mean"),
    "unknown checkpoint": ("  rodr: {checkpoint: bass}\n", "released.rodr.checkpoint: 'bass' is unknown"),
    "nothing": ("  rodr: {}\n", "checkpoint: missing; give it, or `runs`, or both"),
    "unknown split": (
        "  rodr: {runs: {antique/tost: {path: p, origin: o, fetch: f, files: {original: x}}}}\n",
        "released.rodr.runs: 'tost' is unknown",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named(tmp_path, case):
    text, message = WRONG[case]
    (tmp_path / "scales").mkdir()
    (tmp_path / "scales/mine.yaml").write_text(f"extends: full\ndescription: x\nreleased:\n{text}")
    with pytest.raises(UserError) as caught:
        load(overlay=tmp_path)
    assert message in str(caught.value)
