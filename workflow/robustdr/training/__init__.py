"""Training data, the order in which it is seen, and the one training loop."""
