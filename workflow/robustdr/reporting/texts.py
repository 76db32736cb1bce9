"""The texts in the report: a collection's original queries, its varied queries, and its passages."""

import zlib
from pathlib import Path

from robustdr.collections.rows import Corpus
from robustdr.core.files import read_queries
from robustdr.evaluation.names import ORIGINAL
from robustdr.reporting.queries import read_data, write_data


def part_of(docid: str, parts: int) -> int:
    """The number, from 0, of the script with this passage; `parts`: number of scripts."""
    return zlib.crc32(docid.encode()) % parts


def write_texts(explored: list[Path], queries: list[Path], corpus: Path, output: Path, passages: list[Path]) -> None:
    """Write the texts of a collection.

    Args:
        explored: scripts that `write_queries` wrote, one per system. queries: files of original and varied queries; a
            varied query that equals its original is written as 0. output: the script of queries. passages: scripts,
            each for a part of the passages that any system's rankings show.
    """
    originals = {path.parent.name: read_queries(path) for path in queries if path.name == "queries.tsv"}
    texts: dict[str, dict[str, object]] = {
        split: {"qids": sorted(text_by_qid), ORIGINAL: [text_by_qid[qid] for qid in sorted(text_by_qid)]}
        for split, text_by_qid in originals.items()
    }
    for path in (path for path in queries if path.name != "queries.tsv"):
        split, varied = path.parent.name, read_queries(path)
        original = originals[split]
        texts[split][path.stem] = [0 if varied[qid] == original[qid] else varied[qid] for qid in sorted(original)]
    write_data(output, f"{corpus.parent.name}/queries", texts)
    sets = [of_set for path in explored for of_set in read_data(path)["sets"].values()]
    shown_docids = {docid for of_set in sets for docids, _ in of_set["top"].values() for docid in docids}
    parts: list[dict[str, list[str]]] = [{} for _ in passages]
    reader = Corpus(corpus)
    for docid, row in reader.rows(shown_docids).items():
        passage = reader.read_passage(row, docid)
        parts[part_of(docid, len(parts))][docid] = [passage.title, passage.text]
    for number, (path, part) in enumerate(zip(passages, parts, strict=True)):
        write_data(path, f"{corpus.parent.name}/passages{number}", part)
