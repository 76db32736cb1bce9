"""The statements of a file: which ones a name needs, and what in them can decide a result."""

import ast
from collections.abc import Iterable


def behind(name: str, source: str, unnamed: bool = False) -> list[ast.stmt]:
    """Return the top-level statements that define a name and, in turn, the names in them, in the order of the file.

    Each name of an import counts separately.

    Args:
        unnamed: also the statements that define no name, such as a loop, and those that they need: importing any name
            executes them.

    Raises:
        KeyError: the file defines no such name.
    """
    defined: dict[str, ast.stmt] = {}
    for number, node in enumerate(ast.parse(source).body):
        match node:
            case ast.FunctionDef(name=own) | ast.ClassDef(name=own):
                defined[own] = node
            case ast.AnnAssign(target=ast.Name(id=own)) | ast.Assign([ast.Name(id=own)]):
                defined[own] = node
            case ast.Import(names):
                defined |= {alias.asname or alias.name.partition(".")[0]: ast.Import([alias]) for alias in names}
            case ast.ImportFrom(base, names, level):
                defined |= {alias.asname or alias.name: ast.ImportFrom(base, [alias], level) for alias in names}
            case ast.Expr(ast.Constant()):
                pass
            case _:
                defined[f"{number}"] = node
    found: set[str] = set()
    todo = {name, *(own for own in defined if unnamed and own.isdigit())}
    while todo:
        found.add(own := todo.pop())
        said = [inner for inner in ast.walk(defined[own]) if isinstance(inner, ast.Name)]
        local = {inner.id for inner in said if isinstance(inner.ctx, ast.Store)}  # may equal a name of the file
        todo |= ({inner.id for inner in said} - local) & defined.keys() - found
    return [node for own, node in defined.items() if own in found]


Words = str
"""The type of a text for people that a file holds, such as a card's: no key covers it."""


class _Deciding(ast.NodeTransformer):
    """Removes docstrings, annotations within functions, `Words`, and the words of raised messages."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Constant(str()):
                return None
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for inner in ast.walk(node):
            match inner:
                case ast.arg():
                    inner.annotation = None
                case ast.AnnAssign():
                    inner.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        match node.annotation:
            case ast.Name("Words"):
                node.value = None
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        match node.exc:
            case ast.Call(args=args):
                text = (ast.JoinedStr, ast.Constant)
                node.exc.args = [ast.Constant(None) if isinstance(one, text) else one for one in args]
        return self.generic_visit(node)


def deciding(nodes: Iterable[ast.AST]) -> str:
    """Return what statements do, as text.

    Comments, docstrings, annotations within functions, messages and `Words` do not count. An annotation of a class
    counts: libraries generate code from it.
    """
    return "\n".join(ast.dump(_Deciding().visit(node)) for node in nodes)
