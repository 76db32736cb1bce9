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


def FILE():
    import nowhere_to_be_found
"""
WORK = "def FILE():\n    import nowhere_to_be_found"


BASE = """\
from typing import ClassVar


class Base:
    needs: ClassVar[tuple[str, ...]]
    counts: ClassVar[bool] = False
"""


@pytest.fixture()
def plugins(tmp_path, monkeypatch):
    """`plugins(file=text, …)`: the plug-ins of a package of these files."""

    def make_plugins(**files: str) -> Plugins:
        folder = tmp_path / f"made_{next(NUMBERS)}"
        folder.mkdir()
        for name, text in {"__init__": "", "base": BASE, **files}.items():
            text = text.replace("PACKAGE", folder.name).replace("FILE", name)
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        return Plugins("thing", folder.name, import_module(f"{folder.name}.base").Base)

    return make_plugins


def test_settings_are_those_of_the_file_or_lie_beside_it(plugins):
    """A plug-in that cannot be imported without torch has them beside it; other files are not imported."""
    heavy = "import nowhere_to_be_found\n"
    things = plugins(two_words=ABOUT, heavy=f"{heavy}def heavy(): ...\n", heavy_settings=ABOUT, helper=heavy)
    assert things.names() == ["heavy", "two_words"]
    for name in things.names():
        assert things.module(name) == f"{things.package}.{name}"
        assert things.facts(name).needs == ("passages",)
        assert asdict(things.settings(name, {"side": "right"})) == {"weight": 2.0, "side": "right"}


def test_the_work_is_done_by_what_is_called_like_the_file(plugins):
    things = plugins(a_class=ABOUT.replace(WORK, "class AClass: ..."), a_function=ABOUT)
    assert [things.load(name).__name__ for name in things.names()] == ["AClass", "a_function"]


def test_classes_with_a_name_share_a_file(plugins):
    text = 'class Shared: ...\nclass Last:\n    name = "z"\nclass Second(Shared):\n    name = "b"\n    listed = 2\n'
    things = plugins(one=text, other='class First:\n    name = "c"\n    listed = 1\n')
    assert things.names() == ["c", "b", "z"]
    assert [things.load(name).__name__ for name in things.names()] == ["First", "Second", "Last"]
    assert [things.module(name) for name in "cbz"] == [f"{things.package}.{file}" for file in ("other", "one", "one")]


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
    name, configured, message = MISTAKES[mistake]
    with pytest.raises(UserError, match=message):
        plugins(two=ABOUT).settings(name, configured)


WRONG = {
    "a fact is missing": ('    needs = ("passages",)\n', "", ": Settings lacks `needs`; every thing has it"),
    "a default cannot be made": ("double(LOW)", "LOW + 'x'", ": TypeError: unsupported operand.*"),
    "no Python": ("return 2 * number", "return 2 *", ":12: not Python: invalid syntax"),
    "nothing does the work": ("FILE", "other", ": no function or class is called 'one'; capitals .*"),
    "of another base": ("Settings(Base)", "Settings", r": Settings is not below made_\d+\.base\.Base"),
    "no dataclass": ("@dataclass(frozen=True, config=STRICT)\n", "", ": Settings is no dataclass; write @settings.*"),
    "no type": (
        "weight: PositiveFloat",
        "weight",
        ": Settings.weight has no type; write it, as in `weight: .*",
    ),
}


@pytest.mark.parametrize("mistake", list(WRONG))
def test_a_mistake_in_a_file_names_the_file(plugins, mistake):
    old, new, message = WRONG[mistake]
    assert old in ABOUT
    with pytest.raises(UserError, match=rf"^\S+/one\.py{message}$"):
        plugins(one=ABOUT.replace(old, new)).facts("one")


def test_a_class_without_a_method_that_each_has_is_an_error(plugins):
    work = "from abc import ABC, abstractmethod\nclass Work(ABC):\n    @abstractmethod\n    def work(self): ...\n"
    source = ABOUT.replace("import Base", "import Base, Work")
    things = plugins(base=BASE + work, one=source.replace(WORK, "class One(Work): ..."))
    with pytest.raises(UserError, match=r"one\.py: One lacks `work`; every thing has it$"):
        things.load("one")


def test_two_plug_ins_of_one_name_are_an_error(plugins):
    with pytest.raises(UserError, match=r"two\.py: Second: another thing is called 'a': \S+one\.py$"):
        plugins(one='class First:\n    name = "a"\n    listed = 1\n', two='class Second:\n    name = "a"\n').names()


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
