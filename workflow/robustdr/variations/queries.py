"""The queries that `robustdr vary` varies."""

import sys
from pathlib import Path

from robustdr.collections import local, reading
from robustdr.collections.problems import Problem, refuse, sentences
from robustdr.core.errors import UserError


def read_user_queries(source: str | Path) -> dict[str, str]:
    """Read {qid: text} from a file or `irds:<id>`; see `local.read_queries`.

    White space inside a text becomes single blanks, because the result is written as TSV. Warnings of the reader go to
    standard error.

    Raises:
        UserError: the file or collection is missing, a line is malformed, a text is empty, an id occurs twice, or there
            are no queries.
    """
    warnings: list[Problem] = []

    def report(problem: Problem) -> None:
        refuse(problem)
        warnings.append(problem)

    queries = {query.qid: query.text for query in reading.queries(local.read_queries(Path(source), report))}
    for sentence in sentences(warnings):
        print(sentence, file=sys.stderr)
    if not queries:
        raise UserError(f"{source}: no queries; a line is qid<TAB>text")
    return queries
