"""Drafts of reported.yaml from the tables of a LaTeX, HTML, Markdown, CSV, Word or PDF file."""
