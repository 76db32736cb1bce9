"""Which fields of settings decide what."""

from dataclasses import field

from robustdr.core.settings import LATER, UNSEEN, deciding, identifying, settings


@settings
class Younger:
    epochs: int
    decay: bool = field(default=True, metadata=LATER)
    shown: str = field(default="", metadata=UNSEEN)


def test_a_younger_field_tells_runs_of_the_ledger_apart_only_if_it_is_not_the_default():
    assert identifying(Younger(epochs=2, shown="x")) == {"epochs": 2}
    assert identifying(Younger(epochs=2, decay=False)) == {"epochs": 2, "decay": False}
    assert deciding(Younger(epochs=2)) == {"epochs": 2, "decay": True}
