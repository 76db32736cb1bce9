"""Plug-ins: found by name, their settings read without what they import; what is wrong with one is said in one line."""

import subprocess
import sys
from dataclasses import asdict
from importlib import import_module
from itertools import count

import pytest
from pydantic import TypeAdapter

from robustdr.core.errors import UserError
from robustdr.core.plugins import Plugins
from robustdr.losses import LOSSES
from robustdr.rankers import RANKERS
from robustdr.reporting.figures import FIGURES
from robustdr.reporting.layouts import LAYOUTS

NUMBERS = count()  # a package of each name is imported once
ABOUT = """\
from typing import Literal

import nowhere_to_be_found
from pydantic import PositiveFloat
from pydantic.dataclasses import dataclass
from robustdr.core.settings import STRICT
from PACKAGE.base import Base

LOW = 1.0


def double(number):
    return 2 * number


@dataclass(frozen=True, config=STRICT)
class Settings(Base):
    needs = ("passages",)

    weight: PositiveFloat = double(LOW)
    side: Literal["left", "right"] = "left"
"""


BASE = """\
from typing import ClassVar


class Base:
    needs: ClassVar[tuple[str, ...]]
    counts: ClassVar[bool] = False
"""


@pytest.fixture()
def plugins(tmp_path, monkeypatch):
    """`plugins(file=text, …)`: the plug-ins of a package of these files."""

    def made(**files: str) -> Plugins:
        folder = tmp_path / f"made_{next(NUMBERS)}"
        folder.mkdir()
        for name, text in {"__init__": "", "base": BASE, **files}.items():
            (folder / f"{name}.py").write_text(text.replace("PACKAGE", folder.name), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        return Plugins("thing", folder.name, import_module(f"{folder.name}.base").Base)

    return made


def test_settings_are_read_without_the_rest_of_the_file(plugins):
    things = plugins(two_words=ABOUT, helper="import nowhere_to_be_found\n")
    assert things.names() == ["two_words"]
    assert things.facts("two_words").needs == ("passages",)
    assert asdict(things.settings("two_words", {"side": "right"})) == {"weight": 2.0, "side": "right"}


def test_the_work_is_done_by_what_is_called_like_the_file(plugins):
    about = ABOUT.replace("import nowhere_to_be_found\n", "")
    things = plugins(a_class=f"{about}\nclass AClass: ...\n", a_function=f"{about}\ndef a_function(): ...\n")
    assert [things.load(name).__name__ for name in things.names()] == ["AClass", "a_function"]


def test_classes_with_a_name_share_a_file(plugins):
    text = 'class Shared: ...\nclass Last:\n    name = "z"\nclass Second(Shared):\n    name = "b"\n    listed = 2\n'
    things = plugins(one=text, other='class First:\n    name = "c"\n    listed = 1\n')
    assert things.names() == ["c", "b", "z"]
    assert [things.load(name).__name__ for name in things.names()] == ["First", "Second", "Last"]
    assert things.modules() == [f"{things.package}.one", f"{things.package}.other"]


MISTAKES = {
    "name": ("twoo", {}, r"^thing: 'twoo' is unknown \(did you mean two\?\); allowed: two$"),
    "setting": (
        "two",
        {"weigth": 1},
        r"^thing two: key: 'weigth' is unknown \(did you mean weight\?\); allowed: side",
    ),
    "choice": (
        "two",
        {"side": "rihgt"},
        r"^thing two: side: 'rihgt' is unknown \(did you mean right\?\); allowed: left",
    ),
    "range": ("two", {"weight": 0}, r"^thing two: weight: 0 should be greater than 0$"),
    "type": ("two", {"weight": "1"}, r"^thing two: weight: '1' should be a valid number$"),
    "infinity": ("two", {"weight": float("inf")}, r"^thing two: weight: inf should be a finite number$"),
}


@pytest.mark.parametrize("mistake", list(MISTAKES))
def test_a_mistake_in_a_configuration_is_one_line(plugins, mistake):
    name, given, message = MISTAKES[mistake]
    with pytest.raises(UserError, match=message):
        plugins(two=ABOUT).settings(name, given)


def test_a_mistake_in_a_file_names_the_file(plugins):
    lacking = plugins(one=ABOUT.replace('    needs = ("passages",)\n', ""))
    with pytest.raises(UserError, match=r"one\.py: Settings lacks `needs`; every thing has it$"):
        lacking.facts("one")
    with pytest.raises(UserError, match=r"one\.py: Settings: TypeError: unsupported operand"):
        plugins(one=ABOUT.replace("double(LOW)", "LOW + 'x'")).facts("one")


EVERY = [(plugins, name) for plugins in (LOSSES, RANKERS, LAYOUTS, FIGURES) for name in plugins.names()]


@pytest.mark.parametrize(("plugins", "name"), EVERY, ids=lambda value: getattr(value, "noun", value))
def test_every_plug_in_has_a_schema_and_does_its_work(plugins, name):
    assert TypeAdapter(plugins.facts(name)).json_schema()["additionalProperties"] is False
    assert callable(plugins.load(name))


@pytest.mark.parametrize("plugins", [LOSSES, RANKERS], ids=lambda plugins: plugins.noun)
def test_defaults_are_values_that_are_allowed(plugins):
    for name in plugins.names():
        assert plugins.settings(name, asdict(plugins.settings(name, {}))) == plugins.settings(name, {})


def test_reading_the_configuration_imports_nothing_heavy():
    code = (
        "import sys; from pathlib import Path; from robustdr.experiments.config import load; load(Path('config'));"
        "print(*sorted({'torch', 'transformers', 'spacy', 'scipy', 'matplotlib'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "\n"
