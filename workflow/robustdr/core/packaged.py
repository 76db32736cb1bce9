"""Data files inside packages of a registry: read only if their digest is the pinned one."""

from importlib.util import find_spec
from pathlib import Path

from robustdr.core.errors import UserError
from robustdr.core.files import sha256


def packaged(pin: str, module: str, name: str, digest: str) -> Path:
    """The file `name` inside the Python package `module` of the distribution `pin`, checked.

    Raises:
        UserError: the package is not installed, or the file does not have the SHA-256 `digest`.
    """
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"{module} is not installed; run `pip install {pin}`")
    path = Path(spec.submodule_search_locations[0]) / name
    if not path.is_file() or sha256(path) != digest:
        raise UserError(f"{path}: not the file of {pin} (sha256 {digest}); reinstall it: `pip install {pin}`")
    return path
