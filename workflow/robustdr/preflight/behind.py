"""The jobs behind a target that are still to be done."""

from collections.abc import Iterable
from pathlib import Path

from robustdr.keys.integrity import key_of
from robustdr.keys.node import Node


def undone(targets: Iterable[Node]) -> list[Node]:
    """Return the nodes of artifacts that are to be made for `targets`, each after its inputs.

    What an artifact was made from is not needed any more once it is there with its key.
    """
    found: dict[str, Node] = {}
    seen: set[str] = set()

    def visit(node: Node) -> None:
        node = node.whole or node
        if node.path in seen:
            return
        seen.add(node.path)
        if is_made(node):
            return
        for other in (*node.after, *node.read):
            visit(other)
        found[node.path] = node

    for node in targets:
        visit(node)
    return list(found.values())


def is_made(node: Node) -> bool:
    """Whether an artifact is there with the key that is planned."""
    return all(Path(path).exists() for path in node.waited) and key_of(Path(node.path)) == node.key
