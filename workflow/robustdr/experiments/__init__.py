"""The configuration: reader, checks and typed models."""
