"""The source of each module of this package that the process loaded, as it was at loading."""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
LOADED: dict[str, str] = {}  # by full name


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str):  # type: ignore[no-untyped-def]  # as the class below it
        LOADED[fullname] = self.get_data(self.path).decode("utf-8")
        return super().get_code(fullname)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname, path, target=None) -> ModuleSpec | None:  # type: ignore[no-untyped-def]
        if fullname.partition(".")[0] != PACKAGE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


def watch() -> None:
    """Note the source of modules that are loaded already, and of those loaded from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == PACKAGE and module.__file__:
                LOADED[name] = Path(module.__file__).read_text(encoding="utf-8")
