"""The job graph: every artifact once, with its inputs, settings, code and key."""
