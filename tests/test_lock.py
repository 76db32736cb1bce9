"""requirements.lock and the environments are what `make lock` writes."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from robustdr import provenance

ROOT = Path(__file__).parents[1]
spec = spec_from_file_location("lock", ROOT / "envs" / "lock.py")
made = module_from_spec(spec)
spec.loader.exec_module(made)


def test_every_line_says_which_packages_need_it():
    assert made.locked() == (ROOT / "requirements.lock").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(ROOT.glob("envs/*.yaml")), ids=lambda path: path.name)
def test_an_environment_has_everything_that_its_packages_need(path):
    text = path.read_text(encoding="utf-8")
    assert made.environment(text, provenance.lock()) == text
