"""Tables, figures and pages that show reported numbers beside reproduced ones.

Each stage that writes something begins in one module; the other modules by what they serve:

settings, spec
    What stages take: settings of the stages, and the keys of tables and figures in experiment.yaml.
tables
    Tables. grid: the cells are made. layouts: which cells a table has. cells: one cell. marks: significance.
    sources: whose queries and models stand behind a cell. released_numbers: what authors' own runs and models give.
drawing
    Figures. figures: the kinds. style: colours and output.
claims
    Verdicts on claims. controls: the controls of a results folder.
site
    The report. claim_pages, forest, sentences: claims. deciding_queries: the queries that decide one. charts: reported
    and reproduced drops. method_choice: which method to use. queries: the data behind cells. templates: the pages.
comparison
    Two results folders. side_by_side: their tables. origins: how they were made.
findings
    docs/findings.md. front: README.md and its picture.
headline, people
    The measures of a scale in one file; what people do to queries, beside generators.
artifacts, naming
    The JSON that stages write for others; names for readers.
"""
