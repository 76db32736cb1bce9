"""Tables of CSV files, with commas, semicolons, tabs or bars between fields."""

import csv
import io

from robustdr_review.grids import MOST, Field, Grid, Span, spread

DELIMITERS = ",;\t|"


def read_csv(text: str) -> list[Grid]:
    """The one table of a CSV file."""
    try:
        dialect: type[csv.Dialect] | csv.Dialect = csv.Sniffer().sniff(text[:10_000], DELIMITERS)
    except csv.Error:
        dialect = csv.excel
    before = csv.field_size_limit(len(text) + 1)
    try:
        lines, number = [], 0
        for line in csv.reader(io.StringIO(text), dialect):
            if any(field.strip() for field in line):
                lines.append(line)
                number += len(line)
            if number > MOST:
                break  # `spread` refuses it
    finally:
        csv.field_size_limit(before)  # the limit holds for the whole process
    rows, problems = spread([[Span(Field(" ".join(field.split()))) for field in line] for line in lines])
    return [Grid("", "", rows, 0, problems)] if lines else []
