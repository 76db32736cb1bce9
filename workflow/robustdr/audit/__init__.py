"""Audit of reported numbers: checks the numbers of a paper against each other.

`paper` audits the folder of a paper, `audited` any numbers. Begin there; the other modules by what they do:

What a paper prints
    transcript: the keys of reported.yaml. reported: its tables, cell by cell. cells: one printed number.
    rounding: the values that it can stand for. heads: what labels say that numbers are. sizes: how many queries or
    people a text names.
Relations
    relations: the kinds of relation. resolve: those that are declared. arithmetic, formulas: those that nobody
    declared. grains: which means and deviations whole numbers can have. chance: how likely a relation fits by chance.
Rules that need no declaration
    Functions have the names of their findings, as in docs/explanation/audit.md.
    shares, spreads, tallies, inference: by definition. bounds: by the habit of a table. patterns: copies and the like.
    restated: the same number in two tables.
Why a number is wrong
    findings: what a fault is. lookup: cells and checks, indexed. hypotheses: one change that repairs a relation.
    explain: the simplest one. causes: one explanation for many findings.
Claims and runs
    printed_claims: claims judged on printed numbers. recompute, conventions, recomputed: printed numbers beside the
    runs behind them.
Reports
    command: `robustdr audit`. formats: Markdown, JSON, CSV. record: the form of the JSON. page: HTML.
What authors released, counted
    released: `robustdr released`. validation: qvg's labels. counted: both as tables.
"""
