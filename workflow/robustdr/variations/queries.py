"""The queries that `robustdr vary` varies."""

from pathlib import Path

from robustdr.collections import local, reading
from robustdr.collections.problems import refuse
from robustdr.core.errors import UserError


def read_user_queries(source: str | Path) -> dict[str, str]:
    """Read {qid: text} from a file or `irds:<id>`; see `local.read_queries`.

    White space inside a text becomes single blanks, because the result is written as TSV.

    Raises:
        UserError: the file or collection is missing, a line is malformed, a text is empty, an id occurs twice, or there
            are no queries.
    """
    queries = {query.qid: query.text for query in reading.queries(local.read_queries(Path(source), refuse))}
    if not queries:
        raise UserError(f"{source}: no queries; a line is qid<TAB>text")
    return queries
