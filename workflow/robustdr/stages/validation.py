"""Tables counted from released labels."""

import argparse

from robustdr.stages.options import PATH, TEXT, stage


@stage(
    "count Table 2 or 3 of qvg from its released labels",
    makes=lambda a: [tuple(a.output.with_suffix(f".{form}") for form in ("json", "md", "csv"))],
    table=TEXT,
    labels=PATH,
    reported=PATH,
    output=PATH,
)
def validate_labels(a: argparse.Namespace) -> None:
    from robustdr.audit.validation import write_validation

    write_validation(a.table, a.labels, a.reported, a.output)
