"""Measures, drops and significance."""
