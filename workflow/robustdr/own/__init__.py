"""One's own data and retriever: `robustdr evaluate`, the workflow on a configuration that it writes itself."""
