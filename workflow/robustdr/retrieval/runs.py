"""TREC runs with an ir_metadata header, under one tie rule."""

import gzip
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from robustdr.errors import UserError
from robustdr.files import atomic

Ranking = list[tuple[str, float]]  # (docid, score), best first


def rank(scored: Iterable[tuple[str, float]], depth: int) -> Ranking:
    """The `depth` best under the tie rule of trec_eval: score descending, then docid descending."""
    return sorted(scored, key=lambda pair: (pair[1], pair[0]), reverse=True)[:depth]


def metadata(tag: str, key: str, collection: str, query_set: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """The ir_metadata header of a run; `key` says what made it."""
    return {
        "tag": tag,
        "actor": {"team": "robustdr"},
        "implementation": {"source": {"command": "robustdr stage rank"}, "key": key},
        "data": {"test_data": {"name": collection, "topics": query_set.name}},
        "method": {"automatic": True, "settings": settings},
    }


def write_run(path: Path, run: dict[str, Ranking], metadata: dict[str, Any]) -> None:
    """Write a TREC run, gzipped if its name ends in .gz: the ir_metadata header as comments, then a line per passage,
    `qid Q0 docid rank score tag`.

    Nine digits tell any two single-precision scores apart, so ties stay ties and nothing else becomes one.
    """
    header = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True)
    tag = metadata["tag"]
    lines = ["# ir_metadata.start", *(f"# {line}" for line in header.splitlines()), "# ir_metadata.end"]
    for qid, ranking in run.items():
        lines += [f"{qid} Q0 {docid} {i} {score:.9g} {tag}" for i, (docid, score) in enumerate(ranking, 1)]
    with atomic(path) as temporary:
        text = "\n".join([*lines, ""]).encode()
        temporary.write_bytes(gzip.compress(text, compresslevel=1, mtime=0) if path.suffix == ".gz" else text)


def read_run(path: Path) -> dict[str, Ranking]:
    """Read a run (gzipped or not), ordered by the tie rule.

    Raises:
        UserError: the file is damaged or a line is no run line (names file and line).
    """
    return {qid: rank(scored, len(scored)) for qid, scored in read_listed(path).items()}


def read_listed(path: Path) -> dict[str, Ranking]:
    """Read a run (gzipped or not) in the order of its lines.

    Raises:
        UserError: the file is damaged or a line is no run line (names file and line).
    """
    run: dict[str, Ranking] = {}
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8") as file:
            for line in file:
                number += 1
                if not line.startswith("#"):
                    qid, _, docid, _, score, _ = line.split()
                    run.setdefault(qid, []).append((docid, float(score)))
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise UserError(f"{path}:{number}: not a TREC run ({error}); delete the file and run again") from error
    return run


def read_metadata(path: Path) -> dict[str, Any]:
    """The ir_metadata header of a gzipped run; empty without one."""
    lines = []
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                break
            if not line.startswith("# ir_metadata."):
                lines.append(line[2:])
    return yaml.safe_load("".join(lines)) or {}
