"""Drafts of reported.yaml from the tables of a file: LaTeX, HTML, Markdown, CSV, Word."""
