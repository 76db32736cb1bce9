"""Mutants of a module: copies with one small mistake each, as a test suite should find it."""

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.MatMult: ast.Mult,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
WITHOUT = ("detach", "no_grad", "masked_fill", "relu", "log", "exp", "sigmoid", "abs")  # calls x.f(…) that become x


class Mutant(NamedTuple):
    """A mutated source; `line` and the texts say what was changed."""

    line: int
    before: str
    after: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module's source, in the order of its text."""
    tree = ast.parse(source)
    skipped = _skipped(tree)
    for number, node in enumerate(ast.walk(tree)):
        if number in skipped:
            continue
        for other in _others(node):
            changed = copy.deepcopy(tree)
            _replace(changed, number, other)
            yield Mutant(node.lineno, ast.unparse(node), ast.unparse(other), ast.unparse(changed))


def _skipped(tree: ast.AST) -> set[int]:
    """Return the numbers of nodes in assertions, annotations, messages and guards, which no result depends on."""
    numbers = {id(node): number for number, node in enumerate(ast.walk(tree))}
    idle: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.Assert() | ast.Raise() | ast.JoinedStr():
                idle.append(node)
            case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=annotation) if annotation:
                idle.append(annotation)
            case ast.FunctionDef(returns=returns) if returns:
                idle.append(returns)
            case ast.keyword("frozen" | "strict" | "kw_only"):
                idle.append(node)
            case ast.Subscript(slice=index) if ast.unparse(node).startswith(
                ("Literal[", "Annotated[", "dict[", "list[")
            ):
                idle.append(index)
    return {numbers[id(inner)] for node in idle for inner in ast.walk(node)}


def _others(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what may stand in place of an expression."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in SWAPPED:
            yield ast.BinOp(left, SWAPPED[type(op)](), right)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(SWAPPED[type(op)](), values)
        case ast.Compare(left, [op], [right]) if type(op) in SWAPPED:
            yield ast.Compare(left, [SWAPPED[type(op)]()], [right])
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield operand
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)
        case ast.Constant(float(value)):
            yield ast.Constant(10 * value if value else 1.0)
        case ast.Call(ast.Attribute(value, name)) if name in WITHOUT:
            yield value


def _replace(tree: ast.AST, number: int, other: ast.expr) -> None:
    """Put `other` in the place of the node with a number."""
    target = list(ast.walk(tree))[number]
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, ast.fix_missing_locations(ast.copy_location(other, target)))
            elif isinstance(value, list) and any(each is target for each in value):
                value[next(i for i, each in enumerate(value) if each is target)] = ast.fix_missing_locations(
                    ast.copy_location(other, target)
                )
