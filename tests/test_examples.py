"""The examples in docstrings: each prints what stands below it, and a plug-in without other values has one.

An example may use all names of its file and three fixtures: `words`, a checkpoint of seven words' vectors; `model`, a
tiny encoder; `corpus(d1="…", d2="…")`, the file of these passages.
"""

import doctest
import json
from importlib import import_module
from pathlib import Path

import pytest

import robustdr
from golden.test_golden import CASES, OF_RANKERS
from robustdr import variations
from robustdr.losses import LOSSES
from robustdr.rankers import RANKERS

PACKAGE = Path(robustdr.__file__).parent
FINDER = doctest.DocTestFinder(exclude_empty=True)
MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.fixture
def words(word_vectors):
    return word_vectors


@pytest.fixture
def model(tiny_model):
    return tiny_model


@pytest.fixture
def corpus(tmp_path):
    def write(**passages: str) -> Path:
        from robustdr.collections.rows import rows_of, write_rows

        path = tmp_path / "corpus.jsonl"
        lines = [json.dumps({"docid": docid, "title": "", "text": text}) for docid, text in passages.items()]
        path.write_text("".join(f"{line}\n" for line in lines))
        write_rows(path, rows_of(path))
        return path

    return write


def examples(module):
    """The docstrings of a module that have examples."""
    return [found for found in FINDER.find(import_module(module)) if found.examples]


@pytest.mark.parametrize("module", MODULES)
def test_an_example_prints_what_it_says(module, request):
    for found in examples(module):
        source = "".join(example.source for example in found.examples)
        needed = [name for name in ("words", "model", "corpus") if name in source and name not in found.globs]
        found.globs |= {name: request.getfixturevalue(name) for name in needed}
        told = []
        doctest.DocTestRunner(verbose=False).run(found, out=told.append)
        assert not told, "".join(told)


def without_values(plugins, golden):
    """The plug-ins that have neither golden vectors nor an example."""
    return [name for name in plugins.names() if name not in golden and not examples(plugins.module(name))]


def test_every_loss_and_ranker_has_golden_vectors_or_an_example():
    assert not without_values(LOSSES, {case["loss"]["name"] for case in CASES})
    assert not without_values(RANKERS, {*OF_RANKERS["words"], *OF_RANKERS["transformers"]})


def test_every_variation_that_no_paper_uses_has_an_example():
    """The tests of variations compare those of the papers with what the papers print and release."""
    for name in variations.names():
        kind = variations.kind(name)
        found = [one for one in examples(kind.__module__) if one.name.split(".")[-1] == kind.__name__]
        assert kind.papers or found, f"{name}: write an example into its docstring"
