"""Interrupted trainings: one that goes on ends where one that was never stopped ends."""

import json
import time

import pytest

from robustdr.core.files import sha256
from robustdr.training import loop
from training.models import files, same

CAPOT = {"loss": {"name": "capot"}, "encoders": "separate"}
RECIPES = {
    "contrastive": {},
    "separate": {"encoders": "separate"},
    "rodr": {"loss": {"name": "rodr"}},
    "self_teaching": {"loss": {"name": "self_teaching"}, "augmentation": 0.5},
    "capot": CAPOT,
}


class Interrupted(Exception):
    pass


def stop_after(saves, monkeypatch):
    """Let the training end right after it has written its checkpoint for the `saves`-th time."""
    real, count = loop.save_state, 0

    def save_state(*arguments):
        nonlocal count
        real(*arguments)
        count += 1
        if count == saves:
            raise Interrupted

    monkeypatch.setattr(loop, "save_state", save_state)


@pytest.mark.parametrize("cache", [None, 32])
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_resumed_training_ends_with_the_same_bytes(
    fit, training_file, queries_file, tiny_model, embeddings, tmp_path, monkeypatch, recipe, cache
):
    others = {**RECIPES[recipe], "dropout": 0.1, "data": queries_file if recipe == "capot" else training_file}
    if recipe == "rodr":
        others |= {"teacher": [tiny_model], "teacher_embeddings": embeddings}
    if cache:
        others["gradient_cache"] = cache
    whole = fit("whole", **others)
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        stop_after(2, patch)
        fit("resumed", **others)
    assert json.loads((tmp_path / "resume" / "resumed" / "state.json").read_text())["step"] == 8
    assert not (tmp_path / "resumed").exists()
    resumed = fit("resumed", **others)
    assert files(resumed) == files(whole)
    for name in files(whole):
        assert sha256(resumed / name) == sha256(whole / name), name
    assert not (tmp_path / "resume" / "resumed").exists()


def test_a_resumed_training_costs_what_its_parts_took(fit, tmp_path, monkeypatch):
    began = time.monotonic()
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        stop_after(1, patch)
        fit("model", epochs=1.0)
    part = json.loads((tmp_path / "resume" / "model" / "state.json").read_text())["seconds"]
    assert 0 < part < time.monotonic() - began
    fit("model", epochs=1.0)
    whole = json.loads((tmp_path / "costs/model.json").read_text())["seconds"]
    assert part < whole < time.monotonic() - began


@pytest.mark.parametrize(("epochs", "steps"), [(8 / 6, [4]), (9 / 6, [4, 8])])
def test_a_checkpoint_is_written_every_four_steps_but_for_the_last(fit, monkeypatch, epochs, steps):
    real, written = loop.save_state, []

    def save_state(*arguments):
        written.append(arguments[-1]["step"])
        real(*arguments)

    monkeypatch.setattr(loop, "save_state", save_state)
    fit("model", epochs=epochs)
    assert written == steps


def test_snapshots_from_before_the_interruption_are_written(fit, tmp_path, monkeypatch):
    early = tmp_path / "early"
    fit("whole", snapshots={0.2: tmp_path / "expected"})
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        stop_after(2, patch)
        fit("resumed", snapshots={0.2: early})
    assert not early.exists()
    fit("resumed", snapshots={0.2: early})
    assert same(early, tmp_path / "expected")
    assert not any((tmp_path / "resume").iterdir())


def test_a_checkpoint_of_another_recipe_is_not_resumed(fit, tmp_path, monkeypatch):
    whole = fit("whole", key="new")
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        stop_after(2, patch)
        fit("resumed", key="old", learning_rate=1e-2)
    assert same(fit("resumed", key="new"), whole)


@pytest.mark.parametrize("damaged", ["state.json", "state.safetensors"])
def test_a_damaged_checkpoint_means_a_new_start(fit, tmp_path, monkeypatch, damaged):
    whole = fit("whole")
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        stop_after(2, patch)
        fit("resumed")
    path = tmp_path / "resume" / "resumed" / damaged
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert same(fit("resumed"), whole)
