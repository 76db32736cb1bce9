"""Keys and the hash of code: comments and dates do not count, code and what it imports do."""

import os

import pytest

from robustdr import provenance
from robustdr.provenance import codehash, key, pins


@pytest.fixture()
def package(tmp_path, monkeypatch):
    """A package `robustdr` with a few modules; `hashed("module")` hashes it anew."""
    files = {
        "__init__.py": "",
        "loop.py": "import json\nfrom robustdr import helper\n\n\ndef run():\n    return helper.two()\n",
        "helper.py": "from .deep.inner import one\n\n\ndef two():\n    return one() + 1\n",
        "deep/__init__.py": "",
        "deep/inner.py": "def one():\n    return 1\n",
        "other.py": "X = 1\n",
        "lazy.py": "def run():\n    from robustdr.other import X\n\n    return X\n",
        "ring.py": "import robustdr.ring_too\n",
        "ring_too.py": "import robustdr.ring\n",
    }
    for name, text in files.items():
        path = tmp_path / "robustdr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path / "robustdr")

    def hashed(module):
        codehash.cache_clear()
        return codehash(f"robustdr.{module}")

    yield tmp_path / "robustdr", hashed
    codehash.cache_clear()


def test_comments_blank_lines_and_dates_do_not_count(package):
    folder, hashed = package
    before = hashed("loop")
    path = folder / "deep" / "inner.py"
    path.write_text("# The smallest number.\n\n\ndef one():\n\n    return 1  # one\n")
    os.utime(path, (0, 0))
    assert hashed("loop") == before


@pytest.mark.parametrize("changed", ["loop.py", "helper.py", "deep/inner.py"])
def test_a_change_in_anything_imported_counts_and_a_revert_is_clean(package, changed):
    folder, hashed = package
    before, text = hashed("loop"), (folder / changed).read_text()
    (folder / changed).write_text(f"{text}\nY = 2\n")
    assert hashed("loop") != before
    (folder / changed).write_text(text)
    assert hashed("loop") == before


@pytest.mark.parametrize("changed", ["other.py", "deep/__init__.py"])
def test_a_change_elsewhere_does_not_count(package, changed):
    """A package's own file counts where it is imported by name: a registry may grow without rerunning its members."""
    folder, hashed = package
    before = hashed("loop")
    (folder / changed).write_text("X = 2\n")
    assert hashed("loop") == before


def test_imports_inside_functions_count(package):
    folder, hashed = package
    before = hashed("lazy")
    (folder / "other.py").write_text("X = 2\n")
    assert hashed("lazy") != before


def test_modules_that_import_each_other(package):
    assert package[1]("ring") == package[1]("ring_too")


def test_no_such_module(package):
    with pytest.raises(ValueError, match=r"no module 'robustdr.nothing' below"):
        package[1]("nothing")


def test_every_module_of_the_package_can_be_hashed():
    modules = sorted(provenance.PACKAGE.rglob("*.py"))
    for path in modules:
        parts = path.relative_to(provenance.PACKAGE.parent).with_suffix("").parts
        assert len(codehash(".".join(part for part in parts if part != "__init__"))) == 16


def test_a_key_depends_on_each_of_its_parts():
    base = {"modules": ["robustdr.seeds"], "packages": ["torch"], "settings": {"a": 1, "b": 2}, "inputs": ["x", "y"]}
    others = [
        {"modules": ["robustdr.files"]},
        {"packages": ["transformers"]},
        {"settings": {"a": 1, "b": 3}},
        {"inputs": ["x", "z"]},
    ]
    made = {key(**{**base, **other}) for other in others} | {key(**base)}
    assert len(made) == 5
    assert key(**{**base, "settings": {"b": 2, "a": 1}, "inputs": ["y", "x"]}) == key(**base)


def test_the_version_of_a_package_counts(monkeypatch):
    before = key([], ["torch"], {}, [])
    monkeypatch.setattr(provenance, "pins", lambda: {"torch": "0.0"})
    assert key([], ["torch"], {}, []) != before


def test_a_package_may_be_named_as_its_registry_writes_it(monkeypatch):
    monkeypatch.setattr(provenance, "pins", lambda: {"pystemmer": "3.1"})
    assert key([], ["PyStemmer"], {}, []) == key([], ["pystemmer"], {}, [])


def test_a_package_that_is_not_pinned():
    with pytest.raises(ValueError, match=r"requirements\.lock has no 'no-such-package'"):
        key([], ["no_such.package"], {}, [])


def test_pins_bear_normalised_names(tmp_path, monkeypatch):
    (tmp_path / "lock").write_text(
        "# tools\nPyYAML==6.0.1\nfoo_Bar.baz==1.2 ; python_version > '3'\n-e .\ntorch==2.1+cpu\n"
    )
    monkeypatch.setattr(provenance, "LOCK", tmp_path / "lock")
    pins.cache_clear()
    assert pins() == {"pyyaml": "6.0.1", "foo-bar-baz": "1.2", "torch": "2.1+cpu"}
    pins.cache_clear()
