"""A paper from a few tables, as for the audit."""

from audit.conftest import paper

__all__ = ["paper"]
