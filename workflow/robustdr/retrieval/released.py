"""Rankings from runs that authors released: a file for each query set, in a folder, an archive, or alone."""

from collections.abc import Iterator
from pathlib import Path

from robustdr.collections.reading import read_corpus
from robustdr.core import first_seen
from robustdr.core.errors import UserError
from robustdr.core.unpacked import names, taken_out, the_one
from robustdr.keys.integrity import digest
from robustdr.retrieval.existing import check, select_passages
from robustdr.retrieval.rank import Files, judged_lists
from robustdr.retrieval.runs import Ranking, read_run
from robustdr.retrieval.settings import ReleasedRunSettings as Settings
from robustdr.retrieval.trec import lacking


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[dict[str, Ranking]]:
    """The rankings of the runs, best passage first.

    Args:
        files: `candidates`: the file, folder or archive with all runs.

    Raises:
        UserError: it has changed since it was first used; a pattern names no file, or several; a run is malformed, has
            an unknown query or passage, or a passage twice.
    """
    (path,) = files["candidates"]
    if not settings.sha256:
        first_seen.check(path, settings.origin)
    elif not path.is_file() or (actual := digest(path)) != settings.sha256:
        has = f"has the SHA-256 {actual}" if path.is_file() else "is no file"
        raise UserError(f"{path} {has}; the configuration pins {settings.sha256}")
    file_names, docids = names(path), {docid for docid, _ in read_corpus(corpus)}
    judged = judged_lists(files)
    chosen = [the_one(path, file_names, pattern, f"the run of {name}") for name, pattern in settings.files.items()]
    with taken_out(path, chosen) as runs:
        for name, run_path, queries in zip(chosen, runs, query_sets, strict=True):
            place = f"{path}: {name}"
            run = read_run(run_path, order=settings.order, place=place)
            check(place, run, queries, docids)
            for note in lacking(run, queries):
                print(f"{place}: {note}")
            yield select_passages(run, queries, judged, settings.depth)
