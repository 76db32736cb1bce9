"""What a preflight finds, and what it says of it."""

import re
from collections.abc import Iterable
from typing import NamedTuple

FETCHED = re.compile(r"hf download (\S+)((?:(?!&&|;).)*)")


class Missing(NamedTuple):
    """Something that a target needs and that is not as it must be.

    Attributes:
        what: in a line. mend: the command that mends it. needs: the artifacts that need it, in words.
    """

    what: str
    mend: str
    needs: tuple[str, ...] = ()


def merged(found: Iterable[Missing]) -> list[Missing]:
    """Return each thing once, in the order in which it was found, with all that needs it."""
    once: dict[str, Missing] = {}
    for one in found:
        before = once.get(one.what, Missing(one.what, one.mend))
        once[one.what] = before._replace(needs=tuple(dict.fromkeys((*before.needs, *one.needs))))
    return list(once.values())


def lines(found: Iterable[Missing]) -> list[str]:
    """Return for each thing what is missing, what needs it, and the command that mends it."""
    told = []
    for number, one in enumerate(found, 1):
        needs = one.needs[0] + (f" and {len(one.needs) - 1} more" if len(one.needs) > 1 else "") if one.needs else ""
        told += [f"{number}. {one.what}", *([f"   needed by: {needs}"] if needs else []), f"   mend: {one.mend}"]
        told += [f"   not pinned: this takes the newest {name} of the hub" for name in unpinned(one.mend)]
    return told


def unpinned(command: str) -> list[str]:
    """Return the models that a command takes from the hub as they are now, without a revision."""
    return [name for name, options in FETCHED.findall(command) if "--revision" not in options]


def amount(size: float) -> str:
    """Return a number of bytes for people."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.{0 if unit == 'B' else 1}f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
