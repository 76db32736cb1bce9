"""`robustdr evaluate`: the workflow on a user's own data and retriever; it writes the configuration itself."""

ROLES = ("query", "passage")  # the texts that a model encodes
SMALL = 2000  # passages up to which starting processes costs more than what they do at the same time
