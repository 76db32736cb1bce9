"""Recipes of pre-training: what is wrong with one, what one is made from, and one run by Snakemake."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.changes import at, changed
from tests.experiments.test_config import put
from tests.planned import paths_behind
from tests.workflow.small import edit, tiny

from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.directory import SHARED_FILES
from robustdr.experiments.config import load
from robustdr.graph.graph import graph
from robustdr.graph.tables import table_settings

ROOT = Path(__file__).parents[2]
EXPERIMENT = "papers/rodr/experiment.yaml"
FOLDER = "results/mini/checkpoints/pretrained/seed1"
BUDGET = {
    "learning_rate": 3.0e-4,
    "epochs": 0.5,
    "batch_size": 16,
    "devices": 1,
    "warmup": 0.1,
    "weight_decay": 0.0,
    "max_gradient_norm": 1.0,
    "dropout": 0.0,
    "freeze_word_embeddings": True,
    "checkpoint_every": 50,
    "length": 32,
    "vocabulary": "corpus",
    "frozen_steps": 4,
    "frozen_learning_rate": 1.0e-3,
}
RECIPE = {
    "label": "Pre-trained",
    "initial": "pretraining_base",
    "collection": "msmarco-passage",
    "budget": "short",
    "mask": 0.3,
    "typo": 0.3,
    "typos": "nominal",
    "recover": False,
    "bottleneck": True,
    "decoder_mask": 0.5,
    "decoder_layers": 2,
    "variant": "released",
}


def add(folder):
    """Let dr_oq start from a pre-training, and another system be its outcome."""

    def experiment(tree):
        tree["pretraining"] = {"pretrained": dict(RECIPE)}
        tree["systems"]["dr_oq"]["initial"] = "pretrained"
        tree["systems"]["untrained"] = {"label": "Untrained", "initial": "pretrained", "budget": "passage"}
        tree["tables"]["table2"]["systems"].append("untrained")

    edit(folder / EXPERIMENT, experiment)
    for scale in ("mini", "full"):
        edit(folder / f"scales/{scale}.yaml", put("pretraining", "short", dict(BUDGET)))


@pytest.fixture()
def folder(tmp_path):
    """A copy of config/ with a pre-training."""
    folder = shutil.copytree(ROOT / "config", tmp_path / "config")
    add(folder)
    return folder


MISTAKES = {
    "a query log": ({"collection": "query-log"}, ".collection: 'orcas' (scale full) is a query log", ""),
    "a typo ratio above 1": ({"typo": 1.5}, ".typo: 1.5 should be less than or equal to 1", ""),
    "a typo ratio below 0": ({"typo": -0.1}, ".typo: -0.1 should be greater than or equal to 0", ""),
    "a decoder deeper than the encoder": (
        {"decoder_layers": 3},
        ".decoder_layers: 3; the decoder copies",
        "'pretraining_base' (sc",
    ),
    "an unknown reading of the ratio": ({"typos": "real"}, ".typos: 'real' is unknown", "allowed: effective, nominal"),
    "an unknown checkpoint": (
        {"initial": "bse"},
        ".initial: 'bse' is unknown (did you mean base?)",
        "base",
    ),
    "a checkpoint of another form": (
        {"initial": "word_vectors"},
        ".initial (scale ",
        "the form 'static'; allowed: enc",
    ),
    "an unknown collection": ({"collection": "web"}, ".collection: 'web' is unknown", "msmarco-passage"),
    "an unknown budget": ({"budget": "long"}, ".budget: 'long' is unknown", "allowed: short, toroder"),
    "a decoder where there is none": ({"bottleneck": False}, ".variant: 'released'; there is no decoder", ""),
    "an unknown key": ({"maks": 0.3}, ": key: 'maks' is unknown (did you mean mask?); allowed: ", "bottleneck"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_wrong_with_a_recipe_is_one_line(folder, mistake):
    changes, begins, holds = MISTAKES[mistake]
    edit(folder / EXPERIMENT, lambda tree: tree["pretraining"]["pretrained"].update(changes))
    with pytest.raises(UserError) as caught:
        load(folder)
    message = re.sub(r"^(\S+\.yaml):\d+: ", r"\1: ", str(caught.value))
    assert message.startswith(f"{folder / EXPERIMENT}: pretraining.pretrained{begins}"), message
    assert holds in message and "\n" not in message


def test_a_name_that_a_system_has_too(folder):
    edit(folder / EXPERIMENT, lambda tree: tree["pretraining"].update(rodr=dict(RECIPE)))
    with pytest.raises(UserError, match=r"pretraining.rodr: a system has that name too"):
        load(folder)


def test_a_pretraining_that_nobody_declares(folder):
    edit(folder / EXPERIMENT, lambda tree: tree["systems"]["untrained"].update(initial="pretraned"))
    with pytest.raises(UserError, match=r"systems.untrained.initial: 'pretraned' is unknown \(did you mean pretrained"):
        load(folder)


def test_what_is_made_from_a_pretraining_has_its_seeds_and_its_files(folder):
    config = load(folder)
    full, mini = graph(config, "full"), graph(config, "mini")
    assert full.lineage.seeds("untrained") == full.lineage.seeds("dr_oq") == [1, 2, 3]
    assert mini.model("untrained", 1).path == mini.initial("dr_oq", 1).path == FOLDER
    assert mini.model("dr_oq", 1).path == "results/mini/models/wordnet-mini/dr_oq/seed1"
    assert mini.lineage.checkpoint_of("dr_oq") == mini.lineage.checkpoint_of("untrained") == "pretraining_base"
    keys = [mini.pretrained("pretrained", seed).key for seed in (1, 2)]
    assert mini.model("untrained", 1).key == keys[0] != keys[1] and mini.model("dr_oq", 1).key not in keys
    assert mini.lineage.lineage("untrained") == [] and mini.lineage.lineage("rodr") == ["dr_oq", "rodr"]
    assert FOLDER in paths_behind(mini, ["rodr"], "pretrain")
    assert (
        table_settings(mini, "all", "methods").lineage["rodr"]["total"][0]
        == "results/mini/costs/checkpoints/pretrained/seed1.json"
    )


def test_what_its_checkpoint_lacks_its_systems_lack(folder):
    edit(
        folder / "scales/mini.yaml",
        lambda tree: tree["checkpoints"].update(pretraining_base={"description": "", "unavailable": "gone"}),
    )
    lineage = graph(load(folder), "mini").lineage
    assert lineage.unavailable("untrained") == lineage.unavailable("rodr") == "gone"


def test_a_scale_s_checkpoint_of_its_name_takes_its_place(folder):
    """Such as the outcome as its authors released it."""
    edit(folder / "scales/mini.yaml", lambda tree: tree["checkpoints"].update(pretrained=tree["checkpoints"]["base"]))
    made = graph(load(folder), "mini")
    assert made.lineage.pretraining_of("untrained") is None and made.lineage.seeds("untrained") == [0]
    assert made.model("untrained", 0).path == "results/mini/checkpoints/pretrained"


OTHERS = {"typos": "effective", "variant": "paper", "vocabulary": "all", "collection": "antique"}
OTHERS |= {"initial": "sentence_encoder"}
SILENT = {"label", "checkpoint_every"}


def test_every_setting_that_decides_bytes_moves_the_key_of_what_starts_from_it(folder):
    """Each value of a recipe and of its budget in turn; the budget's name alone decides nothing."""
    config = load(folder)
    before = graph(config, "mini").model("rodr", 1).key
    walked = [("pretraining", "pretrained", name) for name in RECIPE if name != "budget"]
    walked += [("scales", "mini", "pretraining", "short", name) for name in BUDGET]
    for place in walked:
        value, name = at(config, place), place[-1]
        other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else f"{value}0"
        other = value / 2 or 0.5 if isinstance(value, float) else other
        made = graph(changed(config, *place, OTHERS.get(name, other)), "mini")
        assert (made.model("rodr", 1).key != before) == (name not in SILENT), name


