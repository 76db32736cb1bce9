"""The state of an interrupted training: loaded as it was saved, or not at all."""

import json

import pytest
import torch

from robustdr.training.state import load_state, save_state

POSITION = {"key": "key", "step": 2, "log": [{"loss": 0.5}]}
SCALER = {"scale": 8.0}


class Fit:
    """Two weights under an optimiser that remembers its steps."""

    def __init__(self, seed: int):
        torch.manual_seed(seed)
        self.parameters = {name: torch.nn.Parameter(torch.randn(2, 3)) for name in ("query.one", "query.other")}
        self.optimiser = torch.optim.AdamW(self.parameters.values(), lr=0.1)

    def step(self) -> None:
        sum((parameter**2).sum() for parameter in self.parameters.values()).backward()
        self.optimiser.step()
        self.optimiser.zero_grad()

    def values(self) -> list[list]:
        return [parameter.tolist() for parameter in self.parameters.values()]


@pytest.fixture()
def saved(tmp_path):
    """A training of two steps, saved in tmp_path/state."""
    fit = Fit(seed=1)
    fit.step()
    fit.step()
    save_state(tmp_path / "state", fit.parameters, fit.optimiser, SCALER, POSITION)
    return fit


def load(tmp_path, fit: Fit, key: str = "key") -> dict:
    return load_state(tmp_path / "state", key, fit.parameters, fit.optimiser)


def test_a_training_goes_on_where_it_was(saved, tmp_path):
    resumed = Fit(seed=2)
    assert load(tmp_path, resumed) == {**POSITION, "scaler": SCALER}
    assert resumed.values() == saved.values()
    for fit in (saved, resumed):
        fit.step()
    assert resumed.values() == saved.values()
    for name, parameter in resumed.parameters.items():
        state, expected = resumed.optimiser.state[parameter], saved.optimiser.state[saved.parameters[name]]
        assert state.keys() == expected.keys()
        assert all(torch.equal(state[field], expected[field]) for field in expected)


def test_a_later_state_replaces_an_earlier_one(saved, tmp_path):
    saved.step()
    save_state(tmp_path / "state", saved.parameters, saved.optimiser, SCALER, {**POSITION, "step": 3})
    resumed = Fit(seed=2)
    assert load(tmp_path, resumed)["step"] == 3
    assert resumed.values() == saved.values()


def flip(path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def rewrite(path, **changes) -> None:
    position = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({name: value for name, value in position.items() if value is not None}))


DAMAGE = {
    "nothing was saved": lambda folder: [path.unlink() for path in folder.iterdir()],
    "no tensors": lambda folder: (folder / "state.safetensors").unlink(),
    "no position": lambda folder: (folder / "state.json").unlink(),
    "a flipped bit": lambda folder: flip(folder / "state.safetensors"),
    "another step": lambda folder: rewrite(folder / "state.json", step=9),
    "no digest": lambda folder: rewrite(folder / "state.json", sha256=None),
    "half a position": lambda folder: (folder / "state.json").write_text('{"step": 2,'),
    "no object": lambda folder: (folder / "state.json").write_text("[]"),
    "not text": lambda folder: (folder / "state.json").write_bytes(b"\xff\xfe"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_state_that_is_not_whole_is_none(saved, tmp_path, damage):
    damage(tmp_path / "state")
    fit = Fit(seed=2)
    before = fit.values()
    assert load(tmp_path, fit) == {}
    assert fit.values() == before and not fit.optimiser.state


def test_a_state_with_another_key_is_none(saved, tmp_path):
    fit = Fit(seed=2)
    before = fit.values()
    assert load(tmp_path, fit, key="another") == {}
    assert fit.values() == before and not fit.optimiser.state
