"""Audit of reported numbers: what a paper prints, checked against itself."""
