"""Every statement and value of ten stages, and of a module behind each, is changed: each edit moves a key.

`pytest -s tests/keys/test_mutations.py` prints how many were changed and how many of them moved the code's digest.
"""

import ast
import itertools
from collections import Counter

import pytest

from robustdr.keys import provenance
from robustdr.keys.provenance import module_of_stage, modules

STAGES = {
    "checkpoint": "encoding.static",
    "compress": "retrieval.index",
    "embed": "encoding.batching",
    "evaluate": "evaluation.answers",
    "index": "retrieval.bm25_index",
    "rank": "retrieval.rank",
    "score": "training.scoring",
    "train": "training.schedule",
    "training_data": "training.assignment",
    "vary": "variations.statistics",
}


@pytest.fixture(autouse=True)
def no_notes(tmp_path, monkeypatch):
    """Notes lie where Snakemake runs: thousands of them would stay there."""
    monkeypatch.chdir(tmp_path)
    yield
    provenance.parsed.cache_clear()


def replaced(node):
    """What takes the place of a statement or value; '' for what has none, such as an operator."""
    match node:
        case ast.Expr(ast.Constant(str())):
            return ""  # a docstring; its text is changed
        case ast.Constant(str()):
            return repr(f"{node.value} changed")
        case ast.JoinedStr():
            return "f'changed {0}'"
        case ast.Constant():
            return "7654321"
        case ast.expr():
            return "unknown_name"
        case ast.stmt():
            return "pass"
    return ""


def edits(source, node):
    """Yield each changed source at and below a node, whether a docstring was changed, and what it is."""
    whole, tree = source.encode(), ast.dump(ast.parse(source))
    starts = [0, *itertools.accumulate(map(len, whole.splitlines(keepends=True)))]
    todo = [(node, False)]
    for node, is_docstring in todo:
        if not isinstance(node, ast.JoinedStr):  # Python 3.11 does not say where its parts are
            is_text = isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
            todo += [(child, is_text) for child in ast.iter_child_nodes(node)]
        if new := replaced(node):
            start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            text = (whole[:start] + new.encode() + whole[end:]).decode()
            try:
                is_equal = ast.dump(ast.parse(text)) == tree
            except SyntaxError:  # such as a call in the place of a target
                continue
            if not is_equal:
                yield text, is_docstring, f"line {node.lineno}: {ast.unparse(node)} became {new}"


def check(name, source, node):
    """Each edit moves the digest of a module, but for those of docstrings; Counter of whether edits are of these."""
    before, counts = provenance.parsed(name, source)[0], Counter()
    for text, is_docstring, message in edits(source, node):
        assert (provenance.parsed(name, text)[0] == before) == is_docstring, message
        counts[is_docstring] += 1
    return counts


@pytest.mark.parametrize("stage", STAGES)
def test_every_edit_of_a_stage_counts(stage):
    module = module_of_stage(stage)
    source = provenance._file(module).read_text(encoding="utf-8")
    function = next(node for node in ast.parse(source).body if getattr(node, "name", "") == stage)
    counts = check(module, source, function)
    print(f"{stage}: {counts.total()} changed, {counts[False]} moved its digest")
    assert counts[False] > 10


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_every_edit_of_a_module_behind_a_stage_counts_but_for_docstrings(stage):
    """Each of its statements is a source of its own: to read the whole module for each edit takes long."""
    name = f"robustdr.{STAGES[stage]}"
    assert name in modules(stage)
    source = provenance._file(name).read_text(encoding="utf-8")
    counts = Counter()
    for statement in ast.parse(source).body:
        first = min(node.lineno for node in (statement, *getattr(statement, "decorator_list", ())))
        text = "".join(source.splitlines(keepends=True)[first - 1 : statement.end_lineno])
        counts += check(name, text, ast.parse(text).body[0])
    print(f"{name}: {counts.total()} changed, {counts[False]} moved its digest")
    assert counts[False] > 50 and counts[True] >= 2  # at least the docstrings of the module and of one function
