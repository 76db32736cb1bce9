"""The statements of a file that one name of it stands on."""

import ast


def behind(name: str, source: str) -> list[ast.stmt]:
    """The top-level statements that define a name and, in turn, the names in them, in the order of the file.

    An import of several names counts name by name.

    Raises:
        KeyError: the file defines no such name.
    """
    defined: dict[str, ast.stmt] = {}
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef(name=own) | ast.ClassDef(name=own):
                defined[own] = node
            case ast.AnnAssign(target=ast.Name(id=own)) | ast.Assign([ast.Name(id=own)]):
                defined[own] = node
            case ast.Import(names):
                defined |= {alias.asname or alias.name.partition(".")[0]: ast.Import([alias]) for alias in names}
            case ast.ImportFrom(base, names, level):
                defined |= {alias.asname or alias.name: ast.ImportFrom(base, [alias], level) for alias in names}
    found: set[str] = set()
    todo = {name}
    while todo:
        found.add(own := todo.pop())
        said = [inner for inner in ast.walk(defined[own]) if isinstance(inner, ast.Name)]
        local = {inner.id for inner in said if isinstance(inner.ctx, ast.Store)}  # may bear a name of the file
        todo |= ({inner.id for inner in said} - local) & defined.keys() - found
    return [node for own, node in defined.items() if own in found]
