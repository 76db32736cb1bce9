"""Which systems, and on which collections, a table, a figure or a claim needs."""

from collections.abc import Iterator
from typing import Any

Tree = dict[str, Any]
ORIGINAL = "original"  # the query set that nothing varies


def snapshot(system: str, share: float) -> str:
    """The name of a system after a share of its training."""
    return system if share == 1 else f"{system}.at{round(100 * share)}"


def compared(spec: Tree) -> dict[str, str]:
    """The systems that a table's tests compare with another one; none where they compare query sets of one system."""
    against = spec.get("significance", {}).get("against", {})
    return against if isinstance(against, dict) else {}


def reported_pairs(spec: Tree) -> Iterator[tuple[str, str]]:
    """(system, role) of every cell or point of a table or figure; a list of systems has one for each collection."""
    roles = spec["collections"] if "collections" in spec else [spec["collection"]]
    others = [spec[field] for field in ("start", "drop_from", "base") if field in spec]
    before = [system for chain in spec.get("chains", {}).values() for system in chain if system]
    systems = spec.get("systems", [])  # none where a table is about the collections alone
    taken = [snapshot(system, share) for system in systems for share in spec.get("points", [])]
    for system in [*systems, *taken, *compared(spec).values(), *others, *before]:
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
