"""robustdr: which published claims about the robustness of dense retrieval hold."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load `robustdr.evaluate` at its first use: an import statement here would be part of every key."""
    if name != "evaluate":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from robustdr.core.plugins import module_named

    return module_named("robustdr.own.api").evaluate
