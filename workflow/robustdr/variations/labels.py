"""qvg's released labels: annotations of pairs of queries (Table 2) and of query variations (Table 3)."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from robustdr.core.checks import prefixed_errors
from robustdr.core.errors import UserError, unknown
from robustdr.core.files import read_lines

ANNOTATORS = range(3)
PAIR_SHEETS = [f"anotations/UQV_annotation - {n}.csv" for n in ANNOTATORS]
VARIATION_SHEETS = [f"anotations/automatic_query_variations_anotation - {n}.csv" for n in ANNOTATORS]
LABELLED = ["data/variations_trec2019_labeled.csv", "data/variations_antique_labeled.csv"]
COUNTED = ("qvg_table2", "qvg_table3")  # tables counted from the labels, at every scale
FILES = {"table2": PAIR_SHEETS, "table3": [*VARIATION_SHEETS, *LABELLED]}

# The names of our categories, collections and generators in the released files, in the paper's order.
CATEGORIES = {
    "specialisation": "Generalization/Specialization",
    "aspect_change": "Aspect Change",
    "naturality": "Naturality",
    "ordering": "Word ordering",
    "paraphrasing": "Paraphrasing",
}
COLLECTIONS = {"trec-dl-2019": "trec-dl-2019", "msmarco": "trec-dl-2019", "antique": "antique"}
GENERATORS = {
    "WordSwapNeighboringCharacterSwap": "neighbour_char_swap",
    "WordSwapRandomCharacterSubstitution": "random_char_substitution",
    "WordSwapQWERTY": "qwerty_char_substitution",
    "naturality_by_removing_stop_words": "remove_stopwords",
    "summarization_with_t5-base_from_description_to_title": "t5_description_to_title",
    "WordInnerSwapRandom": "random_order_swap",
    "back_translation_pivot_language_de": "back_translation_m2m",
    "ramsrigouthamg/t5_paraphraser": "t5_qqp_paraphrase",
    "WordSwapEmbedding": "embedding_synonym_swap",
    "WordSwapWordNet": "wordnet_synonym_swap",
}

PAIR = ["UQV story", "query 1", "query 2"]
VARIATION = ["dataset", "q_id", "method", "original_query", "variation", "valid", "follow_category"]
BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Pair:
    """Two queries for one information need, and an annotator's categories for them."""

    queries: tuple[str, ...]
    categories: frozenset[str]


@dataclass(frozen=True)
class Variation:
    """A query variation and its two labels."""

    collection: str
    generator: str  # our name; the released name if the paper does not use the generator
    query: str
    text: str
    changed: bool  # whether it differs from the original query
    valid: bool | None  # whether it keeps the meaning of the query; None if the annotator left it blank
    fits: bool  # whether it differs from the query as its category says

    @property
    def key(self) -> tuple[str, ...]:
        """The fields that a sheet and the labelled file have in common."""
        return self.collection, self.generator, self.query, self.text


def configured(folder: str | None, table: str) -> list[Path]:
    """The result of `files` for the folder in config.yaml.

    Raises:
        UserError: config.yaml names no folder; see also `files`.
    """
    if not folder:
        raise UserError(
            f"config/config.yaml: qvg_labels: not set; {table} of qvg is counted from the authors' released labels: "
            "set the key to their folder, or add --config qvg_labels=FOLDER"
        )
    with prefixed_errors("config/config.yaml: qvg_labels"):
        return files(Path(folder), table)


def files(folder: Path, table: str) -> list[Path]:
    """The released files from which `table2` or `table3` is counted; copies may have `_` for the blanks of their names.

    Raises:
        UserError: the table is another one, or a file is missing in `folder`.
    """
    if table not in FILES:
        raise unknown("table of qvg", table, FILES)
    paths = []
    for name in FILES[table]:
        existing = [path for path in (folder / name, folder / name.replace(" ", "_")) if path.is_file()]
        if not existing:
            listed = ", ".join(map(repr, FILES[table]))
            raise UserError(f"{folder / name}: no such file; {table} of qvg is counted from {listed} of its repository")
        paths.append(existing[0])
    return paths


def read_pairs(path: Path) -> dict[str, Pair]:
    """Read an annotator's sheet: pairs by id.

    Raises:
        UserError: a value is not allowed, or an id occurs twice (names file, line, column and value).
    """
    pairs: dict[str, Pair] = {}
    for line, row in _rows(path, ["id", *PAIR, *CATEGORIES.values()]):
        if row["id"] in pairs:
            raise UserError(f"{path}:{line}: id: pair {row['id']!r} occurs twice; ids are unique")
        categories = [name for name, column in CATEGORIES.items() if _boolean(path, line, column, row[column])]
        pairs[row["id"]] = Pair(tuple(" ".join(row[column].split()) for column in PAIR), frozenset(categories))
    return pairs


def check_pairs(paths: Sequence[Path], sheets: Sequence[dict[str, Pair]]) -> None:
    """Check that the sheets belong to one study.

    Raises:
        UserError: an id has other queries in another sheet, or no pair has labels of all annotators.
    """
    first: dict[str, tuple[Path, Pair]] = {}
    for path, sheet in zip(paths, sheets, strict=True):
        for id, pair in sheet.items():
            first_path, first_pair = first.setdefault(id, (path, pair))
            if pair.queries != first_pair.queries:
                raise UserError(f"{path}: id: pair {id!r} has other queries than in {first_path}")
    if not set.intersection(*(set(sheet) for sheet in sheets)):
        raise UserError(f"{paths[-1]}: id: no pair is in all of {', '.join(map(str, paths))}; agreement needs one")


def read_variations(path: Path, *, sheet: bool) -> list[Variation]:
    """Read labelled variations; in an annotator's `sheet`, `valid` may be blank, and generators may be unknown.

    Raises:
        UserError: a value is not allowed (names file, line, column and value).
    """
    labelled = []
    for line, row in _rows(path, VARIATION):
        if row["dataset"] not in COLLECTIONS:
            raise unknown(f"{path}:{line}: dataset", row["dataset"], COLLECTIONS)
        if row["method"] not in GENERATORS and not sheet:
            raise unknown(f"{path}:{line}: method", row["method"], GENERATORS)
        blank = sheet and not row["valid"]
        labelled.append(
            Variation(
                COLLECTIONS[row["dataset"]],
                GENERATORS.get(row["method"], row["method"]),
                row["q_id"],
                row["variation"],
                row["variation"] != row["original_query"],
                None if blank else _boolean(path, line, "valid", row["valid"]),
                _boolean(path, line, "follow_category", row["follow_category"]),
            )
        )
    return labelled


def _boolean(path: Path, line: int, column: str, value: str) -> bool:
    if value.lower() not in BOOLEANS:
        raise UserError(f"{path}:{line}: {column}: {value!r} is not a label; allowed: TRUE, FALSE")
    return BOOLEANS[value.lower()]


def _rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line number, row) of a CSV file, which must have at least these columns."""
    reader = csv.DictReader((line for _, line in read_lines(path)), restval="")
    try:
        missing = [column for column in columns if column not in (reader.fieldnames or [])]
        if missing:
            raise UserError(f"{path}:1: no column {missing[0]!r}; the file needs {', '.join(columns)}")
        empty = True
        for row in reader:
            empty = False
            yield reader.line_num, row
    except csv.Error as error:
        raise UserError(f"{path}:{reader.line_num}: not CSV: {error}") from None
    if empty:
        raise UserError(f"{path}: no rows below the header; the file needs {', '.join(columns)}")
