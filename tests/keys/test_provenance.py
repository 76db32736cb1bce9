"""What keys are made of: code without its comments, and packages with what they need."""

import ast
import os
import subprocess
import sys

import pytest
from tests.keys.caches import forget

from robustdr.core.errors import UserError
from robustdr.keys import provenance
from robustdr.keys.provenance import Code, digests, installed, key, lock, modules, packages, pins

FILES = {
    "__init__.py": "",
    "loop.py": "import json\nfrom robustdr import helper\n\n\ndef run():\n    return helper.two()\n",
    "helper.py": "from .deep.inner import one\n\n\ndef two():\n    return one() + 1\n",
    "deep/__init__.py": "",
    "deep/inner.py": "import torch\n\n\ndef one():\n    return 1\n",
    "other.py": "X = 1\n",
    "lazy.py": "def run():\n    from robustdr.other import X\n\n    return X\n",
    "ring.py": "import robustdr.ring_too\n",
    "ring_too.py": "import robustdr.ring\n",
    "stages/__init__.py": "",
    "stages/__main__.py": "from robustdr.stages import options\n",
    "stages/options.py": "INT = int\nFLOAT = float\n\n\ndef stage(*text, **options):\n    return id\n",
    "stages/data.py": (
        "import yaml\nfrom robustdr.other import X\nfrom robustdr.stages.options import INT, stage\n\n"
        "LIMIT = 3\n\n\ndef helper():\n    return LIMIT\n\n\n"
        "@stage('loop', limit=INT)\ndef loop(a):\n    from robustdr.loop import run\n\n    return run(), helper()\n\n\n"
        "def lazy(a):\n    loop = X\n    return loop, yaml\n"
    ),
}


@pytest.fixture()
def package(tmp_path, monkeypatch):
    """A package `robustdr` with a few modules; `hashed("module")` hashes it anew."""
    for name, text in FILES.items():
        path = tmp_path / "robustdr" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path / "robustdr")

    def hashed(code):
        forget()
        return modules(code)

    yield tmp_path / "robustdr", hashed
    forget()


def test_comments_blank_lines_and_dates_do_not_count(package):
    folder, hashed = package
    before = hashed("robustdr.loop")
    path = folder / "deep" / "inner.py"
    path.write_text("import torch\n\n# The smallest number.\n\n\ndef one():\n\n    return 1  # one\n")
    os.utime(path, (0, 0))
    assert hashed("robustdr.loop") == before
    assert list(before) == ["robustdr", "robustdr.deep", "robustdr.deep.inner", "robustdr.helper", "robustdr.loop"]


EDITS = {
    "a docstring": ("    return 1\n", '    """One."""\n    return 1\n', False),
    "a docstring of the file": ("import torch\n", '"""Numbers."""\nimport torch\n', False),
    "a docstring of a field": ("    x: int\n", '    x: int\n    """One."""\n', False),
    "a line break": ("return 1", "return (\n        1\n    )", False),
    "an annotation": ("def one():", "def one() -> int:", True),
    "an annotation of a class": ("    x: int\n", "    x: float\n", True),
    "a message": ('ValueError("no one")', 'ValueError(f"no {one}")', True),
    "what is raised": ('ValueError("no one")', 'KeyError("no one")', True),
    "help": ('"help": "one"', '"help": "two"', True),
    "a text": ('CARD = "one"', 'CARD = "two"', True),
    "a default": ("def one():", "def one(x=1):", True),
    "a statement at the top": ("import torch\n", "import torch\ntorch.set_num_threads(3)\n", True),
}


