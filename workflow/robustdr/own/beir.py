"""`robustdr vary --beir`: a folder in BEIR's layout for each variation of one, for evaluation by other tools."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from robustdr.collections.language import given_or_found
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries, write_text
from robustdr.own.experiment import choose_variations
from robustdr.variations import create, runner
from robustdr.variations.languages import spoken
from robustdr.variations.queries import read_user_queries

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels"


def write(folder: Path, output: Path, variations: Sequence[str], seed: int, workers: int, code: str | None) -> None:
    """Write `output`/<variation> with corpus.jsonl, queries.jsonl and qrels/, and what changed as statistics.json.

    The corpus and the judgements are copied.

    Args:
        folder: in BEIR's layout. variations: names; those of `REALISTIC` if empty.
        code: of the queries' language; None: it is found.

    Raises:
        UserError: a file of the folder is missing, or a variation is unknown; see also `queries.read_user_queries`.
    """
    for name in (CORPUS, QUERIES, QRELS):
        if not (folder / name).exists():
            raise UserError(f"--beir: {folder}: no {name}; a folder has {CORPUS}, {QUERIES} and {QRELS}/SPLIT.tsv")
    originals = read_user_queries(folder / QUERIES)
    language, language_note = given_or_found(code, list(originals.values()))
    print(language_note, file=sys.stderr)
    for name in [name for names in choose_variations(variations, language).values() for name in names]:
        variation_folder = output / name
        variation_folder.mkdir(parents=True, exist_ok=True)
        variation = create(name, spoken(name, language))
        with TemporaryDirectory() as temporary:
            varied = Path(temporary) / "queries.tsv"
            runner.run(originals, varied, variation_folder / "statistics.json", variation, seed, workers=workers)
            rows = [{"_id": qid, "text": text} for qid, text in read_queries(varied).items()]
        write_text(variation_folder / QUERIES, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        shutil.copytree(folder / QRELS, variation_folder / QRELS, dirs_exist_ok=True)
        shutil.copy(folder / CORPUS, variation_folder / CORPUS)