def test_nothing_but_its_room_knows_a_setting_of_pretraining():
    package = ROOT / "workflow/robustdr"
    files = [
        *(package / "experiments" / name for name in ("config.py", "models.py", "scale.py", "experiment.py")),
        *package.glob("graph/*.py"),
        *package.glob("stages/*.py"),
    ]
    for name in ("bottleneck", "decoder_layers", "typos", "recover", "variant"):
        assert [p.name for p in files if re.search(rf"\b{name}\b", p.read_text())] == [], name


@pytest.mark.slow
def test_snakemake_pretrains_and_a_change_reruns_what_starts_from_it(tmp_path):
    project = tiny(tmp_path)
    add(tmp_path / "config")
    target = "results/mini/tables/rodr_table2.md"
    status, output = project.snakemake("--", target)
    assert status == 0, output
    made = tmp_path / FOLDER
    assert all((made / name).is_file() for name in [*SHARED_FILES, "training.csv"])
    assert len((made / "training.csv").read_text().splitlines()) == 1 + 9  # half of 300 passages in batches of 16
    cells = json.loads((tmp_path / target).with_suffix(".json").read_text())["cells"]
    assert {cell["system"] for cell in cells if cell["reproduced"] is not None} == {"bm25", "dr_oq", "untrained"}
    assert project.plan("--", target) == ({}, set())

    weights = sha256(made / "model.safetensors")
    (made / "model.safetensors").unlink()
    status, output = project.snakemake("--", f"{made.relative_to(tmp_path)}.sha256")
    assert status == 0 and sha256(made / "model.safetensors") == weights, output

    edit(tmp_path / "config" / EXPERIMENT, lambda tree: tree["pretraining"]["pretrained"].update(typo=0.5))
    jobs, _ = project.plan("--", target)
    assert jobs == {"pretrain": 1, "train": 1, "embed": 2, "retrieve": 2, "evaluate": 2, "table": 1}