@pytest.mark.parametrize("edit", EDITS)
def test_comments_and_docstrings_alone_do_not_count(package, edit):
    folder, hashed = package
    path, (old, new, counts) = folder / "deep" / "inner.py", EDITS[edit]
    texts = 'CARD = "one"\nOPTION = {"help": "one", "kind": "one"}\n'
    code = "class A:\n    x: int\n\n\ndef one():\n    return 1\n"
    text = f'import torch\n\n{texts}\n{code}\n\nraise ValueError("no one")\n'
    path.write_text(text)
    before = hashed("robustdr.loop")
    assert old in text
    path.write_text(text.replace(old, new))
    assert (hashed("robustdr.loop") != before) == counts


def test_the_environment_counts_where_it_decides_digits(monkeypatch):
    names = (
        "MKL_CBWR",
        "NVIDIA_TF32_OVERRIDE",
        "DNNL_MAX_CPU_ISA",
        "MKL_ENABLE_INSTRUCTIONS",
        "NPY_DISABLE_CPU_FEATURES",
    )
    for name, counts in (*((name, True) for name in names), ("COLUMNS", False)):
        forget()
        before = key(Code(["evaluate"]), None, {})
        monkeypatch.setenv(name, "1")
        forget()
        assert (key(Code(["evaluate"]), None, {}) != before) == counts
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize("changed", ["loop", "helper", "deep.inner"])
def test_a_change_in_anything_imported_counts_and_a_revert_is_clean(package, changed):
    folder, hashed = package
    before, path = hashed("robustdr.loop"), folder / f"{changed.replace('.', '/')}.py"
    text = path.read_text()
    path.write_text(f"{text}\nY = 2\n")
    after = hashed("robustdr.loop")
    assert {name for name in after if after[name] != before[name]} == {f"robustdr.{changed}"}
    path.write_text(text)
    assert hashed("robustdr.loop") == before


def test_code_is_parsed_once_per_machine_and_anew_when_it_changes(package, monkeypatch):
    folder, hashed = package
    (folder / ".snakemake").mkdir()
    monkeypatch.chdir(folder)
    forget()
    before, parse, parsed = hashed("robustdr.loop"), ast.parse, []
    monkeypatch.setattr(
        ast, "parse", lambda *arguments, **options: parsed.append(arguments[0]) or parse(*arguments, **options)
    )
    forget()
    assert hashed("robustdr.loop") == before and not parsed
    text = "import yaml\n\n\ndef one():\n    return 1\n"
    (folder / "deep/inner.py").write_text(text)
    assert hashed("robustdr.loop") != before and parsed == [text]
    assert provenance._reached("robustdr.loop")[1] == {"yaml"}


@pytest.mark.parametrize("changed, counts", [("other.py", False), ("deep/__init__.py", True), ("__init__.py", True)])
def test_a_change_counts_where_it_is_executed(package, changed, counts):
    """An import of a module executes the files of the packages around it."""
    folder, hashed = package
    before = hashed("robustdr.loop")
    (folder / changed).write_text("X = 2\n")
    assert (hashed("robustdr.loop") != before) == counts


def test_imports_inside_functions_count(package):
    assert "robustdr.other" in package[1]("robustdr.lazy")


def test_every_import_statement_counts(package):
    folder, hashed = package
    (folder / "many.py").write_text("import torch\nfrom robustdr.other import X\nimport yaml\n")
    assert set(hashed("robustdr.many")) == {"robustdr", "robustdr.many", "robustdr.other"}
    assert provenance._reached("robustdr.many")[1] == {"torch", "yaml"}


BRANCHES = """
if True:
    import a
elif True:
    import b
else:
    from robustdr import other
try:
    import c
except ImportError:
    import d
else:
    import e
finally:
    import f
match 1:
    case 1:
        import g
with open("x"):
    for one in two:
        import h
    else:
        import i
"""


def test_imports_in_every_branch_count(package):
    folder, hashed = package
    (folder / "branches.py").write_text(BRANCHES)
    assert set(hashed("robustdr.branches")) == {"robustdr", "robustdr.branches", "robustdr.other"}
    assert provenance._reached("robustdr.branches")[1] == set("abcdefghi")


