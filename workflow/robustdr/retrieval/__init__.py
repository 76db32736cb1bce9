"""First-stage retrieval: embeddings, exact and compressed indexes, BM25, runs."""
