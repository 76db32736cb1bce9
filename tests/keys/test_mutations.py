"""Every statement and value of ten stages, and of a module behind each, is changed: a key moves where bytes could.

`pytest -s tests/keys/test_mutations.py` prints how many were changed and how many of them moved the code's digest.
"""

import ast
import itertools
from collections import Counter

import pytest

from robustdr.core.errors import Absent
from robustdr.keys import provenance
from robustdr.keys.provenance import code_of_stage, modules

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
ENDS_THE_JOB = {"UserError", "ValueError", "KeyError", "TypeError", "FileNotFoundError", "SystemExit", "unknown"}


@pytest.fixture(autouse=True)
def no_notes(tmp_path, monkeypatch):
    """Notes lie where Snakemake runs: thousands of them would stay there."""
    monkeypatch.chdir(tmp_path)
    yield
    provenance.part.cache_clear()


def _is_text(node):
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def spoken(node, in_function=False):
    """Yield what only people read below a node; `in_function`: whether it stands in a function, and in no class there.

    It is written apart from `core/statements.py`, which it checks.
    """
    match node:
        case ast.Expr(ast.Constant(str()) as text):
            yield text
        case ast.FunctionDef(returns=annotation) | ast.arg(annotation=annotation) if annotation:
            yield annotation
        case ast.AnnAssign(annotation=ast.Name("Words"), value=value):
            yield value
        case ast.AnnAssign(annotation=annotation) if in_function:
            yield annotation
        case ast.Raise(ast.Call(ast.Name(error), args)) if error in ENDS_THE_JOB:
            yield from filter(_is_text, args)
        case ast.Call(ast.Name("stage"), [ast.Constant() as text, *_]):
            yield text
        case ast.keyword("help", ast.Constant() as text):
            yield text
        case ast.Dict(keys, values):
            yield from (value for key, value in zip(keys, values, strict=True) if getattr(key, "value", "") == "help")
    inside = isinstance(node, ast.FunctionDef) or (in_function and not isinstance(node, ast.ClassDef))
    for child in ast.iter_child_nodes(node):
        yield from spoken(child, inside)


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
    """Yield each changed source at and below a node, whether the change can decide bytes, and what it is."""
    whole, tree, silent = source.encode(), ast.dump(ast.parse(source)), {id(text) for text in spoken(node)}
    starts = [0, *itertools.accumulate(map(len, whole.splitlines(keepends=True)))]
    todo = [(node, False)]
    for node, is_silent in todo:
        is_silent = is_silent or id(node) in silent
        if not isinstance(node, ast.JoinedStr):  # Python 3.11 does not say where its parts are
            todo += [(child, is_silent) for child in ast.iter_child_nodes(node)]
        if new := replaced(node):
            start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            text = (whole[:start] + new.encode() + whole[end:]).decode()
            try:
                is_equal = ast.dump(ast.parse(text)) == tree
            except SyntaxError:  # such as a call in the place of a target
                continue
            if not is_equal:
                yield text, not is_silent, f"line {node.lineno}: {ast.unparse(node)} became {new}"


def check(name, source, node):
    """Each edit moves the digest of a part exactly if it can decide bytes; Counter of whether edits can."""
    before, counts = provenance.part(name, source)[0], Counter()
    for text, decides, message in edits(source, node):
        assert (provenance.part(name, text)[0] != before) == decides, message
        counts[decides] += 1
    return counts


@pytest.mark.parametrize("stage", STAGES)
def test_an_edit_of_a_stage_counts_unless_only_people_read_it(stage):
    _, source = code_of_stage(stage)
    function = next(node for node in ast.parse(source).body if getattr(node, "name", "") == stage)
    counts = check(stage, source, function)
    print(f"{stage}: {counts.total()} changed, {counts[True]} moved its digest")
    assert counts[True] > 10 and counts[False] >= 3


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_an_edit_of_a_module_behind_a_stage_counts_unless_only_people_read_it(stage):
    """Each of its statements is a source of its own: to read the whole module for each edit takes long."""
    name = f"robustdr.{STAGES[stage]}"
    assert name in modules(stage)
    source = provenance._file(name).read_text(encoding="utf-8")
    counts = Counter()
    for statement in ast.parse(source).body:
        first = min(node.lineno for node in (statement, *getattr(statement, "decorator_list", ())))
        text = "".join(source.splitlines(keepends=True)[first - 1 : statement.end_lineno])
        counts += check(name, text, ast.parse(text).body[0])
    print(f"{name}: {counts.total()} changed, {counts[True]} moved its digest")
    assert counts[True] > 50 and counts[False] >= 3


def test_words_that_are_written_count():
    """An `Absent` is caught, and its message is printed in a page of claims."""
    before = 'raise Absent("no hours")\n'
    for error, counts in ((Absent.__name__, True), ("UserError", False), ("ValueError", False)):
        source = before.replace("Absent", error)
        digests = {provenance.part("robustdr.x", text)[0] for text in (source, source.replace("hours", "minutes"))}
        assert (len(digests) == 2) == counts
