"""Helpers for checks of the configuration."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from robustdr.core.errors import UserError, unknown


@contextmanager
def at(where: str) -> Iterator[None]:
    """Put file and key before a message that names neither."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


def known(where: str, value: str, allowed: Iterable[str]) -> None:
    """Raise a `UserError` that begins with `where` unless `value` is in `allowed`."""
    if value not in allowed:
        raise unknown(where, value, allowed)
