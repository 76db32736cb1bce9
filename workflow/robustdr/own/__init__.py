"""One's own data and retriever: `robustdr evaluate`, the workflow on a configuration that it writes itself."""

ROLES = ("query", "passage")  # the texts that a model encodes
