"""Helpers for checks of the configuration."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from robustdr.core.errors import UserError, unknown


@contextmanager
def prefixed_errors(place: str) -> Iterator[None]:
    """Put file and key before a message that names neither."""
    try:
        yield
    except UserError as error:
        raise UserError(f"{place}: {error}") from None


def check_known(place: str, value: str, allowed: Iterable[str]) -> None:
    """Raise a `UserError` that begins with `place` unless `value` is in `allowed`."""
    if value not in allowed:
        raise unknown(place, value, allowed)
