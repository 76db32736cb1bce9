"""Audit of reported numbers: checks the numbers of a paper against each other."""