def test_relative_imports_begin_at_the_package(package):
    """Of a module that is the one around it, of a package itself."""
    folder, hashed = package
    for name in ("deep/__init__.py", "deep/beside.py"):
        (folder / name).write_text("from . import inner\n")
    for name in ("robustdr.deep", "robustdr.deep.beside"):
        assert set(hashed(name)) == {name, "robustdr", "robustdr.deep", "robustdr.deep.inner"}


def test_modules_that_import_each_other(package):
    assert package[1]("robustdr.ring") == package[1]("robustdr.ring_too")


def test_a_stage_is_its_file_and_what_its_function_imports(package):
    around = {"robustdr", *(f"robustdr.stages{module}" for module in ("", ".__main__", ".data", ".options"))}
    inner = {"robustdr.deep", "robustdr.deep.inner", "robustdr.helper", "robustdr.loop"}
    assert set(package[1]("loop")) == {"robustdr.other"} | inner | around
    assert set(package[1]("lazy")) == {"robustdr.other"} | around
    assert provenance._reached("loop")[1] == {"torch", "yaml"} and provenance._reached("lazy")[1] == {"yaml"}


@pytest.mark.parametrize("file", ["stages/__main__.py", "stages/options.py", "stages/__init__.py", "stages/data.py"])
def test_what_runs_every_stage_and_their_file_count_for_every_stage(package, file):
    folder, hashed = package
    before = hashed("loop"), hashed("lazy")
    path = folder / file
    path.write_text(f"{path.read_text()}X = 3\n")
    assert hashed("loop") != before[0] and hashed("lazy") != before[1]


def test_what_another_stage_of_a_file_imports_does_not_count(package):
    folder, hashed = package
    before = hashed("lazy")
    path = folder / "deep" / "inner.py"
    path.write_text(f"{path.read_text()}X = 3\n")
    assert hashed("lazy") == before


@pytest.mark.parametrize("name, message", [("robustdr.nothing", "no module"), ("nothing", "has no stage 'nothing'")])
def test_no_such_code(package, name, message):
    with pytest.raises(ValueError, match=message):
        package[1](name)


def test_every_module_of_the_package_can_be_hashed():
    for path in sorted(provenance.PACKAGE.rglob("*.py")):
        parts = path.relative_to(provenance.PACKAGE.parent).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        assert len(modules(name)[name]) == 16 and packages(Code([name])) is not None


@pytest.mark.parametrize("settings", (provenance.PACKAGE / "rankers").glob("*_settings.py"), ids=lambda path: path.stem)
def test_the_code_of_a_ranker_covers_its_settings(settings):
    """They are loaded by their name where a ranker is made."""
    name = f"robustdr.rankers.{settings.stem}"
    assert name in modules(name.removesuffix("_settings"))


def test_a_key_depends_on_each_of_its_parts():
    code, inputs = Code(["corpus"], ["torch"]), {"data": "x", "runs": ["y", "z"]}
    base = {"code": code, "settings": {"a": 1, "b": 2}, "inputs": inputs}
    changes = [
        {"code": Code(["split"], ["torch"])},
        {"code": Code(["corpus", "robustdr.collections.irds"], ["torch"])},
        {"code": Code(["corpus"], ["transformers"])},
        {"settings": {"a": 1, "b": 3}},
        {"inputs": inputs | {"data": "z"}},
        {"inputs": inputs | {"runs": ["z", "y"]}},  # in another order
        {"inputs": {"model": "x", "runs": ["y", "z"]}},  # in another role
    ]
    keys = {key(**{**base, **change}) for change in changes} | {key(**base)}
    assert len(keys) == 8
    assert key(code, {"b": 2, "a": 1}, {"runs": ["y", "z"], "data": "x"}) == key(**base)


LOCKED = {"a": ("1", frozenset()), "b": ("2", frozenset({"a"})), "c": ("3", frozenset({"b"})), "d": ("4", frozenset())}


