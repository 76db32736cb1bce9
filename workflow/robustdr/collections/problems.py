"""Problems of a user's files: the pipeline stops at the first one, `robustdr check` lists them all."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from robustdr.core.errors import UserError, shortened


class Place(NamedTuple):
    """A line of a file, from 1, or with the unit `row` a row of a table, from 0."""

    path: Path
    number: int
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.unit} {self.number}" if self.unit else f"{self.path}:{self.number}"


class Problem(NamedTuple):
    """One problem.

    Attributes:
        kind: name of this kind of problem, in the singular.
        place: its place; for a whole file, the path.
        message: what is there, and what is allowed.
        severity: an `error` stops the pipeline or makes its numbers wrong; a `warning` does not; `dropped` lines are
            left out at the user's request.
    """

    kind: str
    place: Place | Path
    message: str
    severity: Literal["error", "warning", "dropped"] = "error"

    def __str__(self) -> str:
        return shortened(f"{self.place}: {self.message}")


Report = Callable[[Problem], None]


def refuse(problem: Problem) -> None:
    """Report an error by raising it as a `UserError`; `robustdr check` and `evaluate` tell the warnings."""
    if problem.severity == "error":
        raise UserError(str(problem))


def sentences(problems: Iterable[Problem]) -> list[str]:
    """Return a sentence for each kind of problem: how many there are, and the first."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem.kind, []).append(problem)
    lines = []
    for kind, same_kind in kinds.items():
        first = f"{same_kind[0]}{' (left out)' if same_kind[0].severity == 'dropped' else ''}"
        lines.append(first if len(same_kind) == 1 else f"{len(same_kind):,} × {kind}; the first: {first}")
    return lines
