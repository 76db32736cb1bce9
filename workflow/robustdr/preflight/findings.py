"""What a preflight finds, and what it says of it."""

import re
from collections.abc import Iterable
from typing import NamedTuple

FETCHED = re.compile(r"hf download (\S+)((?:(?!&&|;).)*)")


class Missing(NamedTuple):
    """Something that a target needs and that is not as it must be.

    Attributes:
        problem: in a line. mend: the command that mends it. needs: the artifacts that need it, in words.
    """

    problem: str
    mend: str
    needs: tuple[str, ...] = ()


def merge_missing(findings: Iterable[Missing]) -> list[Missing]:
    """Return each thing once, in the order in which it was found, with all that needs it."""
    once: dict[str, Missing] = {}
    for missing in findings:
        before = once.get(missing.problem, Missing(missing.problem, missing.mend))
        once[missing.problem] = before._replace(needs=tuple(dict.fromkeys((*before.needs, *missing.needs))))
    return list(once.values())


def lines(findings: Iterable[Missing]) -> list[str]:
    """Return for each thing what is missing, what needs it, and the command that mends it."""
    text_lines = []
    for number, missing in enumerate(findings, 1):
        needs = (
            missing.needs[0] + (f" and {len(missing.needs) - 1} more" if len(missing.needs) > 1 else "")
            if missing.needs
            else ""
        )
        text_lines += [
            f"{number}. {missing.problem}",
            *([f"   needed by: {needs}"] if needs else []),
            f"   mend: {missing.mend}",
        ]
        text_lines += [f"   not pinned: this takes the newest {name} of the hub" for name in unpinned(missing.mend)]
    return text_lines


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
