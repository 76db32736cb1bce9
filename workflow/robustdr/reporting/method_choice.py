"""Which method to use: what each gains over one base and what it costs, from the comparison of all methods."""

from collections.abc import Iterable
from typing import NamedTuple

from robustdr.evaluation.names import MEAN, ORIGINAL
from robustdr.reporting.artifacts import Effect
from robustdr.reporting.cells import Cell
from robustdr.reporting.layouts.methods import BETTER, WORSE


class Method(NamedTuple):
    """A method: the cells of its variations and of its original queries, against the base `base`."""

    label: str
    base: str
    varied: Cell
    original: Cell

    @property
    def effect(self) -> Effect:
        """The gain on variations, to be drawn."""
        ends = [self.varied.difference_low, self.varied.difference_high]
        return {"size": self.varied.difference, "interval": ends, "printed": None, "region": None}  # type: ignore[typeddict-item]

    @property
    def gains(self) -> bool:
        return self.varied.mark == BETTER


def compared(cells: Iterable[Cell]) -> list[Method]:
    """The methods that were run with their base, the largest gain on variations first."""
    cells_by_key = {(cell.system, cell.query_set): cell for cell in cells}
    methods = []
    for system in dict.fromkeys(system for system, _ in cells_by_key):
        varied, original = cells_by_key.get((system, MEAN)), cells_by_key.get((system, ORIGINAL))
        if varied and original and varied.difference is not None and original.difference is not None:
            methods.append(Method(varied.label, cells_by_key[varied.against, MEAN].label, varied, original))
    return sorted(methods, key=lambda method: -(method.varied.difference or 0.0))


def _best(methods: list[Method]) -> str:
    """The first method, with those that were not told from the best of all methods."""
    if not methods:
        return "no method gained here"
    ties = [method.label for method in methods[1:] if method.varied.facts.get("differs_from_best") == "no"]
    first = methods[0].label
    if methods[0].varied.facts.get("differs_from_best") == "yes" or not ties:
        return first
    return f"{first}; no difference from {', '.join(ties)} was found"


def advice(methods: list[Method]) -> list[tuple[str, str]]:
    """(a need, the methods that meet it) pairs; a method counts if its gain on variations is significant.

    None if no method gains.
    """
    gaining = [method for method in methods if method.gains]
    if not gaining:
        return []
    return [
        ("I can train and index again", _best(gaining)),
        ("I cannot index again", _best([method for method in gaining if method.varied.facts.get("new_index") == "no"])),
        ("Original queries must not lose", _best([method for method in gaining if method.original.mark != WORSE])),
    ]


def gains(methods: list[Method]) -> str:
    """Which methods gain on variations, as a sentence; '' if none was run."""
    if not methods:
        return ""
    ours = ", ".join(method.label for method in methods if method.gains)
    comparison = f"on variations over {methods[0].base}"
    return f"Methods that gain {comparison}: {ours}." if ours else f"No method is seen to gain {comparison}."
