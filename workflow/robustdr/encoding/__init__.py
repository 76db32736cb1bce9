"""Dual encoders: checkpoints, tokenisation, batching by length, encoding."""
