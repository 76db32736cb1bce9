"""What the papers' tables, figures and claims need of each system: query sets and measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the configuration's checks read this module
    from robustdr.config import Config, Tree

ORIGINAL = "original"
At = tuple[str, str]  # collection, split


def snapshot(system: str, share: float) -> str:
    """The name of a system after a share of its training."""
    return system if share == 1 else f"{system}.at{round(100 * share)}"


def reported_pairs(spec: Tree) -> Iterator[tuple[str, str]]:
    """(system, role) of every cell or point of a table or figure; a list of systems has one for each collection."""
    roles = spec["collections"] if "collections" in spec else [spec["collection"]]
    against = spec.get("significance", {}).get("against", {})
    others = [spec[field] for field in ("start", "drop_from", "base") if field in spec]
    taken = [snapshot(system, share) for system in spec["systems"] for share in spec.get("points", [])]
    for system in [*spec["systems"], *taken, *against.values(), *others]:
        if isinstance(system, list):
            yield from zip(system, roles, strict=True)
        else:
            yield from ((system, role) for role in roles)


def claimed_systems(claim: Tree) -> Iterator[tuple[str, str]]:
    """(argument, system) of everything that a claim's test compares."""
    for argument in ("system", "over", "than", "to", "base", "snapshot"):
        named = claim["test"].get(argument, [])
        yield from ((argument, system) for system in ([named] if isinstance(named, str) else named))


def claimed_pairs(claim: Tree) -> Iterator[tuple[str, str]]:
    """(system, role) of everything that a claim's test compares."""
    yield from ((system, claim["role"]) for _, system in claimed_systems(claim))


def pairs(config: Config, paper: str) -> list[tuple[str, str]]:
    """Every (system, role) that a paper needs."""
    experiment = config.papers[paper]
    specs = [*experiment["tables"].values(), *experiment.get("figures", {}).values()]
    found = [pair for spec in specs for pair in reported_pairs(spec)]
    found += [pair for claim in config.claims[paper] for pair in claimed_pairs(claim)]
    return list(dict.fromkeys(found))


def needs(config: Config, scale: Tree) -> dict[str, dict[At, tuple[list[str], list[str]]]]:
    """(variations, measures) of each system by (collection, split), `original` first.

    Args:
        config: all papers. scale: what is bound to their roles; variations that it cannot generate are left out.
    """
    found: dict[str, dict[At, tuple[list[str], list[str]]]] = {}
    for paper in config.papers:
        for system, role in pairs(config, paper):
            evaluation = config.papers[paper]["evaluation"][role]
            at = (scale["collections"][role], evaluation["split"])
            kinds, measures = found.setdefault(system, {}).setdefault(at, ([ORIGINAL], []))
            missing = {kind for kind, bound in scale["variations"].items() if "unavailable" in bound}
            kinds += [kind for kind in evaluation["variations"] if kind not in missing and kind not in kinds]
            taken = [scale["measures"].get(measure, measure) for measure in evaluation["measures"]]
            measures += [measure for measure in taken if measure not in measures]
    return found
