"""The statements of a file: which ones a name needs, and what in them can decide a result."""

import ast
import builtins
from collections.abc import Iterable


def needed_statements(name: str, statements: Iterable[ast.stmt], unnamed: bool = False) -> list[ast.stmt]:
    """Return those of a file's statements that define a name and, in turn, the names in them, in the order of the file.

    Each name of an import counts separately.

    Args:
        unnamed: also the statements that define no name, such as a loop, and those that they need: importing any name
            executes them.

    Raises:
        KeyError: the file defines no such name.
    """
    defined: dict[str, ast.stmt] = {}
    for number, node in enumerate(statements):
        match node:
            case ast.FunctionDef(name=defined_name) | ast.ClassDef(name=defined_name):
                defined[defined_name] = node
            case ast.AnnAssign(target=ast.Name(id=defined_name)) | ast.Assign([ast.Name(id=defined_name)]):
                defined[defined_name] = node
            case ast.Import(names):
                defined |= {alias.asname or alias.name.partition(".")[0]: ast.Import([alias]) for alias in names}
            case ast.ImportFrom(base, names, level):
                defined |= {alias.asname or alias.name: ast.ImportFrom(base, [alias], level) for alias in names}
            case ast.Expr(ast.Constant()):
                pass
            case _:
                defined[f"{number}"] = node
    needed: set[str] = set()
    todo = {name, *(defined_name for defined_name in defined if unnamed and defined_name.isdigit())}
    while todo:
        needed.add(defined_name := todo.pop())
        inner_names = [inner for inner in ast.walk(defined[defined_name]) if isinstance(inner, ast.Name)]
        local = {inner.id for inner in inner_names if isinstance(inner.ctx, ast.Store)}  # may equal a name of the file
        todo |= ({inner.id for inner in inner_names} - local) & defined.keys() - needed
    return [node for defined_name, node in defined.items() if defined_name in needed]


Words = str
"""The type of a text for people that a file holds, such as a card's: no key covers it."""


class _Bare(ast.NodeTransformer):
    """Removes docstrings, annotations of functions, `Words`, help of options, and the words of raised messages."""

    in_function = False  # a function, and no class in it

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Constant(str()):
                return None
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._inside(node, True)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node, False)

    def _inside(self, node: ast.AST, function: bool) -> ast.AST:
        around, self.in_function = self.in_function, function
        self.generic_visit(node)
        self.in_function = around
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        match node.annotation:
            case ast.Name("Words"):
                node.value = None
        if self.in_function:
            node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [
            keyword for keyword in node.keywords if not (keyword.arg == "help" and _is_text(keyword.value))
        ]
        match node:
            case ast.Call(ast.Name("stage"), [text, *args]) if _is_text(text):
                node.args = args
        return self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        for key, value in zip(node.keys, node.values, strict=True):
            match key, value:
                case ast.Constant("help"), ast.Constant(str()):
                    value.value = None
        return self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        match node.exc:
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name), args) if _only_told(name):
                node.exc.args = [ast.Constant(None) if _is_text(argument) else argument for argument in args]
        return self.generic_visit(node)


def _only_told(error: str) -> bool:
    """Whether an error ends a job: Python's own, `UserError`, and what functions make. Others may be written."""
    return error == "UserError" or hasattr(builtins, error) or error.strip("_")[0].islower()


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.JoinedStr() | ast.Constant(str()):
            return True
    return False


def deciding(source: str) -> list[ast.stmt]:
    """Return the statements of a file without what decides no result.

    That is: comments, docstrings, annotations of functions, `Words`, help of stages and options, and the messages of
    `UserError` and of Python's own errors. An annotation of a class counts: libraries generate code from it. The words
    of other errors count: what catches these may write them.
    """
    return [node for node in map(_Bare().visit, ast.parse(source).body) if node]
