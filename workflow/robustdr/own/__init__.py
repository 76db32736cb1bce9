"""One's own data and one's own retriever: `robustdr evaluate`, the workflow on a configuration that it writes itself."""
