"""Errors that the user can mend: one line that names file, key, value and what is allowed."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """Bad input. The command line prints its message alone, without a traceback, and exits with 2."""


def unknown(what: str, value: str, allowed: Iterable[str], meant: Iterable[str] = ()) -> UserError:
    """A `UserError` for `value`, which is none of `allowed`: what is `meant` or nearest first, then the whole list."""
    allowed = sorted(allowed)
    near = [*meant] or get_close_matches(value, allowed, n=3)
    hint = f" (did you mean {', '.join(near)}?)" if near else ""
    return UserError(f"{what}: {value!r} is unknown{hint}; allowed: {', '.join(allowed)}")
