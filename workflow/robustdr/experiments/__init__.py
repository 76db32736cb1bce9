"""The configuration: read, checked, and as typed models."""
