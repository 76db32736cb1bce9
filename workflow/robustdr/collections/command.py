"""The command `robustdr check`: prints what `robustdr.collections.check` finds, and writes a cleaned copy."""

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from robustdr.collections import data
from robustdr.collections.problems import Place, Problem, refuse
from robustdr.core.errors import UserError
from robustdr.core.files import atomic, write_json
from robustdr.core.paths import named_path

SHOWN = 20  # problems of a kind, without --all
MARKS = {"error": "", "dropped": " (left out)", "warning": " (warning)"}  # in the order of the output


def add_arguments(command: argparse.ArgumentParser) -> None:
    data.add_arguments(command)
    command.add_argument(
        "--train-queries", type=named_path, metavar="FILE", help="queries of the training split, as --queries"
    )
    command.add_argument(
        "--train-qrels", type=named_path, metavar="FILE", help="judgements of the training split, as --qrels"
    )
    command.add_argument("--drop-empty", action="store_true", help="leave empty passages and queries out")
    command.add_argument("--ignore-unjudged", action="store_true", help="leave queries without a judgement out")
    command.add_argument("-o", "--output", type=named_path, help="folder to write a copy to, without what is left out")
    command.add_argument(
        "--all", action="store_true", help=f"print every problem, not only the first {SHOWN} of a kind"
    )


def run(a: argparse.Namespace) -> int:
    """Print one line for each problem, grouped by kind, and a summary; return exit status 1 if there is an error.

    Raises:
        UserError: contradictory arguments, or a format that is not allowed.
    """
    from robustdr.collections import language
    from robustdr.collections.check import check

    if (a.train_queries is None) != (a.train_qrels is None):
        raise UserError("check: --train-queries and --train-qrels go together; give both or neither")
    locations = data.parse_locations(a)
    drop_empty, ignore_unjudged = locations.published or a.drop_empty, locations.published or a.ignore_unjudged
    if a.output and not (drop_empty or ignore_unjudged or a.allow_missing):
        options = "--drop-empty, --ignore-unjudged, --allow-missing"
        raise UserError(f"check: --output is for a cleaned copy; say what to leave out: {options}")
    splits = {"test": (locations.queries, locations.qrels)}
    if a.train_queries:
        splits["train"] = (a.train_queries, a.train_qrels)
    allow_missing = locations.published or a.allow_missing
    problems, _, queries = check(
        locations.corpus, splits, drop_empty, ignore_unjudged, allow_missing, a.ignore_identical_ids
    )
    if queries:
        print(language.given_or_found(None, queries["test"])[1])
    for line in lines(problems, None if a.all else SHOWN):
        print(line)
    failed = any(problem.severity == "error" for problem in problems)
    if a.output and failed:
        print(f"{a.output}: nothing is written while there are errors")
    elif a.output:
        write_clean(locations.corpus, splits, problems, a.output)
    print(summary(problems))
    return int(failed)


def lines(problems: list[Problem], limit: int | None) -> list[str]:
    """Return a line for each of the first `limit` problems of a kind, errors first, and one that counts the rest."""
    kinds: dict[str, list[Problem]] = {}
    for problem in sorted(problems, key=lambda problem: list(MARKS).index(problem.severity)):
        kinds.setdefault(problem.kind, []).append(problem)
    printed_lines = []
    for kind, of_kind in kinds.items():
        printed_lines += [f"{problem}{MARKS[problem.severity]}" for problem in of_kind[:limit]]
        if limit is not None and len(of_kind) > limit:
            printed_lines.append(f"… {kind}: {len(of_kind) - limit:,} more; `robustdr check --all` prints them")
    return printed_lines


def summary(problems: list[Problem]) -> str:
    """Return the numbers of errors, warnings and left-out lines, by kind."""
    counts_by_severity = []
    for severity, called in (("error", "error(s)"), ("warning", "warning(s)"), ("dropped", "line(s) left out")):
        kinds = Counter(problem.kind for problem in problems if problem.severity == severity)
        of_kinds = f" ({', '.join(f'{kind}: {count:,}' for kind, count in kinds.items())})" if kinds else ""
        counts_by_severity.append(f"{kinds.total():,} {called}{of_kinds}")
    return "; ".join(counts_by_severity)


def write_clean(corpus: Path, splits: dict[str, tuple[Path, Path]], problems: list[Problem], folder: Path) -> None:
    """Write each file without the lines that are left out, and `dropped.json`, which lists these lines and the reasons.

    The copies are corpus.jsonl (docid, title, text), queries.tsv and qrels.txt (TREC), whatever the form of the files.

    Raises:
        UserError: a cleaned file would replace the original.
    """
    from robustdr.collections.local import read_judgements, read_passages, read_queries

    dropped = {p.place: p for p in problems if p.severity == "dropped" and isinstance(p.place, Place)}
    copies: dict[Path, tuple[Path, Iterable[tuple[Place, str]]]] = {
        folder / "corpus.jsonl": (
            corpus,
            ((place, json.dumps(row._asdict(), ensure_ascii=False)) for place, row in read_passages(corpus, refuse)),
        )
    }
    for split, (queries, qrels) in splits.items():
        prefix = "" if split == "test" else f"{split}-"
        query_rows, judgement_rows = read_queries(queries, refuse), read_judgements(qrels, refuse)
        copies |= {
            folder / f"{prefix}queries.tsv": (
                queries,
                ((place, f"{row.qid}\t{' '.join(row.text.split())}") for place, row in query_rows),
            ),
            folder / f"{prefix}qrels.txt": (
                qrels,
                ((place, f"{row.qid} 0 {row.docid} {row.grade}") for place, row in judgement_rows),
            ),
        }
    for output in copies:
        if output.exists() and any(source.exists() and output.samefile(source) for source, _ in copies.values()):
            raise UserError(f"check: --output {folder}: {output} is one of the files to copy; name another folder")
    for output, (_, rows) in copies.items():
        with atomic(output) as temporary, open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for place, line in rows if place not in dropped)
    listed = [
        {"kind": problem.kind, "file": str(place.path), "line": place.number, "what": problem.message}
        for place, problem in dropped.items()
    ]
    counts = Counter(problem.kind for problem in dropped.values())
    write_json(folder / "dropped.json", {"counts": counts, "lines": listed})