def test_packages_bring_what_they_need(monkeypatch):
    monkeypatch.setattr(provenance, "lock", lambda: LOCKED)
    assert packages(Code([], ["A"])) == {"a": "1", "b": "2", "c": "3"}
    assert packages(Code([], ["d"])) == {"d": "4"}
    with pytest.raises(UserError, match=r"requirements\.lock has no 'no-such-package'; pin it"):
        packages(Code([], ["no_such.package"]))
    with pytest.raises(UserError, match=r"has no '\S+', which robustdr\.core\.settings imports; pin it"):
        packages(Code(["robustdr.core.settings"]))


def test_the_lock_bears_normalised_names(tmp_path, monkeypatch):
    (tmp_path / "lock").write_text(
        "# tools\nPyYAML==6.0.1  # via foo-bar-baz, torch\nfoo_Bar.baz==1.2 ; python_version > '3'\n"
        "-e .\ntorch==2.1+cpu\n"
    )
    monkeypatch.setattr(provenance, "LOCK", tmp_path / "lock")
    forget()
    assert pins() == {"pyyaml": "6.0.1", "foo-bar-baz": "1.2", "torch": "2.1+cpu"}
    assert lock()["pyyaml"][1] == {"foo-bar-baz", "torch"}
    forget()


def test_other_versions_than_the_pinned_ones_are_refused(monkeypatch):
    assert installed(Code(["evaluate"]))["numpy"] == pins()["numpy"]
    real = lock()
    monkeypatch.setattr(provenance, "lock", lambda: real | {"scipy": ("0.1", real["scipy"][1])})
    with pytest.raises(UserError, match=r"requirements\.lock pins scipy==0\.1, \S+ has [\d.]+; .*`make setup`"):
        installed(Code(["evaluate"]))
    monkeypatch.setattr(provenance, "lock", lambda: real | {"none-such": ("1.0", frozenset({"numpy"}))})
    with pytest.raises(UserError, match=r"pins none-such==1\.0, it is not installed"):
        installed(Code(["evaluate"]))


@pytest.mark.parametrize("distribution", ["faiss-cpu", "faiss-gpu", "faiss"])
def test_a_module_may_come_from_any_of_its_distributions(monkeypatch, distribution):
    at_hand = pins()["faiss-cpu"]
    monkeypatch.setattr(provenance, "packages", lambda code: {"faiss-cpu": at_hand})
    monkeypatch.setattr(provenance, "version", {distribution: at_hand}.__getitem__)
    monkeypatch.setattr(provenance, "PackageNotFoundError", KeyError)
    assert installed(Code(["search"])) == {"faiss-cpu": at_hand}


def test_a_build_of_the_pinned_version_is_that_version(monkeypatch):
    monkeypatch.setattr(provenance, "packages", lambda code: {"torch": "2.1"})
    monkeypatch.setattr(provenance, "version", {"torch": "2.1+cpu"}.__getitem__)
    assert installed(Code(["train"])) == {"torch": "2.1+cpu"}


def test_a_stage_is_the_same_in_another_process_with_another_hash_seed(tmp_path):
    code = "from robustdr.keys.provenance import modules; print(modules('train')['robustdr.training.loop'])"

    def run(hash_seed: str) -> str:
        environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(provenance.PACKAGE.parent)}
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    forget()
    assert run("1") == run("2") == run("3") == modules("train")["robustdr.training.loop"]


def test_digests_of_files_and_folders(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b").write_text("abc")
    (tmp_path / "a").write_text("abc")
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    file_digests = digests([tmp_path / "a", tmp_path / "deep", tmp_path / "missing"])
    assert file_digests == [{".": abc}, {"b": abc}, {}]
    (tmp_path / "deep").rename(tmp_path / "elsewhere")
    assert digests([tmp_path / "elsewhere"]) == [{"b": abc}]
